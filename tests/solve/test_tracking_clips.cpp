// Tracking with the contact pass, as `animate` runs it, on clips of the shared characters; dual quaternions beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "cutis/bind.h"
#include "cutis/io.h"
#include "cutis/metrics.h"
#include "cutis/solve.h"
#include "support/support.h"

namespace cutis {
namespace {

constexpr int kFrames = 45;

// Worst frames of a clip.
struct Worst {
  std::size_t pairs = 0, all_pairs = 0, folds = 0;
  double overlap = 0, stretch_p95 = 0, stretch_max = 0;
  double pop = 0;  // metres
};

Worst play(const Character& c, const std::shared_ptr<const Rig>& rig, const Clip& clip, int frames, Method method,
           const Context& context) {
  const Metrics metrics(c, context);
  PopAccumulator pop(metrics);
  Solver solver(rig, {.method = method, .contact_pass = method == Method::tracking}, context);
  Worst worst;
  for (const double t : sample_times(clip, frames, 30)) {
    const Frame& frame = solver.solve(sample(c.skeleton, clip, t));
    const FrameMetrics m = metrics.measure(frame.positions);
    pop.add(frame.positions);
    const std::size_t pairs = m.intersecting_pairs.value_or(9999);
    worst.pairs = std::max(worst.pairs, pairs);
    worst.all_pairs += pairs;
    worst.folds = std::max(worst.folds, m.folds);
    worst.overlap = std::max(worst.overlap, m.overlap.value_or(1) - metrics.rest().overlap.value_or(0));
    worst.stretch_p95 = std::max(worst.stretch_p95, m.stretch_p95.value_or(99));
    worst.stretch_max = std::max(worst.stretch_max, m.stretch_max.value_or(99));
  }
  worst.pop = pop.percentile().value_or(0);
  return worst;
}

std::string makehuman() { return (test::shared_data() / "makehuman_male/makehuman_male.glb").string(); }

class TrackingOfJoints : public testing::TestWithParam<const char*> {};

TEST_P(TrackingOfJoints, HasNoIntersectionsAndStretchesNoMoreThanDualQuaternions) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context;
  const Character c = load_character(makehuman(), context);
  const auto rig = bind(c, context);
  const Worst tracked = play(c, rig, c.clip(GetParam()), kFrames, Method::tracking, context);
  const Worst smooth = play(c, rig, c.clip(GetParam()), kFrames, Method::dqs, context);
  EXPECT_EQ(tracked.pairs, 0U);
  EXPECT_LE(tracked.folds, 4U);
  EXPECT_LE(tracked.overlap, 0.001);
  // Strain is spread: many edges are stretched by some thousandths more, so that none is by much.
  EXPECT_LE(tracked.stretch_p95, smooth.stretch_p95 + 0.004);
  EXPECT_LE(tracked.stretch_max, 1.05 * smooth.stretch_max);
}

INSTANTIATE_TEST_SUITE_P(makehuman, TrackingOfJoints,
                         testing::Values("elbow_l_0_150", "elbow_r_0_150", "knee_l_0_150", "knee_r_0_150",
                                         "wrist_l_twist_0_180", "forearm_l_twist_pm90", "spine_neck_twist_pm105",
                                         "spine_bend_forward_85", "arm_l_raise_overhead"),
                         [](const auto& p) { return std::string(p.param); });

// It must not hang on how the fields are set up.
struct FieldSetting {
  const char* name;
  const char* preset;
};
class TrackingWithFields : public testing::TestWithParam<FieldSetting> {};

TEST_P(TrackingWithFields, BendsElbowsAndKneesWithoutIntersections) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context;
  const Character c = load_character(makehuman(), context);
  BindOptions options;
  options.preset = preset_from_json(GetParam().preset, "test");
  const auto rig = bind(c, context, options);
  for (const char* clip : {"elbow_l_0_150", "elbow_r_0_150", "knee_l_0_150", "knee_r_0_150"})
    EXPECT_EQ(play(c, rig, c.clip(clip), kFrames, Method::tracking, context).pairs, 0U) << clip;
}

INSTANTIATE_TEST_SUITE_P(makehuman, TrackingWithFields,
                         testing::Values(FieldSetting{"narrow", R"({"fields": {"support_factor": 0.75}})"},
                                         FieldSetting{"wide", R"({"fields": {"support_factor": 1.5}})"},
                                         FieldSetting{"short_caps", R"({"fields": {"cap_factor": 0.7}})"}),
                         [](const auto& p) { return std::string(p.param.name); });

class TrackingOfOthers : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(TrackingOfOthers, HasAtMostAFifthOfTheIntersectionsOfDualQuaternions) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context;
  const auto [file, clip] = GetParam();
  const Character c = load_character((test::shared_data() / file).string(), context);
  const auto rig = bind(c, context);
  const Worst tracked = play(c, rig, c.clip(clip), 0, Method::tracking, context);
  const Worst smooth = play(c, rig, c.clip(clip), 0, Method::dqs, context);
  EXPECT_GT(smooth.all_pairs, 100U);
  EXPECT_LE(5 * tracked.all_pairs, smooth.all_pairs);
  EXPECT_LE(5 * tracked.pairs, smooth.pairs);
}

INSTANTIATE_TEST_SUITE_P(shared, TrackingOfOthers,
                         testing::Values(std::pair{"hand_webxr/hand_left_poses.glb", "index_curl"},
                                         std::pair{"fox/fox.glb", "Run"},
                                         std::pair{"cesium_man/cesium_man.glb", "animation_0"}),
                         [](const auto& p) { return std::filesystem::path(p.param.first).stem().string(); });

TEST(TrackingClips, TheFineBodyBendsItsElbowAndItsKneeWithHardlyAnIntersection) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context;
  const Character c =
      load_character((test::shared_data() / "makehuman_male/makehuman_male_hires.glb").string(), context);
  const auto rig = bind(c, context);
  for (const char* clip : {"elbow_l_0_150", "knee_l_0_150"})
    EXPECT_LE(play(c, rig, c.clip(clip), kFrames, Method::tracking, context).pairs, 3U) << clip;
}

TEST(TrackingClips, TheRestPoseOfARealBodyAndOfAHandStaysAsItIs) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context;
  for (const char* file : {"makehuman_male/makehuman_male.glb", "hand_webxr/hand_left_poses.glb"}) {
    const Character c = load_character((test::shared_data() / file).string(), context);
    Solver solver(bind(c, context), {.method = Method::tracking, .contact_pass = true}, context);
    const Metrics metrics(c, context);
    EXPECT_LT(metrics.distance_to_rest(solver.solve(default_pose(c.skeleton)).positions).max, 1e-5 * metrics.size())
        << file;
  }
}

TEST(TrackingClips, MotionCaptureDoesNotPop) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context;
  const Character c = load_character(makehuman(), context);
  const auto rig = bind(c, context);
  for (const char* clip : {"cmu_02_01_walk", "cmu_13_29_twists_squats"})
    EXPECT_LE(play(c, rig, c.clip(clip), 0, Method::tracking, context).pop,
              2 * play(c, rig, c.clip(clip), 0, Method::lbs, context).pop)
        << clip;
}

}  // namespace
}  // namespace cutis
