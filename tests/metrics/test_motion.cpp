// Popping, path, summary.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "cutis/metrics.h"
#include "metrics/percentile.h"
#include "metrics_support.h"

namespace cutis {
namespace {

using test::character_of;
using test::make_sphere;
using test::Surface;
using testing::HasSubstr;

const MetricsOptions kCheap{.intersections = false, .overlap = false};

std::vector<Vec3f> shifted(std::vector<Vec3f> p, float y) {
  for (Vec3f& v : p) v.y += y;
  return p;
}

TEST(Pop, OfAKnownOscillation) {
  const Surface s = make_sphere(1, 10, 12);
  const Context context(1);
  const Metrics metrics(character_of(s), context, kCheap);
  PopAccumulator method(metrics, 9), lbs(metrics, 9);
  for (int t = 0; t < 9; ++t) {
    EXPECT_EQ(method.percentile().has_value(), t > 2);
    method.add(shifted(s.positions, t % 2 == 0 ? 0.25F : -0.25F));       // second difference 4 * 0.25
    lbs.add(shifted(s.positions, 0.0625F * static_cast<float>(t * t)));  // 2 * 0.0625
  }
  EXPECT_NEAR(*method.percentile(), 1.0, 1e-6);
  EXPECT_NEAR(*lbs.percentile(), 0.125, 1e-6);
  EXPECT_NEAR(*pop(method, lbs), 8, 1e-4);
}

TEST(Pop, OfStillClipsIsOneAndOfAJumpAgainstAStillOneIsLarge) {
  const Surface s = make_sphere(1, 10, 12);
  const Context context(1);
  const Metrics metrics(character_of(s), context, kCheap);
  PopAccumulator still(metrics), drift(metrics), jump(metrics), none(metrics);
  for (int t = 0; t < 5; ++t) {
    still.add(s.positions);
    drift.add(shifted(s.positions, 0.5F * static_cast<float>(t)));  // at constant speed
    jump.add(shifted(s.positions, t == 2 ? 0.5F : 0.0F));
  }
  EXPECT_EQ(pop(still, still), 1.0);
  EXPECT_EQ(pop(drift, still), 1.0);
  EXPECT_GT(*pop(jump, still), 1e4);
  EXPECT_FALSE(pop(none, still));
  EXPECT_FALSE(pop(still, none));
}

TEST(Pop, KeepsTheExactPercentileWhileStreaming) {
  const Surface s = make_sphere(1, 20, 30);
  const Context context(1);
  const Metrics metrics(character_of(s), context, kCheap);
  std::mt19937 random(4);
  std::normal_distribution<float> noise(0, 0.1F);
  PopAccumulator known(metrics, 12), generous(metrics, 40), unknown(metrics);
  std::vector<std::vector<Vec3f>> frames;
  for (int t = 0; t < 12; ++t) {
    frames.push_back(s.positions);
    for (Vec3f& p : frames.back()) p += Vec3f{noise(random), noise(random), noise(random)};
    for (PopAccumulator* a : {&known, &generous, &unknown}) a->add(frames.back());
  }
  std::vector<float> all;
  for (std::size_t t = 1; t + 1 < frames.size(); ++t)
    for (std::size_t v = 0; v < s.positions.size(); ++v) {
      double squared = 0;
      for (int k = 0; k < 3; ++k) {
        const double d = static_cast<double>(frames[t - 1][v][k]) - 2.0 * frames[t][v][k] + frames[t + 1][v][k];
        squared += d * d;
      }
      all.push_back(static_cast<float>(std::sqrt(squared)));
    }
  std::sort(all.begin(), all.end());
  const double rank = 0.999 * static_cast<double>(all.size() - 1);
  const auto i = static_cast<std::size_t>(rank);
  const double expected = all[i] + (static_cast<double>(all[i + 1]) - all[i]) * (rank - static_cast<double>(i));
  EXPECT_NEAR(*known.percentile(), expected, 1e-7);
  EXPECT_EQ(known.percentile(), unknown.percentile());
  EXPECT_EQ(known.percentile(), generous.percentile());
}

TEST(Pop, LeavesOutVerticesThatAreNotFinite) {
  const Surface s = make_sphere(1, 10, 12);
  const Context context(1);
  const Metrics metrics(character_of(s), context, kCheap);
  PopAccumulator a(metrics, 5);
  for (int t = 0; t < 5; ++t) {
    std::vector<Vec3f> p = shifted(s.positions, t % 2 == 0 ? 0.25F : -0.25F);
    p[7].x = std::numeric_limits<float>::quiet_NaN();
    a.add(p);
  }
  EXPECT_NEAR(*a.percentile(), 1.0, 1e-6);
}

TEST(Pop, RefusesFramesOfTheWrongSizeOrNumber) {
  const Surface s = make_sphere(1, 10, 12);
  const Context context(1);
  const Metrics metrics(character_of(s), context, kCheap);
  PopAccumulator a(metrics, 1);
  EXPECT_THAT(test::error_of([&] { a.add({}); }), HasSubstr("0 positions"));
  a.add(s.positions);
  EXPECT_THAT(test::error_of([&] { a.add(s.positions); }), HasSubstr("more than the 1"));
}

TEST(Path, IsTheDistanceBetweenTwoPasses) {
  const Surface s = make_sphere(1, 10, 12);
  const Context context(1);
  const Metrics metrics(character_of(s), context, kCheap);
  std::vector<Vec3f> bumped = s.positions;
  bumped[5].x += 0.5F;
  bumped[6].y = std::numeric_limits<float>::infinity();
  const std::vector<std::vector<Vec3f>> first{s.positions, s.positions, s.positions};
  const std::vector<std::vector<Vec3f>> second{s.positions, bumped, shifted(s.positions, 0.25F)};
  const PathMetrics path = metrics.path(first, second);
  const auto n = static_cast<double>(s.positions.size());
  EXPECT_EQ(path.max, 0.5);
  EXPECT_EQ(path.worst_frame, 1U);
  EXPECT_EQ(path.nonfinite, 1U);
  EXPECT_NEAR(path.mean, (0.5 / (n - 1) + 0.25) / 3, 1e-6);
  EXPECT_NEAR(path.frames.at(2).mean, 0.25, 1e-6);
  EXPECT_EQ(metrics.distance_to_rest(s.positions).max, 0);
  EXPECT_NEAR(metrics.distance_to_rest(shifted(s.positions, 1)).max, 1, 1e-6);
  EXPECT_THAT(test::error_of([&] { (void)metrics.path(first, {}); }), HasSubstr("3 and 0 frames"));
}

TEST(Summary, HasMeanWorstAndWhere) {
  std::vector<FrameMetrics> frames(3);
  frames[0].intersecting_pairs = 4;
  frames[1].intersecting_pairs = 8;
  frames[2].intersecting_pairs = 0;
  frames[0].stretch_p1 = 0.5;
  frames[2].stretch_p1 = 0.3;
  frames[0].volume_change = 0.1;
  frames[1].volume_change = -0.2;
  frames[2].volume_change = 0.15;
  for (FrameMetrics& f : frames) f.region_volume_change = {std::nullopt, -0.5};
  const std::vector<JointRegion> regions{{0, "a", 1, 1.0}, {1, "b", 1, 1.0}};
  const auto all = summarise(frames, regions);
  const auto find = [&](std::string_view name) -> const MetricSummary* {
    for (const MetricSummary& s : all)
      if (s.name == name) return &s;
    return nullptr;
  };
  ASSERT_NE(find("intersecting_pairs"), nullptr);
  EXPECT_EQ(find("intersecting_pairs")->mean, 4);
  EXPECT_EQ(find("intersecting_pairs")->worst, 8);
  EXPECT_EQ(find("intersecting_pairs")->worst_frame, 1U);
  EXPECT_EQ(find("stretch_p1")->worst, 0.3);  // lower is worse
  EXPECT_EQ(find("stretch_p1")->worst_frame, 2U);
  EXPECT_EQ(find("stretch_p1")->frames, 2U);
  EXPECT_EQ(find("stretch_p1")->mean, 0.4);
  EXPECT_EQ(find("volume_change")->worst, -0.2);
  EXPECT_EQ(find("overlap"), nullptr);  // nobody measured it
  EXPECT_EQ(find("volume_change.a"), nullptr);
  ASSERT_NE(find("volume_change.b"), nullptr);
  EXPECT_EQ(find("volume_change.b")->worst, -0.5);
  EXPECT_TRUE(summarise({}).empty());
}

TEST(MetricTable, NamesEveryNumberOnce) {
  std::vector<std::string_view> names;
  for (const MetricInfo& info : metric_table()) {
    names.push_back(info.name);
    EXPECT_FALSE(info.help.empty());
    EXPECT_NE(info.value, nullptr);
  }
  EXPECT_THAT(names, testing::ElementsAre("intersecting_pairs", "new_pairs", "overlap", "volume_change", "folds",
                                          "roughness", "scars", "untouched", "memory", "stretch_p1", "stretch_p95",
                                          "stretch_max", "poke_through", "tears", "iso_residual_mean",
                                          "iso_residual_p95", "iso_residual_max", "nonfinite", "seam_gap"));
}

TEST(Percentile, InterpolatesLinearly) {
  std::vector<float> v{40, 10, 30, 20};
  EXPECT_EQ(percentile(v, 0), 10);
  EXPECT_EQ(percentile(v, 1), 40);
  EXPECT_EQ(percentile(v, 0.5), 25);
  EXPECT_NEAR(percentile(v, 0.95), 38.5, 1e-12);
  std::vector<float> one{7};
  EXPECT_EQ(percentile(one, 0.3), 7);
}

}  // namespace
}  // namespace cutis
