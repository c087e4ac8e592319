#include "character/skin_tree.h"

#include <algorithm>
#include <set>

#include "base/math.h"
#include "character/bones.h"
#include "character/joint_roles.h"

namespace cutis {
namespace {

/// Joints nearer to each other than this share of the skeleton's size are at the same place.
constexpr double kSamePlace = 5e-3;
/// Skin of fewer vertices than this, by the sum of the weights, is a slip of the brush.
constexpr double kLeastSkin = 0.5;

class TreeMaker {
 public:
  explicit TreeMaker(const std::vector<PlacedJoint>& joints)
      : joints_(joints), kept_(joints.size(), 0), depth_(joints.size(), 0), is_leaf_(joints.size(), 1) {
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (joints[j].parent < 0 || !joints[j].counts) continue;
      depth_[j] = depth_[static_cast<std::size_t>(joints[j].parent)] + 1;
      is_leaf_[static_cast<std::size_t>(joints[j].parent)] = 0;
    }
    Box box;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      kept_[j] = joints[j].counts && joints[j].moves_skin && !(is_leaf_[j] && is_helper_name(joints[j].name));
      if (kept_[j]) box.add(joints[j].place);
    }
    tree_.size = diagonal(box);
    find_twins();
    keep_forks();
  }

  SkinTree run() {
    std::vector<int> node_of(joints_.size(), -1);
    // By depth: twins may come later in the list than what hangs on them.
    std::vector<std::size_t> order;
    for (std::size_t j = 0; j < joints_.size(); ++j)
      if (kept_[j]) order.push_back(j);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return depth_[a] < depth_[b]; });
    for (const std::size_t j : order) {
      SkinTree::Node node;
      node.joint = static_cast<int>(j);
      node.place = joints_[j].place;
      if (const int p = carrier(j); p >= 0) node.parent = node_of[static_cast<std::size_t>(p)];
      node_of[j] = static_cast<int>(tree_.nodes.size());
      if (node.parent >= 0) tree_.nodes[static_cast<std::size_t>(node.parent)].children.push_back(node_of[j]);
      tree_.nodes.push_back(std::move(node));
    }
    ends_.assign(joints_.size(), 0);  // 0 is nobody's child
    for (std::size_t j = 0; j < joints_.size(); ++j)
      if (joints_[j].parent >= 0 && joints_[j].counts && !kept_[j])
        ends_[static_cast<std::size_t>(joints_[j].parent)] = static_cast<int>(j);
    for (auto node = tree_.nodes.rbegin(); node != tree_.nodes.rend(); ++node) measure(*node);
    return std::move(tree_);
  }

 private:
  void find_twins() {
    twin_.assign(joints_.size(), -1);
    std::vector<std::size_t> order;  // along x, so that neighbours are found without looking at all
    for (std::size_t j = 0; j < joints_.size(); ++j)
      if (joints_[j].counts) order.push_back(j);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(joints_[a].default_place.x, a) < std::pair(joints_[b].default_place.x, b);
    });
    const double radius = kSamePlace * tree_.size;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t k = i + 1; k < order.size() && k < i + kMostTwins; ++k) {
        if (joints_[order[k]].default_place.x - joints_[order[i]].default_place.x > radius) break;
        if (distance(joints_[order[i]].default_place, joints_[order[k]].default_place) > radius) continue;
        offer_twin(order[i], order[k]);
        offer_twin(order[k], order[i]);
      }
    }
  }
  /// The highest one; higher than the joint itself, so that the ways up end.
  void offer_twin(std::size_t of, std::size_t twin) {
    if (kept_[of] || !kept_[twin] || depth_[twin] >= depth_[of]) return;
    int& best = twin_[of];
    if (best < 0 || depth_[twin] < depth_[static_cast<std::size_t>(best)]) best = static_cast<int>(twin);
  }
  /// The joint that `j` hangs on, or -1.
  [[nodiscard]] int carrier(std::size_t j, std::set<std::pair<int, int>>* passed = nullptr) const {
    int below = static_cast<int>(j);
    for (int p = joints_[j].parent; p >= 0; below = p, p = joints_[static_cast<std::size_t>(p)].parent) {
      if (kept_[static_cast<std::size_t>(p)]) return p;
      if (const int twin = twin_[static_cast<std::size_t>(p)]; twin >= 0) return twin;
      if (passed != nullptr && !passed->emplace(p, below).second) return -1;  // the rest of the way is known
    }
    return -1;
  }
  void keep_forks() {
    std::set<std::pair<int, int>> passed;
    for (std::size_t j = 0; j < joints_.size(); ++j)
      if (kept_[j]) (void)carrier(j, &passed);
    int before = -1;
    for (const auto& [joint, child] : passed) {
      if (joint == before) kept_[static_cast<std::size_t>(joint)] = 1;
      before = joint;
    }
  }

  void measure(SkinTree::Node& node) {
    if (node.children.empty()) {
      const auto j = static_cast<std::size_t>(node.joint);
      const bool has_end = ends_[j] > 0 && joints_[static_cast<std::size_t>(ends_[j])].parent == node.joint;
      node.tip = has_end ? joints_[static_cast<std::size_t>(ends_[j])].place : joints_[j].tip;
      if (node.tip) node.reach = distance(node.place, *node.tip);
      return;
    }
    for (const int c : node.children) {
      const SkinTree::Node& child = tree_.at(c);
      const double reach = distance(node.place, child.place) + child.reach;
      if (node.next >= 0 && reach <= node.reach) continue;
      node.reach = reach;
      node.next = c;
    }
  }

  static constexpr std::size_t kMostTwins = 64;
  const std::vector<PlacedJoint>& joints_;
  std::vector<char> kept_;
  std::vector<int> depth_;
  std::vector<char> is_leaf_;
  std::vector<int> twin_;  ///< of joints without skin
  std::vector<int> ends_;  ///< a child that is not kept
  SkinTree tree_;
};

}  // namespace

