// A symmetric positive definite sparse system that is factored many times with changing diagonals (active sets,
// penalties): the order of elimination is found once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "numerics/prefactored_solver.h"

namespace cutis {

class RefactoredSolver {
 public:
  /// The n x n matrix whose lower triangle (row >= col; entries above are left out) is given; every diagonal entry must
  /// be among them.
  RefactoredSolver(std::size_t n, std::span<const MatrixEntry> lower);
  ~RefactoredSolver();
  RefactoredSolver(RefactoredSolver&&) noexcept;
  RefactoredSolver& operator=(RefactoredSolver&&) noexcept;

  /// Factors matrix + diag(extra), `extra` of length n. False when that is not positive definite.
  [[nodiscard]] bool factor(std::span<const double> extra);
  /// Replaces the right-hand side by the solution. After a factor() that succeeded.
  void solve(std::span<double> x) const;
  /// y = matrix * x, without the extra diagonal.
  void multiply(std::span<const double> x, std::span<double> y) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
