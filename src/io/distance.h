// How far from the origin a character may lie.
#pragma once

#include "cutis/character.h"
#include "cutis/context.h"

namespace cutis {

/// Warns where floats hold its shape coarsely; throws Error(bad_character) where they cannot hold it at all.
void check_distance(const Character& character, const Context& context);

}  // namespace cutis
