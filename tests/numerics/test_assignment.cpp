#include "numerics/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace cutis {
namespace {

TEST(Assignment, CostsAsLittleAsTheBestOfAllPermutations) {
  std::uint32_t seed = 3;
  for (int trial = 0; trial < 40; ++trial) {
    constexpr std::size_t rows = 5, columns = 7;
    std::vector<double> cost(rows * columns);
    for (double& c : cost) {
      seed = seed * 1664525U + 1013904223U;
      c = static_cast<double>(seed >> 20U) - 1000;
    }
    const auto found = least_cost_assignment(rows, columns, cost);
    double sum = 0, best = 1e300;
    std::vector<char> taken(columns, 0);
    for (std::size_t r = 0; r < rows; ++r) {
      sum += cost[r * columns + found[r]];
      EXPECT_EQ(taken[found[r]]++, 0);
    }
    std::vector<std::size_t> order(columns);
    std::iota(order.begin(), order.end(), 0U);
    do {
      double s = 0;
      for (std::size_t r = 0; r < rows; ++r) s += cost[r * columns + order[r]];
      best = std::min(best, s);
    } while (std::ranges::next_permutation(order).found);
    EXPECT_NEAR(sum, best, 1e-9);
  }
}

}  // namespace
}  // namespace cutis
