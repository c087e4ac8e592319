// The derived table of a tree: which node joins two leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/eval_tree.h"

namespace cutis {

/// TreeView::range_nodes of a tree whose leaves are numbered from left to right, root last; none when the nodes are no
/// such tree or more sides would wait than kernels have room for.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> make_range_nodes(std::span<const TreeNode> nodes,
                                                                         std::size_t leaves);

}  // namespace cutis
