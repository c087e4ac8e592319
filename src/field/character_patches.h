// A character cut into the surfaces of its parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "character/bones.h"
#include "character/welded_character.h"
#include "field/part_patch.h"

namespace cutis {

/// Part (index into `bones`) of every welded vertex: the bone with the largest weight. Islands of a part that touch
/// another part go to the part they touch most, so that each part is one patch per component of the surface.
/// kNoPart for vertices without weights.
[[nodiscard]] std::vector<std::uint32_t> parts_by_weight(const Character& character, const WeldedCharacter& welded,
                                                         std::span<const BoneSegment> bones);
inline constexpr std::uint32_t kNoPart = 0xffffffffU;

/// One patch per bone, in the order of `bones`; those of bones without vertices are empty.
[[nodiscard]] std::vector<PartPatch> cut_patches(const Character& character, const WeldedCharacter& welded,
                                                 std::span<const BoneSegment> bones,
                                                 std::span<const std::uint32_t> part_of_vertex);

}  // namespace cutis
