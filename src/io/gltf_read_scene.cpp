#include "io/gltf_read_scene.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/unbound.h"

namespace cutis::gltf {
namespace {

// Against the cube of the map's size: below this nothing is left of the inverse in double.
constexpr double kSingular = 1e-12;

Affine3d local_transform(const Node& node) { return node.matrix ? *node.matrix : to_affine(node.local); }

std::vector<bool> nodes_in_scene(const File& file) {
  std::vector<bool> reached(file.nodes.size(), file.scene_roots.empty());
  std::vector<std::size_t> open = file.scene_roots;
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (reached[node]) continue;
    reached[node] = true;
    open.insert(open.end(), file.nodes[node].children.begin(), file.nodes[node].children.end());
  }
  return reached;
}

/// Per node: whether a joint of a skin that some mesh wears.
std::vector<bool> joints_in_use(const File& file, const std::vector<std::size_t>& mesh_nodes) {
  std::vector<bool> is_joint(file.nodes.size(), false);
  for (const std::size_t node : mesh_nodes)
    if (const int skin = file.nodes[node].skin; skin >= 0)
      for (const std::size_t joint : file.skins[static_cast<std::size_t>(skin)].joints) is_joint[joint] = true;
  return is_joint;
}

std::vector<bool> moved_by_clips(const File& file) {
  std::vector<bool> is_moved(file.nodes.size(), false);
  for (const Animation& animation : file.animations)
    for (const AnimationChannel& channel : animation.channels)
      if (channel.node >= 0 && channel.path != "weights") is_moved[static_cast<std::size_t>(channel.node)] = true;
  return is_moved;
}

}  // namespace

Scene build_scene(const File& file) {
  const std::size_t n = file.nodes.size();
  Scene scene;
  scene.parent.assign(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t child : file.nodes[i].children) {
      if (scene.parent[child] >= 0 || child == i)
        throw Error(ErrorCode::bad_file, file.place(file.node_label(child)),
                    child == i ? "the node is its own child"
                               : fmt::format("the node has two parents, {} and {}",
                                             file.node_label(static_cast<std::size_t>(scene.parent[child])),
                                             file.node_label(i)));
      scene.parent[child] = static_cast<int>(i);
    }
  }
  scene.depth.assign(n, -1);
  scene.world_from_node.resize(n);
  std::vector<std::size_t> open;
  for (std::size_t i = n; i-- > 0;)
    if (scene.parent[i] < 0) open.push_back(i);
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    scene.order.push_back(i);
    const Affine3d local = local_transform(file.nodes[i]);
    if (const int p = scene.parent[i]; p >= 0) {
      scene.depth[i] = scene.depth[static_cast<std::size_t>(p)] + 1;
      scene.world_from_node[i] = scene.world_from_node[static_cast<std::size_t>(p)] * local;
    } else {
      scene.depth[i] = 0;
      scene.world_from_node[i] = local;
    }
    const auto& children = file.nodes[i].children;
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  // With one parent each, only nodes on or under a cycle are out of the roots' reach.
  if (scene.order.size() < n) {
    const auto lost = std::find(scene.depth.begin(), scene.depth.end(), -1) - scene.depth.begin();
    throw Error(ErrorCode::bad_file, file.place(file.node_label(static_cast<std::size_t>(lost))),
                "the node tree runs in a circle here");
  }
  return scene;
}

MeshNodes select_mesh_nodes(const File& file, const Scene& scene, bool attached, const Context& context) {
  MeshNodes result;
  const std::vector<bool> in_scene = nodes_in_scene(file);
  for (std::size_t i = 0; i < file.nodes.size(); ++i)
    if (in_scene[i] && file.nodes[i].mesh >= 0) result.nodes.push_back(i);
  if (result.nodes.empty()) {
    for (std::size_t i = 0; i < file.nodes.size(); ++i)
      if (file.nodes[i].mesh >= 0) result.nodes.push_back(i);
  }
  const auto is_skinned = [&](std::size_t node) { return file.nodes[node].skin >= 0; };
  result.is_skinned = std::any_of(result.nodes.begin(), result.nodes.end(), is_skinned);
  if (!result.is_skinned) return result;
  const std::vector<bool> is_joint = joints_in_use(file, result.nodes), is_moved = moved_by_clips(file);
  // The first that moves, from the mesh upwards, if there is a joint of a skin at or above it.
  const auto is_carried = [&](std::size_t node) {
    int carrier = -1;
    for (int i = static_cast<int>(node); i >= 0; i = scene.parent[static_cast<std::size_t>(i)]) {
      const auto at = static_cast<std::size_t>(i);
      if (carrier < 0 && (is_joint[at] || is_moved[at])) carrier = i;
      if (!is_joint[at]) continue;
      result.carrier_of[node] = static_cast<std::size_t>(carrier);
      return true;
    }
    return false;
  };
  std::size_t left_out = 0;
  std::erase_if(result.nodes, [&](std::size_t node) {
    if (is_skinned(node)) return false;
    if (is_carried(node)) {
      if (!attached) ++left_out;
      return !attached;
    }
    const std::string label = file.mesh_label(static_cast<std::size_t>(file.nodes[node].mesh));
    context.warn(fmt::format("{}: {} on {} has no skin and hangs on no bone: left out", file.name, label,
                             file.node_label(node)));
    return true;
  });
  if (left_out > 0) {
    context.warn(attached_left_out(file.name, left_out));
    result.carrier_of.clear();
  }
  std::stable_partition(result.nodes.begin(), result.nodes.end(), is_skinned);
  return result;
}

Affine3d ancestor_from_node(const File& file, const Scene& scene, std::size_t ancestor, std::size_t node) {
  Affine3d map;
  for (std::size_t i = node; i != ancestor; i = static_cast<std::size_t>(scene.parent[i]))
    map = local_transform(file.nodes[i]) * map;
  return map;
}

bool is_regular(const Affine3d& map) {
  if (!is_finite(map)) return false;
  const double size = frobenius(map.linear);
  const double det = std::abs(determinant(map.linear));
  return std::isfinite(size) && size > 0 && det > kSingular * size * size * size;
}

std::string UniqueNames::take(const std::string& wanted) {
  std::string name = wanted;
  for (int& count = count_[wanted]; !taken_.insert(name).second;) name = fmt::format("{}_{}", wanted, ++count + 1);
  return name;
}

}  // namespace cutis::gltf
