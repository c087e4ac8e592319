#include <limits>

#include <gtest/gtest.h>

#include "base/math.h"
#include "field/compact_support.h"

namespace cutis {
namespace {

class CompactMaps : public ::testing::TestWithParam<CompactMap> {};

TEST_P(CompactMaps, field_is_one_inside_half_on_the_surface_and_zero_outside) {
  const CompactMap map = GetParam();
  EXPECT_DOUBLE_EQ(compact(map, -2.0, 2.0).value, 1);
  EXPECT_DOUBLE_EQ(compact(map, -5.0, 2.0).value, 1);
  EXPECT_DOUBLE_EQ(compact(map, 0.0, 2.0).value, 0.5);
  EXPECT_DOUBLE_EQ(compact(map, 2.0, 2.0).value, 0);
  EXPECT_DOUBLE_EQ(compact(map, 7.0, 2.0).value, 0);
  EXPECT_DOUBLE_EQ(compact(map, std::numeric_limits<double>::quiet_NaN(), 2.0).value, 0);
}

TEST_P(CompactMaps, slope_is_the_derivative_and_vanishes_at_both_ends) {
  const double r = 0.3;
  for (double d = -0.45; d < 0.45; d += 0.0037) {
    const double numeric = (compact(GetParam(), d + 1e-6, r).value - compact(GetParam(), d - 1e-6, r).value) / 2e-6;
    EXPECT_NEAR(compact(GetParam(), d, r).slope, numeric, 1e-4);
    EXPECT_LE(compact(GetParam(), d, r).slope, 0);
  }
  EXPECT_NEAR(compact(GetParam(), r - 1e-9, r).slope, 0, 1e-6);
  EXPECT_NEAR(compact(GetParam(), -r + 1e-9, r).slope, 0, 1e-6);
}

TEST_P(CompactMaps, field_is_symmetric_about_one_half) {
  for (double d = 0; d < 1.2; d += 0.01)
    EXPECT_NEAR(compact(GetParam(), d, 1.0).value + compact(GetParam(), -d, 1.0).value, 1, 1e-15);
}

INSTANTIATE_TEST_SUITE_P(all, CompactMaps, ::testing::Values(CompactMap::quintic, CompactMap::cubic));

TEST(compact_support, quintic_has_the_papers_values) {
  // -3/16 x^5 + 5/8 x^3 - 15/16 x + 1/2 and the slope 15/(16 r) on the surface.
  EXPECT_NEAR(compact(CompactMap::quintic, -0.5, 1.0).value, 0.896484375, 1e-15);
  EXPECT_NEAR(compact(CompactMap::quintic, 0.25, 1.0).value, 0.5 - 15.0 / 64 + 5.0 / 512 - 3.0 / 16384, 1e-15);
  EXPECT_NEAR(compact(CompactMap::quintic, 0.0, 0.2).slope, -15 / (16 * 0.2), 1e-12);
  // Second derivative at the end: C2.
  const double h = 1e-4, end = compact(CompactMap::quintic, 1 - h, 1.0).slope / h;
  EXPECT_NEAR(end, 0, 1e-3);
}

TEST(compact_support, gradient_points_inward) {
  const CompactSupport support{CompactMap::quintic, 0.5};
  const FieldSample<double> f = support.apply({0.1, {1, 0, 0}});
  EXPECT_LT(f.gradient.x, 0);
  EXPECT_LT(f.value, 0.5);
  EXPECT_EQ(length(support.apply({0.6, {1, 0, 0}}).gradient), 0);
}

TEST(compact_support, distance_at_inverts_the_map) {
  const CompactSupport support{CompactMap::quintic, 0.5};
  for (const double f : {0.01, 0.3, 0.5, 0.77, 0.99})
    EXPECT_NEAR(compact(support.map, support.distance_at(f), support.radius).value, f, 1e-12);
  EXPECT_NEAR(support.distance_at(0), 0.5, 1e-9);
  EXPECT_NEAR(support.distance_at(1), -0.5, 1e-9);
}

std::vector<Vec3d> tube(double radius, double length) {
  std::vector<Vec3d> points;
  for (int i = 0; i <= 20; ++i)
    for (int j = 0; j < 12; ++j) {
      const double angle = 2 * kPi * j / 12;
      points.push_back({length * i / 20, radius * std::cos(angle), radius * std::sin(angle)});
    }
  return points;
}

TEST(compact_support, radius_is_the_thickness_of_the_part) {
  EXPECT_NEAR(choose_support(tube(0.4, 3), {0, 0, 0}, {3, 0, 0}, 1e-3).radius, 0.4, 1e-12);
  EXPECT_NEAR(choose_support(tube(0.4, 3), {0, 0, 0}, {3, 0, 0}, 1e-3, {.factor = 0.75}).radius, 0.3, 1e-12);
  EXPECT_NEAR(choose_support(tube(0.4, 3), {0, 0, 0}, {3, 0, 0}, 1e-3, {.radius = 0.9}).radius, 0.9, 1e-12);
  // A few vertices far away do not matter.
  std::vector<Vec3d> points = tube(0.4, 3);
  for (int i = 0; i < 40; ++i) points.push_back({1, 1.5, 0});
  EXPECT_NEAR(choose_support(points, {0, 0, 0}, {3, 0, 0}, 1e-3).radius, 0.4, 1e-12);
}

TEST(compact_support, bones_outside_and_parts_without_extent_give_bounded_radii) {
  const double extent = length(Vec3d{3, 0.8, 0.8});
  EXPECT_LE(choose_support(tube(0.4, 3), {0, 50, 0}, {3, 50, 0}, 1e-3).radius, extent / 2 + 1e-12);
  EXPECT_GE(choose_support(tube(0.4, 3), {1, 0.4, 0}, {1, 0.4, 0}, 1e-3).radius, extent / 20);
  EXPECT_DOUBLE_EQ(choose_support({}, {}, {}, 1e-3).radius, 1e-3);
  const std::vector<Vec3d> one{{1, 2, 3}};
  EXPECT_DOUBLE_EQ(choose_support(one, {}, {}, 1e-3).radius, 1e-3);
}

}  // namespace
}  // namespace cutis
