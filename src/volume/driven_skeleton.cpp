#include "volume/driven_skeleton.h"

#include "base/math.h"
#include "base/polar.h"
#include "character/bones.h"
#include "cutis/error.h"

namespace cutis {
namespace {

bool owns_vertices(const Character& character, std::size_t joint) {
  for (const Mesh& mesh : character.meshes)
    for (std::size_t k = 0; k < mesh.weights.joint.size(); ++k)
      if (mesh.weights.joint[k] == joint) return true;
  return false;
}

}  // namespace

DrivenSkeleton make_driven_skeleton(const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  const std::size_t n = skeleton.joints.size();
  DrivenSkeleton driven;
  driven.bone_of_joint.assign(n, -1);
  const bool weighted = character.has_weights();

  // Roots on the ground or at the origin carry the body without being in it: they move nothing themselves.
  std::vector<char> used(n, 0);
  std::vector<int> bone_children(n, 0);
  for (std::size_t j = 0; j < n; ++j) {
    used[j] = skeleton.joints[j].is_bone && skeleton.joints[j].alias_of < 0;
    if (!used[j]) continue;
    if (const int p = parent_bone(skeleton, static_cast<int>(j)); p >= 0) ++bone_children[static_cast<std::size_t>(p)];
  }
  const Box box = character.bounds();
  for (std::size_t j = 0; j < n; ++j) {
    if (!used[j]) continue;
    const int p = parent_bone(skeleton, static_cast<int>(j));
    const bool top = p < 0 || !used[static_cast<std::size_t>(p)];
    const Vec3d& at = skeleton.joints[j].world_from_rest.translation;
    // Without weights, the floor of the body is where such roots stand.
    const bool on_floor = !box.empty() && at.y < box.lo.y + 0.02 * (box.hi.y - box.lo.y);
    if (top && bone_children[j] == 1 && (weighted ? !owns_vertices(character, j) : on_floor)) used[j] = 0;
  }

  std::vector<BoneSegment> tips = bone_segments(character);
  for (std::size_t j = 0; j < n; ++j) {
    if (!used[j]) continue;
    DrivenSkeleton::Bone bone;
    bone.joint = static_cast<int>(j);
    bone.rest = skeleton.joints[j].world_from_rest.translation;
    bone.end = bone.rest;
    int p = parent_bone(skeleton, static_cast<int>(j));
    while (p >= 0 && !used[static_cast<std::size_t>(p)]) p = parent_bone(skeleton, p);
    bone.parent = p < 0 ? -1 : driven.bone_of_joint[static_cast<std::size_t>(p)];
    driven.bone_of_joint[j] = static_cast<int>(driven.bones.size());
    if (bone.parent >= 0)
      driven.bones[static_cast<std::size_t>(bone.parent)].children.push_back(static_cast<int>(driven.bones.size()));
    driven.bones.push_back(std::move(bone));
  }
  if (driven.bones.empty())
    throw Error(ErrorCode::bad_character, character.source, "has no skeleton that markers could drive");

  for (std::size_t b = 0; b < driven.bones.size(); ++b) {
    DrivenSkeleton::Bone& bone = driven.bones[b];
    Vec3d mean;
    for (const int c : bone.children) {
      driven.segments.push_back({static_cast<int>(b), c, bone.rest, driven.bones[static_cast<std::size_t>(c)].rest});
      mean += driven.bones[static_cast<std::size_t>(c)].rest;
    }
    if (!bone.children.empty()) {
      bone.end = mean / static_cast<double>(bone.children.size());
      continue;
    }
    for (const BoneSegment& s : tips)
      if (s.joint == bone.joint) bone.end = s.to;
    // A helper below the joint may mark the tip ("hand_end").
    if (bone.end == bone.rest)
      for (const Joint& joint : skeleton.joints)
        if (joint.parent == bone.joint && !joint.is_bone) bone.end = joint.world_from_rest.translation;
    driven.segments.push_back({static_cast<int>(b), -1, bone.rest, bone.end});
  }
  return driven;
}

Vec3d BonePose::move(const DrivenSkeleton& skeleton, int bone, const Vec3d& p_rest) const {
  const auto b = static_cast<std::size_t>(bone);
  return position[b] + rotate(rotation[b], p_rest - skeleton.bones[b].rest);
}

BonePose rest_bone_pose(const DrivenSkeleton& skeleton) {
  BonePose pose;
  pose.rotation.assign(skeleton.bones.size(), Quatd{});
  for (const DrivenSkeleton::Bone& bone : skeleton.bones) pose.position.push_back(bone.rest);
  return pose;
}

void restore_lengths(const DrivenSkeleton& skeleton, BonePose& pose) {
  for (std::size_t b = 0; b < skeleton.bones.size(); ++b)
    if (const int p = skeleton.bones[b].parent; p >= 0)
      pose.position[b] = pose.move(skeleton, p, skeleton.bones[b].rest);
}

Pose to_pose(const Skeleton& skeleton, const DrivenSkeleton& driven, const BonePose& pose) {
  Pose result = default_pose(skeleton);
  std::vector<Affine3d> world(skeleton.joints.size());
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    const Affine3d parent = joint.parent < 0 ? Affine3d{} : world[static_cast<std::size_t>(joint.parent)];
    const Affine3d residual = joint.local_residual.value_or(Affine3d{});
    if (const int b = driven.bone_of_joint[j]; b >= 0) {
      const auto i = static_cast<std::size_t>(b);
      const Mat3d turn = to_matrix(pose.rotation[i]);
      const Affine3d wanted{turn * joint.world_from_rest.linear, pose.position[i]};
      if (std::abs(determinant(parent.linear)) > 1e-30 && std::abs(determinant(residual.linear)) > 1e-30)
        result.local[j] = decompose_trs(inverse(parent) * wanted * inverse(residual)).trs;
    }
    world[j] = parent * to_affine(result.local[j]) * residual;
  }
  return result;
}

BonePose to_bone_pose(const Skeleton& skeleton, const DrivenSkeleton& driven, const Pose& pose) {
  const std::vector<Affine3d> world = world_from_joint(skeleton, pose);
  BonePose result = rest_bone_pose(driven);
  for (std::size_t b = 0; b < driven.bones.size(); ++b) {
    const auto j = static_cast<std::size_t>(driven.bones[b].joint);
    result.position[b] = world[j].translation;
    const Mat3d& rest = skeleton.joints[j].world_from_rest.linear;
    if (std::abs(determinant(rest)) > 1e-30)
      result.rotation[b] = polar_decompose(world[j].linear * inverse(rest)).rotation;
  }
  return result;
}

}  // namespace cutis
