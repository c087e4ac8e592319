// On the shared models: numbers that others counted, brute force on a hand, meshes that are hardly meshes.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cutis/bind.h"
#include "cutis/io.h"
#include "cutis/metrics.h"
#include "cutis/solve.h"
#include "geometry/exact_triangles.h"
#include "support/support.h"

namespace cutis {
namespace {

std::string shared(const std::string& file) { return (test::shared_data() / file).string(); }

// Sums intersecting pairs over four frames of a clip, evenly from its first to its last key.
std::size_t pairs_over_clip(const Character& c, const Metrics& metrics, Method method, const char* name,
                            const Context& context) {
  Solver solver(bind(c, context), {.method = method}, context);
  const Clip& clip = c.clip(name);
  std::size_t sum = 0;
  for (const double time : sample_times(clip, 4, 30))
    sum += *metrics.measure(solver.solve(sample(c.skeleton, clip, time)).positions).intersecting_pairs;
  return sum;
}

TEST(MetricsOnTheBodySlow, CountAsManyPairsAsAnIndependentStudyDid) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(2);
  const Character c = load_character(shared("makehuman_male/makehuman_male.glb"), context);
  const Metrics metrics(c, context, {.overlap = false});
  EXPECT_EQ(metrics.rest().intersecting_pairs, 0U);
  const auto lbs = [&](const char* clip) { return pairs_over_clip(c, metrics, Method::lbs, clip, context); };
  EXPECT_EQ(lbs("elbow_l_0_150"), 118U);
  EXPECT_EQ(lbs("knee_l_0_150"), 117U);
  EXPECT_EQ(lbs("fist_l"), 1490U);
  EXPECT_EQ(lbs("arms_crossed"), 759U);
  EXPECT_EQ(lbs("arm_l_across_belly"), 291U);
  EXPECT_EQ(lbs("deep_squat"), 689U);
  EXPECT_EQ(lbs("arm_l_raise_overhead"), 0U);
}

TEST(MetricsOnTheBody, AreModestAtRestAndSeeTheElbow) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(2);
  const Character c = load_character(shared("makehuman_male/makehuman_male.glb"), context);
  const Metrics metrics(c, context);
  EXPECT_EQ(metrics.rest().volume_change, 0.0);
  EXPECT_LT(*metrics.rest().overlap, 0.02);  // the mouth and the eyelids are closed
  EXPECT_GT(metrics.regions().size(), 40U);
  Solver solver(bind(c, context), {.method = Method::lbs}, context);
  const Clip& clip = c.clip("elbow_l_0_150");
  const FrameMetrics m = metrics.measure(solver.solve(sample(c.skeleton, clip, clip.end())).positions);
  EXPECT_GT(*m.overlap, *metrics.rest().overlap);
  EXPECT_NEAR(*m.volume_change, -0.003, 0.002);
  // The region that loses most is the elbow's, and no other joint moved.
  std::size_t worst = 0, changed = 0;
  for (std::size_t r = 0; r < m.region_volume_change.size(); ++r) {
    if (*m.region_volume_change[r] < *m.region_volume_change[worst]) worst = r;
    changed += std::abs(*m.region_volume_change[r]) > 1e-3;
  }
  EXPECT_EQ(metrics.regions()[worst].joint, clip.channels.at(0).joint);
  EXPECT_LT(*m.region_volume_change[worst], -0.1);
  EXPECT_LE(changed, 3U);
}

TEST(MetricsOnAHand, CountThePairsThatBruteForceFinds) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(2);
  Character c = load_character(shared("hand_webxr/hand_left_poses.glb"), context);
  Solver solver(bind(c, context), {.method = Method::lbs}, context);
  const Clip& clip = c.clip("fist");
  std::vector<Vec3f> p = solver.solve(sample(c.skeleton, clip, clip.end())).positions;
  // Whole micrometres, so that integers can check; the metrics need a topology, not the rest shape.
  for (Vec3f& v : p)
    for (int k = 0; k < 3; ++k) v[k] = std::round(v[k] * 1e6F);
  const Metrics metrics(c, context, {.overlap = false, .per_vertex = true});
  const FrameMetrics m = metrics.measure(p);

  ASSERT_EQ(c.meshes.size(), 1U);
  const std::vector<Triangle>& triangles = c.meshes[0].triangles;
  std::vector<test::Corners> corners;
  for (const Triangle& t : triangles) {
    corners.emplace_back();
    for (std::size_t k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i)
        corners.back()[k][static_cast<std::size_t>(i)] = static_cast<std::int64_t>(p[t[k]][i]);
  }
  std::vector<std::array<std::uint32_t, 2>> expected;
  for (std::uint32_t a = 0; a < triangles.size(); ++a) {
    for (std::uint32_t b = a + 1; b < triangles.size(); ++b) {
      bool neighbours = false;
      for (const std::uint32_t v : triangles[a])
        for (const std::uint32_t w : triangles[b]) neighbours = neighbours || v == w;
      if (!neighbours && !test::separated(corners[a], corners[b])) expected.push_back({a, b});
    }
  }
  EXPECT_GT(expected.size(), 100U);
  EXPECT_EQ(m.pairs, expected);
}

TEST(MetricsOnNastyMeshes, StayFinite) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(2);
  std::size_t measured = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::shared_data() / "nasty_meshes")) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".obj" && extension != ".ply" && extension != ".off" && extension != ".glb") continue;
    const Character c = load_character(entry.path().string(), context);
    const Metrics metrics(c, context, {.per_vertex = true});
    ++measured;
    for (const MetricInfo& info : metric_table())
      EXPECT_TRUE(std::isfinite(info.value(metrics.rest()).value_or(0))) << entry.path() << " " << info.name;
    EXPECT_EQ(metrics.rest().folds, 0U) << entry.path();
    EXPECT_EQ(metrics.rest().stretch_max.value_or(1), 1.0) << entry.path();
    EXPECT_TRUE(metrics.rest().volume_change.has_value() != !metrics.rest().volume_skipped.empty()) << entry.path();
  }
  EXPECT_GT(measured, 3U);
}

}  // namespace
}  // namespace cutis
