#include "volume/joint_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/math.h"
#include "base/tree.h"
#include "cutis/cutis.h"
#include "support/support.h"
#include "volume/marker_support.h"

namespace cutis {
namespace {

using testing::HasSubstr;
constexpr double kDegree = kPi / 180;

TEST(JointLimits, AnglesAndRotationsRoundTrip) {
  JointLimit limit;
  limit.along = normalized(Vec3d{0.2, -1, 0.1});
  limit.hinge = any_perpendicular(limit.along);
  for (const auto& a : {JointLimits::Angles{0.3, -0.2, 0.5}, {-1.2, 0.4, -2.0}, {2.5, 0, 0}, {0, 0, 0}}) {
    const auto b = JointLimits::angles(limit, JointLimits::rotation(limit, a));
    EXPECT_NEAR(a.flexion, b.flexion, 1e-9);
    EXPECT_NEAR(a.sideways, b.sideways, 1e-9);
    EXPECT_NEAR(a.twist, b.twist, 1e-9);
  }
}

struct LimitsOfAHuman : testing::Test {
  const Context context{2};
  const Character character = load_character("builtin:human", context);
  const DrivenSkeleton skeleton = make_driven_skeleton(character);
  [[nodiscard]] int bone(const char* name) const {
    return skeleton.bone_of_joint[static_cast<std::size_t>(character.skeleton.find(name))];
  }
};

TEST_F(LimitsOfAHuman, ElbowsAndKneesBendOneWayOnly) {
  const JointLimits limits = human_limits(character.skeleton, skeleton);
  for (const char* name : {"forearm_l", "forearm_r", "shin_l", "shin_r"}) {
    const auto& limit = limits.of(bone(name));
    ASSERT_TRUE(limit.has_value()) << name;
    BonePose pose = rest_bone_pose(skeleton);
    const auto b = static_cast<std::size_t>(bone(name));
    // Bent as a person bends: untouched. The other way: back to almost straight.
    const auto bend = [&](double angle) {
      for (std::size_t k = 0; k < skeleton.bones.size(); ++k)
        if (hangs_on(skeleton.bones, static_cast<int>(k), static_cast<int>(b)))
          pose.rotation[k] = axis_angle(limit->hinge, angle);
    };
    bend(1.2);
    EXPECT_EQ(limits.apply(skeleton, pose), 0U) << name;
    bend(-1.2);
    EXPECT_GE(limits.apply(skeleton, pose), 1U) << name;
    EXPECT_GT(JointLimits::angles(*limit, pose.rotation[b]).flexion, limit->flexion.low - 1e-6) << name;
  }
  // Forward is +Z: flexing brings the left hand forward and up, never behind.
  const Vec3d hand = skeleton.bones[static_cast<std::size_t>(bone("hand_l"))].rest,
              elbow = skeleton.bones[static_cast<std::size_t>(bone("forearm_l"))].rest;
  EXPECT_GT(rotate(axis_angle(limits.of(bone("forearm_l"))->hinge, 1.0), hand - elbow).z, hand.z - elbow.z);
  const Vec3d foot = skeleton.bones[static_cast<std::size_t>(bone("foot_l"))].rest,
              knee = skeleton.bones[static_cast<std::size_t>(bone("shin_l"))].rest;
  EXPECT_LT(rotate(axis_angle(limits.of(bone("shin_l"))->hinge, 1.0), foot - knee).z, foot.z - knee.z);
}

TEST_F(LimitsOfAHuman, ClipsOfThePersonStayWithinTheUsualLimits) {
  const JointLimits limits = human_limits(character.skeleton, skeleton);
  for (const Clip& clip : character.clips)
    for (const double time : sample_times(clip, 7, 30)) {
      BonePose pose = to_bone_pose(character.skeleton, skeleton, sample(character.skeleton, clip, time));
      EXPECT_LE(limits.apply(skeleton, pose), 2U) << clip.name << " " << time;
    }
}

TEST_F(LimitsOfAHuman, LimitsFilesAreReadOverTheUsualOnes) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("limits.json"))
      << limits_to_json(human_limits(character.skeleton, skeleton), character.skeleton, skeleton);
  const JointLimits same = read_limits(folder.file("limits.json"), character.skeleton, skeleton);
  EXPECT_NEAR(same.of(bone("shin_l"))->flexion.high,
              human_limits(character.skeleton, skeleton).of(bone("shin_l"))->flexion.high, 1e-2);
  std::ofstream(folder.file("l.json")) << R"({"shin_l": {"flexion": [0, 10]}})";
  EXPECT_NEAR(read_limits(folder.file("l.json"), character.skeleton, skeleton).of(bone("shin_l"))->flexion.high,
              10 * kDegree, 1e-9);
  for (const auto& [text, names] : {std::pair{"{\"tail\": {}}", "tail"},
                                    {"{\"shin_l\": {\"flexion\": [10, 0]}}", "flexion"},
                                    {"{\"shin_l\": {\"bend\": [0, 1]}}", "bend"},
                                    {"nonsense", "JSON"}}) {
    std::ofstream(folder.file("bad.json")) << text;
    EXPECT_THAT(test::error_of([&] { (void)read_limits(folder.file("bad.json"), character.skeleton, skeleton); }),
                HasSubstr(names));
  }
}

