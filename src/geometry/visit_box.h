// The triangles of a tree whose boxes overlap a given one.
#pragma once

#include <array>
#include <cstdint>

#include "geometry/triangle_bvh.h"

namespace cutis {

/// Calls visit(triangle) for each, in the order of the tree, until it returns false. True: it never did.
template <class Visit>
bool visit_box(const TriangleBvh& tree, const Boxf& box, const Visit& visit) {
  std::array<std::uint32_t, TriangleBvh::kMaxDepth> stack;
  std::size_t size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const std::uint32_t index = stack[--size];
    const TriangleBvh::Node& node = tree.nodes()[index];
    if (!overlap(node.box, box)) continue;
    if (!node.is_leaf()) {
      stack[size++] = node.right;
      stack[size++] = index + 1;
      continue;
    }
    for (std::uint32_t slot = node.begin; slot < node.end; ++slot)
      if (overlap(tree.box(slot), box) && !visit(tree.triangle(slot))) return false;
  }
  return true;
}

}  // namespace cutis
