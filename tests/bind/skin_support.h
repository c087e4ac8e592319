// What the tests of the composed field share: characters with their rigs, the whole tree without its index, poses.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backends/posed_field.h"
#include "base/math.h"
#include "cutis/io.h"
#include "cutis/rig.h"
#include "rig/rig.h"
#include "support/support.h"

namespace cutis::test {

inline const std::vector<std::string>& shared_characters() {
  static const std::vector<std::string> files = {"makehuman_male/makehuman_male.glb", "hand_webxr/hand_left_poses.glb",
                                                 "fox/fox.glb", "cesium_man/cesium_man.glb"};
  return files;
}

/// "makehuman_male" of "makehuman_male/makehuman_male.glb".
inline std::string folder_name(const std::string& file) { return file.substr(0, file.find('/')); }

struct Bound {
  Character character;
  std::shared_ptr<const Rig> rig;
  double height = 0;
};

inline Bound bind_file(const std::string& file, const Context& context, const BindOptions& options = {}) {
  Bound b;
  b.character = load_character(file, context);
  b.rig = bind(b.character, context, options);
  const Box box = b.character.bounds();
  b.height = std::max({box.hi.x - box.lo.x, box.hi.y - box.lo.y, box.hi.z - box.lo.z});
  return b;
}

inline Bound bind_shared(const std::string& file, const Context& context) {
  return bind_file((shared_data() / file).string(), context);
}

inline int bone_named(const Rig& rig, const std::string& joint) {
  for (std::size_t b = 0; b < rig.bones.size(); ++b)
    if (rig.skeleton.joints[static_cast<std::size_t>(rig.bones[b].joint)].name == joint) return static_cast<int>(b);
  return -1;
}

/// Bone maps with `turn` applied to a bone about its own joint; what hangs on it follows.
inline std::vector<Affine3d> turned(const Rig& rig, const std::vector<std::pair<int, Quatd>>& turns) {
  std::vector<Affine3d> motions(rig.bones.size());
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    if (rig.bones[b].parent >= 0) motions[b] = motions[static_cast<std::size_t>(rig.bones[b].parent)];
    for (const auto& [bone, turn] : turns)
      if (bone == static_cast<int>(b)) {
        const Vec3d c = rig.bones[b].rest_origin;
        motions[b] = motions[b] * Affine3d{to_matrix(turn), c - rotate(turn, c)};
      }
  }
  return motions;
}

/// Every joint turned by up to `most` radians about a random axis.
inline std::vector<Affine3d> random_pose(const Rig& rig, double most, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<std::pair<int, Quatd>> turns;
  for (std::size_t b = 0; b < rig.bones.size(); ++b)
    turns.emplace_back(
        static_cast<int>(b),
        axis_angle(normalized(Vec3d{unit(random), unit(random), unit(random)}, Vec3d{1, 0, 0}), most * unit(random)));
  return turned(rig, turns);
}

/// The whole tree: every leaf is looked up, every node composed. `shortcut`: a side that is 0 leaves the other alone.
inline SkinSample whole_tree(const TreeView& tree, std::int32_t at, const Vec3f& p, bool shortcut) {
  if (at < 0) {
    const int leaf = ~at;
    SkinSample s;
    if (tree.leaves[leaf].nodes == nullptr) return s;
    const FieldSample<float> f = eval_field(tree.leaves[leaf], p);
    s.value = f.value;
    s.gradient = f.gradient;
    if (f.value > 0) s.bone = tree.leaf_bone[leaf];
    return s;
  }
  const TreeNode& node = tree.nodes[at];
  const SkinSample a = whole_tree(tree, node.left, p, shortcut), b = whole_tree(tree, node.right, p, shortcut);
  if (shortcut && !(b.value > 0)) return a;
  if (shortcut && !(a.value > 0)) return b;
  const auto n = static_cast<std::uint32_t>(at);
  return compose_samples(tree, n, a, b, AngleController{}(tree, n, a, b));
}
inline SkinSample whole_tree(const TreeView& tree, const Vec3f& p, bool shortcut) {
  if (tree.leaf_count == 0) return {};
  return whole_tree(tree, tree.leaf_count == 1 ? ~0 : tree.leaf_count - 2, p, shortcut);
}

}  // namespace cutis::test
