#include "support/odd_skeletons.h"

#include <algorithm>

#include "base/math.h"
#include "base/polar.h"

namespace cutis::test {

FlatCopy make_flat_copy(const Character& character, ListOrder order) {
  FlatCopy flat;
  flat.original = character.skeleton;
  flat.character = character;
  flat.character.clips.clear();
  const std::vector<Joint>& joints = character.skeleton.joints;
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (joints[j].alias_of < 0) flat.from.push_back(j);
  if (order == ListOrder::backwards) std::ranges::reverse(flat.from);
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (joints[j].alias_of >= 0) flat.from.push_back(j);  // these go on following their joint
  std::vector<std::size_t> place(joints.size());
  for (std::size_t i = 0; i < flat.from.size(); ++i) place[flat.from[i]] = i;
  const std::vector<Affine3d> world = world_from_joint(character.skeleton, default_pose(character.skeleton));
  std::vector<Joint>& list = flat.character.skeleton.joints;
  for (std::size_t i = 0; i < list.size(); ++i) {
    list[i] = joints[flat.from[i]];
    if (list[i].alias_of >= 0) {
      list[i].alias_of = list[i].parent = static_cast<int>(place[static_cast<std::size_t>(list[i].alias_of)]);
      continue;
    }
    list[i].parent = -1;
    list[i].local_residual.reset();
    list[i].local = decompose_trs(world[flat.from[i]]).trs;
  }
  for (Mesh& mesh : flat.character.meshes)
    for (std::uint32_t& joint : mesh.weights.joint) joint = static_cast<std::uint32_t>(place[joint]);
  return flat;
}

Pose FlatCopy::pose(const Pose& of_original, double& largest_shear) const {
  const std::vector<Affine3d> world = world_from_joint(original, of_original);
  Pose pose;
  pose.time = of_original.time;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (character.skeleton.joints[i].alias_of >= 0) {
      pose.local.push_back(of_original.local[from[i]]);
      continue;
    }
    const Affine3d& wanted = world[from[i]];
    pose.local.push_back(decompose_trs(wanted).trs);
    const Mat3d off = to_affine(pose.local.back()).linear + wanted.linear * -1.0;
    largest_shear = std::max(largest_shear, frobenius(off) / std::max(frobenius(wanted.linear), 1e-300));
  }
  return pose;
}

std::vector<std::size_t> some_bones(const Character& character) {
  std::vector<char> owns(character.skeleton.joints.size(), 0);
  for (const Mesh& mesh : character.meshes)
    for (std::size_t v = 0; v < mesh.weights.rows(); ++v) owns[mesh.weights.joint[mesh.weights.row_begin[v]]] = 1;
  std::vector<std::size_t> owners, some;
  for (std::size_t j = 0; j < owns.size(); ++j)
    if (owns[j] != 0) owners.push_back(j);
  for (std::size_t i = 1; i < owners.size(); i += 3) some.push_back(owners[i]);
  return some;
}

Pose scaled(Pose pose, const std::vector<std::size_t>& joints, const Vec3d& scale) {
  for (const std::size_t j : joints)
    for (int k = 0; k < 3; ++k) pose.local[j].scale[k] *= scale[k];
  return pose;
}

}  // namespace cutis::test
