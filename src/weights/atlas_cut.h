// Where the atlas is cut: one closed curve around every joint, in a plane through it (Lu 2008, section 3.1).
//
// Differs from the paper where it is silent (docs/algorithms/weights-atlas.md): a curve must not have another bone
// running through it, curves do not cross each other, collinear bones search a cone of planes, and a joint that no
// curve encloses looks a little down its bone, then for the nearest curve.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/plane_section.h"
#include "weights/atlas_search.h"
#include "weights/atlas_skeleton.h"

namespace cutis {

struct AtlasCut {
  std::uint32_t bone = 0;  ///< below the cut; above it is AtlasBone::parent
  CutPlace place = CutPlace::missing;
  Plane plane;           ///< the normal points to the lower bone
  double tilt = 0;       ///< radians between the normal and the bisector of upper and lower bone
  double perimeter = 0;  ///< metres
  SectionCurve curve;

  [[nodiscard]] bool found() const { return place != CutPlace::missing; }
  [[nodiscard]] double diameter() const;  ///< perimeter over pi
};

/// One for every active bone that has a parent, in the order of the bones.
[[nodiscard]] std::vector<AtlasCut> find_cuts(const WeightProblem& problem, const std::vector<AtlasBone>& skeleton,
                                              const PlaneSections& sections, const Context& context);

}  // namespace cutis
