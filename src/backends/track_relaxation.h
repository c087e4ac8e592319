// What the back ends share of tangential relaxation: its constants, and how sums are made.
#pragma once

#include <cstddef>

namespace cutis::relaxation {

/// A share of the way, 0 to 1, as a force against that of all neighbours together.
[[nodiscard]] inline float odds(float share) { return share / (1 - share > 1e-3F ? 1 - share : 1e-3F); }

inline constexpr double kReduction = 1e-6;  ///< of the squared residual: converged
inline constexpr float kBound = 0.99F;      ///< taken for altogether bound to the tangent plane
inline constexpr float kLongestSlide = 1;   ///< local edges, at once
/// Edges stretched by so much more than those around them grow stiffer with the square of what exceeds it: a quadratic
/// energy alone leaves single rows at the side of a fold with most of the strain.
inline constexpr float kUneven = 1.5F, kStiffening = 8;

/// A sum in four parts, put together at the end: the same bits whether numbers come one by one or four at a time.
struct FourSums {
  double part[4] = {};

  /// The i-th number.
  void add(std::size_t i, float x) { part[i & 3U] += static_cast<double>(x); }
  [[nodiscard]] double total() const { return (part[0] + part[1]) + (part[2] + part[3]); }
};

}  // namespace cutis::relaxation
