// How a bone moves its skin.
#pragma once

#include <span>

#include "base/math.h"
#include "rig/rig.h"

namespace cutis {

/// From the rest pose to where the bone's joint is; `world_from_joint`: of every joint of the skeleton.
inline Affine3d motion_of(const RigBone& bone, std::span<const Affine3d> world_from_joint) {
  return world_from_joint[static_cast<std::size_t>(bone.joint)] * bone.rest_from_world;
}

}  // namespace cutis
