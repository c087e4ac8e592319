// The clips of the built-in characters: present, well-formed, and kind to linear blend skinning where they are
// moderate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/math.h"
#include "character/builtin/builtin.h"
#include "cutis/io.h"
#include "cutis/rig.h"
#include "cutis/solve.h"
#include "geometry/normals.h"

namespace cutis {
namespace {

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
  const Character character = make_builtin(GetParam(), Context(1));
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
  const Character character = make_builtin("cylinder", Context(1));
  EXPECT_THAT(clip_names(character), testing::ElementsAre("bend", "twist"));
  EXPECT_NEAR(largest_turn(character, "bend", "upper"), 150, 0.01);
  EXPECT_NEAR(largest_turn(character, "twist", "upper"), 180, 0.01);
}

TEST(BuiltinArm, FlexesItsElbowBy150AndTwistsItsForearmBy90Degrees) {
  const Character character = make_builtin("arm", Context(1));
  EXPECT_THAT(clip_names(character), testing::IsSupersetOf({"elbow", "forearm_twist"}));
  EXPECT_NEAR(largest_turn(character, "elbow", "forearm"), 150, 0.01);
  EXPECT_NEAR(largest_turn(character, "forearm_twist", "forearm"), 90, 0.01);
}

TEST(BuiltinHand, ClosesItsFingersToAFist) {
  const Character character = make_builtin("hand", Context(1));
  EXPECT_THAT(clip_names(character), testing::ElementsAre("fist", "pinch", "wave"));
  for (const std::string finger : {"index", "middle", "ring", "pinky"}) {
    EXPECT_NEAR(largest_turn(character, "fist", finger + "_2"), 95, 0.01);
    EXPECT_NEAR(largest_turn(character, "fist", finger + "_3"), 60, 0.01);
  }
}

}  // namespace
}  // namespace cutis
