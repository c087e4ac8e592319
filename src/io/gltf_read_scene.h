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
/// has no mesh); where any is skinned, the others are left out, or, if `attached`, those that a joint of a skin carries
/// (a weapon in a hand, the head of a robot) come after the skinned. Warns about what is left out.
struct MeshNodes {
  std::vector<std::size_t> nodes;
  bool is_skinned = false;
  std::map<std::size_t, std::size_t> carrier_of;  ///< node of a mesh without skin: what moves it, itself or above it
};
[[nodiscard]] MeshNodes select_mesh_nodes(const File& file, const Scene& scene, bool attached, const Context& context);

/// Of the node's default pose, in the space of an ancestor, or of itself.
[[nodiscard]] Affine3d ancestor_from_node(const File& file, const Scene& scene, std::size_t ancestor, std::size_t node);

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
