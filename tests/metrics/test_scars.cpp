// Edges that a method bends and dual quaternions do not; what a second run of a motion tells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "cutis/bind.h"
#include "cutis/io.h"
#include "cutis/second_runs.h"
#include "metrics_support.h"

namespace cutis {
namespace {

using test::bent;
using test::character_of;
using test::make_grid;
using test::Surface;
using testing::HasSubstr;

double degrees(double angle) { return angle * kPi / 180; }

TEST(Scars, AreEdgesBentBeyondFortyDegreesAndTwiceAsFarAsDqs) {
  const Surface strip = make_grid(6, 4, 1);  // the crease has four edges
  const Context context(1);
  const Metrics metrics(character_of(strip), context, {.overlap = false, .per_vertex = true});
  const auto scars = [&](double method, double dqs) {
    return *metrics
                .measure(bent(strip.positions, 0.5F, degrees(method)), {}, {},
                         bent(strip.positions, 0.5F, degrees(dqs)))
                .scars;
  };
  EXPECT_EQ(metrics.rest().scars, 0U);
  EXPECT_EQ(scars(41, 0), 4U);
  EXPECT_EQ(scars(-41, 0), 4U);
  EXPECT_EQ(scars(39, 0), 0U) << "hardly bent";
  EXPECT_EQ(scars(60, 29), 4U);
  EXPECT_EQ(scars(60, 31), 0U) << "the pose bends it";
  EXPECT_EQ(scars(0, 60), 0U) << "a crease of DQS is no scar of the method";
  const FrameMetrics m = metrics.measure(bent(strip.positions, 0.5F, degrees(60)), {}, {}, strip.positions);
  for (std::size_t v = 0; v < strip.positions.size(); ++v)
    EXPECT_EQ(m.vertex_scars[v] != 0, std::abs(strip.positions[v].x - 0.5F) < 0.01F) << v;
  EXPECT_FALSE(metrics.measure(strip.positions).scars) << "nobody said what DQS does";
  EXPECT_THAT(test::error_of([&] { (void)metrics.measure(strip.positions, {}, {}, std::vector<Vec3f>(3)); }),
              HasSubstr("3 positions of dual quaternions"));
}

TEST(Scars, DoNotCountWhereSkinTouches) {
  const Surface strip = make_grid(10, 4, 1);
  const Context context(1);
  const Metrics metrics(character_of(strip), context, {.intersections = false, .overlap = false});
  const std::vector<Vec3f> pose = bent(strip.positions, 0.5F, 1.0);
  std::vector<std::uint8_t> touching(strip.positions.size(), 0);
  EXPECT_EQ(metrics.measure(pose, {}, touching, strip.positions).scars, 4U);
  for (std::size_t v = 0; v < touching.size(); ++v) touching[v] = std::abs(strip.positions[v].x - 0.3F) < 0.01F;
  EXPECT_EQ(metrics.measure(pose, {}, touching, strip.positions).scars, 0U);
  EXPECT_FALSE(metrics.measure(pose, {}, {}, strip.positions).scars) << "nobody looked for contact";
}

TEST(Difference, IsInPerCentOfTheHeightAndLeavesOutWhatIsMarked) {
  const Surface strip = make_grid(10, 1, 1);  // from 0 to 1 along x, columns 0.1 apart
  const Context context(1);
  const Metrics metrics(character_of(strip), context, {.intersections = false, .overlap = false});
  EXPECT_NEAR(metrics.height(), 1, 1e-6);
  std::vector<Vec3f> moved = strip.positions;
  for (Vec3f& p : moved) p.z += 0.01F * p.x;
  EXPECT_NEAR(metrics.difference(strip.positions, moved).worst, 1, 1e-4);
  // Columns from 0.7 on are within three edges of the last one.
  std::vector<std::uint8_t> marks(moved.size(), 0);
  for (std::size_t v = 0; v < marks.size(); ++v) marks[v] = strip.positions[v].x > 0.95F;
  const ShapeDifference rest = metrics.difference(strip.positions, moved, metrics.within_edges(marks, 3));
  EXPECT_NEAR(rest.worst, 0.6, 1e-4);
  for (std::size_t v = 0; v < marks.size(); ++v)
    EXPECT_NEAR(rest.vertex[v], strip.positions[v].x > 0.65F ? 0 : strip.positions[v].x, 1e-4) << v;
}

// A built-in cylinder that bends, and all that a second run needs.
struct Bend {
  Context context{1};
  Character character = load_character("builtin:cylinder", context);
  std::shared_ptr<const Rig> rig = bind(character, context);
  Metrics metrics{character, context, {.intersections = false, .overlap = false}};
  [[nodiscard]] Pose pose(double time) const { return sample(character.skeleton, character.clip("bend"), time); }
};

TEST(SecondRuns, SeeWhatAContactPassDoesAndWhatAFrameRemembers) {
  const Bend bend;
  const SolveOptions options;
  Solver solver(bend.rig, options, bend.context);
  SecondRuns second(bend.rig, options, parse_also("untouched,memory"), bend.context);
  // At rest both are 0 to the last bit.
  second.solve(bend.pose(0), solver.solve(bend.pose(0)), bend.metrics);
  ASSERT_TRUE(second.untouched() && second.memory());
  EXPECT_EQ(second.untouched()->worst, 0);
  EXPECT_EQ(second.memory()->worst, 0);
  // A frame that is not the solver's: a hundredth of the height aside.
  Frame other = solver.solve(bend.pose(0.2));
  SecondRuns apart(bend.rig, options, parse_also("untouched,memory"), bend.context);
  const auto aside = [&](const Frame& frame) {
    Frame moved = frame;
    for (Vec3f& p : moved.positions) p.x += static_cast<float>(0.01 * bend.metrics.height());
    return moved;
  };
  apart.solve(bend.pose(0), aside(Solver(bend.rig, options, bend.context).solve(bend.pose(0))), bend.metrics);
  EXPECT_NEAR(apart.untouched()->worst, 1, 1e-3);
  EXPECT_NEAR(apart.memory()->worst, 1, 1e-3);
  // What is held, and what is near it, is left out of the one; then the other has no meaning.
  Frame held = aside(solver.solve(bend.pose(0.2)));
  for (SkinContact& c : held.contact) c.touch = 1;
  apart.solve(bend.pose(0.2), held, bend.metrics);
  EXPECT_EQ(apart.untouched()->worst, 0);
  EXPECT_FALSE(apart.memory());
  // Bones that relief moved are another pose.
  other.report.contact.relief.push_back({.joint = 1, .offset = {0, 1, 0}});
  apart.solve(bend.pose(0.2), other, bend.metrics);
  EXPECT_FALSE(apart.untouched() || apart.memory());
  // Methods without a pass, and without a history, have neither.
  SecondRuns none(bend.rig, {.method = Method::dqs}, parse_also("untouched,memory"), bend.context);
  none.solve(bend.pose(0.2), other, bend.metrics);
  EXPECT_FALSE(none.untouched() || none.memory());
  EXPECT_THAT(test::error_of([] { (void)parse_also("untouched,fun"); }), HasSubstr("untouched, memory, settled"));
}

TEST(Settled, IsWhatIsLeftTwoFramesAfterTheWayBack) {
  const Bend bend;
  const SolveOptions dqs{.method = Method::dqs};
  Solver solver(bend.rig, dqs, bend.context);
  const Pose from = bend.pose(1.0);  // bent by 150 degrees
  const std::vector<Pose> way = poses_back_to_rest(bend.character.skeleton, from);
  EXPECT_EQ(way.size(), 17U) << "ten degrees a frame, then two";
  EXPECT_EQ(poses_back_to_rest(bend.character.skeleton, default_pose(bend.character.skeleton)).size(), 2U);
  EXPECT_EQ(bend.metrics.distance_to_rest(solver.solve(way[14]).positions).max, 0);
  EXPECT_GT(bend.metrics.distance_to_rest(solver.solve(way[13]).positions).max, 0.01);

  const auto left = settle(solver, bend.rig, dqs, bend.character.skeleton, from, bend.metrics, bend.context);
  ASSERT_EQ(left.size(), 3U);
  for (const ShapeDifference& d : left) EXPECT_EQ(d.worst, 0) << "no history";
  // A skin that does not come back: that of a character a hundredth of the height aside.
  Character aside = bend.character;
  for (Vec3f& p : aside.meshes[0].positions) p.x += static_cast<float>(0.01 * bend.metrics.height());
  Solver other(bind(aside, bend.context), dqs, bend.context);
  const auto off = settle(other, bend.rig, dqs, bend.character.skeleton, from, bend.metrics, bend.context);
  EXPECT_NEAR(off.back().worst, 1, 1e-3);
}

}  // namespace
}  // namespace cutis
