#include "rig/pose_limits.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/polar.h"

namespace cutis {
namespace {

// As far as bones go at all (bone_motion.cpp).
constexpr double kFarthestShift = 1e15;

}  // namespace

bool keeps_skin(const Affine3d& motion) {
  if (!is_finite(motion) || !(length(motion.translation) <= kFarthestShift)) return false;
  const Mat3d& m = motion.linear;
  if (!(determinant(m) > 0)) return false;
  const Vec3d squared = eigen_decompose(transpose(m) * m).values;
  for (int k = 0; k < 3; ++k)
    if (!(squared[k] >= kLeastBoneStretch * kLeastBoneStretch && squared[k] <= kMostBoneStretch * kMostBoneStretch))
      return false;
  return true;
}

PoseOrigin::PoseOrigin(const Rig& rig) : rig_(rig), rest_(default_pose(rig.skeleton)) {
  Box box;
  for (const Vec3f& p : rig.rest_positions) box.add(static_cast<Vec3d>(p));
  if (box.empty()) return;
  size_ = diagonal(box);
  center_ = center(box);
  if (!rig.has_skin()) return;
  const auto& owner = rig.surface.owner;
  if (std::ranges::find(owner, RigSurface::kNoBone) != owner.end()) return;
  if (!owner.empty()) anchor_ = static_cast<int>(*std::ranges::min_element(owner));
}

const Pose& PoseOrigin::nearby(const Pose& pose, Vec3d& offset) {
  offset = {};
  if (anchor_ < 0 || !(size_ > 0)) return pose;
  // Up the skeleton from the anchor: the rest of the pose does not matter.
  const auto& joints = rig_.skeleton.joints;
  const RigBone& bone = rig_.bones[static_cast<std::size_t>(anchor_)];
  Vec3d at = transform_point(bone.rest_from_world, center_);
  for (int j = bone.joint; j >= 0; j = joints[static_cast<std::size_t>(j)].parent) {
    const auto joint = static_cast<std::size_t>(j);
    if (joints[joint].local_residual) at = transform_point(*joints[joint].local_residual, at);
    at = transform_point(to_affine(joint < pose.local.size() ? pose.local[joint] : rest_.local[joint]), at);
  }
  const Vec3d away = at - center_;
  if (!(length(away) > kFarSizes * size_) || !(length(away) < kFarthestShift)) return pose;
  offset = away;
  shifted_ = rest_;
  shifted_.time = pose.time;
  std::copy_n(pose.local.begin(), std::min(pose.local.size(), shifted_.local.size()), shifted_.local.begin());
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (joints[j].parent < 0) shifted_.local[j].translation = shifted_.local[j].translation - offset;
  return shifted_;
}

}  // namespace cutis
