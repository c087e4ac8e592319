#include "solve/bone_path.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/polar.h"
#include "rig/bone_turns.h"
#include "rig/parts.h"

namespace cutis {
namespace {

constexpr double kLeastStretch = 1e-3;

// The nearest motion that can be inverted: stretches of less than a thousandth are raised to that.
Affine3d invertible(const Affine3d& motion, const Vec3d& joint) {
  const double size = std::max(frobenius(motion.linear), 1e-300);
  if (std::abs(determinant(motion.linear)) > 1e-7 * size * size * size && size > kLeastStretch) return motion;
  const Polar polar = polar_decompose(motion.linear);
  SymmetricEigen eigen = eigen_decompose(polar.stretch);
  for (int i = 0; i < 3; ++i)
    if (!(std::abs(eigen.values[i]) >= kLeastStretch))
      eigen.values[i] = eigen.values[i] < 0 ? -kLeastStretch : kLeastStretch;
  const Mat3d linear =
      to_matrix(polar.rotation) * (eigen.vectors * diagonal_matrix(eigen.values) * transpose(eigen.vectors));
  return {linear, transform_point(motion, joint) - linear * joint};
}

}  // namespace

std::vector<JointMotion> rest_motions(const Rig& rig) {
  std::vector<JointMotion> joints(rig.bones.size());
  for (std::size_t b = 0; b < joints.size(); ++b) joints[b].joint = rig.bones[b].rest_origin;
  return joints;
}

void split_motions(const Rig& rig, std::span<const Affine3d> motions, std::vector<JointMotion>& joints) {
  joints.resize(rig.bones.size());
  for (std::size_t b = 0; b < joints.size(); ++b) {
    const RigBone& bone = rig.bones[b];
    Affine3d own = invertible(motions[b], bone.rest_origin);
    if (bone.parent >= 0) {
      const auto parent = static_cast<std::size_t>(bone.parent);
      own = inverse(invertible(motions[parent], rig.bones[parent].rest_origin)) * own;
    }
    const Polar polar = polar_decompose(own.linear);
    joints[b] = {polar.rotation, polar.stretch, transform_point(own, bone.rest_origin)};
  }
}

void interpolate(const Rig& rig, std::span<const JointMotion> from, std::span<const JointMotion> to, double t,
                 PosedBones& pose, const PosedBones* before) {
  const std::size_t n = rig.bones.size();
  pose.motion.resize(n);
  pose.rotation.resize(n);
  pose.stretch.resize(n);
  for (std::size_t b = 0; b < n; ++b) {
    const RigBone& bone = rig.bones[b];
    const Quatd rotation = t >= 1 ? to[b].rotation : slerp(from[b].rotation, to[b].rotation, t);
    const Mat3d stretch = from[b].stretch * (1 - t) + to[b].stretch * t;
    const Mat3d linear = to_matrix(rotation) * stretch;
    // On its way to a mirrored bone a stretch passes 0.
    pose.motion[b] =
        invertible({linear, lerp(from[b].joint, to[b].joint, t) - linear * bone.rest_origin}, bone.rest_origin);
    if (bone.parent >= 0) pose.motion[b] = pose.motion[static_cast<std::size_t>(bone.parent)] * pose.motion[b];
  }
  find_turns(rig, pose.motion, pose.rotation, pose.stretch);
  if (before == nullptr) {
    agree_on_signs(rig, pose.rotation);
  } else {
    for (std::size_t b = 0; b < n; ++b)
      if (dot(pose.rotation[b], before->rotation[b]) < 0) pose.rotation[b] = negated(pose.rotation[b]);
  }
}

double largest_turn(const Rig& rig, std::span<const JointMotion> from, std::span<const JointMotion> to) {
  double largest = 0;
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    if (parent_part(rig, b) < 0) continue;  // moves no skin against other skin
    const int parent = rig.bones[b].parent;
    const double c = std::min(1.0, std::abs(dot(from[b].rotation, to[b].rotation)));
    const double turn = 2 * std::acos(c);
    // The tip of a finger has no length of its own: then its parent's counts.
    const auto length_of = [&](std::size_t bone) {
      return distance(rig.bones[bone].rest_origin, rig.bones[bone].rest_end);
    };
    const double size = std::max({length_of(b), length_of(static_cast<std::size_t>(parent)), 1e-12});
    const double shift = distance(from[b].joint, to[b].joint) / size;
    const double stretch = frobenius(from[b].stretch + to[b].stretch * -1.0);
    largest = std::max({largest, turn, shift, stretch});
  }
  return std::isfinite(largest) ? largest : kPi;
}

}  // namespace cutis
