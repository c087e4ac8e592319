#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "relief/relief.h"
#include "support/support.h"

namespace cutis {
namespace {

// A thick ball, an arm of two links that hangs on it, and a thin ball as a hand. Poses swing the arm into the thick
// one.
class ReliefTest : public testing::Test {
 protected:
  ReliefTest() {
    add({0, 0, 0}, 1.0F, -1, {0, 0, 0});
    add({0, 3, 0}, 0.3F, 0, {0, 2, 0});
    add({3, 3, 0}, 0.3F, 1, {2, 3, 0});
  }
  void add(const Vec3d& at, float r, int parent_part, const Vec3d& joint) {
    for (const Vec3f& p : test::make_sphere(r, 10, 12).positions) {
      rest.push_back(p + static_cast<Vec3f>(at));
      part.push_back(static_cast<std::uint32_t>(radius.size()));
    }
    center.push_back(at);
    pivot.push_back(joint);
    radius.push_back(r);
    parent.push_back(parent_part);
  }
  [[nodiscard]] Relief make(const ReliefOptions& options = {.follow = 1}) const {
    return Relief({rest, part, radius, parent, pivot, joined}, options,
                  [c = center, r = radius](std::size_t p, const Vec3d& x, double& d, Vec3d& gradient) {
                    d = distance(x, c[p]) - r[p];
                    gradient = normalized(x - c[p]);
                    return true;
                  });
  }
  /// The thin ball's centre at `x`, 0, 0: the hand turned about its joint, which is moved to where that fits.
  [[nodiscard]] std::vector<Affine3d> thin_at(double x) const {
    std::vector<Affine3d> motion(3);
    const Quatd turn = axis_angle(Vec3d{0, 0, 1}, -kPi / 2);
    motion[2].linear = to_matrix(turn);
    motion[2].translation = Vec3d{x, 0, 0} - rotate(turn, center[2]);
    return motion;
  }
  /// The centre of the thin ball after relief.
  [[nodiscard]] Vec3d relieved(std::span<const Quatd> turn, const std::vector<Affine3d>& motion) const {
    Vec3d p = transform_point(motion[2], center[2]);
    for (const std::size_t j : {2U, 1U, 0U}) {
      const Vec3d joint = transform_point(motion[j], pivot[j]);
      p = rotate(turn[j], p - joint) + joint;
    }
    return p;
  }
  static void expect_none(std::span<const Quatd> turns) {
    for (const Quatd& q : turns) EXPECT_EQ(q.w, 1);
  }

