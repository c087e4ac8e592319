#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "numerics/refactored_solver.h"

namespace cutis {
namespace {

// Second differences of a string with fixed ends: 2 on the diagonal, -1 beside it.
std::vector<MatrixEntry> string_of(std::uint32_t n) {
  std::vector<MatrixEntry> lower;
  for (std::uint32_t i = 0; i < n; ++i) {
    lower.push_back({i, i, 2});
    if (i > 0) lower.push_back({i, i - 1, -1});
  }
  return lower;
}

TEST(RefactoredSolver, SolvesAgainWithAnotherDiagonal) {
  constexpr std::size_t n = 40;
  RefactoredSolver solver(n, string_of(n));
  for (const double shift : {0.0, 3.0, 1e7}) {
    std::vector<double> extra(n, 0.0), x(n), product(n);
    for (std::size_t i = 0; i < n; i += 3) extra[i] = shift;
    for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<double>(i));
    const std::vector<double> rhs = x;
    ASSERT_TRUE(solver.factor(extra));
    solver.solve(x);
    solver.multiply(x, product);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(product[i] + extra[i] * x[i], rhs[i], 1e-9) << shift;
  }
}

TEST(RefactoredSolver, TellsWhenTheMatrixIsNotPositiveDefinite) {
  constexpr std::size_t n = 5;
  RefactoredSolver solver(n, string_of(n));
  EXPECT_FALSE(solver.factor(std::vector<double>(n, -2.5)));
  EXPECT_TRUE(solver.factor(std::vector<double>(n, 0.0)));  // and goes on
}

}  // namespace
}  // namespace cutis
