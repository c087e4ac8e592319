// Trees that say of every node who its parent is: joints of a skeleton, bones of a rig.
#pragma once

#include <cstddef>

namespace cutis {

/// `nodes`: numbers of the parents, or structs with a member `parent`; -1 above a root.
template <class Nodes>
int parent_of(const Nodes& nodes, int node) {
  const auto& entry = nodes[static_cast<std::size_t>(node)];
  if constexpr (requires { entry.parent; })
    return entry.parent;
  else
    return entry;
}

/// Whether `node` is `above` or somewhere below it. On -1 everything hangs.
template <class Nodes>
bool hangs_on(const Nodes& nodes, int node, int above) {
  while (node >= 0 && node != above) node = parent_of(nodes, node);
  return node == above;
}

/// The first of `node`, its parent, its parent's parent … that `accepts` takes, or -1.
template <class Nodes, class Accepts>
int first_upwards(const Nodes& nodes, int node, const Accepts& accepts) {
  while (node >= 0 && !accepts(node)) node = parent_of(nodes, node);
  return node;
}

}  // namespace cutis
