// What the simd back end computes, bit for bit against the scalar one, on every instruction set.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "backends/every_target.h"
#include "cutis/cutis.h"

namespace cutis::test {

/// Solves frames of a clip, which must have contact in it. `more(frame, expected)` compares what only some reports
/// have. Returns the scalar frames.
template <class More>
std::vector<Frame> expect_scalar_bits(const Character& c, const char* clip, int frames, const BindOptions& binding,
                                      const SolveOptions& options, const More& more) {
  const Context scalar(1, Backend::scalar), simd(2, Backend::simd);
  const auto rig = bind(c, scalar, binding);
  const std::vector<double> times = sample_times(c.clip(clip), frames, 30);
  std::vector<Frame> expected;
  Solver reference(rig, options, scalar);
  for (const double t : times) expected.push_back(reference.solve(sample(c.skeleton, c.clip(clip), t)));
  std::size_t touching = 0, moved = 0;
  for (const Frame& frame : expected) {
    touching += frame.report.states[static_cast<std::size_t>(VertexState::contact)];
    moved += frame.report.active;
  }
  EXPECT_GT(touching, 10U) << "contact is not tested";
  EXPECT_GT(moved, 100U);
  on_every_target([&] {
    Solver solver(rig, options, simd);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Frame& frame = solver.solve(sample(c.skeleton, c.clip(clip), times[i]));
      EXPECT_EQ(frame.positions, expected[i].positions) << clip << " at " << times[i];
      EXPECT_EQ(frame.normals, expected[i].normals) << clip << " at " << times[i];
      EXPECT_EQ(frame.states, expected[i].states) << clip << " at " << times[i];
      more(frame, expected[i]);
    }
  });
  return expected;
}

/// The cylinder, whose upper bone is stretched while it bends.
inline Character stretching_cylinder(const Context& context) {
  Character c = load_character("builtin:cylinder", context);
  Clip& clip = *std::ranges::find_if(c.clips, [](const Clip& x) { return x.name == "bend"; });
  clip.channels.push_back({.joint = 1,
                           .path = ChannelPath::scale,
                           .times = {static_cast<float>(clip.start()), static_cast<float>(clip.end())},
                           .values = {1, 1, 1, 1.2F, 0.9F, 1.1F}});
  return c;
}

}  // namespace cutis::test
