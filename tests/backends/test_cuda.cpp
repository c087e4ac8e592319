// The device gives the bits of the scalar back end: rounding, order of sums and decisions are the same.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/same_bits.h"
#include "base/math.h"
#include "cutis/cutis.h"
#include "support/support.h"

namespace cutis {
namespace {

#define CUTIS_NEEDS_DEVICE() \
  if (!why_unusable(Backend::cuda).empty()) GTEST_SKIP() << "back end cuda: " << why_unusable(Backend::cuda)

TEST(Cuda, SaysWhyItCannotRun) {
  if (why_unusable(Backend::cuda).empty()) GTEST_SKIP() << "there is a device here";
  const auto rig = bind(load_character("builtin:cylinder", Context(1)), Context(1));
  const Character c = load_character("builtin:cylinder", Context(1));
  const auto solve = [&](const SolveOptions& options) {
    return test::error_of([&] { Solver(rig, options, Context(1, Backend::cuda)).solve(default_pose(c.skeleton)); });
  };
  const std::string sentence = "back end cuda: " + why_unusable(Backend::cuda);
  EXPECT_EQ(solve({.method = Method::lbs}), sentence);
  EXPECT_EQ(solve({.method = Method::dqs}), sentence);
  EXPECT_EQ(solve({.method = Method::implicit}), sentence);
  EXPECT_EQ(solve({.method = Method::tracking}), sentence);
}

struct Compared {
  std::size_t active = 0, touching = 0, halvings = 0;
};

// Every frame of a clip, bit for bit.
Compared expect_same_bits(const Character& c, const std::string& clip, int frames, const SolveOptions& options,
                          const BindOptions& bind_options = {}) {
  const Context scalar(0, Backend::scalar), cuda(0, Backend::cuda);
  const auto rig = bind(c, scalar, bind_options);
  Solver reference(rig, options, scalar), solver(rig, options, cuda);
  Compared all;
  for (const double t : sample_times(c.clip(clip), frames, 30)) {
    const Pose pose = sample(c.skeleton, c.clip(clip), t);
    const Frame &expected = reference.solve(pose), &frame = solver.solve(pose);
    EXPECT_EQ(frame.positions, expected.positions) << clip << " at " << t;
    EXPECT_EQ(frame.normals, expected.normals) << clip << " at " << t;
    EXPECT_EQ(frame.states, expected.states) << clip << " at " << t;
    EXPECT_EQ(frame.report.states, expected.report.states);
    EXPECT_EQ(frame.report.residual_mean, expected.report.residual_mean);
    EXPECT_EQ(frame.report.residual_p95, expected.report.residual_p95);
    EXPECT_EQ(frame.report.halvings, expected.report.halvings);
    EXPECT_EQ(frame.report.iterations, expected.report.iterations);
    EXPECT_EQ(frame.report.profile.evaluations, expected.report.profile.evaluations);
    EXPECT_EQ(frame.report.profile.operations, expected.report.profile.operations);
    EXPECT_EQ(frame.report.profile.gradient_steps, expected.report.profile.gradient_steps);
    EXPECT_EQ(frame.report.profile.vertex_iterations, expected.report.profile.vertex_iterations);
    all.active += frame.report.active;
    all.touching += frame.report.states[static_cast<std::size_t>(VertexState::contact)];
    all.halvings += frame.report.halvings;
  }
  return all;
}

const SolveOptions kTracking{.method = Method::tracking, .contact_pass = false};

TEST(Cuda, SkinsLinearlyAndWithDualQuaternionsBitForBit) {
  CUTIS_NEEDS_DEVICE();
  const Context context;
  for (const Method method : {Method::lbs, Method::dqs})
    expect_same_bits(load_character("builtin:human", context), "walk", 4, {.method = method, .contact_pass = false});
}

TEST(Cuda, IsTheScalarOneBitForBitWithBonesThatStretch) {
  CUTIS_NEEDS_DEVICE();
  const Character c = test::stretching_cylinder(Context());
  for (const Method method : {Method::lbs, Method::dqs})
    expect_same_bits(c, "bend", 4, {.method = method, .contact_pass = false});
  EXPECT_GT(expect_same_bits(c, "bend", 5, kTracking).active, 100U);
}

TEST(Cuda, IsTheScalarOneBitForBitInAFold) {
  CUTIS_NEEDS_DEVICE();
  EXPECT_GT(expect_same_bits(load_character("builtin:cylinder", Context()), "bend", 12, kTracking).touching, 10U);
}

TEST(Cuda, IsTheScalarOneBitForBitInAFist) {
  CUTIS_NEEDS_DEVICE();
  EXPECT_GT(expect_same_bits(load_character("builtin:hand", Context()), "fist", 12, kTracking).touching, 10U);
}

TEST(Cuda, IsTheScalarOneBitForBitOnAWholeBody) {
  CUTIS_NEEDS_DEVICE();
  EXPECT_GT(expect_same_bits(load_character("builtin:human", Context()), "walk", 12, kTracking).active, 1000U);
}

TEST(Cuda, IsTheScalarOneBitForBitWithMusclesStiffRegionsAndTargets) {
  CUTIS_NEEDS_DEVICE();
  const Character c = load_character("builtin:arm", Context());
  Preset preset = preset_from_json(
      R"({"regions": [{"name": "hand", "joints": ["hand"], "stiffness": 1, "fade": 0.02}],
          "targets": [{"name": "t", "vertex": 40, "radius": 0.02, "keys": [{"time": 0, "weight": 0.5}]}]})",
      "preset");
  preset.muscles = make_biceps(c);
  expect_same_bits(c, c.clips.front().name, 6, kTracking, {.preset = preset});
}

