// The composed field at ONE POINT: value, gradient, owner and contact, through the tree of operators.
//
// Tracking §4.1: the leaves are the fields of the parts, each moved with its bone; inner nodes are operators whose
// parameter follows from the angle between the gradients of their two sides. Only leaves whose support may hold the
// point are looked at, found in a coarse grid of bit masks. A side that is 0 leaves the other as it is, so the result
// is that of the whole tree, bit for bit.
#pragma once

#include <cstdint>

#include "base/math.h"
#include "kernels/compose.h"
#include "kernels/eval_field.h"

namespace cutis {

/// An operator as the tree uses it.
struct TreeOperator {
  OperatorView view = {};
  float crossing = 0.5F;     ///< where the contact line begins on f1 = f2, for parameter 1
  float contact_end = 0.5F;  ///< and where it ends; as `crossing` when there is none
};

/// An inner node. Nodes are numbered from the bottom to the root, the last one.
struct TreeNode {
  std::int32_t left = 0, right = 0;         ///< a node, or ~leaf
  std::uint32_t op = 0;                     ///< operator
  std::uint32_t knots = 0, knot_count = 0;  ///< controller
  float cos_start = -1;                     ///< cosine of the first knot's angle: nearer gradients get its value
};

/// Which leaves may be felt in a cell: bit masks of `words` words a cell, bit i for leaf i. x runs fastest.
struct SupportIndexView {
  Vec3f origin;
  float per_cell = 0;  ///< 1 / side of a cell
  int nx = 0, ny = 0, nz = 0, words = 0;
  const std::uint64_t* masks = nullptr;
};

/// The masks of the cell that holds the point; null outside. A point that is not finite lies outside.
CUTIS_HD inline const std::uint64_t* leaves_at(const SupportIndexView& index, const Vec3f& p) {
  const Vec3f c = (p - index.origin) * index.per_cell;
  if (!(c.x >= 0 && c.y >= 0 && c.z >= 0 && c.x < static_cast<float>(index.nx) && c.y < static_cast<float>(index.ny) &&
        c.z < static_cast<float>(index.nz)))
    return nullptr;
  const std::int64_t cell = (static_cast<std::int64_t>(c.z) * index.ny + static_cast<std::int64_t>(c.y)) * index.nx +
                            static_cast<std::int64_t>(c.x);
  return index.masks + cell * index.words;
}

struct TreeView {
  const GridView* leaves = nullptr;            ///< posed, in the tree's order from left to right
  const std::uint32_t* leaf_bone = nullptr;    ///< per leaf
  const TreeNode* nodes = nullptr;             ///< leaf_count - 1
  const std::uint32_t* range_nodes = nullptr;  ///< lowest_common_node()
  const TreeOperator* operators = nullptr;
  const ControllerKnot* knots = nullptr;
  int leaf_count = 0;
  SupportIndexView index;
};

struct SkinSample {
  static constexpr std::uint32_t kNoBone = 0xffffffffU;