  std::vector<Vec3f> rest;
  std::vector<std::uint32_t> part;
  std::vector<float> radius;
  std::vector<int> parent;
  std::vector<Vec3d> center, pivot;
  std::vector<char> joined;
};

TEST_F(ReliefTest, APoseInWhichNothingMeetsIsLeftExactlyAsItIs) {
  Relief relief = make();
  expect_none(relief.update(thin_at(1.35)));
  EXPECT_TRUE(relief.report().overlaps.empty());
  EXPECT_TRUE(relief.report().bones.empty());
}

TEST_F(ReliefTest, AThinPartDrivenIntoAThickOneIsTurnedOutOfIt) {
  Relief relief = make({.cap = 1, .follow = 1});
  const std::vector<Affine3d> motion = thin_at(0.9);  // 0.4 deep
  const auto turn = relief.update(motion);
  EXPECT_EQ(turn[0].w, 1) << "the body stays";
  EXPECT_GT(length(relieved(turn, motion)), 1.3 - 0.12 - 0.03) << "no deeper than allowed";
  ASSERT_EQ(relief.report().overlaps.size(), 1U);
  EXPECT_NEAR(relief.report().overlaps[0].depth, 0.4, 0.03);
  EXPECT_LT(relief.report().overlaps[0].left, 0.16);
}

TEST_F(ReliefTest, SlowsPartsDownGentlyWhereTheyMeet) {
  // The hand goes in at an even pace: how far it is turned out must begin without a kink.
  Relief relief = make({.cap = 1, .fade = 0, .follow = 1});
  double last = 0, before_last = 0, most = 0;
  for (int frame = 0; frame < 40; ++frame) {
    const std::vector<Affine3d> motion = thin_at(1.35 - 0.01 * frame);
    const double out = length(relieved(relief.update(motion), motion)) - (1.35 - 0.01 * frame);
    most = std::max(most, std::abs(out - 2 * last + before_last));
    before_last = last;
    last = out;
  }
  EXPECT_GT(last, 0.1);
  EXPECT_LT(most, 0.006) << "of 0.01 that it goes in a frame";
}

TEST_F(ReliefTest, FollowsOnlyByAndBy) {
  Relief at_once = make({.cap = 1, .follow = 1}), later = make({.cap = 1});
  static_cast<void>(at_once.update(thin_at(1.5)));
  static_cast<void>(later.update(thin_at(1.5)));
  const std::vector<Affine3d> motion = thin_at(0.9);
  const double wanted = length(relieved(at_once.update(motion), motion)) - 0.9;
  EXPECT_LT(length(relieved(later.update(motion), motion)) - 0.9, 0.5 * wanted);
  double now = 0;
  for (int frame = 0; frame < 20; ++frame) now = length(relieved(later.update(motion), motion)) - 0.9;
  EXPECT_GT(now, 0.9 * wanted);
}

TEST_F(ReliefTest, NoJointMovesSkinBeyondTheCapAndTheReportSaysSo) {
  Relief relief = make({.cap = 0.01, .follow = 1});
  const auto turn = relief.update(thin_at(0.5));
  Box box;
  for (const Vec3f& p : rest) box.add(static_cast<Vec3d>(p));
  for (std::size_t p = 1; p < 3; ++p) {
    const double angle = 2 * std::acos(std::min(1.0, turn[p].w));
    EXPECT_LE(angle * (p == 2 ? 1.3 : 3.0), 0.011 * diagonal(box));
  }
  ASSERT_FALSE(relief.report().overlaps.empty());
  EXPECT_TRUE(relief.report().overlaps[0].capped);
}

TEST_F(ReliefTest, NeighboursOnTheSkeletonAndJoinedPartsAreNeverRelieved) {
  Relief relief = make();
  std::vector<Affine3d> motion(3);
  motion[1].translation = Vec3d{0, -2.5, 0};  // the link deep in its own parent
  expect_none(relief.update(motion));
  joined.assign(9, 0);
  joined[2] = joined[6] = 1;
  Relief of_one_surface = make();
  expect_none(of_one_surface.update(thin_at(0.9)));
}

// From half-way through the thick ball, off to the side that its skin says, the hand is turned out of it altogether.
TEST_F(ReliefTest, LimbsWhoseSkinsMeetAreOpened) {
  Relief relief = make();
  const std::vector<Affine3d> motion = thin_at(0.4);
  (void)relief.update(motion);
  const ReliefState before = relief.save_state();
  const SkinMeeting meeting{0, 2, {0.5, 0, 0}, {-2, 0, 0}};  // the ball to the left, the hand to the right
  const auto turn = relief.open(motion, {&meeting, 1}, 1.5);
  ASSERT_EQ(turn.size(), 3U);
  EXPECT_EQ(turn[0].w, 1) << "the body stays";
  EXPECT_GT(length(relieved(turn, motion)), 1.3);
  EXPECT_GT(relieved(turn, motion).x, 0.4 + 0.9 * 1.5 * 0.3);
  const ReliefState after = relief.save_state();
  EXPECT_EQ(before.direction, after.direction);
  for (std::size_t p = 0; p < 3; ++p) EXPECT_EQ(before.turn[p].w, after.turn[p].w);
  EXPECT_FALSE(relief.report().overlaps.empty()) << "what was reported stays";

  // The other way, and skin that says nothing.
  const SkinMeeting back{0, 2, {0.5, 0, 0}, {2, 0, 0}}, none{0, 2, {0.5, 0, 0}, {}}, itself{2, 2, {}, {1, 0, 0}};
  EXPECT_LT(relieved(relief.open(motion, {&back, 1}, 1.5), motion).x, 0.4 - 0.9 * 1.5 * 0.3);
  EXPECT_TRUE(relief.open(motion, {&none, 1}, 1.5).empty());
  EXPECT_TRUE(relief.open(motion, {&itself, 1}, 1.5).empty());
  EXPECT_TRUE(relief.open(motion, {}, 1.5).empty());
}

TEST_F(ReliefTest, TurnsFadeWhenThePoseIsFreeAgain) {
  Relief relief = make({.cap = 1, .follow = 1});
  double last = length(relieved(relief.update(thin_at(0.9)), thin_at(3)) - Vec3d{3, 0, 0});
  EXPECT_GT(last, 0.1);
  for (int frame = 0; frame < 80; ++frame) {
    const double now = length(relieved(relief.update(thin_at(3)), thin_at(3)) - Vec3d{3, 0, 0});
    EXPECT_LE(now, last + 1e-12);
    EXPECT_GT(now + 0.15 * last + 0.02, last) << "without a jump";
    last = now;
  }
  expect_none(relief.update(thin_at(3)));
}

TEST_F(ReliefTest, PartsThatOverlapAtRestMayGoOnDoingSo) {
  center[2] = {1.1, 0, 0};
  for (std::size_t v = 0; v < rest.size(); ++v)
    if (part[v] == 2) rest[v] += Vec3f{-1.9F, -3, 0};
  Relief relief = make();
  expect_none(relief.update(std::vector<Affine3d>(3)));
}

TEST_F(ReliefTest, MotionsThatAreNotFiniteOrFlatAreLeftOut) {
  Relief relief = make();
  std::vector<Affine3d> motion = thin_at(0.9);
  motion[2].translation.x = std::nan("");
  expect_none(relief.update(motion));
  motion = thin_at(0.9);
  motion[0].linear = {{Vec3d{}, Vec3d{}, Vec3d{}}};
  expect_none(relief.update(motion));
}

// The hand from one side of the thick ball to the other, through its middle, and there it stays for a while.
class ReliefPlanTest : public ReliefTest {
 protected:
  ReliefPlanTest() {
    for (int i = 0; i <= 120; ++i) {
      times.push_back(i / 30.0);
      motions.push_back(thin_at(std::clamp(6 - 0.1 * i, -4.0, 4.0)));
    }
  }
  std::vector<std::vector<Affine3d>> motions;
  std::vector<double> times;
};

TEST_F(ReliefPlanTest, AHandThatPassesThroughAThingGoesAroundIt) {
  Relief relief = make({.cap = 1}), blind = make({.cap = 1});
  relief.plan(motions, times);
  double deepest = 0, blindly = 0, most_step = 0;
  Vec3d last;
  for (std::size_t f = 0; f < times.size(); ++f) {
    const Vec3d p = relieved(relief.update_planned(motions[f], times[f]), motions[f]);
    deepest = std::max(deepest, 1.3 - length(p));
    blindly = std::max(blindly, 1.3 - length(relieved(blind.update(motions[f]), motions[f])));
    if (f > 0) most_step = std::max(most_step, distance(p, last));
    last = p;
  }
  EXPECT_GT(blindly, 0.6) << "whoever cannot look ahead is pushed back, and then passes through";
  EXPECT_LT(deepest, 0.3);
  EXPECT_LT(most_step, 0.3) << "of 0.1 that it goes in a frame: around, not from one side to the other at once";
}

TEST_F(ReliefPlanTest, TurnsBeginBeforeContactAndAreNoneFarFromIt) {
  Relief relief = make({.cap = 1});
  relief.plan(motions, times);
  expect_none(relief.update_planned(motions[10], times[10]));
  expect_none(relief.update_planned(motions[120], times[120]));
  // At frame 46 the hand is at 1.4: not yet in touch.
  const Vec3d p = relieved(relief.update_planned(motions[46], times[46]), motions[46]);
  EXPECT_GT(distance(p, transform_point(motions[46][2], center[2])), 0.1);
}

TEST_F(ReliefPlanTest, ATurnBetweenTwoPosesOfThePlanIsBetweenTheirTurns) {
  Relief relief = make({.cap = 1});
  relief.plan(motions, times);
  const Quatd a = relief.update_planned(motions[50], times[50])[2],
              b = relief.update_planned(motions[51], times[51])[2];
  const Quatd middle = relief.update_planned(motions[50], 0.5 * (times[50] + times[51]))[2];
  EXPECT_NEAR(std::abs(dot(middle, slerp(a, b, 0.5))), 1, 1e-6);
}

TEST_F(ReliefPlanTest, AHandThatComesAndGoesIsNotSentAround) {
  for (std::size_t f = 0; f < times.size(); ++f)
    motions[f] = thin_at(0.9 + std::abs(0.1 * (static_cast<double>(f) - 60)));
  Relief relief = make({.cap = 1});
  relief.plan(motions, times);
  const Vec3d p = relieved(relief.update_planned(motions[60], times[60]), motions[60]);
  EXPECT_GT(p.x, 1) << "back to where it came from";
  EXPECT_LT(std::abs(p.z), 0.2);
}

TEST_F(ReliefPlanTest, WhatBrushesPastFastIsKeptClear) {
  // No deeper than skin may give way, along the side of the thick ball.
  const auto deepest = [&](double speed) {
    for (std::size_t f = 0; f < times.size(); ++f) {
      motions[f] = thin_at(1.2);
      motions[f][2].translation.z += std::clamp(speed * (static_cast<double>(f) - 60), -3.0, 3.0);
    }
    Relief relief = make({.cap = 1});
    relief.plan(motions, times);
    double deep = 0;
    for (std::size_t f = 0; f < times.size(); ++f)
      deep = std::max(deep, 1.3 - length(relieved(relief.update_planned(motions[f], times[f]), motions[f])));
    return deep;
  };
  EXPECT_GT(deepest(0.05), 0.05) << "a sixth of its radius in a frame";
  EXPECT_LT(deepest(0.6), 0.02) << "twice its radius";
}

// From one side of the thick ball to another within a frame: turns that are smooth over time are right for neither.
TEST_F(ReliefPlanTest, ASwingThatIsFasterThanAnySmoothTurnIsTurnedPoseByPose) {
  const auto deepest = [&](double speed) {
    const Vec3d sides[] = {{0.9, 0, 0}, {-0.25, 0.86, 0}, {0, -0.5, 0.75}};
    for (std::size_t f = 0; f < times.size(); ++f) {
      motions[f] = thin_at(0);
      const double away = speed * std::max(0.0, std::abs(static_cast<double>(f) - 61) - 1);
      motions[f][2].translation += sides[f % 3] + Vec3d{0, 0, f < 61 ? away : -away};
    }
    Relief relief = make({.cap = 1});
    relief.plan(motions, times);
    double deep = 0;
    for (const std::size_t f : {60U, 61U, 62U})
      deep = std::max(deep, 1.3 - length(relieved(relief.update_planned(motions[f], times[f]), motions[f])));
    return deep;
  };
  EXPECT_LT(deepest(2), 0.06) << "0.12 by a smooth plan alone";
}

// Takes begin in a T-pose and are in the middle of the motion one pose later.
TEST_F(ReliefPlanTest, APoseFarFromTheNextIsNotTurnedForWhatThatOneMeets) {
  const auto off_pose = [&](double start, std::size_t poses) {
    for (std::size_t f = 0; f < times.size(); ++f) {
      const double t = std::min(1.0, static_cast<double>(f) / static_cast<double>(poses));
      motions[f] = thin_at(start + (0.9 - start) * t);
    }
    Relief relief = make({.cap = 1});
    relief.plan(motions, times);
    const std::size_t before = poses - 1;
    return distance(relieved(relief.update_planned(motions[before], times[before]), motions[before]),
                    transform_point(motions[before][2], center[2]));
  };
  EXPECT_LT(off_pose(5, 1), 0.01) << "it jumps by 14 of its radii: 0.47 by a plan that is smooth over time alone";
  EXPECT_GT(off_pose(2.4, 60), 0.1) << "it comes slowly, and turns before it is there";
}

// A limb that swings fast passes all places between, and is turned as smoothly as a slow one.
TEST_F(ReliefPlanTest, ASwingOfSomePosesOnEndIsTurnedSmoothly) {
  for (std::size_t f = 0; f < times.size(); ++f) {
    motions[f] = thin_at(0.95);
    motions[f][2].translation.z += std::clamp(0.9 * (static_cast<double>(f) - 60), -6.0, 6.0);
  }
  Relief relief = make({.cap = 1});
  relief.plan(motions, times);
  const auto turned = [&](std::size_t f) {
    return relieved(relief.update_planned(motions[f], times[f]), motions[f]) -
           transform_point(motions[f][2], center[2]);
  };
  EXPECT_GT(length(turned(60)), 0.2) << "it goes around";
  double sharpest = 0;  // of the change of speed
  for (std::size_t f = 1; f + 1 < times.size(); ++f)
    sharpest = std::max(sharpest, length(turned(f + 1) - turned(f) * 2 + turned(f - 1)));
  EXPECT_LT(sharpest, 0.15) << "0.22 where poses of a swing are as far apart in time as those around a cut";
}

TEST_F(ReliefPlanTest, WithoutPosesThereIsNoPlan) {
  Relief relief = make();
  relief.plan(motions, times);
  EXPECT_TRUE(relief.planned());
  relief.plan({}, {});
  EXPECT_FALSE(relief.planned());
}

}  // namespace
}  // namespace cutis
