// Profile curves: where an operator is 0.5.
//
// The curve is given in the half f1 >= f2 of the unit square and mirrored: from (0.5, 0) to its crossing with the
// diagonal at (c, c), then, as the contact line, along the diagonal to (e, e). Tracking 4.2: the yellow, the purple and
// the green curve.
#pragma once

#include <span>
#include <vector>

#include "cutis/compose.h"

namespace cutis {

/// The profile of one slice d.
struct ProfileCurve {
  std::vector<ProfilePoint> side;  ///< dense points from (0.5, 0) to (c, c), f2 strictly rising
  double crossing = 0.5;           ///< c
  double contact_end = 0.5;        ///< e; c when there is no contact line
  bool aligned = false;            ///< the side is the straight line f1 = 0.5
  bool widening = false;           ///< the skin bulges or stays, and never dents
};

/// e at d = 1 with full depth. The paper's line runs into the corner (1,1), where the boundary wants g = 1: the slope
/// of g would have no bound. Fields hardly reach this value (0.90 on the axis of a typical limb).
inline constexpr double kDeepestContact = 0.9375;
/// Contact lines end at 0.5 + k / 32, k = 1 ... 14: on nodes of every table.
inline constexpr int kContactSteps = 14;

/// Throws Error(bad_argument) with what is wrong with the points.
void check_profile(const OperatorProfile& profile);

/// The profile of slice d: control points go from the straight line at d = 0 to their own places at d = 1, the contact
/// line from nothing to its depth. d in [0,1]; a checked profile.
[[nodiscard]] ProfileCurve profile_at(const OperatorProfile& profile, double d);

/// Distance of a point of the half f1 >= f2 to the side curve, negative outside (towards f = 0).
[[nodiscard]] double side_distance(const ProfileCurve& curve, double f1, double f2);

}  // namespace cutis
