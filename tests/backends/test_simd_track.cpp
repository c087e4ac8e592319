// Tracking in packs gives the bits of the scalar back end, on every instruction set.
#include <gtest/gtest.h>

#include "backends/every_target.h"
#include "cutis/cutis.h"
#include "support/support.h"

namespace cutis {
namespace {

void expect_same_bits(const Character& c, const char* clip, int frames, const BindOptions& bind_options = {},
                      const TrackingOptions& options = {}) {
  const Context scalar(1, Backend::scalar), simd(2, Backend::simd);
  const auto rig = bind(c, scalar, bind_options);
  std::vector<Frame> expected;
  Solver reference(rig, {.method = Method::tracking, .tracking = options}, scalar);
  const std::vector<double> times = sample_times(c.clip(clip), frames, 30);
  for (const double t : times) expected.push_back(reference.solve(sample(c.skeleton, c.clip(clip), t)));
  std::size_t touching = 0, moved = 0;
  for (const Frame& frame : expected) {
    touching += frame.report.states[static_cast<std::size_t>(VertexState::contact)];
    moved += frame.report.active;
  }
  EXPECT_GT(touching, 10U) << "contact is not tested";
  EXPECT_GT(moved, 100U);
  test::on_every_target([&] {
    Solver solver(rig, {.method = Method::tracking, .tracking = options}, simd);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Frame& frame = solver.solve(sample(c.skeleton, c.clip(clip), times[i]));
      EXPECT_EQ(frame.positions, expected[i].positions) << clip << " at " << times[i];
      EXPECT_EQ(frame.states, expected[i].states) << clip << " at " << times[i];
      EXPECT_EQ(frame.report.profile.evaluations, expected[i].report.profile.evaluations);
      EXPECT_EQ(frame.report.profile.gradient_steps, expected[i].report.profile.gradient_steps);
    }
  });
}

TEST(SimdTracking, IsTheScalarOneBitForBitInAFold) {
  const Context context;
  expect_same_bits(load_character("builtin:cylinder", context), "bend", 7);
}

TEST(SimdTracking, IsTheScalarOneBitForBitWithManyPartsNearEachOther) {
  const Context context;
  expect_same_bits(load_character("builtin:hand", context), "fist", 4);
}

TEST(SimdTracking, IsTheScalarOneBitForBitWithMusclesStiffRegionsAndTargets) {
  const Context context;
  const Character c = load_character("builtin:arm", context);
  Preset preset = preset_from_json(
      R"({"regions": [{"name": "hand", "joints": ["hand"], "stiffness": 1, "fade": 0.02}],
          "targets": [{"name": "t", "vertex": 40, "radius": 0.02, "keys": [{"time": 0, "weight": 0.5}]}]})",
      "preset");
  preset.muscles = make_biceps(c);
  expect_same_bits(c, c.clips.front().name.c_str(), 6, {.preset = preset});
}

}  // namespace
}  // namespace cutis
