// Small dense systems in double.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cutis {

struct DenseSolution {
  std::vector<double> x;  ///< row after row, as the right-hand side
  bool ok = false;        ///< every entry of x is finite and A x = b holds to rounding
};

/// Solves A x = b by LU with partial pivoting. `matrix` is n x n, column after column; `rhs` has n entries. One step of
/// refinement makes the residual as small as the rounding of A x allows. Same bits for any number of threads.
[[nodiscard]] DenseSolution solve_dense(std::size_t n, std::span<const double> matrix, std::span<const double> rhs);

/// Replaces the right-hand side `x` by the solution of a symmetric positive definite system, by Cholesky. `matrix` is
/// n x n, row after row; its upper triangle is not read, its lower one becomes the factor. False, with `x` as it was,
/// when the matrix is not positive definite.
[[nodiscard]] bool solve_positive(std::span<double> matrix, std::span<double> x);

}  // namespace cutis