TEST(Cuda, IsTheScalarOneBitForBitWhereSkinIsUnwound) {
  CUTIS_NEEDS_DEVICE();
  const Context scalar(0, Backend::scalar), cuda(0, Backend::cuda);
  const Character c = load_character("builtin:cylinder", scalar);
  const auto rig = bind(c, scalar);
  for (const bool contact : {false, true}) {
    const SolveOptions options{.method = Method::tracking, .contact_pass = contact};
    Solver reference(rig, options, scalar), solver(rig, options, cuda);
    for (int degrees = 0; degrees <= 400; degrees += 10) {
      Pose pose = default_pose(c.skeleton);
      pose.time = degrees / 300.0;
      pose.local.back().rotation = pose.local.back().rotation * axis_angle(Vec3d{0, 1, 0}, degrees * kDegree);
      EXPECT_EQ(solver.solve(pose).positions, reference.solve(pose).positions) << degrees << " degrees";
    }
  }
}

TEST(Cuda, IsTheScalarOneBitForBitWithoutHistory) {
  CUTIS_NEEDS_DEVICE();
  SolveOptions options = kTracking;
  options.tracking.history = History::stateless;
  expect_same_bits(load_character("builtin:hand", Context()), "fist", 4, options);
}

// The contact pass stays on the host and takes the device's skin at its sub-steps.
TEST(Cuda, IsTheScalarOneBitForBitWithContact) {
  CUTIS_NEEDS_DEVICE();
  expect_same_bits(load_character("builtin:hand", Context()), "fist", 6, {.method = Method::tracking});
}

// States of one back end go on in the other.
TEST(Cuda, TakesAndGivesStatesOfOtherBackEnds) {
  CUTIS_NEEDS_DEVICE();
  const Context context, cuda(0, Backend::cuda);
  const Character c = load_character("builtin:hand", context);
  const auto rig = bind(c, context);
  const std::vector<double> times = sample_times(c.clip("fist"), 12, 30);
  const auto pose = [&](std::size_t i) { return sample(c.skeleton, c.clip("fist"), times[i]); };
  Solver whole(rig, kTracking, context), first(rig, kTracking, context), second(rig, kTracking, cuda),
      third(rig, kTracking, context);
  for (std::size_t i = 0; i < 8; ++i) static_cast<void>(whole.solve(pose(i)));
  for (std::size_t i = 0; i < 6; ++i) static_cast<void>(first.solve(pose(i)));
  second.restore_state(first.save_state());
  for (std::size_t i = 6; i < 8; ++i) static_cast<void>(second.solve(pose(i)));
  third.restore_state(second.save_state());
  EXPECT_EQ(third.solve(pose(8)).positions, whole.solve(pose(8)).positions);
}

TEST(Cuda, SaysWhatItHasNot) {
  CUTIS_NEEDS_DEVICE();
  std::vector<std::string> warnings;
  Context context(1, Backend::cuda);
  context.on_warning = [&](std::string_view text) { warnings.emplace_back(text); };
  const auto rig = bind(load_character("builtin:cylinder", context), context);
  SolveOptions options = kTracking;
  options.tracking.relaxation = Relaxation::jacobi;
  Solver solver(rig, options, context);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("cuda has no relaxation by Jacobi"), std::string::npos) << warnings[0];

  // Its joints are shaped all the same.
  const Character c = load_character("builtin:cylinder", context);
  const auto soft =
      bind(c, context, {.preset = preset_from_json(R"({"all_joints": {"operator": "bulge"}})", "preset")});
  warnings.clear();
  Solver shaping(soft, kTracking, context), scalar(soft, kTracking, Context(1, Backend::scalar));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("cuda has no operators that shape"), std::string::npos) << warnings[0];
  const Pose pose = sample(c.skeleton, c.clip("bend"), c.clip("bend").end());
  EXPECT_EQ(shaping.solve(pose).positions, scalar.solve(pose).positions);
}

}  // namespace
}  // namespace cutis
