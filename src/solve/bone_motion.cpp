// Signs of dual quaternions: q and -q are the same rotation, but blends of the two differ. Choosing signs per vertex,
// against its heaviest bone, makes neighbours flip where the heaviest bone changes. Here every bone's sign is chosen
// once a frame, along the skin that bones share: all vertices see the same signs, so the blend is a continuous function
// of the weights and neighbours cannot flip.
#include "solve/bone_motion.h"

#include <algorithm>
#include <cmath>

#include "base/dual_quat.h"
#include "rig/bone_turns.h"
#include "rig/motion.h"

namespace cutis {
namespace {

// With rest coordinates up to 1e15, products stay finite in float.
constexpr double kLargestEntry = 1e15;
// Stretches closer to the identity than the first are rounding of the polar decomposition, not scale; closer than the
// second, rounding of the file: these are taken about the joint, where they do least.
constexpr double kNoStretch = 1e-6, kRoundedFile = 1e-4;

bool usable(const Affine3d& m) {
  for (const Vec3d& c : {m.linear.col[0], m.linear.col[1], m.linear.col[2], m.translation})
    for (int i = 0; i < 3; ++i)
      if (!(std::abs(c[i]) <= kLargestEntry)) return false;
  return true;
}

Float4 to_float4(const Vec3d& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z), 0.0F};
}
Float4 to_float4(const Quatd& q) {
  return {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z), static_cast<float>(q.w)};
}
SkinMatrix to_skin_matrix(const Affine3d& m) {
  return {
      {to_float4(m.linear.col[0]), to_float4(m.linear.col[1]), to_float4(m.linear.col[2]), to_float4(m.translation)}};
}
SkinDualQuat to_skin_dual_quat(const DualQuat<double>& q) { return {to_float4(q.real), to_float4(q.dual)}; }

}  // namespace

BoneMotion::BoneMotion(const Rig& rig)
    : world_(rig.skeleton.joints.size()),
      motions_(rig.bones.size()),
      matrices_(rig.bones.size()),
      rotations_(rig.bones.size()),
      linear_(rig.bones.size()),
      rigid_(rig.bones.size()),
      stretches_(rig.bones.size()),
      kept_(rig.bones.size(), 0),
      bound_(bound_stretches(rig)) {}

void BoneMotion::update(const Rig& rig, const Pose& pose) {
  if (unit_ != 1)  // those that are kept
    for (Affine3d& motion : motions_) motion = {motion.linear * unit_, motion.translation * unit_};
  unit_ = 1;
  if (pose.local.size() == rig.skeleton.joints.size()) {
    world_from_joint(rig.skeleton, pose, world_);
  } else {  // joints that the pose does not know (the root that bind() gives to a thing without a skeleton) rest
    if (full_.local.empty()) full_ = default_pose(rig.skeleton);
    std::copy_n(pose.local.begin(), std::min(pose.local.size(), full_.local.size()), full_.local.begin());
    world_from_joint(rig.skeleton, full_, world_);
  }
  any_kept_ = false;
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const RigBone& bone = rig.bones[b];
    const Affine3d motion = motion_of(bone, world_);
    kept_[b] = usable(motion) ? 0 : 1;
    if (kept_[b]) {
      any_kept_ = true;
    } else {
      motions_[b] = motion;
    }
  }
  split(rig);
}

void BoneMotion::set_unit(const Rig& rig, double unit) {
  unit_ *= unit;
  for (Affine3d& motion : motions_) motion = {motion.linear * (1 / unit), motion.translation * (1 / unit)};
  split(rig);
}

void BoneMotion::split(const Rig& rig) {
  for (std::size_t b = 0; b < rig.bones.size(); ++b) matrices_[b] = to_skin_matrix(motions_[b]);
  find_turns(rig, motions_, rotations_, linear_);
  agree_on_signs(rig, rotations_);
  double most = 0;
  for (const Mat3d& stretch : linear_) most = std::max(most, frobenius(stretch + Mat3d{} * -1.0));
  any_stretch_ = most > kNoStretch;
  scaled_ = !(most <= kRoundedFile);
  as_bound_ = any_stretch_ && !scaled_;
  for (std::size_t b = 0; as_bound_ && b < linear_.size(); ++b)
    as_bound_ = frobenius(linear_[b] + bound_[b] * -1.0) <= kNoStretch;
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const Vec3d& c = rig.bones[b].rest_origin;
    const Vec3d translation =
        scaled_ ? motions_[b].translation : transform_point(motions_[b], c) - rotate(rotations_[b], c);
    rigid_[b] = to_skin_dual_quat(make_dual_quat(rotations_[b], translation));
    if (!any_stretch_) continue;
    stretches_[b] =
        scaled_ ? skin_stretch(rotations_[b], linear_[b]) : skin_stretch_about(as_bound_ ? bound_[b] : linear_[b], c);
  }
}

BonePalette BoneMotion::palette() const {
  SkinStretches stretches;
  if (any_stretch_) stretches = {stretches_, scaled_, as_bound_};
  return {matrices_, rigid_, stretches};
}

}  // namespace cutis
