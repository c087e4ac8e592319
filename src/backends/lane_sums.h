// How sums over blocks of places are made, whatever the lanes of a pack and the number of threads.
#pragma once

#include <cstddef>

namespace cutis {

/// Blocks of places whose sums are made together.
inline constexpr std::size_t kBlocksAtOnce = 64;

/// A sum in sixteen parts, one for each place of a block, put together at the end.
struct LaneSums {
  double part[16] = {};

  [[nodiscard]] double total() const {
    double half[8];
    for (int i = 0; i < 8; ++i) half[i] = part[i] + part[i + 8];
    return ((half[0] + half[4]) + (half[2] + half[6])) + ((half[1] + half[5]) + (half[3] + half[7]));
  }
};

}  // namespace cutis
