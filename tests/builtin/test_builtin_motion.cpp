// The clips of the built-in characters: present, well-formed, and kind to linear blend skinning where they are
// moderate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/math.h"
#include "builtin/made.h"
#include "cutis/builtin.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "cutis/rig.h"
#include "cutis/solve.h"
#include "geometry/normals.h"

namespace cutis {
namespace {

using test::made;

std::vector<std::string> clip_names(const Character& character) {
  std::vector<std::string> names;
  for (const Clip& clip : character.clips) names.push_back(clip.name);
  return names;
}

/// Largest angle, in degrees, by which the clip turns a joint against the rest pose.
double largest_turn(const Character& character, std::string_view clip, std::string_view joint) {
  const int j = character.skeleton.find(joint);
  double most = 0;
  for (const Channel& channel : character.clip(clip).channels) {
    if (channel.joint != j || channel.path != ChannelPath::rotation) continue;
    for (std::size_t k = 3; k < channel.values.size(); k += 4)
      most = std::max(most, 2 * std::acos(std::min(1.0, std::abs(static_cast<double>(channel.values[k])))));
  }
  return most * 180 / kPi;
}

class BuiltinMotion : public testing::TestWithParam<std::string> {};

TEST_P(BuiltinMotion, HasLinearChannelsOfUnitRotationsFromTimeZero) {
  const Character& character = made(GetParam());
  for (const Clip& clip : character.clips) {
    EXPECT_FALSE(clip.channels.empty()) << clip.name;
    EXPECT_EQ(clip.start(), 0) << clip.name;
    for (const Channel& channel : clip.channels) {
      EXPECT_EQ(channel.interpolation, Interpolation::linear);
      const std::size_t width = channel.path == ChannelPath::rotation ? 4 : 3;
      ASSERT_EQ(channel.values.size(), channel.times.size() * width);
      for (std::size_t k = 1; k < channel.times.size(); ++k)
        EXPECT_NEAR(channel.times[k] - channel.times[k - 1], 1.0 / 30, 1e-5);
      if (width == 3) continue;
      for (std::size_t k = 0; k < channel.values.size(); k += 4) {
        const float* q = &channel.values[k];
        EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-5);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BuiltinMotion, testing::ValuesIn(builtin_names()),
                         [](const auto& test) { return test.param; });

TEST(BuiltinCylinder, BendsBy150AndTwistsBy180Degrees) {
  const Character& character = made("cylinder");
  EXPECT_THAT(clip_names(character), testing::ElementsAre("bend", "twist"));
  EXPECT_NEAR(largest_turn(character, "bend", "upper"), 150, 0.01);
  EXPECT_NEAR(largest_turn(character, "twist", "upper"), 180, 0.01);
}

TEST(BuiltinArm, FlexesItsElbowBy150AndTwistsItsForearmBy90Degrees) {
  const Character& character = made("arm");
  EXPECT_THAT(clip_names(character), testing::IsSupersetOf({"elbow", "forearm_twist"}));
  EXPECT_NEAR(largest_turn(character, "elbow", "forearm"), 150, 0.01);
  EXPECT_NEAR(largest_turn(character, "forearm_twist", "forearm"), 90, 0.01);
}

TEST(BuiltinHand, ClosesItsFingersToAFist) {
  const Character& character = made("hand");
  EXPECT_THAT(clip_names(character), testing::ElementsAre("fist", "pinch", "wave"));
  for (const std::string finger : {"index", "middle", "ring", "pinky"}) {
    EXPECT_NEAR(largest_turn(character, "fist", finger + "_2"), 95, 0.01);
    EXPECT_NEAR(largest_turn(character, "fist", finger + "_3"), 60, 0.01);
  }
}

/// Positions of all vertices under linear blend skinning.
class LinearBlend {
 public:
  explicit LinearBlend(const Character& character)
      : character_(character), solver_(bind(character, context_), {.method = Method::lbs}, context_) {}
  std::vector<Vec3f> at(const Clip& clip, double time) {
    return solver_.solve(sample(character_.skeleton, clip, time)).positions;
  }

 private:
  Context context_{1};
  const Character& character_;
  Solver solver_;
};

TEST(BuiltinHuman, HasTheClipsOfTheDocumentation) {
  const Character& human = made("human");
  EXPECT_THAT(clip_names(human),
              testing::ElementsAre("walk", "squat", "arms_crossed", "arm_across_belly", "fist", "wave"));
  for (const std::string side : {"_l", "_r"}) EXPECT_NEAR(largest_turn(human, "fist", "index_2" + side), 95, 0.01);
}

TEST(BuiltinHuman, WalksInACycleThatKeepsItsVolumeAndStaysOnTheGround) {
  const Character& human = made("human");
  const Clip& walk = human.clip("walk");
  const Mesh& mesh = human.meshes[0];
  LinearBlend skin(human);
  const double rest = signed_volume(mesh.positions, mesh.triangles);
  for (int k = 0; k <= 12; ++k) {
    const std::vector<Vec3f> p = skin.at(walk, walk.end() * k / 12);
    EXPECT_NEAR(signed_volume(p, mesh.triangles) / rest, 1, 0.03);
    float lowest = 1;
    for (const Vec3f& q : p) lowest = std::min(lowest, q.y);
    EXPECT_NEAR(lowest, 0, 0.015) << "at " << k << " twelfths of the cycle";
  }
  const std::vector<Vec3f> first = skin.at(walk, 0), last = skin.at(walk, walk.end());
  for (std::size_t v = 0; v < first.size(); ++v) EXPECT_LT(length(first[v] - last[v]), 1e-4F);
}

TEST(BuiltinHuman, WalksWithoutSlidingOnTheGroundThatPassesBelow) {
  const Character& human = made("human");
  const Clip& walk = human.clip("walk");
  const auto foot = static_cast<std::size_t>(human.skeleton.find("foot_l"));
  const auto ankle = [&](double phase) {
    const Pose pose = sample(human.skeleton, walk, phase * walk.end());
    return world_from_joint(human.skeleton, pose)[foot].translation;
  };
  // While the foot is flat it goes back with constant speed and stays level.
  const Vec3d from = ankle(0.12), to = ankle(0.28);
  EXPECT_LT(to.z, from.z - 0.1);
  for (int k = 1; k < 4; ++k) EXPECT_LT(distance(ankle(0.12 + 0.04 * k), lerp(from, to, k / 4.0)), 0.006);
}

TEST(BuiltinHuman, PlantsItsFeetWhileItSquats) {
  const Character& human = made("human");
  const Clip& squat = human.clip("squat");
  for (const char* foot : {"foot_l", "foot_r"}) {
    const auto j = static_cast<std::size_t>(human.skeleton.find(foot));
    const Vec3d rest = human.skeleton.joints[j].world_from_rest.translation;
    for (int k = 0; k <= 8; ++k) {
      const Pose pose = sample(human.skeleton, squat, squat.end() * k / 8);
      EXPECT_LT(distance(world_from_joint(human.skeleton, pose)[j].translation, rest), 0.004);
    }
  }
}

TEST(BuiltinHuman, LaysItsCrossedArmsBeforeTheChest) {
  const Character& human = made("human");
  const Clip& clip = human.clip("arms_crossed");
  const Pose pose = sample(human.skeleton, clip, 0.5 * clip.end());
  const std::vector<Affine3d> world = world_from_joint(human.skeleton, pose);
  const auto at = [&](const char* name) {
    return world[static_cast<std::size_t>(human.skeleton.find(name))].translation;
  };
  EXPECT_LT(at("hand_l").x, -0.03) << "the left wrist is on the right side";
  EXPECT_GT(at("hand_r").x, 0.03);
  for (const char* hand : {"hand_l", "hand_r"}) EXPECT_GT(at(hand).z, at("upper_chest").z + 0.1);
}

TEST(RandomMotion, IsSmoothBoundedAndTheSameForASeed) {
  const Skeleton& skeleton = made("human").skeleton;
  const Clip slow = random_motion(skeleton, 7, 0.5), fast = random_motion(skeleton, 7, 4);
  const auto fastest = [&](const Clip& clip) {
    double most = 0;
    for (const Channel& c : clip.channels)
      for (std::size_t k = 0; k + 1 < c.times.size(); ++k) {
        const auto q = [&](std::size_t i) {
          return Quatd{c.values[4 * i], c.values[4 * i + 1], c.values[4 * i + 2], c.values[4 * i + 3]};
        };
        EXPECT_NEAR(dot(q(k), q(k)), 1, 1e-5);
        most = std::max(most, 2 * std::acos(std::min(1.0, std::abs(dot(q(k), q(k + 1))))));
      }
    return most;
  };
  EXPECT_GE(slow.channels.size(), 15U);
  EXPECT_NEAR(slow.end(), 4, 1e-6);
  EXPECT_GT(fastest(slow), 0.01);
  EXPECT_LT(fastest(slow), 0.2);
  EXPECT_GT(fastest(fast), 3 * fastest(slow));
  for (const char* joint : {"upper_arm_l", "thigh_r"})
    if (const int j = skeleton.find(joint); j >= 0) {
      const auto of = [&](const Clip& clip) { return std::ranges::find(clip.channels, j, &Channel::joint)->values; };
      EXPECT_EQ(of(slow), of(random_motion(skeleton, 7, 0.5)));
      EXPECT_NE(of(slow), of(random_motion(skeleton, 8, 0.5)));
    }
}

TEST(RandomMotion, GoesByName) {
  const Skeleton& skeleton = made("arm").skeleton;
  EXPECT_FALSE(random_motion(skeleton, "bend").has_value());
  EXPECT_EQ(random_motion(skeleton, "random:3:2")->channels.at(0).values,
            random_motion(skeleton, 3, 2).channels.at(0).values);
  for (const char* name : {"random:", "random:x", "random:3:", "random:3:0", "random:3:99", "random:3:2x", "random:-1"})
    EXPECT_THROW((void)random_motion(skeleton, name), Error) << name;
}

}  // namespace
}  // namespace cutis
