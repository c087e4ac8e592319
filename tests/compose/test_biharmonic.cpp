// One slice: conditions met, equation solved, refinement converges.
#include <gtest/gtest.h>

#include <cmath>

#include "compose/biharmonic.h"
#include "kernels/compose.h"

namespace cutis {
namespace {

struct Table {
  std::vector<OperatorNode> nodes;
  int side;
  float operator()(double a, double b) const {
    return compose_table({nodes.data(), side, 2}, static_cast<float>(a), static_cast<float>(b), 0).value;
  }
};
Table table_of(const OperatorProfile& profile, double d, const SliceOptions& options) {
  const Slice slice = solve_slice(profile_at(profile, d), options);
  Table table{{}, options.cells + 1};
  for (int copy = 0; copy < 2; ++copy)
    for (const SliceNode& n : slice.nodes)
      table.nodes.push_back(
          {static_cast<float>(n.g), static_cast<float>(n.g1), static_cast<float>(n.g2), static_cast<float>(n.g12)});
  return table;
}

// Measured by an independent finite-difference solve of the same conditions (65^2 and 129^2 nodes).
TEST(BiharmonicSlice, AgreesWithFiniteDifferencesOfTheSameProblem) {
  const SliceOptions plain{.cells = 32, .monotone = false};
  const Table none = table_of(contact_profile(), 0, plain), full = table_of(contact_profile(), 1, plain);
  EXPECT_NEAR(none(0.25, 0.25), 0.330, 0.003);
  EXPECT_NEAR(none(0.75, 0.75), 0.82, 0.006);
  EXPECT_NEAR(full(0.25, 0.25), 0.334, 0.002);
  EXPECT_NEAR(full(0.67, 0.63), 0.5035, 0.0005);
  EXPECT_NEAR(full(0.70, 0.60), 0.5211, 0.001);
  EXPECT_NEAR(full(0.75, 0.55), 0.5785, 0.001);
}

TEST(BiharmonicSlice, ConvergesUnderRefinement) {
  for (const double d : {0.0, 0.5, 1.0}) {
    for (const OperatorProfile& profile : {contact_profile(), bulge_profile()}) {
      const Table coarse = table_of(profile, d, {.cells = 32, .monotone = false});
      const Table fine = table_of(profile, d, {.cells = 64, .monotone = false});
      double sum = 0, worst = 0;
      int count = 0;
      for (int i = 0; i <= 50; ++i)
        for (int j = 0; j <= 50; ++j) {
          const double a = 0.93 * i / 50, b = 0.93 * j / 50;
          const double change = std::abs(coarse(a, b) - fine(a, b));
          sum += change;
          worst = std::max(worst, change);
          ++count;
        }
      EXPECT_LT(sum / count, 1e-3) << profile.name << " " << d;
      EXPECT_LT(worst, 6e-3) << profile.name << " " << d;
    }
  }
}

// In cells away from profile and border, the bi-laplacian of a smooth sampling of g is small against its parts.
TEST(BiharmonicSlice, SolvesTheEquation) {
  const Slice slice = solve_slice(profile_at(contact_profile(), 0.5), {.cells = 64, .monotone = false});
  const auto g = [&](int i, int j) { return slice.nodes[static_cast<std::size_t>(i * 65 + j)].g; };
  double worst = 0, parts = 0;
  for (int i = 12; i <= 20; i += 2) {
    for (int j = 12; j <= 20; j += 2) {
      const int s = 2;  // step of the difference stencil in nodes
      const double ring = g(i + s, j) + g(i - s, j) + g(i, j + s) + g(i, j - s);
      const double corner = g(i + s, j + s) + g(i - s, j + s) + g(i + s, j - s) + g(i - s, j - s);
      const double far = g(i + 2 * s, j) + g(i - 2 * s, j) + g(i, j + 2 * s) + g(i, j - 2 * s);
      worst = std::max(worst, std::abs(20 * g(i, j) - 8 * ring + 2 * corner + far));
      parts = std::max(parts, std::abs(4 * g(i, j) - ring));
    }
  }
  EXPECT_LT(worst, 0.05 * parts);
}

TEST(BiharmonicSlice, IsExactOnProfileAndBorderInDoublePrecision) {
  for (const double d : {0.0, 3.0 / 14, 1.0}) {
    const ProfileCurve curve = profile_at(contact_profile(), d);
    const Slice slice = solve_slice(curve, {});
    const auto node = [&](int i, int j) { return slice.nodes[static_cast<std::size_t>(i * 33 + j)]; };
    for (int i = 0; i <= 32; ++i) {
      EXPECT_EQ(node(i, 0).g, i / 32.0);
      EXPECT_EQ(node(32, i).g, 1.0);
      if (i > 0) {
        EXPECT_EQ(node(i, 0).g2, 0.0);
      }
    }
    for (int j = 0; j <= 16; ++j) EXPECT_EQ(node(16, j).g, 0.5);
    for (int i = 16; i <= std::lround(curve.contact_end * 32); ++i) {
      EXPECT_EQ(node(i, i).g, 0.5);
      EXPECT_EQ(node(i, i).g1, 0.0);
    }
  }
}

TEST(BiharmonicSlice, SettlesOnItsActiveSet) {
  for (int k = 0; k <= 14; ++k)
    for (const OperatorProfile& profile : {contact_profile(), bulge_profile()})
      EXPECT_LT(solve_slice(profile_at(profile, k / 14.0), {}).rounds, 15) << profile.name << " " << k;
}

}  // namespace
}  // namespace cutis
