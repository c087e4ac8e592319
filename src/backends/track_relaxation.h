// What the back ends share of tangential relaxation: what draws a vertex, and how sums are made.
#pragma once

#include <cstddef>

#include "cutis/types.h"

namespace cutis::relaxation {

/// A share of the way, 0 to 1, as a force against that of all neighbours together.
[[nodiscard]] CUTIS_HD inline float odds(float share) { return share / (1 - share > 1e-3F ? 1 - share : 1e-3F); }

/// A sum in four parts, put together at the end: the same bits whether numbers come one by one or four at a time.
struct FourSums {
  double part[4] = {};

  /// The i-th number.
  void add(std::size_t i, float x) { part[i & 3U] += static_cast<double>(x); }
  [[nodiscard]] double total() const { return (part[0] + part[1]) + (part[2] + part[3]); }
};

}  // namespace cutis::relaxation
