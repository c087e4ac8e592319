#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "base/math.h"
#include "cutis/metrics.h"
#include "geometry/exact_triangles.h"
#include "geometry/predicates.h"
#include "geometry/tri_tri.h"
#include "metrics/self_intersection.h"
#include "metrics_support.h"

namespace cutis {
namespace {

using test::both;
using test::character_of;
using test::moved;
using test::Surface;
using Pairs = std::vector<std::array<std::uint32_t, 2>>;

FrameMetrics measured(const Surface& s) {
  const Context context(1);
  return Metrics(character_of(s), context, {.per_vertex = true}).rest();
}

Surface two(const TriangleCorners& a, const TriangleCorners& b) {
  return {{a[0], a[1], a[2], b[0], b[1], b[2]}, {{0, 1, 2}, {3, 4, 5}}};
}

const TriangleCorners kBase{Vec3f{0, 0, 0}, Vec3f{4, 0, 0}, Vec3f{0, 4, 0}};

TEST(IntersectingPairs, CountsCrossingAndTouchingTriangles) {
  EXPECT_EQ(measured(two(kBase, {Vec3f{1, 1, -1}, Vec3f{1, 1, 1}, Vec3f{9, 9, 1}})).intersecting_pairs, 1U);
  EXPECT_EQ(measured(two(kBase, {Vec3f{1, 1, 0}, Vec3f{2, 1, 3}, Vec3f{1, 2, 3}})).intersecting_pairs, 1U);
  EXPECT_EQ(measured(two(kBase, {Vec3f{1, 0, -1}, Vec3f{1, 0, 1}, Vec3f{1, -5, 0}})).intersecting_pairs, 1U);
  EXPECT_EQ(measured(two(kBase, {Vec3f{1, 1, 0}, Vec3f{9, 1, 0}, Vec3f{1, 9, 0}})).intersecting_pairs, 1U);
  EXPECT_EQ(measured(two(kBase, {Vec3f{5, 5, 0}, Vec3f{9, 5, 0}, Vec3f{5, 9, 0}})).intersecting_pairs, 0U);
  EXPECT_EQ(measured(two(kBase, {Vec3f{1, 1, 1}, Vec3f{9, 1, 1}, Vec3f{1, 9, 1}})).intersecting_pairs, 0U);
}

TEST(IntersectingPairs, LeavesOutTrianglesThatShareAVertex) {
  // The second goes through the first, but starts at its corner: once by number, once as a seam copy.
  EXPECT_EQ(
      measured({{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {2, 1, 1}, {2, 1, -1}}, {{0, 1, 2}, {0, 3, 4}}}).intersecting_pairs,
      0U);
  EXPECT_EQ(measured(two(kBase, {Vec3f{0, 0, 0}, Vec3f{2, 1, 1}, Vec3f{2, 1, -1}})).intersecting_pairs, 0U);
}

TEST(IntersectingPairs, LeavesOutNeighboursAcrossASeamOfDifferentWeights) {
  Character c = character_of(test::make_grid(2, 2, 1));
  Mesh other = c.meshes[0];  // the same vertices, weighted to another joint: they are not welded, but touch
  const auto weigh = [](Mesh& mesh, std::uint32_t joint) {
    for (std::uint32_t v = 0; v <= mesh.positions.size(); ++v) mesh.weights.row_begin.push_back(v);
    mesh.weights.joint.assign(mesh.positions.size(), joint);
    mesh.weights.weight.assign(mesh.positions.size(), 1.0F);
  };
  for (Vec3f& p : other.positions) p = {1 + p.z, p.y, p.x};  // shares the side x = 1
  weigh(c.meshes[0], 0);
  weigh(other, 1);
  c.meshes.push_back(other);
  c.skeleton.joints.resize(2);
  c.skeleton.joints[0].name = "a";
  c.skeleton.joints[1].name = "b";
  c.skeleton.joints[0].is_bone = c.skeleton.joints[1].is_bone = true;
  const Context context(1);
  const Metrics metrics(c, context);
  EXPECT_EQ(metrics.welded_vertex_count(), 18U);
  EXPECT_EQ(metrics.rest().intersecting_pairs, 0U);
}

TEST(IntersectingPairs, LeavesOutTrianglesWithoutArea) {
  EXPECT_EQ(measured(two(kBase, {Vec3f{1, 1, -1}, Vec3f{1, 1, 1}, Vec3f{1, 1, 3}})).intersecting_pairs, 0U);
  EXPECT_EQ(measured(two(kBase, {Vec3f{1, 1, 0}, Vec3f{1, 1, 0}, Vec3f{1, 1, 0}})).intersecting_pairs, 0U);
}

TEST(IntersectingPairs, AreListedAndMarkedAtTheirVertices) {
  Surface s = two(kBase, {Vec3f{1, 1, -1}, Vec3f{1, 1, 1}, Vec3f{9, 9, 1}});
  s = both(s, moved(two(kBase, kBase), {50, 0, 0}));  // welded copies: not a pair
  const FrameMetrics m = measured(s);
  EXPECT_EQ(m.pairs, (Pairs{{0, 1}}));
  EXPECT_EQ(m.vertex_intersects, (std::vector<std::uint8_t>{1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0}));
}

// All pairs by brute force with integer arithmetic, for surfaces whose coordinates are integers.
Pairs pairs_by_force(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  std::vector<test::Corners> corners;
  std::vector<char> usable;
  for (const Triangle& t : triangles) {
    test::Corners c;
    for (std::size_t k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) c[k][static_cast<std::size_t>(i)] = static_cast<std::int64_t>(positions[t[k]][i]);
    corners.push_back(c);
    const test::Axis n = test::product(test::difference(c[1], c[0]), test::difference(c[2], c[0]));
    usable.push_back(n[0] != 0 || n[1] != 0 || n[2] != 0);
  }
  Pairs pairs;
  for (std::uint32_t i = 0; i < triangles.size(); ++i) {
    for (std::uint32_t j = i + 1; j < triangles.size(); ++j) {
      bool apart = !usable[i] || !usable[j];
      for (const std::uint32_t v : triangles[i])
        for (const std::uint32_t w : triangles[j]) apart = apart || v == w;
      for (std::size_t k = 0; k < 3 && !apart; ++k) {
        const auto a = std::minmax({corners[i][0][k], corners[i][1][k], corners[i][2][k]});
        const auto b = std::minmax({corners[j][0][k], corners[j][1][k], corners[j][2][k]});
        apart = a.second < b.first || b.second < a.first;
      }
      if (!apart && !test::separated(corners[i], corners[j])) pairs.push_back({i, j});
    }
  }
  return pairs;
}

Pairs pairs_of_metric(std::span<const Vec3f> positions, std::span<const Triangle> triangles, int threads) {
  std::vector<std::uint32_t> use, place(positions.size());
  std::iota(place.begin(), place.end(), 0U);
  for (std::uint32_t t = 0; t < triangles.size(); ++t)
    if (!has_zero_area(positions[triangles[t][0]], positions[triangles[t][1]], positions[triangles[t][2]]))
      use.push_back(t);
  const Context context(threads);
  return self_intersecting_pairs(TriangleBvh(positions, triangles, use), positions, triangles, place, context);
}

TEST(IntersectingPairs, AgreeWithBruteForceOnRandomSoups) {
  for (const int size : {6, 30, 300}) {
    std::mt19937 random(static_cast<unsigned>(size));
    std::uniform_int_distribution<int> place(-20, 20), extent(-size, size);
    Surface s;
    for (std::uint32_t i = 0; i < 500; ++i) {
      const Vec3f c{static_cast<float>(3 * place(random)), static_cast<float>(3 * place(random)),
                    static_cast<float>(3 * place(random))};
      for (int k = 0; k < 3; ++k)
        s.positions.push_back(c + Vec3f{static_cast<float>(extent(random)), static_cast<float>(extent(random)),
                                        static_cast<float>(extent(random))});
      s.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
    }
    const Pairs expected = pairs_by_force(s.positions, s.triangles);
    EXPECT_GT(expected.size(), 10U);
    EXPECT_EQ(pairs_of_metric(s.positions, s.triangles, 1), expected);
  }
}

TEST(IntersectingPairs, AgreeWithBruteForceOnAFoldedTube) {
  Character tube = test::make_two_bone_tube();
  std::vector<Vec3f> p = tube.meshes[0].positions;
  for (Vec3f& v : p) v = {v.y, v.x, v.z};
  p = test::bent(p, 1.0F, 2.4);
  for (Vec3f& v : p)
    for (int k = 0; k < 3; ++k) v[k] = std::round(v[k] * 1000);
  const Pairs expected = pairs_by_force(p, tube.meshes[0].triangles);
  EXPECT_GT(expected.size(), 50U);
  for (const int threads : {1, 2, 3}) EXPECT_EQ(pairs_of_metric(p, tube.meshes[0].triangles, threads), expected);
}

TEST(NewPairs, AreThoseThatWereApartAtRest) {
  // Cards in one plane that touch along a line; turned as a whole, rounding makes and unmakes what they have in common.
  Surface cards;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> place(-1, 1);
  for (std::uint32_t i = 0; i < 60; ++i) {
    const float x = place(random), y = place(random);
    for (const auto& [dx, dy] : {std::pair{0.0F, 0.0F}, {0.3F, 0.05F}, {0.1F, 0.3F}})
      cards.positions.push_back({x + dx, y + dy, 0});
    cards.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const Surface above = moved(cards, {0, 0, 0.05F});
  const Surface rest = both(cards, above);
  const Context context(2);
  const Metrics metrics(character_of(rest), context);
  EXPECT_EQ(metrics.rest().new_pairs, 0U);
  const std::size_t touching = *metrics.rest().intersecting_pairs;
  EXPECT_GT(touching, 50U);

  std::vector<Vec3f> turned;
  const Quatd turn = axis_angle(normalized(Vec3d{1, 2, 3}), 0.7);
  for (const Vec3f& p : rest.positions) turned.push_back(static_cast<Vec3f>(rotate(turn, static_cast<Vec3d>(p))));
  FrameMetrics m = metrics.measure(turned);
  EXPECT_NE(*m.intersecting_pairs, touching);
  EXPECT_EQ(m.new_pairs, 0U);

  // The upper cards are pressed into the lower ones.
  std::vector<Vec3f> pressed = rest.positions;
  for (std::size_t v = cards.positions.size(); v < pressed.size(); ++v) pressed[v].z = 0.2F * pressed[v].x;
  m = metrics.measure(pressed);
  EXPECT_GT(*m.new_pairs, 20U);
  EXPECT_LT(*m.new_pairs, *m.intersecting_pairs);
}

TEST(IntersectingPairs, OfASphereAreNone) { EXPECT_EQ(measured(test::make_sphere(1, 30, 40)).intersecting_pairs, 0U); }

}  // namespace
}  // namespace cutis
