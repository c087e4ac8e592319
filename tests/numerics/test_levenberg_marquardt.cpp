#include "numerics/levenberg_marquardt.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace cutis {
namespace {

using Point = std::array<double, 2>;

// Residuals 1 - x and 10 (y - x^2): a curved valley with its bottom at (1, 1).
struct Valley {
  [[nodiscard]] std::size_t unknowns() const { return 2; }
  [[nodiscard]] static Point residuals(const Point& p) { return {1 - p[0], 10 * (p[1] - p[0] * p[0])}; }
  [[nodiscard]] double cost(const Point& p) const {
    const Point r = residuals(p);
    return r[0] * r[0] + r[1] * r[1];
  }
  void linearise(const Point& p, std::span<double> matrix, std::span<double> rhs) const {
    const Point r = residuals(p);
    const std::array<Point, 2> rows{{{-1, 0}, {-20 * p[0], 10}}};
    for (std::size_t k = 0; k < 2; ++k)
      for (std::size_t i = 0; i < 2; ++i) {
        rhs[i] -= rows[k][i] * r[k];
        for (std::size_t j = 0; j < 2; ++j) matrix[2 * i + j] += rows[k][i] * rows[k][j];
      }
  }
  [[nodiscard]] Point moved(const Point& p, std::span<const double> step) const {
    return {p[0] + step[0], p[1] + step[1]};
  }
};

TEST(LevenbergMarquardt, FindsTheBottomOfACurvedValley) {
  Valley valley;
  Point p{-1.2, 1};
  const int count = levenberg_marquardt(valley, {.iterations = 200}, p);
  EXPECT_LT(count, 60);
  EXPECT_NEAR(p[0], 1, 1e-6);
  EXPECT_NEAR(p[1], 1, 1e-6);
}

TEST(LevenbergMarquardt, MakesNoMoreStepsThanAskedFor) {
  Valley valley;
  Point p{-1.2, 1};
  const double before = valley.cost(p);
  EXPECT_EQ(levenberg_marquardt(valley, {.iterations = 0}, p), 0);
  EXPECT_EQ(p, (Point{-1.2, 1}));
  EXPECT_EQ(levenberg_marquardt(valley, {.iterations = 2}, p), 2);
  EXPECT_LT(valley.cost(p), before);
}

TEST(LevenbergMarquardt, StaysWhereNothingIsBetter) {
  Valley valley;
  Point p{1, 1};
  EXPECT_EQ(levenberg_marquardt(valley, {}, p), 1);
  EXPECT_EQ(p, (Point{1, 1}));
}

// Of two unknowns one is in no residual.
struct HalfOpen : Valley {
  [[nodiscard]] double cost(const Point& p) const { return (p[0] - 3) * (p[0] - 3); }
  void linearise(const Point& p, std::span<double> matrix, std::span<double> rhs) const {
    matrix[0] += 1;
    rhs[0] -= p[0] - 3;
  }
};

TEST(LevenbergMarquardt, LeavesAloneWhatNothingHolds) {
  HalfOpen problem;
  Point p{0, 7};
  (void)levenberg_marquardt(problem, {}, p);
  EXPECT_NEAR(p[0], 3, 1e-6);
  EXPECT_EQ(p[1], 7);
}

struct Broken : Valley {
  [[nodiscard]] double cost(const Point&) const { return std::numeric_limits<double>::quiet_NaN(); }
};

TEST(LevenbergMarquardt, KeepsTheStateWhenTheCostIsNoNumber) {
  Broken problem;
  Point p{0, 7};
  EXPECT_EQ(levenberg_marquardt(problem, {}, p), 1);
  EXPECT_EQ(p, (Point{0, 7}));
}

TEST(SolvePositive, SolvesOrSaysThatTheMatrixIsNotPositive) {
  std::vector<double> matrix{4, 2, 2, 3}, x{10, 9};
  ASSERT_TRUE(solve_positive(matrix, x));
  EXPECT_NEAR(x[0], 1.5, 1e-15);
  EXPECT_NEAR(x[1], 2, 1e-15);
  matrix = {1, 2, 2, 1};
  EXPECT_FALSE(solve_positive(matrix, x));
  matrix = {0, 0, 0, 0};
  EXPECT_FALSE(solve_positive(matrix, x));
}

}  // namespace
}  // namespace cutis
