// What the driven bones are, by their names, and which way the body faces at rest.
#pragma once

#include <vector>

#include "character/joint_roles.h"
#include "volume/driven_skeleton.h"

namespace cutis {

struct BodyRoles {
  std::vector<Role> roles;  ///< per driven bone
  Vec3d left{1, 0, 0}, up{0, 1, 0}, forward{0, 0, 1};

  /// Bone index; -1 when there is none.
  [[nodiscard]] int find(Part part, Side side = Side::none, int index = 0) const;
  [[nodiscard]] std::vector<int> chain(Part part) const;  ///< spine or neck, from below
  /// Palm side of a hand, at right angles to its middle finger; from the knuckles where there are fingers, else facing
  /// down as in a T pose.
  [[nodiscard]] Vec3d palm(const DrivenSkeleton& skeleton, Side side) const;
  /// The elbow's bending axis: positive turns flex.
  [[nodiscard]] Vec3d elbow_axis(const DrivenSkeleton& skeleton, Side side) const;
};

/// By names alone.
[[nodiscard]] BodyRoles find_body_roles(const Skeleton& skeleton, const DrivenSkeleton& driven);
/// By names; where they do not tell arms and legs, by the shape of the skeleton.
[[nodiscard]] BodyRoles find_body_roles(const Character& character, const DrivenSkeleton& driven);
/// Upper arms and thighs, left and right.
[[nodiscard]] bool has_limbs(const BodyRoles& body);

}  // namespace cutis
