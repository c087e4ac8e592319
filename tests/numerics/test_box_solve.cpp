#include "numerics/box_solve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace cutis {
namespace {

TEST(BoxSolve, MeetsABoundAndFindsTheBestBesideIt) {
  // Minimum of (x - y)^2 + (y - 2)^2 at (2, 2); with x <= 1 it slides to y = 1.5.
  const std::vector<double> a{2, -2, -2, 4}, low{-9, -9}, high{1, 9};
  std::vector<double> x{0, 4};
  ASSERT_TRUE(solve_within(a, x, low, high));
  EXPECT_NEAR(x[0], 1, 1e-12);
  EXPECT_NEAR(x[1], 1.5, 1e-12);
}

TEST(BoxSolve, EndsWhereNothingWithinTheBoundsIsBetter) {
  std::uint32_t seed = 7;
  const auto random = [&] {
    seed = seed * 1664525U + 1013904223U;
    return static_cast<double>(seed >> 8U) / (1U << 24U) * 2 - 1;
  };
  constexpr std::size_t n = 24;
  std::size_t held = 0;
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> j(n * n), a(n * n), b(n), low(n), high(n);
    for (double& v : j) v = random();
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c) {
        for (std::size_t k = 0; k < n; ++k) a[r * n + c] += j[k * n + r] * j[k * n + c];
        if (r == c) a[r * n + c] += 1e-3;
      }
    for (std::size_t i = 0; i < n; ++i) {
      b[i] = 3 * random();
      low[i] = i % 3 == 0 ? -std::numeric_limits<double>::infinity() : -std::abs(random());
      high[i] = low[i] + (i % 5 == 0 ? 0.0 : 1.0);
      if (i % 3 == 0) high[i] = std::abs(random());
    }
    std::vector<double> x = b;
    ASSERT_TRUE(solve_within(a, x, low, high));
    for (std::size_t i = 0; i < n; ++i) {
      double pull = b[i];
      for (std::size_t k = 0; k < n; ++k) pull -= a[i * n + k] * x[k];
      EXPECT_GE(x[i], low[i]);
      EXPECT_LE(x[i], high[i]);
      if (x[i] > low[i]) {
        EXPECT_GT(pull, -1e-6) << "pulled down, and could go";
      }
      if (x[i] < high[i]) {
        EXPECT_LT(pull, 1e-6) << "pulled up, and could go";
      }
      held += x[i] == low[i] || x[i] == high[i];
    }
  }
  EXPECT_GT(held, 100U);
}

TEST(BoxSolve, RefusesAMatrixThatIsNotPositive) {
  const std::vector<double> a{1, 2, 2, 1}, low{-1, -1}, high{1, 1};
  std::vector<double> x{3, 4};
  EXPECT_FALSE(solve_within(a, x, low, high));
  EXPECT_EQ(x, (std::vector<double>{3, 4}));
}

}  // namespace
}  // namespace cutis
