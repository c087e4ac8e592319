// The tree of joints that move skin: what is left of a skeleton without ends, twists, controls and armatures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cutis/character.h"

namespace cutis {

/// Name, parent (before child), and place at the rest pose, in any unit and any frame.
struct PlacedJoint {
  std::string name;
  int parent = -1;
  Vec3d place;
  std::optional<Vec3d> tip = {};  ///< of a leaf: where its bone ends
  bool moves_skin = true;
  bool counts = true;         ///< false: not a joint of its own (an alias)
  std::string humanoid = {};  ///< the file's own word for it, as VRM has ("leftUpperArm")
  Vec3d default_place = {};   ///< in the pose in which joints that stand for each other meet
};

struct SkinTree {
  struct Node {
    int joint = -1, parent = -1;  ///< parent: a node
    Vec3d place;
    std::optional<Vec3d> tip;   ///< of a leaf
    std::vector<int> children;  ///< nodes
    double reach = 0;           ///< length of the longest way down from here, to the tip
    int next = -1;              ///< the child on that way
  };
  std::vector<Node> nodes;  ///< parents first
  double size = 0;          ///< diagonal of the places
  [[nodiscard]] const Node& at(int node) const { return nodes[static_cast<std::size_t>(node)]; }
};

/// Joints without skin are left out, save where skin branches. A joint below such a one hangs on the joint that moves
/// skin at the same place, where there is one: in control rigs legs hang on a control beside the bone of the hips.
[[nodiscard]] SkinTree make_skin_tree(const std::vector<PlacedJoint>& joints);

/// Places at rest; tips of leaves from the skin that they move.
[[nodiscard]] std::vector<PlacedJoint> placed_joints(const Character& character);

}  // namespace cutis
