#include "rig/rig_tree.h"

#include <algorithm>
#include <cmath>

#include "kernels/skin_line.h"
#include "rig/parts.h"

namespace cutis {

std::optional<std::vector<std::uint32_t>> make_range_nodes(std::span<const TreeNode> nodes, std::size_t leaves) {
  if (leaves == 0) return nodes.empty() ? std::optional(std::vector<std::uint32_t>{}) : std::nullopt;
  if (nodes.size() + 1 != leaves) return std::nullopt;
  struct Step {
    std::int32_t at;
    std::int32_t after;  ///< node between the last leaf of this side and the next leaf, or -1
    int waiting;         ///< sides that wait to the left of it
  };
  std::vector<std::uint32_t> table;
  std::vector<Step> stack = {{leaves == 1 ? ~0 : static_cast<std::int32_t>(nodes.size() - 1), -1, 0}};
  std::size_t visits = 0;
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    if (++visits > 2 * leaves || step.waiting + 1 > kMostWaiting) return std::nullopt;
    if (step.at < 0) {
      if (static_cast<std::size_t>(~step.at) != table.size()) return std::nullopt;
      table.push_back(step.after >= 0 ? static_cast<std::uint32_t>(step.after) : 0U);
      continue;
    }
    if (static_cast<std::size_t>(step.at) >= nodes.size()) return std::nullopt;
    const TreeNode& node = nodes[static_cast<std::size_t>(step.at)];
    if (node.left >= step.at || node.right >= step.at) return std::nullopt;
    stack.push_back({node.right, step.after, step.waiting + 1});
    stack.push_back({node.left, step.at, step.waiting});
  }
  if (table.size() != leaves) return std::nullopt;
  // Row k, entry i: the largest of entries i ... i + 2^k - 1 of the first row.
  for (std::size_t step = 1; 2 * step < leaves; step *= 2) {
    const std::size_t row = table.size() - leaves;
    for (std::size_t i = 0; i < leaves; ++i)
      table.push_back(std::max(table[row + i], table[row + std::min(i + step, leaves - 1)]));
  }
  return table;
}

const TreeNode* joint_node(const Rig& rig, std::uint32_t bone) {
  const int parent = rig.fields[bone].empty() ? -1 : parent_part(rig, bone);
  if (parent < 0) return nullptr;
  const auto leaf = [&](std::uint32_t b) {
    return static_cast<int>(std::ranges::find(rig.tree.leaf_bone, b) - rig.tree.leaf_bone.begin());
  };
  // Parts are joined along the skeleton alone: the two come together where their own joint is.
  const auto [left, right] = std::minmax({leaf(bone), leaf(static_cast<std::uint32_t>(parent))});
  TreeView view;
  view.range_nodes = rig.tree.range_nodes.data();
  view.leaf_count = static_cast<int>(rig.tree.size());
  return &rig.tree.nodes[lowest_common_node(view, left, right)];
}

bool shapes_skin(const OperatorView& op) {
  constexpr float kNoShape = 5e-3F;  // from 0.5: half a hundredth of a part's thickness is not seen
  if (op.form != OperatorForm::blend && op.form != OperatorForm::table) return false;
  const float most = op.form == OperatorForm::blend ? 0.0F : 1.0F;  // parameter
  for (int i = 1; i <= 16; ++i)
    if (std::abs(skin_line(op, static_cast<float>(i) / 32, most) - 0.5F) > kNoShape) return true;
  return false;
}

}  // namespace cutis
