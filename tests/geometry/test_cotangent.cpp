#include "geometry/cotangent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "base/math.h"
#include "support/support.h"

namespace cutis {
namespace {

std::vector<Vec3d> doubles(const std::vector<Vec3f>& positions) {
  std::vector<Vec3d> result;
  for (const Vec3f& p : positions) result.push_back(static_cast<Vec3d>(p));
  return result;
}

double weight_of(const CotangentLaplacian& l, std::uint32_t a, std::uint32_t b) {
  for (const EdgeWeight& e : l.edges)
    if (e.a == std::min(a, b) && e.b == std::max(a, b)) return e.weight;
  return -1;
}

double energy(const CotangentLaplacian& l, const std::vector<double>& u) {
  double sum = 0;
  for (const EdgeWeight& e : l.edges) sum += 0.5 * e.weight * (u[e.a] - u[e.b]) * (u[e.a] - u[e.b]);
  return sum;
}

TEST(CotangentLaplacian, OfAnEquilateralTriangleHasHalfTheCotangentOfSixtyDegrees) {
  const std::vector<Vec3d> p{{0, 0, 0}, {1, 0, 0}, {0.5, std::sqrt(3) / 2, 0}};
  const CotangentLaplacian l = cotangent_laplacian(p, std::vector<Triangle>{{0, 1, 2}});
  ASSERT_EQ(l.edges.size(), 3U);
  for (const EdgeWeight& e : l.edges) EXPECT_NEAR(e.weight, 0.5 / std::sqrt(3), 1e-12);
  for (const double m : l.mass) EXPECT_NEAR(m, std::sqrt(3) / 12, 1e-12);
  EXPECT_EQ(l.thin_triangles, 0U);
}

TEST(CotangentLaplacian, MeasuresTheEnergyOfALinearFunctionExactlyHoweverBadTheTriangles) {
  // A flat grid with vertices moved about in the plane: the energy of u = x is half the area.
  const test::Surface grid = test::make_grid(12, 12, 1.0);
  std::vector<Vec3d> p = doubles(grid.positions);
  Box box;
  for (const Vec3d& v : p) box.add(v);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> shift(-0.03, 0.03);
  for (Vec3d& v : p) {
    if (v.x > box.lo.x + 1e-6 && v.x < box.hi.x - 1e-6) v.x += shift(random);
    if (v.z > box.lo.z + 1e-6 && v.z < box.hi.z - 1e-6) v.z += shift(random);
  }
  const CotangentLaplacian l = cotangent_laplacian(p, grid.triangles);
  EXPECT_GT(l.flips, 0U);
  std::vector<double> u;
  for (const Vec3d& v : p) u.push_back(v.x);
  const double area = std::accumulate(l.mass.begin(), l.mass.end(), 0.0);
  EXPECT_NEAR(energy(l, u), 0.5 * area, 1e-9);
}

TEST(CotangentLaplacian, FlipsTheLongDiagonalOfAKite) {
  const std::vector<Vec3d> p{{-2, 0, 0}, {0, -0.5, 0}, {2, 0, 0}, {0, 0.5, 0}};
  const CotangentLaplacian l = cotangent_laplacian(p, std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}});
  EXPECT_EQ(l.flips, 1U);
  EXPECT_GT(weight_of(l, 1, 3), 0);
  EXPECT_EQ(weight_of(l, 0, 2), -1);
}

TEST(CotangentLaplacian, HasNoNegativeOrInfiniteWeightsOnTrianglesWithoutArea) {
  // A flat fan with a collinear triangle, a needle, and three triangles on one edge.
  const std::vector<Vec3d> p{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 1, 0}, {1, -1e-12, 0}, {1, 0, 1}};
  const std::vector<Triangle> triangles{{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 4, 2}, {0, 2, 5}};
  const CotangentLaplacian l = cotangent_laplacian(p, triangles);
  EXPECT_GE(l.thin_triangles, 2U);
  for (const EdgeWeight& e : l.edges) {
    EXPECT_TRUE(std::isfinite(e.weight));
    EXPECT_GE(e.weight, 0);
  }
  for (const double m : l.mass) EXPECT_GT(m, 0);
}

TEST(CotangentLaplacian, OfOneComponentDoesNotDependOnTheOthers) {
  const test::Surface sphere = test::make_sphere(1, 10, 14);
  std::vector<Vec3d> p = doubles(sphere.positions);
  std::vector<Triangle> t = sphere.triangles;
  const CotangentLaplacian alone = cotangent_laplacian(p, t);
  const auto n = static_cast<std::uint32_t>(p.size());
  for (const double x : {5.0, 6.0, 7.0}) p.push_back({x, 0, 0});  // a triangle without area
  t.push_back({n, n + 1, n + 2});
  const CotangentLaplacian both = cotangent_laplacian(p, t);
  for (std::size_t i = 0; i < alone.edges.size(); ++i) EXPECT_EQ(alone.edges[i].weight, both.edges[i].weight);
  EXPECT_EQ(both.thin_triangles, alone.thin_triangles + 1);
}

}  // namespace
}  // namespace cutis
