// From one pose of the bones to another by small steps: every joint turns, and the skeleton follows.
#pragma once

#include <span>
#include <vector>

#include "backends/track.h"
#include "cutis/types.h"
#include "rig/rig.h"

namespace cutis {

/// A bone's motion relative to its parent bone's, about its joint c at rest: p -> R S (p - c) + joint.
struct JointMotion {
  Quatd rotation;
  Mat3d stretch;
  Vec3d joint;
};

/// The rest pose.
[[nodiscard]] std::vector<JointMotion> rest_motions(const Rig& rig);

/// Takes motions (posed from rest) apart, joint by joint. A bone that is scaled to nothing keeps a thousandth.
void split_motions(const Rig& rig, std::span<const Affine3d> motions, std::vector<JointMotion>& joints);

/// The pose at t in [0,1] on the way. Signs of rotations agree with those of `before`, the last pose on the way, where
/// there is one: a bone may twist past 180 degrees; otherwise along the skin that bones share.
void interpolate(const Rig& rig, std::span<const JointMotion> from, std::span<const JointMotion> to, double t,
                 PosedBones& pose, const PosedBones* before = nullptr);

/// The largest turn of a bone relative to its parent, radians, where moving a joint by its bone's length, or stretching
/// a bone to e times its size, counts as one radian.
[[nodiscard]] double largest_turn(const Rig& rig, std::span<const JointMotion> from, std::span<const JointMotion> to);

}  // namespace cutis
