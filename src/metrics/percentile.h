// Percentiles with linear interpolation between ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace cutis {

/// Rank of the percentile `share` in [0,1] among `count` sorted values, between 0 and count - 1.
[[nodiscard]] inline double percentile_rank(std::size_t count, double share) {
  return count == 0 ? 0.0 : share * static_cast<double>(count - 1);
}

/// Reorders `values`, which must not be empty nor hold a NaN.
[[nodiscard]] inline double percentile(std::span<float> values, double share) {
  const double rank = percentile_rank(values.size(), share);
  const auto below = static_cast<std::size_t>(rank);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), at, values.end());
  const double low = *at;
  if (below + 1 == values.size()) return low;
  const double high = *std::min_element(at + 1, values.end());
  return low + (high - low) * (rank - static_cast<double>(below));
}

}  // namespace cutis
