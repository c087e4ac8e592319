// The node tree of a glTF file: who is whose child, where everything is by default, what counts.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/gltf_read_file.h"

namespace cutis::gltf {

struct Scene {
  std::vector<int> parent;                ///< per node; -1 for roots
  std::vector<int> depth;                 ///< 0 for roots
  std::vector<std::size_t> order;         ///< all nodes, depth first in file order: parents before children
  std::vector<Affine3d> world_from_node;  ///< default pose; may be non-finite where nodes hold huge numbers
};

/// Throws Error when a node has two parents or is its own ancestor.
[[nodiscard]] Scene build_scene(const File& file);

/// Nodes whose meshes make up the character, in file order: those of the default scene (of the whole file when that
/// has no mesh), and of these only the skinned ones when any is. Warns about what is left out.
struct MeshNodes {
  std::vector<std::size_t> nodes;
  bool is_skinned = false;
};
[[nodiscard]] MeshNodes select_mesh_nodes(const File& file, const Context& context);

/// Whether a map can be inverted: finite, and its volume is not nothing against its size.
[[nodiscard]] bool is_regular(const Affine3d& map);

/// Gives every name once: later bearers get a suffix.
class UniqueNames {
 public:
  [[nodiscard]] std::string take(const std::string& wanted);

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> count_;
};

}  // namespace cutis::gltf
