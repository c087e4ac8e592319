// What is not finite, empty, degenerate, or run on several threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "cutis/metrics.h"
#include "metrics_support.h"

namespace cutis {
namespace {

using test::both;
using test::character_of;
using test::make_sphere;
using test::moved;
using test::Surface;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void expect_finite(const FrameMetrics& m) {
  for (const MetricInfo& info : metric_table()) EXPECT_TRUE(std::isfinite(info.value(m).value_or(0))) << info.name;
  for (const auto& value : m.region_volume_change) EXPECT_TRUE(std::isfinite(value.value_or(0)));
}

TEST(Metrics, AreTheSameForAnyNumberOfThreads) {
  const Surface a = make_sphere(1, 40, 60);
  const Surface s = both(a, moved(a, {0.7F, 0.31F, 0.2F}));
  const MetricsOptions options{.per_vertex = true};
  const Context one(1), two(2), three(3);
  const Metrics expected(character_of(s), one, options);
  EXPECT_GT(*expected.rest().intersecting_pairs, 100U);
  for (const Context* context : {&two, &three}) {
    const Metrics metrics(character_of(s), *context, options);
    for (const MetricInfo& info : metric_table())
      EXPECT_EQ(info.value(metrics.rest()), info.value(expected.rest())) << info.name;
    EXPECT_EQ(metrics.rest().pairs, expected.rest().pairs);
    EXPECT_EQ(metrics.rest().vertex_overlaps, expected.rest().vertex_overlaps);
    EXPECT_EQ(metrics.rest().vertex_stretch, expected.rest().vertex_stretch);
  }
}

TEST(Metrics, OfAnEmptyCharacterAreEmpty) {
  const Context context(1);
  for (const Character& c : {Character{}, character_of({})}) {
    const Metrics metrics(c, context, {.per_vertex = true});
    const FrameMetrics m = metrics.measure({});
    EXPECT_EQ(m.intersecting_pairs, 0U);
    EXPECT_EQ(m.overlap, 0.0);
    EXPECT_EQ(m.folds, 0U);
    EXPECT_FALSE(m.stretch_max);
    EXPECT_FALSE(m.volume_change);
    EXPECT_EQ(metrics.size(), 0);
    PopAccumulator pop(metrics, 4);
    for (int i = 0; i < 4; ++i) pop.add({});
    EXPECT_FALSE(pop.percentile());
  }
}

TEST(Metrics, CountWhatIsNotFiniteAndMeasureTheRest) {
  // Two crossing spheres; the first loses a vertex far away from the crossing.
  const Surface a = make_sphere(1, 20, 30);
  const Surface s = both(a, moved(a, {0.7F, 0.31F, 0.2F}));
  const Context context(1);
  const Metrics metrics(character_of(s), context, {.per_vertex = true});
  for (const float bad : {kNan, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    std::vector<Vec3f> p = s.positions;
    std::size_t far = 0;
    for (std::size_t v = 0; v < a.positions.size(); ++v)
      if (p[v].x < p[far].x) far = v;
    p[far].z = bad;
    const FrameMetrics m = metrics.measure(p);
    EXPECT_EQ(m.nonfinite, 1U);
    EXPECT_EQ(m.intersecting_pairs, metrics.rest().intersecting_pairs);
    EXPECT_EQ(m.pairs, metrics.rest().pairs);
    EXPECT_NEAR(*m.overlap, *metrics.rest().overlap, 0.005);
    EXPECT_EQ(m.stretch_max, 1.0);
    EXPECT_EQ(m.folds, 0U);
    EXPECT_EQ(m.vertex_stretch[far], 1.0F);
    expect_finite(m);
    const FrameMetrics all_bad = metrics.measure(std::vector<Vec3f>(p.size(), {bad, bad, bad}));
    EXPECT_EQ(all_bad.nonfinite, p.size());
    EXPECT_EQ(all_bad.intersecting_pairs, 0U);
    EXPECT_FALSE(all_bad.stretch_p95);
    expect_finite(all_bad);
  }
}

TEST(Metrics, SurviveAnyPositions) {
  const Character tube = test::make_two_bone_tube();
  const Context context(2);
  const Metrics metrics(tube, context, {.per_vertex = true});
  std::mt19937 random(8);
  const std::size_t n = metrics.vertex_count();
  expect_finite(metrics.measure(std::vector<Vec3f>(n)));  // all in one point
  expect_finite(metrics.measure(std::vector<Vec3f>(n, {1e38F, -1e38F, 3e38F})));
  for (const float size : {1e-40F, 1e-20F, 1.0F, 1e19F, 1e38F}) {  // a tangle
    std::uniform_real_distribution<float> place(-size, size);
    std::vector<Vec3f> p(n);
    for (Vec3f& q : p) q = {place(random), place(random), place(random)};
    const FrameMetrics m = metrics.measure(p);
    expect_finite(m);
    EXPECT_GT(*m.intersecting_pairs, 1000U);
    for (Vec3f& q : p) q.y = 0;  // all in one plane
    expect_finite(metrics.measure(p));
  }
}

TEST(Metrics, OfSoupsWithRepeatedAndCollapsedTriangles) {
  Surface s = make_sphere(1, 10, 12);
  s.triangles.push_back(s.triangles[4]);  // twice
  s.triangles.push_back({0, 0, 5});       // collapsed
  s.triangles.push_back({3, 3, 3});
  s.positions.push_back({9, 9, 9});       // unused
  s.positions.push_back(s.positions[2]);  // a seam copy, used by nobody
  const Context context(1);
  const Metrics metrics(character_of(s), context, {.per_vertex = true});
  expect_finite(metrics.rest());
  EXPECT_EQ(metrics.rest().intersecting_pairs, 0U);
  EXPECT_EQ(metrics.rest().overlap, 0.0);
  EXPECT_FALSE(metrics.rest().volume_change);  // three faces' edges are not run along evenly
  EXPECT_EQ(metrics.rest().stretch_max, 1.0);
}

TEST(Metrics, SeeASeamThatOpens) {
  Surface s = make_sphere(1, 10, 12);
  s.positions.push_back(s.positions[2]);
  for (std::uint32_t& v : s.triangles[0])
    if (v == 2) v = static_cast<std::uint32_t>(s.positions.size() - 1);
  const Context context(1);
  const Metrics metrics(character_of(s), context);
  EXPECT_EQ(metrics.rest().seam_gap, 0);
  std::vector<Vec3f> p = s.positions;
  p.back().y += 0.25F;
  EXPECT_NEAR(metrics.measure(p).seam_gap, 0.25, 1e-6);
}

TEST(Metrics, TakeResidualsOfSolvers) {
  const Surface s = make_sphere(1, 10, 12);
  const Context context(1);
  const Metrics metrics(character_of(s), context, {.intersections = false, .overlap = false});
  std::vector<float> residuals(s.positions.size(), -0.25F);
  residuals[3] = kNan;
  residuals[4] = 1;
  const FrameMetrics m = metrics.measure(s.positions, residuals);
  const auto n = static_cast<double>(s.positions.size());
  EXPECT_NEAR(*m.iso_residual_mean, (0.25 * (n - 2) + 1) / (n - 1), 1e-7);
  EXPECT_EQ(m.iso_residual_p95, 0.25);
  EXPECT_EQ(m.iso_residual_max, 1.0);
  EXPECT_FALSE(metrics.rest().iso_residual_max);
  EXPECT_FALSE(metrics.rest().intersecting_pairs);
  EXPECT_FALSE(metrics.rest().overlap);
}

TEST(Metrics, RefuseAWrongNumberOfPositions) {
  const Surface s = make_sphere(1, 10, 12);
  const Context context(1);
  const Metrics metrics(character_of(s), context, {.intersections = false, .overlap = false});
  EXPECT_THAT(test::error_of([&] { (void)metrics.measure({}); }), HasSubstr("0 positions"));
  EXPECT_THAT(test::error_of([&] { (void)metrics.measure(s.positions, std::vector<float>(3)); }),
              HasSubstr("3 residuals"));
  EXPECT_THAT(test::error_of([&] { (void)metrics.distance(s.positions, {}); }), HasSubstr("0 positions"));
}

}  // namespace
}  // namespace cutis
