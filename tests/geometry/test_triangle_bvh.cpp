#include "geometry/triangle_bvh.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

#include "support/support.h"

namespace cutis {
namespace {

using test::Surface;

std::vector<std::uint32_t> all(const Surface& s) {
  std::vector<std::uint32_t> use(s.triangles.size());
  std::iota(use.begin(), use.end(), 0U);
  return use;
}

Surface random_soup(int triangles, float size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> place(-1, 1), extent(-size, size);
  Surface s;
  for (int i = 0; i < triangles; ++i) {
    const Vec3f c{place(random), place(random), place(random)};
    const auto n = static_cast<std::uint32_t>(s.positions.size());
    for (int k = 0; k < 3; ++k) s.positions.push_back(c + Vec3f{extent(random), extent(random), extent(random)});
    s.triangles.push_back({n, n + 1, n + 2});
  }
  return s;
}

Boxf box_of(const Surface& s, std::uint32_t t) {
  Boxf b{s.positions[s.triangles[t][0]], s.positions[s.triangles[t][0]]};
  for (const std::uint32_t v : s.triangles[t])
    for (int k = 0; k < 3; ++k) {
      b.lo[k] = std::min(b.lo[k], s.positions[v][k]);
      b.hi[k] = std::max(b.hi[k], s.positions[v][k]);
    }
  return b;
}

using Pairs = std::multiset<std::pair<std::uint32_t, std::uint32_t>>;

Pairs pairs_of_tree(const TriangleBvh& bvh) {
  Pairs pairs;
  for (const std::uint32_t leaf : bvh.leaves())
    bvh.visit_overlaps(leaf, [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t s = bvh.triangle(a), t = bvh.triangle(b);
      pairs.emplace(std::min(s, t), std::max(s, t));
    });
  return pairs;
}

Pairs pairs_by_force(const Surface& s) {
  Pairs pairs;
  for (std::uint32_t i = 0; i < s.triangles.size(); ++i)
    for (std::uint32_t j = i + 1; j < s.triangles.size(); ++j)
      if (overlap(box_of(s, i), box_of(s, j))) pairs.emplace(i, j);
  return pairs;
}

TEST(TriangleBvh, FindsEveryPairOfOverlappingBoxesOnce) {
  for (const float size : {0.02F, 0.2F, 2.0F}) {
    const Surface s = random_soup(400, size, 5);
    EXPECT_EQ(pairs_of_tree(TriangleBvh(s.positions, s.triangles, all(s))), pairs_by_force(s));
  }
  const Surface sphere = test::make_sphere(1, 12, 16);
  EXPECT_EQ(pairs_of_tree(TriangleBvh(sphere.positions, sphere.triangles, all(sphere))), pairs_by_force(sphere));
}

TEST(TriangleBvh, FindsThemTooWhenItsTrianglesHaveMoved) {
  const Surface before = random_soup(400, 0.2F, 5), after = random_soup(400, 0.2F, 6);
  TriangleBvh bvh(before.positions, before.triangles, all(before));
  bvh.refit(after.positions, after.triangles);
  EXPECT_EQ(pairs_of_tree(bvh), pairs_by_force(after));
}

TEST(TriangleBvh, BoundsItsTrianglesAndUsesOnlyThoseNamed) {
  const Surface s = random_soup(300, 0.1F, 9);
  std::vector<std::uint32_t> odd;
  for (std::uint32_t i = 1; i < 300; i += 2) odd.push_back(i);
  const TriangleBvh bvh(s.positions, s.triangles, odd);
  std::set<std::uint32_t> seen;
  for (const TriangleBvh::Node& node : bvh.nodes()) {
    for (std::uint32_t slot = node.begin; slot < node.end; ++slot) {
      const Boxf b = box_of(s, bvh.triangle(slot));
      for (int k = 0; k < 3; ++k) {
        EXPECT_LE(node.box.lo[k], b.lo[k]);
        EXPECT_GE(node.box.hi[k], b.hi[k]);
      }
      if (node.is_leaf()) seen.insert(bvh.triangle(slot));
    }
  }
  EXPECT_EQ(seen, std::set<std::uint32_t>(odd.begin(), odd.end()));
}

TEST(TriangleBvh, SurvivesTrianglesInOnePlaceAndInGeometricProgression) {
  Surface same = random_soup(1, 1, 1);
  same.triangles.resize(200, same.triangles[0]);
  EXPECT_EQ(pairs_of_tree(TriangleBvh(same.positions, same.triangles, all(same))).size(), 200U * 199 / 2);
  Surface far;
  for (int i = -100; i < 100; ++i) {
    const float x = std::ldexp(1.0F, i);
    const auto n = static_cast<std::uint32_t>(far.positions.size());
    far.positions.insert(far.positions.end(), {{x, 0, 0}, {x * 1.25F, 0, 0}, {x, x / 4, 0}});
    far.triangles.push_back({n, n + 1, n + 2});
  }
  const TriangleBvh bvh(far.positions, far.triangles, all(far));
  EXPECT_EQ(pairs_of_tree(bvh), pairs_by_force(far));
}

TEST(TriangleBvh, OfNothingIsEmpty) {
  const TriangleBvh bvh({}, {}, {});
  EXPECT_TRUE(bvh.empty());
  EXPECT_TRUE(bvh.leaves().empty());
}

}  // namespace
}  // namespace cutis
