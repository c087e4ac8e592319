#include "numerics/prefactored_solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace cutis {
namespace {

// A chain of springs, fixed to the ground at both ends: tridiagonal (-1, 2, -1).
std::vector<MatrixEntry> chain(std::uint32_t n) {
  std::vector<MatrixEntry> entries;
  for (std::uint32_t i = 0; i < n; ++i) {
    entries.push_back({i, i, 1});
    entries.push_back({i, i, 1});  // entries add up
    if (i > 0) entries.push_back({i, i - 1, -1});
  }
  return entries;
}

// Random sparse, symmetric, diagonally dominant.
std::vector<MatrixEntry> random_matrix(std::uint32_t n, std::vector<double>& dense) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<MatrixEntry> entries;
  dense.assign(std::size_t{n} * n, 0);
  const auto add = [&](std::uint32_t r, std::uint32_t c, double v) {
    entries.push_back({r, c, v});
    dense[std::size_t{r} * n + c] += v;
    if (r != c) dense[std::size_t{c} * n + r] += v;
  };
  for (std::uint32_t k = 0; k < 4 * n; ++k) {
    const auto a = static_cast<std::uint32_t>(random() % n), b = static_cast<std::uint32_t>(random() % n);
    if (a == b) continue;
    const double v = value(random);
    add(std::max(a, b), std::min(a, b), v);
    add(a, a, std::abs(v));
    add(b, b, std::abs(v));
  }
  for (std::uint32_t i = 0; i < n; ++i) add(i, i, 0.1);
  return entries;
}

TEST(PrefactoredSolver, SolvesAChainOfSpringsExactly) {
  constexpr std::uint32_t kN = 50;
  const PrefactoredSolver solver(kN, chain(kN));
  ASSERT_TRUE(solver.ok());
  std::vector<double> x(kN, 1);  // a constant load bends it into a parabola: x_i = (i+1)(n-i)/2
  solver.solve(x, 1, Context(1));
  for (std::uint32_t i = 0; i < kN; ++i) EXPECT_NEAR(x[i], 0.5 * (i + 1) * (kN - i), 1e-9);
}

TEST(PrefactoredSolver, SolvesManyRightHandSidesToSmallResiduals) {
  constexpr std::uint32_t kN = 120;
  constexpr std::size_t kColumns = 19;
  std::vector<double> dense;
  const PrefactoredSolver solver(kN, random_matrix(kN, dense));
  ASSERT_TRUE(solver.ok());
  std::mt19937 random(5);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> b(kN * kColumns);
  for (double& v : b) v = value(random);
  std::vector<double> x = b;
  solver.solve(x, kColumns, Context(2));
  for (std::size_t c = 0; c < kColumns; ++c)
    for (std::size_t r = 0; r < kN; ++r) {
      double sum = 0;
      for (std::size_t k = 0; k < kN; ++k) sum += dense[r * kN + k] * x[k * kColumns + c];
      EXPECT_NEAR(sum, b[r * kColumns + c], 1e-10);
    }
}

TEST(PrefactoredSolver, GivesTheSameBitsForAnyThreadsAndAnyNeighbouringColumns) {
  constexpr std::uint32_t kN = 80;
  constexpr std::size_t kColumns = 21;
  std::vector<double> dense;
  const PrefactoredSolver solver(kN, random_matrix(kN, dense));
  std::vector<double> many(kN * kColumns);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = std::sin(static_cast<double>(i));
  std::vector<double> alone(kN);
  for (std::size_t r = 0; r < kN; ++r) alone[r] = many[r * kColumns + 13];
  std::vector<double> threaded = many;
  solver.solve(many, kColumns, Context(1));
  solver.solve(threaded, kColumns, Context(3));
  solver.solve(alone, 1, Context(1));
  EXPECT_EQ(many, threaded);
  for (std::size_t r = 0; r < kN; ++r) EXPECT_EQ(alone[r], many[r * kColumns + 13]);
}

TEST(PrefactoredSolver, SaysThatAMatrixIsNotPositiveDefinite) {
  EXPECT_FALSE(PrefactoredSolver(2, std::vector<MatrixEntry>{{0, 0, 1}, {1, 1, -1}}).ok());
  EXPECT_FALSE(PrefactoredSolver(2, std::vector<MatrixEntry>{{0, 0, 1}, {1, 0, 1}, {1, 1, 1}}).ok());
  EXPECT_FALSE(PrefactoredSolver(1, std::vector<MatrixEntry>{{0, 0, std::nan("")}}).ok());
}

TEST(PrefactoredSolver, TakesAnEmptySystem) {
  const PrefactoredSolver solver(0, {});
  EXPECT_TRUE(solver.ok());
  std::vector<double> nothing;
  solver.solve(nothing, 4, Context(1));
}

}  // namespace
}  // namespace cutis
