#include "geometry/tri_tri.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "geometry/exact_triangles.h"
#include "geometry/predicates.h"

namespace cutis {
namespace {

using test::Corners;
using test::Point;
using test::separated;

TriangleCorners floats(const Corners& t) {
  TriangleCorners result;
  for (std::size_t i = 0; i < 3; ++i)
    result[i] = {static_cast<float>(t[i][0]), static_cast<float>(t[i][1]), static_cast<float>(t[i][2])};
  return result;
}

bool degenerate(const Corners& t) {
  const TriangleCorners f = floats(t);
  return has_zero_area(f[0], f[1], f[2]);
}

// The answer must not depend on which triangle or corner comes first.
void expect_same_for_all_orders(const TriangleCorners& a, const TriangleCorners& b, bool expected) {
  std::array<int, 3> p{0, 1, 2};
  do {
    const TriangleCorners q{b[static_cast<std::size_t>(p[0])], b[static_cast<std::size_t>(p[1])],
                            b[static_cast<std::size_t>(p[2])]};
    ASSERT_EQ(triangles_intersect(a, q), expected);
    ASSERT_EQ(triangles_intersect(q, a), expected);
  } while (std::next_permutation(p.begin(), p.end()));
}

constexpr float kUp = 0x1p-23F;  // one unit in the last place of 1
const TriangleCorners kBase{Vec3f{0, 0, 0}, Vec3f{4, 0, 0}, Vec3f{0, 4, 0}};

TEST(TrianglesIntersect, WhenTheyCross) {
  expect_same_for_all_orders(kBase, {Vec3f{1, 1, -1}, Vec3f{1, 1, 1}, Vec3f{9, 9, 1}}, true);
  expect_same_for_all_orders(kBase, {Vec3f{3, 3, -1}, Vec3f{3, 3, 1}, Vec3f{9, 9, 1}}, false);
}

TEST(TrianglesIntersect, WhenAVertexTouchesAFace) {
  expect_same_for_all_orders(kBase, {Vec3f{1, 1, 0}, Vec3f{2, 1, 3}, Vec3f{1, 2, 3}}, true);
  expect_same_for_all_orders(kBase, {Vec3f{1, 1, 1e-40F}, Vec3f{2, 1, 3}, Vec3f{1, 2, 3}}, false);
}

TEST(TrianglesIntersect, WhenAVertexTouchesAnEdgeOrAVertex) {
  expect_same_for_all_orders(kBase, {Vec3f{2, 2, 0}, Vec3f{5, 5, 3}, Vec3f{5, 6, 3}}, true);
  expect_same_for_all_orders(kBase, {Vec3f{2 + 2 * kUp, 2, 0}, Vec3f{5, 5, 3}, Vec3f{5, 6, 3}}, false);
  expect_same_for_all_orders(kBase, {Vec3f{4, 0, 0}, Vec3f{5, 0, 3}, Vec3f{5, 1, -3}}, true);
  expect_same_for_all_orders(kBase, {Vec3f{4 + 4 * kUp, 0, 0}, Vec3f{5, 0, 3}, Vec3f{5, 1, -3}}, false);
}

TEST(TrianglesIntersect, WhenAnEdgeTouchesAnEdge) {
  expect_same_for_all_orders(kBase, {Vec3f{1, 0, -1}, Vec3f{1, 0, 1}, Vec3f{1, -5, 0}}, true);
  expect_same_for_all_orders(kBase, {Vec3f{1, -1e-40F, -1}, Vec3f{1, -1e-40F, 1}, Vec3f{1, -5, 0}}, false);
  // collinear edges: overlapping, meeting in a point, apart
  expect_same_for_all_orders(kBase, {Vec3f{3, 0, 0}, Vec3f{6, 0, 0}, Vec3f{4, 0, 2}}, true);
  expect_same_for_all_orders(kBase, {Vec3f{4, 0, 0}, Vec3f{6, 0, 0}, Vec3f{5, 0, 2}}, true);
  expect_same_for_all_orders(kBase, {Vec3f{5, 0, 0}, Vec3f{6, 0, 0}, Vec3f{5, 0, 2}}, false);
}

TEST(TrianglesIntersect, InOnePlane) {
  expect_same_for_all_orders(kBase, {Vec3f{1, 1, 0}, Vec3f{9, 1, 0}, Vec3f{1, 9, 0}}, true);   // overlapping
  expect_same_for_all_orders(kBase, {Vec3f{1, 1, 0}, Vec3f{2, 1, 0}, Vec3f{1, 2, 0}}, true);   // one in the other
  expect_same_for_all_orders(kBase, kBase, true);                                              // the same
  expect_same_for_all_orders(kBase, {Vec3f{4, 4, 0}, Vec3f{2, 2, 0}, Vec3f{4, 2, 0}}, true);   // touching
  expect_same_for_all_orders(kBase, {Vec3f{5, 5, 0}, Vec3f{3, 2, 0}, Vec3f{4, 2, 0}}, false);  // apart
  expect_same_for_all_orders(kBase, {Vec3f{1, 1, 1}, Vec3f{9, 1, 1}, Vec3f{1, 9, 1}}, false);  // parallel
}

TEST(TrianglesIntersect, InPlanesAlongEveryAxis) {
  for (int shift = 0; shift < 3; ++shift) {
    const auto turned = [&](TriangleCorners t) {
      for (Vec3f& p : t)
        for (int k = 0; k < shift; ++k) p = {p.z, p.x, p.y};
      return t;
    };
    expect_same_for_all_orders(turned(kBase), turned({Vec3f{1, 1, 0}, Vec3f{9, 1, 0}, Vec3f{1, 9, 0}}), true);
    expect_same_for_all_orders(turned(kBase), turned({Vec3f{3, 3, 0}, Vec3f{9, 3, 0}, Vec3f{3, 9, 0}}), false);
  }
}

TEST(TrianglesIntersect, AgreesWithSeparatingAxesOnSmallIntegers) {
  // So coarse a grid that touching and coplanar pairs are common.
  for (const int size : {2, 4, 9}) {
    std::mt19937 random(static_cast<unsigned>(size));
    std::uniform_int_distribution<int> coordinate(0, size);
    int met = 0, apart = 0;
    for (int i = 0; i < 60000; ++i) {
      Corners a, b;
      for (Corners* t : {&a, &b})
        for (Point& p : *t)
          for (auto& x : p) x = coordinate(random);
      if (i % 3 == 0)
        for (std::size_t k = 0; k < 3; ++k) a[k][2] = b[k][2] = 1;
      if (degenerate(a) || degenerate(b)) continue;
      const bool expected = !separated(a, b);
      ASSERT_EQ(triangles_intersect(floats(a), floats(b)), expected) << size << " #" << i;
      ++(expected ? met : apart);
    }
    EXPECT_GT(met, 1000);
    EXPECT_GT(apart, 1000);
  }
}

TEST(TrianglesIntersect, AgreesWithSeparatingAxesWhereItIsClose) {
  // Large coordinates; corners of b are whole combinations of a's, off by at most one unit.
  std::mt19937 random(11);
  std::uniform_int_distribution<std::int64_t> large(-(1 << 19), 1 << 19), factor(-1, 2), nudge(-1, 1);
  int met = 0, apart = 0;
  for (int i = 0; i < 60000; ++i) {
    Corners a, b;
    for (Point& p : a)
      for (auto& x : p) x = 2 * large(random);
    for (Point& p : b) {
      const std::int64_t s = factor(random), t = factor(random);
      for (std::size_t k = 0; k < 3; ++k) p[k] = a[0][k] + ((a[1][k] - a[0][k]) * s + (a[2][k] - a[0][k]) * t) / 2;
      if (i % 2 == 0)
        for (auto& x : p) x += nudge(random);
    }
    if (i % 4 < 2)
      for (auto& x : b[2]) x = large(random);
    if (degenerate(a) || degenerate(b)) continue;
    const bool expected = !separated(a, b);
    ASSERT_EQ(triangles_intersect(floats(a), floats(b)), expected) << i;
    ++(expected ? met : apart);
  }
  EXPECT_GT(met, 1000);
  EXPECT_GT(apart, 1000);
}

TEST(TrianglesWithin, CountFromFacesEdgesAndCorners) {
  const auto within = [](const TriangleCorners& other, double reach) {
    EXPECT_EQ(triangles_within(kBase, other, reach), triangles_within(other, kBase, reach));
    return triangles_within(kBase, other, reach);
  };
  const TriangleCorners over{Vec3f{1, 1, 0.5F}, Vec3f{1, 1, 3}, Vec3f{2, 1, 3}};     // a corner over the face
  const TriangleCorners across{Vec3f{2, -1, -2}, Vec3f{2, -1, 2}, Vec3f{2, -5, 0}};  // beside the edge y = 0
  const TriangleCorners beyond{Vec3f{4, -3, 4}, Vec3f{4, -3, 9}, Vec3f{9, -3, 4}};   // corner to corner: 5
  const TriangleCorners crossing{Vec3f{1, 1, -1}, Vec3f{1, 1, 1}, Vec3f{9, 9, 1}};
  for (const auto& [other, distance] : {std::pair{over, 0.5}, {across, 1.0}, {beyond, 5.0}}) {
    EXPECT_TRUE(within(other, distance + 1e-6));
    EXPECT_FALSE(within(other, distance - 1e-6));
  }
  EXPECT_TRUE(within(crossing, 0));
  EXPECT_FALSE(within(over, 0));
}

}  // namespace
}  // namespace cutis
