// The whole character as one welded surface: the topology that everything geometric works on.
#pragma once

#include <cstdint>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "geometry/topology.h"
#include "geometry/weld.h"

namespace cutis {

/// Vertices of all meshes one after the other ("input vertices").
struct JoinedMeshes {
  std::vector<Vec3f> input_positions;     ///< all meshes, in order
  std::vector<std::uint32_t> mesh_begin;  ///< first input vertex of each mesh, and the end
  std::vector<Triangle> input_triangles;  ///< in input vertex numbers
};

[[nodiscard]] JoinedMeshes join_meshes(const Character& character);

/// They are welded where rest positions are equal and weights are compatible; and across seams that rounding has parted
/// (files that are compressed primitive by primitive): where two borders run along each other in opposite ways, within
/// 4e-4 of the size and a twentieth of their edges. A welded vertex is where its first copy is.
struct WeldedCharacter : JoinedMeshes {
  Weld weld;
  std::vector<Vec3f> positions;  ///< per welded vertex, rest pose
  Topology topology;             ///< over welded vertices
};

/// With a context: asks now and then whether it is cancelled.
[[nodiscard]] WeldedCharacter weld_character(const Character& character, const Context* context = nullptr);

/// Weights of one input vertex, as (joint, weight) pairs, largest first.
struct WeightRow {
  std::span<const std::uint32_t> joints;
  std::span<const float> weights;
};
[[nodiscard]] WeightRow weight_row(const Weights& weights, std::size_t vertex);

/// Sum of absolute differences, in [0, 2].
[[nodiscard]] double weight_difference(const WeightRow& a, const WeightRow& b);

/// Copies of a vertex whose weights differ by more than this (in sum) move apart and are not one vertex. Small enough
/// that giving all copies the first one's weights moves none by more than 1e-5 of the character's size.
inline constexpr double kCompatibleWeights = 2e-5;

}  // namespace cutis
