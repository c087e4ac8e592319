// Order and outliers among misses.
#pragma once

#include <algorithm>
#include <vector>

namespace cutis {

inline constexpr double kHuber = 1.5;          ///< misses beyond this many standard deviations count linearly
inline constexpr double kMadToSigma = 1.4826;  ///< of a normal distribution: from the median miss

/// 0 when there are none.
[[nodiscard]] inline double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const auto rank = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

}  // namespace cutis
