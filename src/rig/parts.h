// Parts of a rig at rest: the skin that belongs to one bone.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "rig/rig.h"

namespace cutis {

/// What all solvers ask of the parts.
struct PartsRest {
  static constexpr std::string_view kRestName = "parts";
  std::vector<float> radius;  ///< per bone: part_radii()
  std::vector<char> joined;   ///< bones x bones: joined_parts()

  void write(RestWriter& out) const;
  [[nodiscard]] bool read(RestReader& in, const Rig& rig);
};
[[nodiscard]] std::shared_ptr<const PartsRest> parts_rest(const Rig& rig);

/// Thickness of every bone's part: the median distance of its vertices to the bone segment, metres; 0 without vertices.
[[nodiscard]] std::vector<float> part_radii(const Rig& rig);

/// 0 to 1 for every bone: how far its skin is too coarse for its field to help. A part of one ring of vertices has no
/// triangle of its own: what lies between the ring and its neighbours is shaped by their bones.
[[nodiscard]] std::vector<float> coarse_parts(const Rig& rig);

/// Per vertex: which piece of the skin it belongs to, of those whose edges are on average as long as the fields of
/// their parts reach: one edge spans the part, so that nothing is left for its field to shape; kNotCoarse elsewhere.
/// Pieces count from 0.
inline constexpr std::uint32_t kNotCoarse = 0xFFFFFFFF;
[[nodiscard]] std::vector<std::uint32_t> coarse_pieces(const Rig& rig);

/// 1 for bones whose parts are pieces of their own that the bone alone moves and that stand free, not plugged into
/// others as a head into a neck: the blade of an axe. They were meant to keep their shape: they neither track a field
/// nor give way.
[[nodiscard]] std::vector<char> rigid_parts(const Rig& rig);

/// Bone of the nearest ancestor that has a field, or -1.
[[nodiscard]] int parent_part(const Rig& rig, std::size_t bone);

/// Parts of which one's field is so strong at a vertex of the other at rest are one surface there.
inline constexpr float kOverlapAtRest = 0.3F;

/// Bones x bones: parts that grow out of each other, so that their skins are one surface there.
[[nodiscard]] std::vector<char> joined_parts(const Rig& rig);

}  // namespace cutis
