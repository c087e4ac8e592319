#include "geometry/closest_point.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "base/math.h"
#include "support/support.h"

namespace cutis {
namespace {

double distance_to(const std::array<Vec3d, 3>& t, const Vec3d& q) {
  const auto w = closest_in_triangle(t[0], t[1], t[2], q);
  return distance(t[0] * w[0] + t[1] * w[1] + t[2] * w[2], q);
}

TEST(ClosestInTriangle, FindsCornersEdgesAndTheInside) {
  const std::array<Vec3d, 3> t{Vec3d{0, 0, 0}, Vec3d{2, 0, 0}, Vec3d{0, 2, 0}};
  EXPECT_NEAR(distance_to(t, {0.5, 0.5, 3}), 3, 1e-12);
  EXPECT_NEAR(distance_to(t, {1, -2, 0}), 2, 1e-12);
  EXPECT_NEAR(distance_to(t, {-3, -4, 0}), 5, 1e-12);
  EXPECT_NEAR(distance_to(t, {2, 2, 0}), std::sqrt(2), 1e-12);
}

TEST(ClosestInTriangle, TakesSegmentsAndPointsAsTheyAre) {
  EXPECT_NEAR(distance_to({Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{4, 0, 0}}, {3, 1, 0}), 1, 1e-12);
  EXPECT_NEAR(distance_to({Vec3d{1, 1, 1}, Vec3d{1, 1, 1}, Vec3d{1, 1, 1}}, {1, 1, 3}), 2, 1e-12);
}

TEST(ClosestPoint, AgreesWithASearchOverAllTriangles) {
  const test::Surface s = test::make_sphere(1, 12, 18);
  std::vector<std::uint32_t> all(s.triangles.size());
  std::iota(all.begin(), all.end(), 0U);
  const TriangleBvh bvh(s.positions, s.triangles, all);
  const ClosestPoint surface(bvh, s.positions, s.triangles);
  std::mt19937 random(2);
  std::uniform_real_distribution<double> at(-2, 2);
  for (int i = 0; i < 300; ++i) {
    const Vec3d q{at(random), at(random), at(random)};
    double best = 1e9;
    for (const Triangle& t : s.triangles)
      best = std::min(best, distance_to({static_cast<Vec3d>(s.positions[t[0]]), static_cast<Vec3d>(s.positions[t[1]]),
                                         static_cast<Vec3d>(s.positions[t[2]])},
                                        q));
    const ClosestPoint::Hit hit = surface.nearest(q);
    EXPECT_NEAR(hit.distance, best, 1e-12);
    EXPECT_NEAR(hit.barycentric[0] + hit.barycentric[1] + hit.barycentric[2], 1, 1e-12);
  }
}

}  // namespace
}  // namespace cutis
