// A character cut into the surfaces of its parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "character/bones.h"
#include "character/welded_character.h"
#include "field/part_patch.h"

namespace cutis {

/// One patch per bone, in the order of `bones`; those of bones without vertices are empty.
[[nodiscard]] std::vector<PartPatch> cut_patches(const Character& character, const WeldedCharacter& welded,
                                                 std::span<const BoneSegment> bones,
                                                 std::span<const std::uint32_t> part_of_vertex);

}  // namespace cutis
