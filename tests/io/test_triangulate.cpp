#include "io/triangulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/math.h"
#include "geometry/normals.h"

namespace cutis {
namespace {

std::vector<Triangle> triangulated(const std::vector<Vec3f>& polygon) {
  std::vector<std::uint32_t> corners(polygon.size());
  std::iota(corners.begin(), corners.end(), 0U);
  std::vector<Triangle> triangles;
  triangulate_polygon(polygon, corners, triangles);
  return triangles;
}

/// Every triangle on the polygon's side, areas adding up to the polygon's: a partition.
void expect_partition(const std::vector<Vec3f>& polygon, double area, const Vec3d& normal) {
  const auto triangles = triangulated(polygon);
  ASSERT_EQ(triangles.size(), polygon.size() - 2);
  double sum = 0;
  for (const Triangle& t : triangles) {
    const double part = dot(area_vector(polygon[t[0]], polygon[t[1]], polygon[t[2]]), normal);
    EXPECT_GE(part, -1e-9);
    sum += part;
  }
  EXPECT_NEAR(sum, area, 1e-6);
}

TEST(TriangulatePolygon, SplitsAQuadAlongTheShorterDiagonal) {
  const auto t = triangulated({{0, 0, 0}, {2, 0, 0}, {3, 1, 0}, {0, 1, 0}});
  ASSERT_EQ(t.size(), 2U);
  EXPECT_EQ(t[0], (Triangle{0, 1, 3}));
  EXPECT_EQ(t[1], (Triangle{1, 2, 3}));
}

TEST(TriangulatePolygon, SplitsAnArrowheadInsideAlthoughTheOtherDiagonalIsShorter) {
  // Reflex at corner 1: only the diagonal 1-3 lies inside.
  const std::vector<Vec3f> arrow{{-1, 0, 0}, {0, 3, 0}, {1, 0, 0}, {0, 5, 0}};
  const auto t = triangulated(arrow);
  ASSERT_EQ(t.size(), 2U);
  EXPECT_EQ(t[0], (Triangle{0, 1, 3}));
  expect_partition(arrow, 2.0, {0, 0, 1});
}

TEST(TriangulatePolygon, FollowsTheOrientationOfThePolygonInAnyPlane) {
  // An L in the yz plane, clockwise seen from +x.
  expect_partition({{5, 0, 0}, {5, 0, 3}, {5, 1, 3}, {5, 1, 1}, {5, 3, 1}, {5, 3, 0}}, 5, {-1, 0, 0});
}

TEST(TriangulatePolygon, PartitionsAStar) {
  std::vector<Vec3f> star;
  for (int i = 0; i < 20; ++i) {
    const double angle = 2 * kPi * i / 20, r = i % 2 == 0 ? 1.0 : 0.3;
    star.push_back(static_cast<Vec3f>(Vec3d{r * std::cos(angle), r * std::sin(angle), 0}));
  }
  expect_partition(star, 10 * 1.0 * 0.3 * std::sin(kPi / 10), {0, 0, 1});
}

TEST(TriangulatePolygon, PartitionsASpiralWithCornersOnStraightEdges) {
  expect_partition({{0, 0, 0},
                    {2, 0, 0},
                    {4, 0, 0},
                    {4, 4, 0},
                    {2, 4, 0},
                    {0, 4, 0},
                    {0, 1, 0},
                    {3, 1, 0},
                    {3, 3, 0},
                    {1, 3, 0},
                    {1, 2, 0},
                    {2, 2, 0},
                    {1.5, 1.5, 0},
                    {0.5, 1.5, 0},
                    {0.5, 3.5, 0},
                    {3.5, 3.5, 0},
                    {3.5, 0.5, 0},
                    {0, 0.5, 0}},
                   [] {
                     // Shoelace of the same corners.
                     const double p[][2] = {{0, 0},     {2, 0},     {4, 0},     {4, 4},     {2, 4},     {0, 4},
                                            {0, 1},     {3, 1},     {3, 3},     {1, 3},     {1, 2},     {2, 2},
                                            {1.5, 1.5}, {0.5, 1.5}, {0.5, 3.5}, {3.5, 3.5}, {3.5, 0.5}, {0, 0.5}};
                     double twice = 0;
                     for (int i = 0; i < 18; ++i) twice += p[i][0] * p[(i + 1) % 18][1] - p[(i + 1) % 18][0] * p[i][1];
                     return twice / 2;
                   }(),
                   {0, 0, 1});
}

TEST(TriangulatePolygon, GivesTrianglesForPolygonsWithoutArea) {
  EXPECT_EQ(triangulated({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}}).size(), 3U);
  EXPECT_EQ(triangulated({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}).size(), 2U);
  // A bow tie.
  EXPECT_EQ(triangulated({{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}}).size(), 2U);
  EXPECT_EQ(triangulated({{0, 0, 0}, {1, 1, 0}}).size(), 0U);
}

TEST(TriangulatePolygon, HandlesTinyAndHugeUnits) {
  for (const float unit : {1e-30F, 1e30F}) {
    const auto t = triangulated({{0, 0, 0}, {2 * unit, 0, 0}, {3 * unit, unit, 0}, {0, unit, 0}});
    EXPECT_EQ(t[0], (Triangle{0, 1, 3})) << unit;
  }
}

}  // namespace
}  // namespace cutis
