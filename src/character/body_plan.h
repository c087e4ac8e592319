// Bodies with four limbs, found in the shape of a skeleton: two mirrored pairs of limbs on a trunk. Upright bodies have
// their legs along the trunk, animals at right angles to it. Works in any frame; names only break ties and tell sides.
#pragma once

#include <optional>
#include <vector>

#include "character/joint_roles.h"
#include "character/skin_tree.h"

namespace cutis {

enum class BodyKind { none, human, quadruped, hand };

struct BodyPlan {
  BodyKind kind = BodyKind::none;
  std::vector<Role> roles;  ///< per joint of the input
  double quality = 0;       ///< 0 to 1: how well the two sides mirror each other
  double side_quality = 0;  ///< 0 to 1: how sure left is left
};

/// None when there is no such body.
[[nodiscard]] std::optional<BodyPlan> find_body_plan(const std::vector<PlacedJoint>& joints);

}  // namespace cutis