  float value = 0;
  Vec3f gradient;                ///< inward; without the term of the controllers
  std::uint32_t bone = kNoBone;  ///< whose field is the largest; kNoBone outside all supports
  /// The skin is in contact here: the point lies inside both sides of a node, no deeper than the contact surface
  /// reaches. `other` is the bone on the other side, `across` by how much the own side is the larger one (0 on the
  /// contact surface itself).
  std::uint32_t other = kNoBone;
  float across = 0;
  std::int32_t side = 0;  ///< which side of which node: node + 1 on its left, -(node + 1) on its right, 0 no contact
  [[nodiscard]] CUTIS_HD bool contact() const { return other != kNoBone; }
};

/// The node that joins two leaves, left < right. `range_nodes` is a table of range maxima over the nodes between
/// neighbouring leaves: row k, entry i is the highest node between leaf i and leaf i + 2^k.
CUTIS_HD inline std::uint32_t lowest_common_node(const TreeView& tree, int left, int right) {
  int level = 0;
  while ((2 << level) <= right - left) ++level;
  const std::uint32_t* const row = tree.range_nodes + static_cast<std::int64_t>(level) * tree.leaf_count;
  const std::uint32_t a = row[left], b = row[right - (1 << level)];
  return a > b ? a : b;
}

/// The parameter of a node's operator: its controller at the angle between the gradients.
struct AngleController {
  CUTIS_HD float operator()(const TreeView& tree, std::uint32_t n, const SkinSample& a, const SkinSample& b) const {
    const TreeNode& node = tree.nodes[n];
    const ControllerKnot* const knots = tree.knots + node.knots;
    const float product = dot(a.gradient, b.gradient);
    const float squares = dot(a.gradient, a.gradient) * dot(b.gradient, b.gradient);
    float value = knots[0].y;
    // The arc cosine only where the curve has left its first value.
    if (node.cos_start > -1 && product < node.cos_start * std::sqrt(squares))
      value = evaluate_controller(knots, static_cast<int>(node.knot_count), gradient_angle(a.gradient, b.gradient));
    return tree.operators[node.op].view.form == OperatorForm::blend ? std::tan(value) : value;
  }
};

/// Two sides that are both felt become one.
CUTIS_HD inline SkinSample compose_samples(const TreeView& tree, std::uint32_t n, const SkinSample& a,
                                           const SkinSample& b, float parameter) {
  const TreeOperator& op = tree.operators[tree.nodes[n].op];
  const Composed g = compose_fields(op.view, a.value, b.value, parameter);
  const bool first = a.value >= b.value;
  const SkinSample &own = first ? a : b, &other = first ? b : a;
  SkinSample result = own;
  result.value = g.value;
  result.gradient = a.gradient * g.d1 + b.gradient * g.d2;
  const float begin = 0.5F + parameter * (op.crossing - 0.5F), end = 0.5F + parameter * (op.contact_end - 0.5F);
  if (op.view.form == OperatorForm::table && other.value > begin && other.value < end) {
    result.other = other.bone;
    result.across = own.value - other.value;
    result.side = first ? static_cast<std::int32_t>(n) + 1 : -static_cast<std::int32_t>(n) - 1;
  }
  return result;
}

/// As many sides wait at a time as a path from the root goes to the right, at most the logarithm of the leaves: the
/// builder puts the side that needs more waiting to the left.
inline constexpr int kMostWaiting = 33;

/// Sides from left to right, joined as soon as both halves of a node are complete.
template <class Control>
struct TreeWalk {
  const TreeView& tree;
  const Control& control;
  SkinSample waiting[kMostWaiting];
  std::uint32_t joints[kMostWaiting];  // node between waiting[i] and waiting[i + 1]; falling
  int count = 0, last = -1;

  CUTIS_HD TreeWalk(const TreeView& t, const Control& c) : tree(t), control(c) {}

  CUTIS_HD void join() {
    --count;
    const std::uint32_t n = joints[count - 1];
    const SkinSample &a = waiting[count - 1], &b = waiting[count];
    waiting[count - 1] = compose_samples(tree, n, a, b, control(tree, n, a, b));
  }
  CUTIS_HD void add(int leaf, const FieldSample<float>& f) {
    if (count > 0) {
      const std::uint32_t n = lowest_common_node(tree, last, leaf);
      while (count > 1 && joints[count - 2] < n) join();
      joints[count - 1] = n;
    }
    SkinSample& side = waiting[count++];
    side = SkinSample{};
    side.value = f.value;
    side.gradient = f.gradient;
    side.bone = tree.leaf_bone[leaf];
    last = leaf;
  }
  CUTIS_HD SkinSample finish() {
    while (count > 1) join();
    return count == 1 ? waiting[0] : SkinSample{};
  }
};

/// `control(tree, node, a, b)` gives the operators' parameters: AngleController, or values frozen for a comparison with
/// finite differences. A point that is not finite lies outside all supports.
template <class Control>
CUTIS_HD SkinSample eval_tree(const TreeView& tree, const Vec3f& p, const Control& control) {
  const SupportIndexView& index = tree.index;
  const std::uint64_t* const masks = leaves_at(index, p);
  if (masks == nullptr) return {};
  TreeWalk<Control> walk(tree, control);
  for (int word = 0; word < index.words; ++word) {
    for (std::uint64_t mask = masks[word]; mask != 0; mask &= mask - 1) {
      int bit = 0;
#if defined(__CUDA_ARCH__)
      bit = __ffsll(static_cast<long long>(mask)) - 1;
#else
      bit = __builtin_ctzll(mask);
#endif
      const int leaf = 64 * word + bit;
      const FieldSample<float> f = eval_field(tree.leaves[leaf], p);
      if (f.value > 0) walk.add(leaf, f);
    }
  }
  return walk.finish();
}

CUTIS_HD inline SkinSample eval_tree(const TreeView& tree, const Vec3f& p) {
  return eval_tree(tree, p, AngleController{});
}

}  // namespace cutis
