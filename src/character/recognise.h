// What the joints of a skeleton are: from the file's own map, from their names, and from the shape of the whole.
#pragma once

#include <utility>
#include <vector>

#include "character/body_plan.h"

namespace cutis {

struct Recognised {
  BodyKind kind = BodyKind::none;
  std::vector<Role> roles;         ///< per joint
  std::vector<double> confidence;  ///< per joint, 0 to 1; 0: no role
};

/// Where names draw a whole body they decide; else the shape does, with names as evidence, and names fill in what the
/// shape does not show. A file's own map comes before both.
[[nodiscard]] Recognised recognise(const std::vector<PlacedJoint>& joints);

struct JointMatch {
  int joint = -1, motion_joint = -1;
  Role role;
  double confidence = 0;
};

/// Joints of the same role. Chains of different lengths correspond from end to end.
[[nodiscard]] std::vector<JointMatch> match_skeletons(const std::vector<PlacedJoint>& character, const Recognised& ours,
                                                      const std::vector<PlacedJoint>& motion, const Recognised& theirs);

}  // namespace cutis