// Figure 4: targets that ask for a backward elbow, on an arm that hardly rolls: with the usual ranges it would roll,
// and bend the right way.
TEST_F(LimitsOfAHuman, ABackwardElbowIsHeldWithinADegreeAndBendsWithoutLimits) {
  const MarkerMap map = test::markers_on_vertices(character, context);
  const int elbow = bone("forearm_l");
  const JointLimits usual = human_limits(character.skeleton, skeleton);
  const JointLimit limit = *usual.of(elbow);
  // Everything at rest, the forearm turned 60 degrees the wrong way from straight.
  BonePose wrong = rest_bone_pose(skeleton);
  const Quatd back = axis_angle(limit.hinge, limit.flexion.low - 60 * kDegree);
  for (std::size_t b = 0; b < skeleton.bones.size(); ++b)
    if (hangs_on(skeleton.bones, static_cast<int>(b), elbow)) wrong.rotation[b] = back;
  restore_lengths(skeleton, wrong);
  Solver dqs(bind(character, context, {.implicit_skin = false}), {.method = Method::dqs}, context);
  const Frame& frame = dqs.solve(to_pose(character.skeleton, skeleton, wrong));
  std::vector<Vec3d> targets;
  for (const MarkerPlace& place : map.places)
    targets.push_back(static_cast<Vec3d>(frame.positions[static_cast<std::size_t>(place.vertex)]));
  const std::vector<double> sure(targets.size(), 1.0);
  struct Bend {
    double of_pose = 0, of_mesh = 0;  // from straight, by the pose and by the joints of the control mesh themselves
  };
  const auto upper = static_cast<std::size_t>(skeleton.bones[static_cast<std::size_t>(elbow)].parent);
  const auto joint_of = [&](std::size_t b) { return static_cast<std::size_t>(skeleton.bones[b].joint); };
  const auto hand = static_cast<std::size_t>(bone("hand_l"));
  const auto signed_angle = [](const Vec3d& axis, const Vec3d& a, const Vec3d& b) {
    return std::atan2(dot(cross(a, b), axis), dot(a, b));
  };
  const double bent_at_rest = signed_angle(
      limit.hinge, skeleton.bones[static_cast<std::size_t>(elbow)].rest - skeleton.bones[upper].rest, limit.along);
  const auto bend_of = [&](bool limited) {
    const std::string stiff = (test::project() / "scripts" / "gallery" / "targets" / "stiff-arm.json").string();
    MarkerSolver solver(character, map,
                        {.resolution = 1200, .limits = limited, .limits_file = limited ? stiff : std::string()},
                        context);
    for (int k = 0; k < 4; ++k) (void)solver.solve(targets, sure);
    const MarkerFrame& result = solver.solve(targets, sure);
    const BonePose pose = to_bone_pose(character.skeleton, skeleton, result.pose);
    const Quatd bent = conjugate(pose.rotation[upper]) * pose.rotation[static_cast<std::size_t>(elbow)];
    const Vec3d shoulder = result.joints[joint_of(upper)],
                at = result.joints[joint_of(static_cast<std::size_t>(elbow))], wrist = result.joints[joint_of(hand)];
    const Vec3d hinge = rotate(pose.rotation[upper], limit.hinge);
    return Bend{JointLimits::angles(limit, bent).flexion + bent_at_rest,
                signed_angle(hinge, at - shoulder, wrist - at)};
  };
  // The usual limit is three degrees beyond straight.
  const double low = limit.flexion.low + bent_at_rest;
  EXPECT_NEAR(low, -3 * kDegree, 0.1 * kDegree);
  const Bend held = bend_of(true), free = bend_of(false);
  EXPECT_GT(held.of_pose, low - 1 * kDegree);
  EXPECT_GT(held.of_mesh, low - 1 * kDegree);
  EXPECT_LT(held.of_mesh, low + 5 * kDegree);  // and it goes as far as it may
  EXPECT_LT(free.of_pose, low - 40 * kDegree);
  EXPECT_LT(free.of_mesh, low - 40 * kDegree);
}

}  // namespace
}  // namespace cutis
