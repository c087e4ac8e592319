// One bone per vertex, in connected patches.
#pragma once

#include <span>

#include "character/bones.h"
#include "character/welded_character.h"
#include "cutis/character.h"

namespace cutis {

/// Per welded vertex: the joint with the largest weight, after stray islands have gone to their neighbours. Every mesh
/// must have weights.
struct Partition {
  std::vector<std::uint32_t> joint;
  std::size_t islands = 0, moved_vertices = 0;
};
[[nodiscard]] Partition make_partition(const Character& character, const WeldedCharacter& welded);

/// The same as indices into `bones`; every joint of the partition must be among them.
[[nodiscard]] std::vector<std::uint32_t> bones_of(const Partition& partition, std::span<const BoneSegment> bones);

}  // namespace cutis
