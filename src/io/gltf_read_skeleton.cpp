#include "io/gltf_read_skeleton.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/polar.h"
#include "io/gltf_read_fail.h"

namespace cutis::gltf {
namespace {

// Rest frames of one joint that move no vertex by more than this share of the character's size are the same frame.
constexpr double kSameFrame = 1e-5;
// Frames whose scales differ by more than this do not belong together.
constexpr double kOtherSize = 1.5;
// Of a matrix that was written as 1: what its numbers may be off by.
constexpr double kOne = 1e-6;

std::string joint_place(const File& file, std::size_t skin, std::size_t node) {
  return file.place(fmt::format("{} › joint {}", file.skin_label(skin), file.node_label(node)));
}

Joint make_joint(const File& file, const Scene& scene, std::size_t node, UniqueNames& names) {
  const Node& n = file.nodes[node];
  Joint joint;
  joint.name = names.take(n.name.empty() ? fmt::format("node_{}", node) : n.name);
  joint.local = n.local;
  joint.humanoid = n.humanoid;
  if (n.matrix) {
    const TrsDecomposition d = decompose_trs(*n.matrix);
    joint.local = d.trs;
    if (!d.exact) joint.local_residual = d.residual;
  }
  joint.world_from_rest = scene.world_from_node[node];
  if (!is_finite(joint.world_from_rest) || !is_finite(to_affine(joint.local)))
    fail(file.place(file.node_label(node)), "its transform is not finite");
  return joint;
}

/// Bones, helpers and their ancestors, parents first.
SkeletonResult make_joints(const File& file, const Scene& scene, std::span<const std::size_t> bones,
                           std::span<const std::size_t> helpers, UniqueNames& names) {
  std::vector<bool> wanted(file.nodes.size(), false), is_bone(file.nodes.size(), false);
  for (const std::size_t bone : bones) is_bone[bone] = true;
  for (const auto nodes : {bones, helpers})
    for (const std::size_t node : nodes)
      for (int i = static_cast<int>(node); i >= 0 && !wanted[static_cast<std::size_t>(i)];
           i = scene.parent[static_cast<std::size_t>(i)])
        wanted[static_cast<std::size_t>(i)] = true;
  SkeletonResult result;
  result.joint_of_node.assign(file.nodes.size(), -1);
  for (const std::size_t node : scene.order) {
    if (!wanted[node]) continue;
    result.joint_of_node[node] = static_cast<int>(result.skeleton.joints.size());
    Joint joint = make_joint(file, scene, node, names);
    if (const int p = scene.parent[node]; p >= 0) joint.parent = result.joint_of_node[static_cast<std::size_t>(p)];
    joint.is_bone = is_bone[node];
    result.skeleton.joints.push_back(std::move(joint));
  }
  return result;
}

std::vector<Affine3d> read_inverse_binds(const File& file, std::size_t skin_index, Data& data) {
  const Skin& skin = file.skins[skin_index];
  std::vector<Affine3d> matrices(skin.joints.size());
  if (skin.inverse_bind < 0) return matrices;
  const std::string place = file.place(file.skin_label(skin_index) + " › inverseBindMatrices");
  const auto values = data.floats(static_cast<std::size_t>(skin.inverse_bind), 16, place);
  if (values.size() < 16 * matrices.size())
    fail(place, fmt::format("it has {} matrices for {} joints", values.size() / 16, matrices.size()));
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const float* m = &values[16 * i];
    const auto column = [&](int c) {
      return Vec3d{static_cast<double>(m[4 * c]), static_cast<double>(m[4 * c + 1]), static_cast<double>(m[4 * c + 2])};
    };
    matrices[i] = {{{column(0), column(1), column(2)}}, column(3)};
    const double w = static_cast<double>(m[15]);
    const bool is_affine = std::abs(static_cast<double>(m[3])) <= kBottomRowTolerance &&
                           std::abs(static_cast<double>(m[7])) <= kBottomRowTolerance &&
                           std::abs(static_cast<double>(m[11])) <= kBottomRowTolerance &&
                           std::abs(w - 1) <= kBottomRowTolerance;
    if (!is_affine || !is_regular(matrices[i]))
      fail(joint_place(file, skin_index, skin.joints[i]),
           "its inverse bind matrix cannot be inverted; bind the skin again and export it");
  }
  return matrices;
}

/// One skin on its way into the skeleton.
struct PendingSkin {
  SkinUse use;
  std::vector<Affine3d> inverse_bind, world_from_rest;
  std::vector<char> nowhere;  ///< per entry of the skin: see find_nowhere()
  Affine3d scene_from_mesh;
  std::array<Vec3d, 8> corners;  ///< of its meshes, scene space
};

// A joint that an earlier skin has already placed decides; so skins bound in one pose stay together even where the
// default pose is another. Otherwise the top-most joint does, unless it moves no skin and has another size.
Affine3d choose_scene_from_mesh(const File& file, const Scene& scene, const SkeletonResult& result,
                                const std::vector<bool>& placed, const PendingSkin& pending) {
  const Skin& skin = file.skins[pending.use.skin];
  const auto joint_of = [&](std::size_t i) { return static_cast<std::size_t>(result.joint_of_node[skin.joints[i]]); };
  const auto highest = [&](const auto& counts) {
    std::size_t best = skin.joints.size();
    bool best_placed = false;
    for (std::size_t i = 0; i < skin.joints.size(); ++i) {
      if (!counts(i)) continue;
      const bool first = best == skin.joints.size(), is_placed = placed[joint_of(i)];
      const bool is_higher = !first && scene.depth[skin.joints[i]] < scene.depth[skin.joints[best]];
      if (first || (is_placed && !best_placed) || (is_placed == best_placed && is_higher)) {
        best = i;
        best_placed = is_placed;
      }
    }
    return best;
  };
  // world_from_rest of a joint that is not placed yet is its default transform.
  const auto map_by = [&](std::size_t i) {
    return result.skeleton.joints[joint_of(i)].world_from_rest * pending.inverse_bind[i];
  };
  std::size_t best = highest([&](std::size_t i) { return pending.nowhere[i] == 0; });
  const std::vector<char>& used = pending.use.used;
  const std::size_t mover = highest([&](std::size_t i) { return i < used.size() && used[i] != 0; });
  if (mover < skin.joints.size() && used[best] == 0) {
    const double ratio = frobenius(map_by(mover).linear) / frobenius(map_by(best).linear);
    if (ratio > kOtherSize || ratio < 1 / kOtherSize) best = mover;
  }
  const Affine3d map = map_by(best);
  if (!is_regular(map))
    fail(
        joint_place(file, pending.use.skin, skin.joints[best]),
        "it is scaled to nothing, so that the skin cannot be placed in the scene; give its nodes a scale other than 0");
  return map;
}

// Entries whose matrices mean nothing: no skin follows them, and they are 1 where others are not. Exporters fill
// them in like this for joints that only drive others.
void find_nowhere(PendingSkin& pending) {
  const auto is_one = [](const Affine3d& a) {
    const auto is_unit = [](const Vec3d& column, const Vec3d& axis) { return distance(column, axis) < kOne; };
    return is_unit(a.linear.col[0], {1, 0, 0}) && is_unit(a.linear.col[1], {0, 1, 0}) &&
           is_unit(a.linear.col[2], {0, 0, 1}) && length(a.translation) < kOne;
  };
  const std::vector<char>& used = pending.use.used;
  const auto& matrices = pending.inverse_bind;
  pending.nowhere.assign(matrices.size(), 0);
  if (used.size() != matrices.size()) return;
  bool any_elsewhere = false;
  for (std::size_t i = 0; i < matrices.size(); ++i) any_elsewhere |= used[i] != 0 && !is_one(matrices[i]);
  for (std::size_t i = 0; i < matrices.size(); ++i)
    pending.nowhere[i] = any_elsewhere && used[i] == 0 && is_one(matrices[i]) ? 1 : 0;
}

bool is_same_frame(const Affine3d& a, const Affine3d& b, const PendingSkin& pending, double size) {
  const Affine3d difference = a * inverse(b);
  return std::all_of(pending.corners.begin(), pending.corners.end(), [&](const Vec3d& corner) {
    return distance(transform_point(difference, corner), corner) <= kSameFrame * size;
  });
}

/// The joint that binds `joint` with this rest frame: itself, one of its aliases, or a new alias.
std::size_t joint_with_frame(std::size_t joint, const Affine3d& world_from_rest, const PendingSkin& pending,
                             double size, Skeleton& skeleton, std::multimap<std::size_t, std::size_t>& aliases,
                             UniqueNames& names) {
  if (is_same_frame(skeleton.joints[joint].world_from_rest, world_from_rest, pending, size)) return joint;
  const auto [begin, end] = aliases.equal_range(joint);
  for (auto it = begin; it != end; ++it)
    if (is_same_frame(skeleton.joints[it->second].world_from_rest, world_from_rest, pending, size)) return it->second;
  Joint alias;
  alias.name = names.take(fmt::format("{}#{}", skeleton.joints[joint].name, std::distance(begin, end) + 2));
  alias.parent = static_cast<int>(joint);
  alias.alias_of = static_cast<int>(joint);
  alias.is_bone = true;
  alias.world_from_rest = world_from_rest;
  skeleton.joints.push_back(std::move(alias));
  aliases.emplace(joint, skeleton.joints.size() - 1);
  return skeleton.joints.size() - 1;
}

/// Nodes between bones, and joints that were not placed, follow their parent's rest frame.
void place_helpers(Skeleton& skeleton, const std::vector<bool>& placed) {
  std::vector<bool> below_bone(skeleton.joints.size(), false);
  for (std::size_t i = 0; i < skeleton.joints.size(); ++i) {
    Joint& joint = skeleton.joints[i];
    if (joint.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(joint.parent);
    below_bone[i] =
        below_bone[parent] || (skeleton.joints[parent].is_bone && (parent >= placed.size() || placed[parent]));
    const bool waits = i < placed.size() && !placed[i];
    if ((joint.is_bone && !waits) || !below_bone[i]) continue;
    joint.world_from_rest = skeleton.joints[parent].world_from_rest * to_affine(joint.local);
    if (joint.local_residual) joint.world_from_rest = joint.world_from_rest * *joint.local_residual;
  }
}

}  // namespace

SkeletonResult build_skeleton(const File& file, const Scene& scene, std::span<const SkinUse> skins,
                              std::span<const std::size_t> carriers, Data& data) {
  std::vector<std::size_t> bones;
  for (const SkinUse& use : skins) {
    const auto& joints = file.skins[use.skin].joints;
    bones.insert(bones.end(), joints.begin(), joints.end());
  }
  UniqueNames names;
  SkeletonResult result = make_joints(file, scene, bones, carriers, names);
  auto& joints = result.skeleton.joints;

  // The skin with the most joints sets the rest pose, the others join it.
  std::vector<PendingSkin> pending;
  for (const SkinUse& use : skins) {
    pending.push_back({use, read_inverse_binds(file, use.skin, data), {}, {}, {}, {}});
    find_nowhere(pending.back());
  }
  std::stable_sort(pending.begin(), pending.end(), [](const PendingSkin& a, const PendingSkin& b) {
    return a.inverse_bind.size() > b.inverse_bind.size();
  });
  std::vector<bool> placed(joints.size(), false);
  Box bounds;
  for (PendingSkin& p : pending) {
    p.scene_from_mesh = choose_scene_from_mesh(file, scene, result, placed, p);
    for (std::size_t c = 0; c < 8; ++c) {
      const Box& b = p.use.bounds;
      const Vec3d corner{(c & 1) != 0 ? b.hi.x : b.lo.x, (c & 2) != 0 ? b.hi.y : b.lo.y,
                         (c & 4) != 0 ? b.hi.z : b.lo.z};
      p.corners[c] = transform_point(p.scene_from_mesh, corner);
      bounds.add(p.corners[c]);
    }
    const Skin& skin = file.skins[p.use.skin];
    for (std::size_t i = 0; i < skin.joints.size(); ++i) {
      p.world_from_rest.push_back(p.scene_from_mesh * inverse(p.inverse_bind[i]));
      const auto joint = static_cast<std::size_t>(result.joint_of_node[skin.joints[i]]);
      if (!is_regular(p.world_from_rest.back()))
        fail(joint_place(file, p.use.skin, skin.joints[i]), "its rest frame cannot be inverted");
      if (placed[joint] || p.nowhere[i] != 0) continue;
      placed[joint] = true;
      joints[joint].world_from_rest = p.world_from_rest.back();
    }
  }

  const double size = diagonal(bounds);
  std::multimap<std::size_t, std::size_t> aliases;
  for (const PendingSkin& p : pending) {
    SkinBinding& binding = result.bindings[p.use.skin];
    binding.scene_from_mesh = p.scene_from_mesh;
    const Skin& skin = file.skins[p.use.skin];
    for (std::size_t i = 0; i < skin.joints.size(); ++i) {
      const auto joint = static_cast<std::size_t>(result.joint_of_node[skin.joints[i]]);
      binding.joint_of.push_back(static_cast<std::uint32_t>(
          p.nowhere[i] != 0 ? joint
                            : joint_with_frame(joint, p.world_from_rest[i], p, size, result.skeleton, aliases, names)));
    }
  }
  place_helpers(result.skeleton, placed);
  for (const std::size_t node : carriers) joints[static_cast<std::size_t>(result.joint_of_node[node])].is_bone = true;
  return result;
}

std::optional<SkinUse> use_without_mesh(const File& file, std::size_t skin, Data& data) {
  if (file.skins[skin].inverse_bind < 0) return std::nullopt;
  SkinUse use{skin, {}, {}};
  for (const Affine3d& bone_from_mesh : read_inverse_binds(file, skin, data))
    use.bounds.add(inverse(bone_from_mesh).translation);
  if (!(diagonal(use.bounds) > 0)) return std::nullopt;
  return use;
}

SkeletonResult build_rigid_skeleton(const File& file, const Scene& scene, std::span<const std::size_t> bones) {
  UniqueNames names;
  return make_joints(file, scene, bones, {}, names);
}

}  // namespace cutis::gltf
