#include "geometry/winding_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "base/math.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::Surface;

struct Measured {
  Surface surface;
  TriangleBvh bvh;
  WindingNumber winding;

  explicit Measured(Surface s)
      : surface(std::move(s)), bvh(make_bvh(surface)), winding(bvh, surface.positions, surface.triangles) {}
  static TriangleBvh make_bvh(const Surface& s) {
    std::vector<std::uint32_t> use(s.triangles.size());
    std::iota(use.begin(), use.end(), 0U);
    return {s.positions, s.triangles, use};
  }
};

std::vector<Vec3d> random_points(double size, int count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(-size, size);
  std::vector<Vec3d> points;
  for (int i = 0; i < count; ++i) points.push_back({place(random), place(random), place(random)});
  return points;
}

Surface open_hemisphere() {
  Surface s = test::make_sphere(1, 40, 60);
  std::erase_if(s.triangles, [&](const Triangle& t) {
    return s.positions[t[0]].y < -1e-3F || s.positions[t[1]].y < -1e-3F || s.positions[t[2]].y < -1e-3F;
  });
  return s;
}

TEST(WindingNumber, OfACubeIsOneInsideAndZeroOutside) {
  const Measured cube(test::make_cube());
  EXPECT_NEAR(cube.winding.exact({0.5, 0.4, 0.3}), 1, 1e-12);
  EXPECT_NEAR(cube.winding.exact({0.999, 0.001, 0.001}), 1, 1e-12);
  EXPECT_NEAR(cube.winding.exact({1.001, 0.5, 0.5}), 0, 1e-12);
  EXPECT_NEAR(cube.winding.exact({-3, 5, 0.2}), 0, 1e-12);
}

TEST(WindingNumber, OfAnOctantSeenFromItsCornerIsAnEighth) {
  const double eighth = winding_number({1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0});
  EXPECT_NEAR(eighth, 0.125, 1e-15);
  EXPECT_NEAR(winding_number({0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {0, 0, 0}), -0.125, 1e-15);
}

TEST(WindingNumber, InThePlaneOfATriangleIsZero) {
  EXPECT_EQ(winding_number({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, 0}), 0);
  EXPECT_EQ(winding_number({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}), 0);
  EXPECT_EQ(winding_number({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 0}), 0);
}

TEST(WindingNumber, OfAnOpenHemisphereIsAHalfAtItsCentre) {
  const Measured half(open_hemisphere());
  EXPECT_NEAR(half.winding.exact({0, 0, 0}), 0.5, 1e-6);
}

TEST(WindingNumber, EstimateStaysWithinItsErrorBound) {
  for (const Surface& s : {test::make_sphere(1, 60, 80), test::make_cube(), open_hemisphere()}) {
    const Measured m(s);
    for (const double beta : {1.5, 2.0, 4.0}) {
      for (const Vec3d& q : random_points(1.5, 300)) {
        const auto e = m.winding.estimate(q, beta);
        ASSERT_LE(std::abs(e.value - m.winding.exact(q)), e.error + 1e-12);
      }
    }
  }
}

TEST(WindingNumber, EstimateConvergesWithTheThirdPowerOfDistance) {
  // One group far away: what the expansion of degree two leaves is of degree three.
  std::mt19937 random(2);
  std::uniform_real_distribution<float> place(-1, 1);
  Surface soup;
  for (std::uint32_t i = 0; i < 60; ++i) {
    soup.positions.push_back({place(random), place(random), place(random)});
    if (i % 3 == 2) soup.triangles.push_back({i - 2, i - 1, i});
  }
  const Measured m(soup);
  const Vec3d direction = normalized(Vec3d{0.3, -0.8, 0.5});
  const auto relative_error = [&](double r) {
    const Vec3d q = direction * r;
    return std::abs(m.winding.estimate(q, 1.5).value - m.winding.exact(q)) * r * r;
  };
  EXPECT_LT(relative_error(40) * 6, relative_error(20));
  EXPECT_LT(relative_error(160) * 6, relative_error(80));
}

TEST(WindingNumber, EstimateIsCloseOnASphereOfManyTriangles) {
  const Measured sphere(test::make_sphere(1, 100, 150));
  for (const auto& [beta, bound] : {std::pair{2.0, 5e-3}, std::pair{4.0, 5e-4}}) {
    double worst = 0;
    for (const Vec3d& q : random_points(1.2, 300))
      worst = std::max(worst, std::abs(sphere.winding.estimate(q, beta).value - sphere.winding.exact(q)));
    EXPECT_LT(worst, bound) << beta;
  }
}

TEST(WindingNumber, ExceedsIsTheDecisionOfTheExactSum) {
  const Measured half(open_hemisphere());
  int above = 0, near = 0;
  std::vector<Vec3d> points = random_points(1.1, 500);
  // Around the level set 0.5, where only the exact sum can tell.
  for (const Vec3d& q : random_points(0.5, 200)) points.push_back({q.x, q.y * 1e-5, q.z});
  for (const Vec3d& q : points) {
    const double w = half.winding.exact(q);
    ASSERT_EQ(half.winding.exceeds(q, 0.5), w > 0.5);
    above += w > 0.5;
    near += std::abs(w - 0.5) < 1e-3;
  }
  EXPECT_GT(above, 50);
  EXPECT_GT(near, 5);
}

TEST(WindingNumber, OfNothingIsZero) {
  const Measured nothing(Surface{});
  EXPECT_EQ(nothing.winding.exact({1, 2, 3}), 0);
  EXPECT_EQ(nothing.winding.estimate({1, 2, 3}, 2).value, 0);
  EXPECT_FALSE(nothing.winding.exceeds({1, 2, 3}, 0.5));
}

}  // namespace
}  // namespace cutis
