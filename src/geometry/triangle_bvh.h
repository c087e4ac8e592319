// A tree of boxes over triangles: who is near whom.
//
// Boxes are exact (floats of the corners), the tree depends on the triangles alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cutis/types.h"

namespace cutis {

/// Closed box of float points.
struct Boxf {
  Vec3f lo, hi;
};
[[nodiscard]] inline bool overlap(const Boxf& a, const Boxf& b) {
  return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y && a.lo.z <= b.hi.z &&
         b.lo.z <= a.hi.z;
}

class TriangleBvh {
 public:
  /// Nodes are in preorder: the left child follows its parent, children come after their parents.
  struct Node {
    Boxf box;
    std::uint32_t begin = 0, end = 0;  ///< slots of all triangles below
    std::uint32_t right = 0;           ///< right child; 0: a leaf
    [[nodiscard]] bool is_leaf() const { return right == 0; }
  };

  TriangleBvh() = default;
  /// Over the triangles named by `use` (indices into `triangles`; each at most once). All corners must be finite.
  TriangleBvh(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
              std::span<const std::uint32_t> use);

  /// The same tree around the triangles as they are now, which may have moved. All corners must be finite.
  void refit(std::span<const Vec3f> positions, std::span<const Triangle> triangles);

  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
  [[nodiscard]] std::span<const std::uint32_t> leaves() const { return leaves_; }  ///< node indices, by slot
  [[nodiscard]] std::size_t slots() const { return order_.size(); }
  [[nodiscard]] std::uint32_t triangle(std::uint32_t slot) const { return order_[slot]; }
  [[nodiscard]] const Boxf& box(std::uint32_t slot) const { return boxes_[slot]; }

  /// visit(slot_a, slot_b) for every pair of triangles with overlapping boxes whose first is in that leaf and whose
  /// second has a higher slot: all leaves together visit each pair once.
  template <class Visit>
  void visit_overlaps(std::uint32_t leaf, Visit&& visit) const {
    visit_overlaps(leaf, [](std::uint32_t) { return true; }, visit);
  }
  /// The same, of nodes for which look(node) holds; it must hold for those above them.
  template <class Look, class Visit>
  void visit_overlaps(std::uint32_t leaf, Look&& look, Visit&& visit) const {
    const Node& home = nodes_[leaf];
    std::array<std::uint32_t, kMaxDepth> stack;
    std::size_t size = 0;
    stack[size++] = 0;
    while (size > 0) {
      const std::uint32_t index = stack[--size];
      const Node& node = nodes_[index];
      if (node.end <= home.begin || !overlap(node.box, home.box) || !look(index)) continue;
      if (!node.is_leaf()) {
        stack[size++] = node.right;
        stack[size++] = index + 1;
        continue;
      }
      for (std::uint32_t a = home.begin; a < home.end; ++a)
        for (std::uint32_t b = std::max(node.begin, a + 1); b < node.end; ++b)
          if (overlap(boxes_[a], boxes_[b])) visit(a, b);
    }
  }

  static constexpr std::uint32_t kLeafSize = 4;  ///< triangles of a leaf, at most
  /// A walk with a stack of this size cannot overflow it.
  static constexpr std::size_t kMaxDepth = 96;

 private:
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> leaves_;
  std::vector<std::uint32_t> order_;  // slot -> triangle
  std::vector<Boxf> boxes_;           // per slot
};

/// The pairs of nodes below a pair that are not both leaves, in order.
struct NodePairs {
  std::array<std::array<std::uint32_t, 2>, 3> of;
  std::size_t count = 0;
};
/// `self`: both trees are one, and each pair of its nodes is wanted once.
[[nodiscard]] inline NodePairs pairs_below(std::span<const TriangleBvh::Node> a, std::span<const TriangleBvh::Node> b,
                                           std::uint32_t i, std::uint32_t j, bool self) {
  const TriangleBvh::Node &na = a[i], &nb = b[j];
  if (self && i == j) return {{{{i + 1, i + 1}, {i + 1, na.right}, {na.right, na.right}}}, 3};
  if (nb.is_leaf() || (!na.is_leaf() && na.end - na.begin >= nb.end - nb.begin))
    return {{{{i + 1, j}, {na.right, j}}}, 2};
  return {{{{i, j + 1}, {i, nb.right}}}, 2};
}

/// Descends two trees at once from a pair of nodes on. go_on() is asked first and ends it all with false; near(i, j)
/// says whether to look below a pair; leaves(i, j) takes pairs of leaves.
template <class GoOn, class Near, class Leaves>
void visit_pairs(std::span<const TriangleBvh::Node> a, std::span<const TriangleBvh::Node> b,
                 std::array<std::uint32_t, 2> start, bool self, GoOn&& go_on, Near&& near, Leaves&& leaves) {
  std::array<std::array<std::uint32_t, 2>, 4 * TriangleBvh::kMaxDepth> stack;
  std::size_t size = 0;
  stack[size++] = start;
  while (size > 0) {
    const auto [i, j] = stack[--size];
    if (!go_on()) return;
    if (!near(i, j)) continue;
    if (a[i].is_leaf() && b[j].is_leaf()) {
      leaves(i, j);
      continue;
    }
    const NodePairs below = pairs_below(a, b, i, j, self);
    for (std::size_t k = below.count; k-- > 0;) stack[size++] = below.of[k];
  }
}

}  // namespace cutis
