// Two bones that reach for a point: legs stand where they should, hands go where they are sent.
#pragma once

#include <string_view>

#include "character/builtin/skeleton_builder.h"

namespace cutis::builtin {

struct Limb {
  std::string_view upper, lower, end;  ///< thigh, shin, foot
  Vec3d rest_pole;                     ///< where the middle joint points at rest: knee to the front, elbow to the back
};

/// Turns the two bones so that `end` comes to `target` (or as near as they reach) with the middle joint towards `pole`.
void reach(PoseWriter& pose, const Skeleton& skeleton, const Limb& limb, const Vec3d& target, const Vec3d& pole);

}  // namespace cutis::builtin
