// Limits that help: targets within them are reached from any side, others are told with the limit that stops them.
#include "volume/reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/math.h"
#include "cutis/cutis.h"
#include "support/support.h"
#include "volume/marker_map.h"

namespace cutis {
namespace {

struct Reach : testing::Test {
  const Context context{1};
  const Character character = load_character("builtin:human", context);
  const DrivenSkeleton skeleton = make_driven_skeleton(character);
  const JointLimits limits = human_limits(character.skeleton, skeleton);
  const double size = diagonal(character.bounds());
  std::vector<BoneMarker> markers;
  std::vector<Vec3d> targets;

  [[nodiscard]] int bone(const std::string& name) const {
    return skeleton.bone_of_joint[static_cast<std::size_t>(character.skeleton.find(name))];
  }
  [[nodiscard]] Vec3d rest(const std::string& name) const {
    return skeleton.bones[static_cast<std::size_t>(bone(name))].rest;
  }
  void add(const std::string& name, const Vec3d& target) {
    markers.push_back({bone(name), {}});
    targets.push_back(target);
  }
  void add(const std::string& name) { add(name, rest(name)); }
  [[nodiscard]] JointLimits::Angles angles(const BonePose& pose, const std::string& name) const {
    const auto b = static_cast<std::size_t>(bone(name));
    const auto p = static_cast<std::size_t>(skeleton.bones[b].parent);
    return JointLimits::angles(*limits.of(bone(name)), conjugate(pose.rotation[p]) * pose.rotation[b]);
  }
  void expect_within_limits(const BonePose& pose) const {
    for (std::size_t b = 0; b < skeleton.bones.size(); ++b) {
      const auto& limit = limits.of(static_cast<int>(b));
      if (!limit || skeleton.bones[b].parent < 0) continue;
      const auto p = static_cast<std::size_t>(skeleton.bones[b].parent);
      const auto now = JointLimits::angles(*limit, conjugate(pose.rotation[p]) * pose.rotation[b]);
      const auto in = JointLimits::clamped(*limit, now);
      EXPECT_NEAR(now.flexion, in.flexion, 1e-6) << b;
      EXPECT_NEAR(now.sideways, in.sideways, 1e-6) << b;
      EXPECT_NEAR(now.twist, in.twist, 1e-6) << b;
    }
  }
};

// The straight knee stands at the end of its range, and a foot drawn straight up says nothing about which way to bend.
TEST_F(Reach, AFootDrawnStraightUpBendsTheKneeTheRightWay) {
  for (const double up : {0.15, 0.3, 0.5}) {
    markers.clear();
    targets.clear();
    for (const char* name : {"hips", "head", "foot_r"}) add(name);
    add("foot_l", rest("foot_l") + Vec3d{0, up, 0});
    ReachFit reach(skeleton, limits, size, markers);
    BonePose pose = rest_bone_pose(skeleton);
    const std::vector<double> sure(markers.size(), 1.0);
    reach.fit(targets, sure, pose);
    EXPECT_TRUE(reach.is_edit());
    EXPECT_THAT(reach.missed(targets, sure, pose), testing::IsEmpty()) << up;
    EXPECT_GT(angles(pose, "shin_l").flexion, 0.3) << up;
    expect_within_limits(pose);
  }
}

TEST_F(Reach, FigureSixIsReachedInEveryFrame) {
  const MarkerTake take =
      load_take((test::project() / "scripts" / "gallery" / "targets" / "reach.json").string(), context);
  for (const std::string& name : take.names) markers.push_back({bone(name), {}});
  ReachFit reach(skeleton, limits, size, markers);
  BonePose pose = rest_bone_pose(skeleton);
  const std::vector<double> sure(markers.size(), 1.0);
  for (std::size_t f = 0; f < take.frames; ++f) {
    targets.clear();
    for (std::size_t m = 0; m < markers.size(); ++m) targets.push_back(take.at(f, m));
    reach.fit(targets, sure, pose);
    for (std::size_t m = 0; m < markers.size(); ++m)
      EXPECT_LT(distance(markers[m].at(pose), targets[m]), 0.01) << take.names[m] << ", frame " << f;
    expect_within_limits(pose);
  }
}

TEST_F(Reach, ATargetAgainstALimitIsToldWithTheLimitThatStopsIt) {
  // Thigh and hips in place, the foot before the knee: the knee would have to bend forwards.
  for (const char* name : {"hips", "head", "thigh_l", "shin_l", "thigh_r", "shin_r", "foot_r"}) add(name);
  const std::size_t foot = markers.size();
  add("foot_l", rest("foot_l") + Vec3d{0, 0.1, 0.3});
  ReachFit reach(skeleton, limits, size, markers);
  BonePose pose = rest_bone_pose(skeleton);
  const std::vector<double> sure(markers.size(), 1.0);
  reach.fit(targets, sure, pose);
  expect_within_limits(pose);
  const std::vector<Missed> missed = reach.missed(targets, sure, pose);
  ASSERT_FALSE(missed.empty());
  const auto of_foot = std::find_if(missed.begin(), missed.end(), [&](const Missed& m) { return m.marker == foot; });
  ASSERT_NE(of_foot, missed.end());
  EXPECT_GT(of_foot->distance, 0.02);
  ASSERT_TRUE(of_foot->held.has_value());
  // The leg rolls as far as it may, then the knee stops it.
  EXPECT_EQ(of_foot->held->bone, bone("shin_l"));
  const JointLimit& limit = *limits.of(bone("shin_l"));
  const auto now = angles(pose, "shin_l");
  const auto [range, angle] = of_foot->held->which == HeldAngle::Which::flexion ? std::pair{limit.flexion, now.flexion}
                              : of_foot->held->which == HeldAngle::Which::sideways
                                  ? std::pair{limit.sideways, now.sideways}
                                  : std::pair{limit.twist, now.twist};
  EXPECT_NEAR(angle, of_foot->held->at_high ? range.high : range.low, 0.3 * kPi / 180);
}

TEST_F(Reach, ATargetBeyondTheArmIsMissedByWhatTheArmLacksAndNoLimitIsBlamed) {
  for (const char* name : {"hips", "head", "foot_l", "foot_r", "upper_arm_l", "upper_arm_r"}) add(name);
  const std::size_t hand = markers.size();
  add("hand_l", rest("hand_l") + Vec3d{0.4, 0, 0});
  ReachFit reach(skeleton, limits, size, markers);
  BonePose pose = rest_bone_pose(skeleton);
  const std::vector<double> sure(markers.size(), 1.0);
  reach.fit(targets, sure, pose);
  const std::vector<Missed> missed = reach.missed(targets, sure, pose);
  const auto of_hand = std::find_if(missed.begin(), missed.end(), [&](const Missed& m) { return m.marker == hand; });
  ASSERT_NE(of_hand, missed.end());
  EXPECT_GT(of_hand->distance, 0.05);
}

}  // namespace
}  // namespace cutis
