#include "character/builtin/limb_ik.h"

#include <algorithm>
#include <cmath>

namespace cutis::builtin {

void reach(PoseWriter& pose, const Skeleton& skeleton, const Limb& limb, const Vec3d& target, const Vec3d& pole) {
  const Vec3d rest_upper = rest_position(skeleton, limb.upper), rest_lower = rest_position(skeleton, limb.lower),
              rest_end = rest_position(skeleton, limb.end);
  const double l1 = distance(rest_upper, rest_lower), l2 = distance(rest_lower, rest_end);
  const Vec3d from = pose.world_position(limb.upper);
  // Short of straight: a stretched limb would flip its middle joint.
  const double reachable = 0.998 * (l1 + l2);
  const Vec3d direction = normalized(target - from, Vec3d{0, -1, 0});
  const double d = std::min(distance(target, from), reachable);
  const double along = (l1 * l1 + d * d - l2 * l2) / (2 * d);
  const double aside = std::sqrt(std::max(0.0, l1 * l1 - along * along));
  const Vec3d bend = normalized(pole - direction * dot(pole, direction));
  const Vec3d middle = from + direction * along + bend * aside, end = from + direction * d;
  pose.turn_in_world(limb.upper, align(rest_lower - rest_upper, limb.rest_pole, middle - from, bend));
  pose.turn_in_world(limb.lower, align(rest_end - rest_lower, limb.rest_pole, end - middle, bend));
}

}  // namespace cutis::builtin
