#include "character/welded_character.h"

#include <algorithm>
#include <cmath>

#include "character/indices.h"

namespace cutis {

WeightRow weight_row(const Weights& weights, std::size_t vertex) {
  const std::uint32_t begin = weights.row_begin[vertex], end = weights.row_begin[vertex + 1];
  return {{weights.joint.data() + begin, weights.joint.data() + end},
          {weights.weight.data() + begin, weights.weight.data() + end}};
}

double weight_difference(const WeightRow& a, const WeightRow& b) {
  double difference = 0;
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    const auto it = std::find(b.joints.begin(), b.joints.end(), a.joints[i]);
    const double other = it == b.joints.end() ? 0.0 : b.weights[static_cast<std::size_t>(it - b.joints.begin())];
    difference += std::abs(a.weights[i] - other);
  }
  for (std::size_t i = 0; i < b.joints.size(); ++i)
    if (std::find(a.joints.begin(), a.joints.end(), b.joints[i]) == a.joints.end()) difference += b.weights[i];
  return difference;
}

JoinedMeshes join_meshes(const Character& character) {
  check_indices(character);
  JoinedMeshes result;
  result.input_positions.reserve(character.vertex_count());
  result.input_triangles.reserve(character.triangle_count());
  for (const Mesh& mesh : character.meshes) {
    const auto begin = static_cast<std::uint32_t>(result.input_positions.size());
    result.mesh_begin.push_back(begin);
    result.input_positions.insert(result.input_positions.end(), mesh.positions.begin(), mesh.positions.end());
    for (const Triangle& t : mesh.triangles)
      result.input_triangles.push_back({t[0] + begin, t[1] + begin, t[2] + begin});
  }
  result.mesh_begin.push_back(static_cast<std::uint32_t>(result.input_positions.size()));
  return result;
}

WeldedCharacter weld_character(const Character& character, const Context* context) {
  const auto ask = [&] {
    if (context != nullptr) context->check_cancelled();
  };
  WeldedCharacter result{join_meshes(character), {}, {}, {}};
  std::vector<std::uint32_t> mesh_of;
  mesh_of.reserve(character.vertex_count());
  for (std::uint32_t m = 0; m < character.meshes.size(); ++m)
    mesh_of.insert(mesh_of.end(), character.meshes[m].positions.size(), m);
  ask();
  const auto compatible = [&](std::uint32_t a, std::uint32_t b) {
    const Weights& wa = character.meshes[mesh_of[a]].weights;
    const Weights& wb = character.meshes[mesh_of[b]].weights;
    if (wa.empty() || wb.empty()) return wa.empty() == wb.empty();
    return weight_difference(weight_row(wa, a - result.mesh_begin[mesh_of[a]]),
                             weight_row(wb, b - result.mesh_begin[mesh_of[b]])) <= kCompatibleWeights;
  };
  result.weld = weld(result.input_positions, compatible);
  ask();
  result.positions.reserve(result.weld.first_of.size());
  for (const std::uint32_t v : result.weld.first_of) result.positions.push_back(result.input_positions[v]);
  result.topology = build_topology(result.positions.size(), weld_triangles(result.weld, result.input_triangles));
  ask();
  return result;
}

}  // namespace cutis
