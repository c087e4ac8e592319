// Implicit skinning in packs gives the bits of the scalar back end, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/every_target.h"
#include "cutis/cutis.h"
#include "support/support.h"

namespace cutis {
namespace {

void expect_same_skin(const Character& c, const char* clip, int frames, const ImplicitOptions& options = {}) {
  const Context scalar(1, Backend::scalar), simd(2, Backend::simd);
  const auto rig = bind(c, scalar);
  const SolveOptions solve{.method = Method::implicit, .implicit = options, .contact_pass = false};
  const std::vector<double> times = sample_times(c.clip(clip), frames, 30);
  std::vector<Frame> expected;
  Solver reference(rig, solve, scalar);
  for (const double t : times) expected.push_back(reference.solve(sample(c.skeleton, c.clip(clip), t)));
  std::size_t touching = 0, moved = 0;
  for (const Frame& frame : expected) {
    touching += frame.report.states[static_cast<std::size_t>(VertexState::contact)];
    moved += frame.report.active;
  }
  EXPECT_GT(touching, 10U) << "contact is not tested";
  EXPECT_GT(moved, 100U);
  test::on_every_target([&] {
    Solver solver(rig, solve, simd);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Frame& frame = solver.solve(sample(c.skeleton, c.clip(clip), times[i]));
      EXPECT_EQ(frame.positions, expected[i].positions) << clip << " at " << times[i];
      EXPECT_EQ(frame.normals, expected[i].normals) << clip << " at " << times[i];
      EXPECT_EQ(frame.states, expected[i].states) << clip << " at " << times[i];
      EXPECT_EQ(frame.report.active, expected[i].report.active);
      EXPECT_EQ(frame.report.iterations, expected[i].report.iterations);
      EXPECT_EQ(frame.report.residual_max, expected[i].report.residual_max);
      EXPECT_EQ(frame.report.contact.overlaps.size(), expected[i].report.contact.overlaps.size());
    }
  });
}

TEST(SimdImplicit, IsTheScalarOneBitForBitInAFold) {
  const Context context;
  expect_same_skin(load_character("builtin:cylinder", context), "bend", 7);
}

TEST(SimdImplicit, IsTheScalarOneBitForBitWithManyPartsNearEachOther) {
  const Context context;
  expect_same_skin(load_character("builtin:hand", context), "fist", 4);
}

TEST(SimdImplicit, IsTheScalarOneBitForBitWhenPartsBlend) {
  const Context context;
  expect_same_skin(load_character("builtin:hand", context), "fist", 3, {.blend = true});
}

TEST(SimdImplicit, IsTheScalarOneBitForBitFromLinearBlending) {
  const Context context;
  expect_same_skin(load_character("builtin:cylinder", context), "bend", 5, {.initial = Method::lbs});
}

TEST(SimdImplicit, IsTheScalarOneBitForBitInTheComposedField) {
  const Context context;
  expect_same_skin(load_character("builtin:cylinder", context), "bend", 5, {.contact = ContactModel::composed});
}

TEST(SimdImplicit, IsTheScalarOneBitForBitWithBonesThatStretch) {
  const Context context;
  Character c = load_character("builtin:cylinder", context);
  Clip& clip = *std::ranges::find_if(c.clips, [](const Clip& x) { return x.name == "bend"; });
  clip.channels.push_back({.joint = 1,
                           .path = ChannelPath::scale,
                           .times = {static_cast<float>(clip.start()), static_cast<float>(clip.end())},
                           .values = {1, 1, 1, 1.2F, 0.9F, 1.1F}});
  expect_same_skin(c, "bend", 5);
}

}  // namespace
}  // namespace cutis
