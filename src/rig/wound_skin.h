// Skin that a bone has wound up: a bone that turns on past half a turn takes its skin along, and there is a way back to
// the same pose that is shorter. docs/algorithms/tracking.md, "Wound skin".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rig/rig.h"

namespace cutis {

/// Bones that are turned by more than `kMostWound` against the bone that they share skin with take the short way round:
/// their signs and those of all bones beyond them change. Adds the bones where that begins to `unwound`.
void unwind(const Rig& rig, std::span<Quatd> rotations, std::vector<std::uint32_t>& unwound);

/// Sets 1 per welded vertex where skin goes another way round after one of these bones was unwound: what they and bones
/// on the other side move together, and around it as far as the thinner of their parts is thick. Adds to what is there.
void mark_unwound(const Rig& rig, std::span<const std::uint32_t> unwound, std::vector<char>& region);

}  // namespace cutis
