// From a character to the surface and the bones that the methods work on.
#pragma once

#include "weights/method.h"

namespace cutis {

/// Everything but the bones. What is wrong with the mesh is counted in `fallbacks`.
[[nodiscard]] WeightProblem make_surface(const Character& character, Fallbacks& fallbacks);

/// A list as "a, b, c and 5 more".
[[nodiscard]] std::string few_of(const std::vector<std::string>& names);
/// Adds an entry unless `names` is empty.
void report_fallback(Fallbacks& fallbacks, std::string what, const std::vector<std::string>& names);

}  // namespace cutis
