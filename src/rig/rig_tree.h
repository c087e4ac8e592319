// The derived table of a tree: which node joins two leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/eval_tree.h"
#include "rig/rig.h"

namespace cutis {

/// TreeView::range_nodes of a tree whose leaves are numbered from left to right, root last; none when the nodes are no
/// such tree or more sides would wait than kernels have room for.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> make_range_nodes(std::span<const TreeNode> nodes,
                                                                         std::size_t leaves);

/// The node that joins the part of a bone to that of its parent (parent_part()); null when it has no parent.
[[nodiscard]] const TreeNode* joint_node(const Rig& rig, std::uint32_t bone);

/// Whether an operator has skin elsewhere than where each part alone has it (kernels/skin_line.h): a bulge, a blend, a
/// profile.
[[nodiscard]] bool shapes_skin(const OperatorView& op);

}  // namespace cutis
