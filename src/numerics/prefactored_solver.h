// Symmetric positive definite sparse systems: factored once, solved for many right-hand sides at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cutis/context.h"

namespace cutis {

/// Entries at the same place add up.
struct MatrixEntry {
  std::uint32_t row = 0, col = 0;
  double value = 0;
};

class PrefactoredSolver {
 public:
  /// L D L^T of the n x n matrix whose lower triangle (row >= col; entries above are left out) is given. With a
  /// context: asks between the stages whether it is cancelled.
  PrefactoredSolver(std::size_t n, std::span<const MatrixEntry> lower, const Context* context = nullptr);
  ~PrefactoredSolver();
  PrefactoredSolver(PrefactoredSolver&&) noexcept;
  PrefactoredSolver& operator=(PrefactoredSolver&&) noexcept;

  /// False when a pivot was not positive: the matrix is not positive definite, and solve() must not be called.
  [[nodiscard]] bool ok() const;
  [[nodiscard]] std::size_t size() const;

  /// Replaces the n x columns right-hand sides, stored row after row, by the solutions. The bits do not depend on the
  /// number of threads, nor those of a column on the other columns.
  void solve(std::span<double> block, std::size_t columns, const Context& context) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
