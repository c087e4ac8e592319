// Volume, folds, stretch.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/math.h"
#include "cutis/metrics.h"
#include "metrics/joint_regions.h"
#include "metrics_support.h"

namespace cutis {
namespace {

using test::both;
using test::character_of;
using test::make_grid;
using test::make_sphere;
using test::moved;
using test::scaled;
using test::Surface;

const MetricsOptions kShapeOnly{.intersections = false, .overlap = false};

TEST(VolumeChange, OfAScaledSphereIsTheCubeOfTheScale) {
  const Surface s = moved(make_sphere(1, 20, 30), {5, 0, 0});
  const Context context(1);
  const Metrics metrics(character_of(s), context, kShapeOnly);
  EXPECT_EQ(metrics.rest().volume_change, 0.0);
  EXPECT_EQ(metrics.rest().volume_skipped, "");
  EXPECT_NEAR(*metrics.measure(scaled(s.positions, {1.1F, 1.1F, 1.1F})).volume_change, 0.331, 1e-6);
  EXPECT_NEAR(*metrics.measure(scaled(s.positions, {-1, 1, 1})).volume_change, -2, 1e-6);
}

TEST(VolumeChange, OfTwoBodiesThatShareAnEdgeIsMeasured) {
  // Four triangles at the shared edge, run along twice each way: not manifold, but a volume all the same.
  const Surface s = both(test::make_cube(), moved(test::make_cube(), {1, 1, 0}));
  const Context context(1);
  const Metrics metrics(character_of(s), context, kShapeOnly);
  EXPECT_EQ(metrics.welded_vertex_count(), 14U);
  ASSERT_TRUE(metrics.rest().volume_change) << metrics.rest().volume_skipped;
  EXPECT_NEAR(*metrics.measure(scaled(s.positions, {1, 2, 1})).volume_change, 1, 1e-9);
}

TEST(VolumeChange, IsSkippedWithAReason) {
  const Context context(1);
  const auto reason = [&](const Surface& s) {
    const Metrics metrics(character_of(s), context, kShapeOnly);
    EXPECT_FALSE(metrics.rest().volume_change);
    return metrics.rest().volume_skipped;
  };
  EXPECT_EQ(reason(make_grid(4, 3, 1)), "the mesh is open: 14 boundary edges");
  EXPECT_EQ(reason({}), "the mesh has no triangles");
  Surface flipped = test::make_cube();
  std::swap(flipped.triangles[3][0], flipped.triangles[3][1]);
  EXPECT_EQ(reason(flipped), "the triangles are not oriented alike: 3 edges");
  Surface flat = test::make_cube();
  for (Vec3f& p : flat.positions) p.z = p.x * 1e-12F;
  for (std::size_t v = 4; v < 8; ++v) flat.positions[v].x += 1e-3F;
  EXPECT_EQ(reason(flat), "the mesh encloses no volume at rest");

  const Surface cube = test::make_cube();
  std::vector<Vec3f> broken = cube.positions;
  broken[3].y = std::numeric_limits<float>::infinity();
  const FrameMetrics m = Metrics(character_of(cube), context, kShapeOnly).measure(broken);
  EXPECT_FALSE(m.volume_change);
  EXPECT_EQ(m.volume_skipped, "1 vertices are not finite");
}

TEST(CappedPatch, ClosesACubeWithoutLid) {
  const Surface cube = test::make_cube();
  const Topology topology = build_topology(cube.positions.size(), cube.triangles);
  const CappedPatch patch = make_capped_patch(topology, {0, 1, 4, 5, 6, 7, 8, 9, 10, 11});  // all but z = 1
  ASSERT_EQ(patch.loops.size(), 1U);
  EXPECT_EQ(patch.loops[0].size(), 4U);
  const PosedSurface surface{cube.positions, std::vector<std::uint8_t>(8, 1), {}, 0, 0};
  EXPECT_NEAR(*volume(patch, surface, topology), 1, 1e-12);
  const CappedPatch sleeve = make_capped_patch(topology, {4, 5, 6, 7, 8, 9, 10, 11});  // and without a floor
  EXPECT_EQ(sleeve.loops.size(), 2U);
  EXPECT_NEAR(*volume(sleeve, surface, topology), 1, 1e-12);
}

TEST(CappedPatch, ClosesAnySetOfTriangles) {
  // Three triangles at one edge, one of them turned over: every vertex still has as many ways out as in.
  const std::vector<Triangle> fan{{0, 1, 2}, {0, 1, 3}, {1, 0, 4}};
  const Topology topology = build_topology(5, fan);
  const CappedPatch patch = make_capped_patch(topology, {0, 1, 2});
  std::size_t edges = 0;
  for (const auto& loop : patch.loops) edges += loop.size();
  EXPECT_EQ(edges, 7U);
}

TEST(RegionVolume, OfATubesJointIsThatOfTheBlendedPiece) {
  const Character tube = test::make_two_bone_tube();
  const Context context(1);
  const Metrics metrics(tube, context, kShapeOnly);
  ASSERT_EQ(metrics.regions().size(), 1U);
  const JointRegion& region = metrics.regions()[0];
  EXPECT_EQ(region.name, "upper");
  EXPECT_EQ(region.joint, 1);
  // Rings whose smaller weight is at least a tenth, and one more on each side.
  int rings = 0;
  for (int i = 0; i < 33; ++i) {
    const double t = std::clamp((2.0 * i / 32 - 0.75) / 0.5, 0.0, 1.0), w = t * t * (3 - 2 * t);
    rings += std::min(w, 1 - w) >= 0.1;
  }
  const double area = 16 * 0.5 * 0.09 * std::sin(2 * kPi / 16), height = (rings + 1) * 2.0 / 32;
  EXPECT_NEAR(region.rest_volume, area * height, 1e-6);
  EXPECT_EQ(region.triangles, static_cast<std::size_t>((rings + 1) * 32));
}

TEST(RegionVolume, SeesWhatHappensAtTheJoint) {
  const Character tube = test::make_two_bone_tube();
  const Context context(1);
  const Metrics metrics(tube, context, kShapeOnly);
  const std::vector<Vec3f>& rest = tube.meshes[0].positions;
  EXPECT_EQ(metrics.rest().region_volume_change.at(0), 0.0);
  EXPECT_NEAR(*metrics.measure(scaled(rest, {1.1F, 1.1F, 1.1F})).region_volume_change.at(0), 0.331, 1e-6);
  std::vector<Vec3f> pinched = rest;  // a waist at the joint
  for (Vec3f& p : pinched)
    if (std::abs(p.y - 1) < 0.01F) p = {p.x * 0.5F, p.y, p.z * 0.5F};
  const FrameMetrics m = metrics.measure(pinched);
  EXPECT_LT(*m.region_volume_change[0], -0.1);
  EXPECT_GT(*m.volume_change, -0.05);
  pinched[16 * 16].x = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(metrics.measure(pinched).region_volume_change[0]);
  pinched[16 * 16] = rest[16 * 16];
  pinched[0].x = std::numeric_limits<float>::quiet_NaN();  // far away from the joint
  EXPECT_TRUE(metrics.measure(pinched).region_volume_change[0]);
}

TEST(Folds, OfAFoldedStripAreTheEdgesOfTheCrease) {
  const Surface strip = make_grid(6, 5, 1);
  const Context context(1);
  const Metrics metrics(character_of(strip), context, kShapeOnly);
  EXPECT_EQ(metrics.rest().folds, 0U);
  EXPECT_EQ(metrics.measure(test::bent(strip.positions, 0.5F, 3.0)).folds, 5U);
  EXPECT_EQ(metrics.measure(test::bent(strip.positions, 0.5F, 2 * kPi / 3 + 0.01)).folds, 5U);
  EXPECT_EQ(metrics.measure(test::bent(strip.positions, 0.5F, 2 * kPi / 3 - 0.01)).folds, 0U);
}

TEST(Folds, ThatWereThereAtRestDoNotCount) {
  Surface strip = make_grid(6, 5, 1);
  const std::vector<Vec3f> flat = strip.positions;
  strip.positions = test::bent(flat, 0.5F, 3.0);
  const Context context(1);
  const Metrics metrics(character_of(strip), context, kShapeOnly);
  EXPECT_EQ(metrics.rest().folds, 0U);
  EXPECT_EQ(metrics.measure(test::bent(flat, 1.0F / 6, 3.0)).folds, 5U);
  // A crease through both layers of the folded strip; the old one stays uncounted.
  EXPECT_EQ(metrics.measure(test::bent(test::bent(flat, 0.5F, 3.0), 1.0F / 6, 3.0)).folds, 10U);
}

TEST(Folds, AreSeenAcrossTrianglesOfOppositeOrientation) {
  const Surface two{{{0, 0, 0}, {0, 0, 1}, {-1, 0, 0}, {1, 0, 0}}, {{0, 1, 2}, {0, 1, 3}}};
  const Context context(1);
  const Metrics metrics(character_of(two), context, kShapeOnly);
  EXPECT_EQ(metrics.measure(two.positions).folds, 0U);
  EXPECT_EQ(metrics.measure(test::bent(two.positions, 0.0F, 3.0)).folds, 1U);
}

TEST(Stretch, OfAStretchedGridIsExact) {
  const Surface grid = make_grid(10, 10, 10);
  const Context context(1);
  const Metrics metrics(character_of(grid), context, {.intersections = false, .overlap = false, .per_vertex = true});
  EXPECT_EQ(metrics.rest().stretch_max, 1.0);
  EXPECT_EQ(metrics.rest().stretch_p1, 1.0);
  // 110 edges of ratio 2, 110 of 0.5, 100 diagonals of sqrt((4 + 0.25) / 2)
  const FrameMetrics m = metrics.measure(scaled(grid.positions, {2, 1, 0.5F}));
  EXPECT_EQ(m.stretch_max, 2.0);
  EXPECT_EQ(m.stretch_p95, 2.0);
  EXPECT_EQ(m.stretch_p1, 0.5);
  EXPECT_EQ(m.vertex_stretch.size(), 121U);
  for (const float s : m.vertex_stretch) EXPECT_TRUE(s == 2.0F || s == 0.5F);
}

TEST(Stretch, PercentilesInterpolateBetweenRanks) {
  const Surface triangle{{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 2, 1}}};
  const Context context(1);
  const Metrics metrics(character_of(triangle), context, kShapeOnly);
  // ratios: 1, 3 and sqrt(5) (rest diagonal sqrt(2), now sqrt(10)); sorted 1, 2.236, 3
  const FrameMetrics m = metrics.measure(std::vector<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 0, 3}});
  EXPECT_EQ(m.stretch_max, 3.0);
  EXPECT_NEAR(*m.stretch_p95, std::sqrt(5.0) + 0.9 * (3 - std::sqrt(5.0)), 1e-6);
  EXPECT_NEAR(*m.stretch_p1, 1 + 0.02 * (std::sqrt(5.0) - 1), 1e-6);
}

TEST(Stretch, LeavesOutEdgesWithoutRestLengthAndCountsThem) {
  Character c = character_of({{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 0, 0}}, {{0, 2, 1}, {3, 1, 2}, {0, 3, 1}}});
  Weights& w = c.meshes[0].weights;  // keeps the copies at the origin apart
  w.row_begin = {0, 1, 2, 3, 4};
  w.joint = {0, 0, 0, 1};
  w.weight = {1, 1, 1, 1};
  c.skeleton.joints.resize(2);
  const Context context(1);
  const Metrics metrics(c, context, kShapeOnly);
  EXPECT_EQ(metrics.zero_length_edges(), 1U);
  std::vector<Vec3f> p = c.meshes[0].positions;
  p[3].x = -0.0F;
  p[3].y = 1e-3F;
  const FrameMetrics m = metrics.measure(p);
  EXPECT_LT(*m.stretch_max, 1.1);
}

}  // namespace
}  // namespace cutis
