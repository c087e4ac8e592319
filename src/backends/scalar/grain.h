#pragma once

#include <cstddef>

namespace cutis {

/// Vertices that a task takes: some tens of microseconds of projection or relaxation.
inline constexpr std::size_t kGrain = 256;

}  // namespace cutis
