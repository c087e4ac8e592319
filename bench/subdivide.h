// Larger characters for growth curves.
#pragma once

#include "cutis/character.h"

namespace cutis::bench {

/// Every triangle becomes four, in its plane: the same shape with four times the faces. Weights are blended, at most
/// four a vertex.
[[nodiscard]] Character subdivided(const Character& character);

/// A tube of `bones` bones in a row, each three times as long as the tube is wide, with about `vertices` vertices.
[[nodiscard]] Character make_chain(std::size_t bones, std::size_t vertices);

}  // namespace cutis::bench
