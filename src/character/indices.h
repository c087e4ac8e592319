// Whether a character can be walked through at all, whatever its numbers are.
#pragma once

#include "cutis/character.h"

namespace cutis {

/// Throws Error(bad_character) when a triangle, a weight or a joint names something that is not there. Of validate()
/// that part without which reading it would leave its arrays.
void check_indices(const Character& character);

}  // namespace cutis
