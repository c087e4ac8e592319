#include "geometry/orient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "support/support.h"

namespace cutis {
namespace {

Orientation orientation_of(const std::vector<Vec3f>& positions, const std::vector<Triangle>& triangles) {
  std::vector<Vec3d> p;
  for (const Vec3f& v : positions) p.push_back(static_cast<Vec3d>(v));
  return find_orientation(p, build_topology(p.size(), triangles));
}

TEST(Orientation, LeavesAnOutwardSphereAlone) {
  const test::Surface s = test::make_sphere(1, 8, 12);
  const Orientation o = orientation_of(s.positions, s.triangles);
  ASSERT_EQ(o.patches.size(), 1U);
  EXPECT_TRUE(o.patches[0].closed);
  EXPECT_FALSE(o.patches[0].two_sided);
  EXPECT_EQ(o.patches[0].turned, 0U);
}

TEST(Orientation, TurnsAnInsideOutSphere) {
  test::Surface s = test::make_sphere(1, 8, 12);
  for (Triangle& t : s.triangles) std::swap(t[1], t[2]);
  const Orientation o = orientation_of(s.positions, s.triangles);
  EXPECT_EQ(o.patches[0].turned, s.triangles.size());
}

TEST(Orientation, FindsTheFewTrianglesThatFaceTheWrongWay) {
  test::Surface s = test::make_sphere(1, 8, 12);
  for (const std::size_t t : {3U, 40U, 41U}) std::swap(s.triangles[t][1], s.triangles[t][2]);
  const Orientation o = orientation_of(s.positions, s.triangles);
  EXPECT_EQ(o.patches[0].turned, 3U);
  for (const std::size_t t : {3U, 40U, 41U}) EXPECT_EQ(o.turned[t], 1);
}

TEST(Orientation, TurnsAnOpenBowlOutwardAndLeavesAFlatSheetTwoSided) {
  test::Surface bowl = test::make_sphere(1, 8, 12);
  std::erase_if(bowl.triangles, [&](const Triangle& t) {
    return bowl.positions[t[0]].y + bowl.positions[t[1]].y + bowl.positions[t[2]].y > 1.0F;
  });
  for (Triangle& t : bowl.triangles) std::swap(t[1], t[2]);
  const Orientation open = orientation_of(bowl.positions, bowl.triangles);
  EXPECT_FALSE(open.patches[0].closed);
  EXPECT_FALSE(open.patches[0].two_sided);
  EXPECT_EQ(open.patches[0].turned, bowl.triangles.size());

  const test::Surface grid = test::make_grid(4, 4, 1);
  const Orientation sheet = orientation_of(grid.positions, grid.triangles);
  EXPECT_TRUE(sheet.patches[0].two_sided);
  EXPECT_EQ(sheet.patches[0].turned, 0U);
}

TEST(Orientation, SaysThatAMoebiusStripHasOneSide) {
  constexpr std::uint32_t kN = 20;
  std::vector<Vec3f> p;
  for (std::uint32_t i = 0; i < kN; ++i) {
    const double a = 2 * kPi * i / kN;
    for (const double w : {-0.3, 0.3})
      p.push_back(static_cast<Vec3f>(Vec3d{(1 + w * std::cos(a / 2)) * std::cos(a), w * std::sin(a / 2),
                                           (1 + w * std::cos(a / 2)) * std::sin(a)}));
  }
  std::vector<Triangle> t;
  for (std::uint32_t i = 0; i < kN; ++i) {
    const std::uint32_t a = 2 * i, b = 2 * i + 1;
    const bool last = i + 1 == kN;  // after one turn the sides have changed places
    const std::uint32_t c = last ? 1 : a + 2, d = last ? 0 : b + 2;
    t.push_back({a, b, c});
    t.push_back({b, d, c});
  }
  const Orientation o = orientation_of(p, t);
  ASSERT_EQ(o.patches.size(), 1U);
  EXPECT_FALSE(o.patches[0].orientable);
  EXPECT_TRUE(o.patches[0].two_sided);
}

TEST(Orientation, TreatsBodiesThatTouchAtAnEdgeSeparately) {
  // Two tetrahedra sharing an edge with four triangles; the second one inside out.
  const std::vector<Vec3f> p{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 1, 0.5F}, {-1, 0, 0}, {-1, 1, 0.5F}};
  const auto tetrahedron = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    const Vec3f n = cross(p[b] - p[a], p[c] - p[a]);
    if (dot(n, p[d] - p[a]) > 0) std::swap(b, c);
    return std::vector<Triangle>{{a, b, c}, {a, d, b}, {b, d, c}, {c, d, a}};
  };
  std::vector<Triangle> t = tetrahedron(0, 1, 2, 3);
  for (Triangle f : tetrahedron(0, 1, 4, 5)) {
    std::swap(f[1], f[2]);
    t.push_back(f);
  }
  const Orientation o = orientation_of(p, t);
  for (const Orientation::Patch& patch : o.patches)
    EXPECT_EQ(patch.turned, patch.first_triangle < 4 ? 0U : patch.triangles);
}

}  // namespace
}  // namespace cutis
