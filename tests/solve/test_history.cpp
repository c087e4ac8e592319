// Where a frame starts from: histories beside each other, seeking, states saved and restored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "cutis/bind.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "cutis/metrics.h"
#include "cutis/solve.h"
#include "solve/poses.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::largest_distance;
using test::pose_at;
using testing::HasSubstr;

SolveOptions tracking(bool contact_pass, History history = History::playback) {
  return {.method = Method::tracking, .tracking = {.history = history}, .contact_pass = contact_pass};
}

TEST(History, GoesOnWithTheSameBitsFromARestoredState) {
  const Context context;
  const Character c = load_character("builtin:hand", context);
  const auto rig = bind(c, context);
  const Clip& clip = c.clip("fist");
  const std::vector<double> times = sample_times(clip, 39, 30);  // 20 of them: closing
  for (const bool contact : {false, true}) {
    Solver solver(rig, tracking(contact), context), other(rig, tracking(contact), context);
    SolverState state;
    std::vector<Frame> first;
    for (std::size_t i = 0; i < 20; ++i) {
      first.push_back(solver.solve(sample(c.skeleton, clip, times[i])));
      if (i == 9) state = solver.save_state();
    }
    std::size_t touching = 0;
    solver.restore_state(state);
    other.restore_state(state);
    for (std::size_t i = 10; i < 20; ++i) {
      const Pose pose = sample(c.skeleton, clip, times[i]);
      const Frame& again = solver.solve(pose);
      EXPECT_EQ(again.positions, first[i].positions) << "contact pass " << contact << ", frame " << i;
      EXPECT_EQ(again.normals, first[i].normals) << "contact pass " << contact << ", frame " << i;
      EXPECT_EQ(again.report.contact.touching_vertices, first[i].report.contact.touching_vertices);
      EXPECT_EQ(other.solve(pose).positions, first[i].positions) << "in another solver, frame " << i;
      touching += again.report.states[static_cast<std::size_t>(VertexState::contact)];
    }
    EXPECT_GT(touching, 500U);  // there was something to remember
  }
}

TEST(History, RefusesStatesOfOtherSolvers) {
  const Context context;
  const Character c = load_character("builtin:cylinder", context);
  const auto rig = bind(c, context);
  Solver solver(rig, tracking(false), context);
  const auto refused = [&](const SolverState& state) {
    try {
      solver.restore_state(state);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused({}), HasSubstr("empty"));
  EXPECT_THAT(refused(Solver(rig, tracking(true), context).save_state()), HasSubstr("contact pass"));
  EXPECT_THAT(refused(Solver(rig, {.method = Method::dqs}, context).save_state()), HasSubstr("method"));
  EXPECT_THAT(refused(Solver(bind(c, context), tracking(false), context).save_state()), HasSubstr("rig"));
}

TEST(History, SeeksToTheSameFrameFromAnywhereAndGoesOnFromThere) {
  const Context context;
  const Character c = load_character("builtin:cylinder", context);
  const auto rig = bind(c, context);
  const Pose pose = pose_at(c, "bend", 0.4), next = pose_at(c, "bend", 0.42);
  for (const bool contact : {false, true}) {
    Solver fresh(rig, tracking(contact), context), used(rig, tracking(contact), context);
    (void)used.solve(pose_at(c, "bend", 0.5));
    (void)used.solve(pose_at(c, "twist", 0.3));
    EXPECT_EQ(fresh.seek(pose).positions, used.seek(pose).positions) << "contact pass " << contact;
    EXPECT_EQ(fresh.solve(next).positions, used.solve(next).positions) << "contact pass " << contact;
    if (contact) continue;
    Solver canonical(rig, tracking(false, History::canonical), context);
    EXPECT_EQ(canonical.solve(pose).positions, used.seek(pose).positions);
  }
}

// Frames that depend on their pose alone, with contact: intersecting pairs of a pose.
std::size_t pairs_alone(const Character& c, const char* clip, History history, const Context& context) {
  const auto rig = bind(c, context);
  const Metrics metrics(c, context, {.overlap = false});
  const Pose pose = pose_at(c, clip, 1), other = pose_at(c, clip, 0.6);
  Solver solver(rig, tracking(true, history), context);
  const Frame& frame = solver.solve(pose);
  const std::vector<Vec3f> alone = frame.positions;
  EXPECT_EQ(frame.report.contact.certified, history == History::canonical);
  solver.foresee(std::vector<Pose>{other, pose});
  (void)solver.solve(other);
  EXPECT_EQ(solver.solve(pose).positions, alone) << to_string(history);
  return *metrics.measure(alone).intersecting_pairs;
}

TEST(History, WithContactAFrameDependsOnItsPoseAlone) {
  const Context context;
  const Character c = load_character("builtin:cylinder", context);
  EXPECT_EQ(pairs_alone(c, "bend", History::canonical, context), 0U);
  (void)pairs_alone(c, "bend", History::stateless, context);
}

TEST(History, WithContactAFistIsClosedFromRestWithoutIntersections) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context;
  const Character c = load_character((test::shared_data() / "makehuman_male/makehuman_male.glb").string(), context);
  EXPECT_EQ(pairs_alone(c, "fist_l", History::canonical, context), 0U);
  EXPECT_LT(pairs_alone(c, "fist_l", History::stateless, context), 114U);  // a tenth of dual quaternions'
}

// Largest difference in frames of the first `share` of the clip in which nothing touches, metres.
double playback_against_canonical(const Character& c, const char* clip, double share, std::size_t least_frames) {
  const Context context;
  const auto rig = bind(c, context);
  Solver playback(rig, tracking(false), context), canonical(rig, tracking(false, History::canonical), context);
  const auto touching = [](const Frame& f) { return f.report.states[static_cast<std::size_t>(VertexState::contact)]; };
  double largest = 0;
  std::size_t frames = 0;
  for (int i = 0; i <= 12; ++i) {
    const Pose pose = pose_at(c, clip, share * i / 12);
    const Frame &a = playback.solve(pose), &b = canonical.solve(pose);
    if (touching(a) + touching(b) > 0 || a.report.active == 0) continue;
    ++frames;
    largest = std::max(largest, largest_distance(a.positions, b.positions));
  }
  EXPECT_GE(frames, least_frames) << "frames without contact";
  return largest;
}

TEST(History, DoesNotMatterBeforeContact) {
  const Context context;
  EXPECT_LT(playback_against_canonical(load_character("builtin:arm", context), "elbow", 0.15, 8), 2e-4 * 0.7813);
  EXPECT_LT(playback_against_canonical(load_character("builtin:cylinder", context), "bend", 0.1, 8), 2e-4 * 0.9);
}

TEST(History, DoesNotMatterBeforeContactOfARealElbow) {
  CUTIS_NEEDS_SHARED_DATA();
  const Character c = load_character((test::shared_data() / "makehuman_male/makehuman_male.glb").string(), Context());
  const double height = c.bounds().hi.y - c.bounds().lo.y;
  EXPECT_LT(playback_against_canonical(c, "elbow_l_0_150", 0.35, 3), 2e-4 * height);  // to 52 degrees
}

}  // namespace
}  // namespace cutis