SkinTree make_skin_tree(const std::vector<PlacedJoint>& joints) { return TreeMaker(joints).run(); }

std::vector<PlacedJoint> placed_joints(const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<PlacedJoint> placed(skeleton.joints.size());
  const std::vector<Affine3d> world = world_from_joint(skeleton, default_pose(skeleton));
  std::vector<double> skin(placed.size(), 0.0);
  double all = 0;
  for (const Mesh& mesh : character.meshes)
    for (std::size_t i = 0; i < mesh.weights.joint.size(); ++i) {
      const int alias = skeleton.joints[mesh.weights.joint[i]].alias_of;
      skin[alias >= 0 ? static_cast<std::size_t>(alias) : mesh.weights.joint[i]] += mesh.weights.weight[i];
      all += mesh.weights.weight[i];
    }
  for (std::size_t j = 0; j < placed.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    placed[j].name = joint.name;
    placed[j].parent = joint.parent;
    placed[j].place = joint.is_bone ? joint.world_from_rest.translation : world[j].translation;
    placed[j].moves_skin = all > 0 ? skin[j] > kLeastSkin : joint.is_bone;
    placed[j].counts = joint.alias_of < 0;
    placed[j].humanoid = joint.humanoid;
    placed[j].default_place = world[j].translation;
  }
  // Exporters write rest frames that mean nothing for joints without skin: those are where the nearest joint below them
  // that has skin takes them from the default pose.
  std::vector<int> below(placed.size(), -1), steps(placed.size(), 0);
  for (std::size_t j = placed.size(); j-- > 0;) {
    if (placed[j].moves_skin && placed[j].counts) {
      below[j] = static_cast<int>(j);
      steps[j] = 0;
    }
    if (below[j] < 0 || placed[j].parent < 0) continue;
    const auto p = static_cast<std::size_t>(placed[j].parent);
    if (below[p] >= 0 && steps[p] <= steps[j] + 1) continue;
    below[p] = below[j];
    steps[p] = steps[j] + 1;
  }
  for (std::size_t j = 0; j < placed.size(); ++j) {
    if (placed[j].moves_skin || below[j] < 0) continue;
    const auto d = static_cast<std::size_t>(below[j]);
    const Affine3d& rest = skeleton.joints[d].world_from_rest;
    const Vec3d place = transform_point(rest * inverse(world[d]), world[j].translation);
    if (is_finite(place)) placed[j].place = place;
  }
  for (const BoneSegment& segment : bone_segments(character))
    if (segment.owns_vertices) placed[static_cast<std::size_t>(segment.joint)].tip = segment.to;
  return placed;
}

}  // namespace cutis
