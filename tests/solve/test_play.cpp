// A clip, played: contact by default, the way between frames, and what is foreseen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cutis/bind.h"
#include "cutis/io.h"
#include "cutis/play.h"
#include "solve/poses.h"
#include "support/support.h"

namespace cutis {
namespace {

TEST(WithContact, IsTrueOfTrackingOnItsOwnSideUnlessSaidOtherwise) {
  EXPECT_TRUE(with_contact({}));
  EXPECT_TRUE(with_contact({.tracking = {.history = History::canonical}}));
  EXPECT_FALSE(with_contact({.tracking = {.contact = ContactModel::composed}}));
  EXPECT_FALSE(with_contact({.contact_pass = false}));
  for (const Method method : {Method::lbs, Method::dqs, Method::implicit}) {
    EXPECT_FALSE(with_contact({.method = method})) << to_string(method);
    EXPECT_TRUE(with_contact({.method = method, .contact_pass = true})) << to_string(method);
  }
  EXPECT_FALSE(needs_skin(SolveOptions{.method = Method::dqs}));
  EXPECT_TRUE(needs_skin(SolveOptions{.method = Method::dqs, .contact_pass = true}));
}

TEST(Solver, TouchesByDefault) {
  const Context context;
  const Character c = load_character("builtin:arm", context);
  Solver solver(bind(c, context), {}, context);
  EXPECT_FALSE(solver.solve(test::pose_at(c, "elbow", 0.2)).contact.empty());
}

TEST(Play, ShowsTheSameFrameHoweverManyAreShown) {
  const Context context;
  const Character c = load_character("builtin:arm", context);
  const Clip& clip = c.clip("elbow");
  const auto rig = bind(c, context);
  const std::vector<double> all = sample_times(clip, 0, 30);
  const std::size_t last = 12;
  ASSERT_GT(all.size(), last);
  std::vector<Vec3f> dense, sparse;
  play(c, rig, {clip, {all.begin(), all.begin() + last + 1}}, {}, context,
       [&](std::size_t, const Frame& frame) { dense = frame.positions; });
  const PlayReport report = play(c, rig, {clip, {all[0], all[last]}}, {}, context,
                                 [&](std::size_t, const Frame& frame) { sparse = frame.positions; });
  EXPECT_EQ(report.frames, 2U);
  EXPECT_LT(test::largest_distance(dense, sparse), 1e-4 * diagonal(c.bounds()));
}

TEST(Play, GoesTheWayBetweenFramesOnlyWhereFramesDependOnEarlierOnes) {
  const Context context;
  const Character c = load_character("builtin:arm", context);
  const Clip& clip = c.clip("elbow");
  const Motion motion{clip, {clip.start(), clip.start() + 0.5}};
  EXPECT_EQ(poses_before(c, motion, 0, {}).size(), 0U);
  EXPECT_EQ(poses_before(c, motion, 1, {}).size(), 14U);
  EXPECT_EQ(poses_before(c, {clip, {clip.start() + 0.5}}, 0, {}).size(), 15U);
  EXPECT_EQ(foreseen_poses(c, motion).size(), 16U);
  EXPECT_EQ(poses_before(c, motion, 1, {.method = Method::dqs}).size(), 0U);
  EXPECT_EQ(poses_before(c, motion, 1, {.method = Method::dqs, .contact_pass = true}).size(), 14U);
  for (const History history : {History::stateless, History::canonical})
    EXPECT_EQ(poses_before(c, motion, 1, {.tracking = {.history = history}}).size(), 0U);
}

}  // namespace
}  // namespace cutis
