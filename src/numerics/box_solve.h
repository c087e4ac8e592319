// Least squares within bounds: one small dense quadratic, every unknown between two ends.
#pragma once

#include <span>

namespace cutis {

/// Replaces the right-hand side `x` by the x that minimises x^T A x / 2 - b^T x with lower <= x <= upper. `matrix` is n
/// x n, row after row, symmetric and positive definite; bounds may be infinite, lower <= upper. Principal pivoting: all
/// unknowns that are wrong change sides at once, one at a time where that does not help (Júdice and Pires 1994), so it
/// ends at the minimum. False, with `x` as it was, when the matrix is not positive definite.
[[nodiscard]] bool solve_within(std::span<const double> matrix, std::span<double> x, std::span<const double> lower,
                                std::span<const double> upper);

}  // namespace cutis
