// What of a character a scanner can see: not eyes and teeth, nor the insides of mouths and eye sockets.
#pragma once

#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"

namespace cutis {

/// Per vertex of all meshes, in the input's order.
[[nodiscard]] std::vector<char> outer_vertices(const Character& character, const Context& context);

}  // namespace cutis
