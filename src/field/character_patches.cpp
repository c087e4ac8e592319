#include "field/character_patches.h"

#include <algorithm>
#include <map>

#include "base/math.h"
#include "geometry/normals.h"

namespace cutis {

namespace {

struct Islands {
  std::vector<std::uint32_t> of_vertex;
  std::vector<std::size_t> size;
};

// Connected vertices of one part.
Islands find_islands(const Topology& topology, std::span<const std::uint32_t> part) {
  constexpr std::uint32_t kNone = 0xffffffffU;
  Islands islands{std::vector<std::uint32_t>(part.size(), kNone), {}};
  std::vector<std::uint32_t> stack;
  for (std::uint32_t v = 0; v < part.size(); ++v) {
    if (islands.of_vertex[v] != kNone) continue;
    const auto id = static_cast<std::uint32_t>(islands.size.size());
    islands.size.push_back(0);
    islands.of_vertex[v] = id;
    stack.push_back(v);
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      ++islands.size[id];
      for (const std::uint32_t next : topology.vertex_neighbours.row(at)) {
        if (islands.of_vertex[next] != kNone || part[next] != part[v]) continue;
        islands.of_vertex[next] = id;
        stack.push_back(next);
      }
    }
  }
  return islands;
}

}  // namespace

std::vector<std::uint32_t> parts_by_weight(const Character& character, const WeldedCharacter& welded,
                                           std::span<const BoneSegment> bones) {
  std::vector<std::uint32_t> part_of_joint(character.skeleton.joints.size(), kNoPart);
  for (std::uint32_t b = 0; b < bones.size(); ++b) part_of_joint[static_cast<std::size_t>(bones[b].joint)] = b;
  std::vector<std::uint32_t> part(welded.positions.size(), kNoPart);
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    const Weights& weights = character.meshes[m].weights;
    for (std::size_t v = 0; v < weights.rows(); ++v) {
      const WeightRow row = weight_row(weights, v);
      if (row.joints.empty()) continue;
      part[welded.weld.welded_of[welded.mesh_begin[m] + v]] = part_of_joint[row.joints[0]];
    }
  }
  // An island may touch only other islands at first: a few rounds settle it.
  for (int round = 0; round < 4; ++round) {
    const Islands islands = find_islands(welded.topology, part);
    // Largest island of each part in each component of the surface.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> main;
    for (std::uint32_t v = 0; v < part.size(); ++v) {
      const std::uint32_t id = islands.of_vertex[v];
      const auto [it, added] = main.emplace(std::pair{part[v], welded.topology.component[v]}, id);
      if (!added && islands.size[id] > islands.size[it->second]) it->second = id;
    }
    std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> touches;  // stray island -> part -> edges
    for (std::uint32_t v = 0; v < part.size(); ++v) {
      const std::uint32_t id = islands.of_vertex[v];
      if (main[{part[v], welded.topology.component[v]}] == id) continue;
      for (const std::uint32_t next : welded.topology.vertex_neighbours.row(v))
        if (part[next] != part[v]) ++touches[id][part[next]];
    }
    if (touches.empty()) break;
    std::map<std::uint32_t, std::uint32_t> new_part;
    for (const auto& [id, parts] : touches)
      new_part[id] = std::ranges::max_element(parts, {}, [](const auto& entry) { return entry.second; })->first;
    for (std::uint32_t v = 0; v < part.size(); ++v)
      if (const auto it = new_part.find(islands.of_vertex[v]); it != new_part.end()) part[v] = it->second;
  }
  return part;
}

std::vector<PartPatch> cut_patches(const Character& character, const WeldedCharacter& welded,
                                   std::span<const BoneSegment> bones, std::span<const std::uint32_t> part_of_vertex) {
  const std::vector<Vec3f> normals = vertex_normals(welded.positions, welded.topology.triangles);
  const double size = diagonal(character.bounds());
  std::vector<PartPatch> patches;
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    PartPatch patch = cut_patch(welded.positions, normals, welded.topology.triangles, part_of_vertex, b);
    patch.name = character.skeleton.joints[static_cast<std::size_t>(bones[b].joint)].name;
    patch.bone_from = bones[b].from;
    patch.bone_to = bones[b].to;
    patch.character_size = size;
    patch.joints.push_back(bones[b].from);
    for (const BoneSegment& other : bones)
      if (parent_bone(character.skeleton, other.joint) == bones[b].joint) patch.joints.push_back(other.from);
    patches.push_back(std::move(patch));
  }
  return patches;
}

}  // namespace cutis
