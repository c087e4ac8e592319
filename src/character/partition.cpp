// Largest weight; then, on each component of the surface, a joint keeps its largest patch, and its other patches are
// eaten up from their borders: the vertex with the largest weight of a bordering part goes first.
#include "character/partition.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include <fmt/format.h>

#include "cutis/error.h"

namespace cutis {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

/// Patch of each vertex: joined by edges, with the same joint.
std::vector<std::uint32_t> find_patches(const Topology& topology, const std::vector<std::uint32_t>& joint,
                                        std::vector<std::size_t>& sizes) {
  std::vector<std::uint32_t> patch(joint.size(), kNone);
  std::vector<std::uint32_t> stack;
  for (std::uint32_t seed = 0; seed < joint.size(); ++seed) {
    if (patch[seed] != kNone) continue;
    const auto number = static_cast<std::uint32_t>(sizes.size());
    sizes.push_back(0);
    stack.assign(1, seed);
    patch[seed] = number;
    while (!stack.empty()) {
      const std::uint32_t v = stack.back();
      stack.pop_back();
      ++sizes[number];
      for (const std::uint32_t w : topology.vertex_neighbours.row(v))
        if (patch[w] == kNone && joint[w] == joint[v]) {
          patch[w] = number;
          stack.push_back(w);
        }
    }
  }
  return patch;
}

float weight_of(const WeightRow& row, std::uint32_t joint) {
  const auto it = std::find(row.joints.begin(), row.joints.end(), joint);
  return it == row.joints.end() ? 0.0F : row.weights[static_cast<std::size_t>(it - row.joints.begin())];
}

}  // namespace

Partition make_partition(const Character& character, const WeldedCharacter& welded) {
  const Topology& topology = welded.topology;
  const std::size_t n = welded.positions.size();
  std::vector<WeightRow> rows;
  for (std::size_t v = 0; v < n; ++v) {
    const std::uint32_t input = welded.weld.first_of[v];
    const auto it = std::upper_bound(welded.mesh_begin.begin(), welded.mesh_begin.end(), input);
    const auto mesh = static_cast<std::size_t>(it - welded.mesh_begin.begin()) - 1;
    rows.push_back(weight_row(character.meshes[mesh].weights, input - welded.mesh_begin[mesh]));
  }
  Partition result;
  for (const WeightRow& row : rows) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < row.joints.size(); ++i)
      if (row.weights[i] > row.weights[best] ||
          (row.weights[i] == row.weights[best] && row.joints[i] < row.joints[best]))
        best = i;
    const std::uint32_t joint = row.joints[best];
    const int alias = character.skeleton.joints[joint].alias_of;
    result.joint.push_back(alias >= 0 ? static_cast<std::uint32_t>(alias) : joint);
  }

  std::vector<std::size_t> sizes;
  const std::vector<std::uint32_t> patch = find_patches(topology, result.joint, sizes);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> keeper;  // (component, joint) -> largest patch
  for (std::uint32_t v = 0; v < n; ++v) {
    if (topology.component[v] == Topology::kNoComponent) continue;
    auto [it, fresh] = keeper.try_emplace({topology.component[v], result.joint[v]}, patch[v]);
    if (!fresh && sizes[patch[v]] > sizes[it->second]) it->second = patch[v];
  }
  std::vector<char> settled(n, 1), counted(sizes.size(), 0);
  for (std::uint32_t v = 0; v < n; ++v) {
    if (topology.component[v] == Topology::kNoComponent) continue;
    if (keeper.at({topology.component[v], result.joint[v]}) == patch[v]) continue;
    settled[v] = 0;
    ++result.moved_vertices;
    if (counted[patch[v]] == 0) ++result.islands;
    counted[patch[v]] = 1;
  }
  if (result.moved_vertices == 0) return result;

  // (weight, vertex, joint); among equal ones the lowest vertex goes first.
  using Claim = std::tuple<float, std::uint32_t, std::uint32_t>;
  const auto later = [](const Claim& a, const Claim& b) {
    return std::get<0>(a) != std::get<0>(b)
               ? std::get<0>(a) < std::get<0>(b)
               : std::pair{std::get<1>(a), std::get<2>(a)} > std::pair{std::get<1>(b), std::get<2>(b)};
  };
  std::priority_queue<Claim, std::vector<Claim>, decltype(later)> claims(later);
  const auto spread = [&](std::uint32_t v) {
    for (const std::uint32_t w : topology.vertex_neighbours.row(v))
      if (settled[w] == 0) claims.emplace(weight_of(rows[w], result.joint[v]), w, result.joint[v]);
  };
  for (std::uint32_t v = 0; v < n; ++v)
    if (settled[v] != 0) spread(v);
  while (!claims.empty()) {
    const auto [weight, v, joint] = claims.top();
    claims.pop();
    if (settled[v] != 0) continue;
    settled[v] = 1;
    result.joint[v] = joint;
    spread(v);
  }
  return result;
}

std::vector<std::uint32_t> bones_of(const Partition& partition, std::span<const BoneSegment> bones) {
  std::map<std::uint32_t, std::uint32_t> bone_of;
  for (std::uint32_t b = 0; b < bones.size(); ++b) bone_of[static_cast<std::uint32_t>(bones[b].joint)] = b;
  std::vector<std::uint32_t> result;
  result.reserve(partition.joint.size());
  for (const std::uint32_t joint : partition.joint) result.push_back(bone_of.at(joint));
  return result;
}

Parts make_parts(const Character& character) {
  validate(character);
  for (const Mesh& mesh : character.meshes)
    if (mesh.weights.empty())
      throw Error(ErrorCode::bad_character, fmt::format("{} › mesh '{}'", character.source, mesh.name),
                  "has no weights to tell its parts by; make some with 'cutis weights'");
  const WeldedCharacter welded = weld_character(character);
  const Partition partition = make_partition(character, welded);
  Parts parts;
  parts.islands = partition.islands;
  parts.moved_vertices = partition.moved_vertices;
  for (const std::uint32_t v : welded.weld.welded_of) parts.joint.push_back(static_cast<int>(partition.joint[v]));
  return parts;
}

}  // namespace cutis
