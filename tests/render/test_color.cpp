#include "render/color.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cutis/error.h"
#include "support/support.h"

namespace cutis {
namespace {

TEST(Srgb, CodesRoundTrip) {
  for (int i = 0; i < 256; ++i) EXPECT_EQ(srgb_from_linear(linear_from_srgb(static_cast<std::uint8_t>(i))), i);
}

TEST(Srgb, CodesRoundToTheNearestAndClamp) {
  for (int i = 0; i <= 5000; ++i) {
    const double x = i / 5000.0;
    const double exact = 255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055);
    EXPECT_LE(std::abs(srgb_from_linear(static_cast<float>(x)) - exact), 0.5005) << x;
  }
  EXPECT_EQ(srgb_from_linear(-3), 0);
  EXPECT_EQ(srgb_from_linear(1e9F), 255);
  EXPECT_EQ(srgb_from_linear(std::numeric_limits<float>::quiet_NaN()), 0);
}

TEST(OkLab, GivesBackTheColour) {
  for (const std::uint32_t code : {0xffffffU, 0x000000U, 0x3366ccU, 0xd9a888U}) {
    const OkLab lab = oklab_from_linear(color_from_srgb(code));
    const Color back = color_from_oklch(lab.l, std::hypot(lab.a, lab.b), std::atan2(lab.b, lab.a));
    EXPECT_LT(color_distance(back, color_from_srgb(code)), 2e-3);
  }
}

TEST(ColorMap, GrowsLighterEvenlyWithoutKinks) {
  double last = 0;
  for (int i = 0; i <= 100; ++i) {
    const Color c = map_color(static_cast<float>(i) / 100);
    const double lightness = oklab_from_linear(c).l;
    if (i > 0) {
      EXPECT_NEAR(lightness - last, 0.0055, 0.0012) << i;
      EXPECT_LT(color_distance(c, map_color(static_cast<float>(i - 1) / 100)), 0.012) << i;
    }
    last = lightness;
  }
}

TEST(ColorsByScalar, ClampAndMarkWhatIsNotANumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {-5, 0, 1, 2, 9, inf, -inf, nan};
  const std::vector<Color> c = colors_by_scalar(values, 0, 2);
  EXPECT_EQ(c[0], map_color(0));
  EXPECT_EQ(c[1], map_color(0));
  EXPECT_EQ(c[2], map_color(0.5F));
  EXPECT_EQ(c[3], map_color(1));
  EXPECT_EQ(c[4], map_color(1));
  EXPECT_EQ(c[5], map_color(1));
  EXPECT_EQ(c[6], map_color(0));
  for (int i = 0; i <= 100; ++i) EXPECT_GT(color_distance(c[7], map_color(static_cast<float>(i) / 100)), 0.2);
  EXPECT_EQ(colors_by_scalar(std::vector<float>{1, 2, 3}, 2, 2)[1], map_color(0.5F));
}

Skeleton humanoid() {
  const std::pair<const char*, int> bones[] = {
      {"hips", -1},       {"spine", 0},       {"chest", 1},      {"neck", 2},       {"head", 3},
      {"clavicle_L", 2},  {"upperarm_L", 5},  {"forearm_L", 6},  {"hand_L", 7},     {"clavicle_R", 2},
      {"upperarm_R", 9},  {"forearm_R", 10},  {"hand_R", 11},    {"thigh_L", 0},    {"shin_L", 13},
      {"foot_L", 14},     {"thigh_R", 0},     {"shin_R", 16},    {"foot_R", 17},    {"index_01_l", 8},
      {"index_02_l", 19}, {"index_03_l", 20}, {"thumb_01_l", 8}, {"thumb_02_l", 22}};
  Skeleton s;
  for (const auto& [name, parent] : bones) {
    Joint j;
    j.name = name;
    j.parent = parent;
    j.is_bone = true;
    s.joints.push_back(j);
  }
  return s;
}

TEST(JointColors, DifferClearlyBetweenABoneAndItsParent) {
  Skeleton skeleton = humanoid();
  // Also a long chain of bones whose names say nothing.
  for (int i = 0; i < 60; ++i) {
    Joint j;
    j.name = "bone" + std::to_string(i);
    j.parent = static_cast<int>(skeleton.joints.size()) - 1;
    j.is_bone = true;
    skeleton.joints.push_back(j);
  }
  const std::vector<Color> colors = joint_colors(skeleton);
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const int parent = skeleton.joints[i].parent;
    if (parent < 0) continue;
    EXPECT_GT(color_distance(colors[i], colors[static_cast<std::size_t>(parent)]), 0.1) << i;
  }
}

TEST(JointColors, OfLeftAndRightShareTheHue) {
  const Skeleton skeleton = humanoid();
  const std::vector<Color> colors = joint_colors(skeleton);
  const OkLab left = oklab_from_linear(colors[6]), right = oklab_from_linear(colors[10]);
  EXPECT_NEAR(std::atan2(left.b, left.a), std::atan2(right.b, right.a), 0.15);
  EXPECT_GT(color_distance(colors[6], colors[10]), 0.03);
}

TEST(JointColors, LookThroughJointsThatAreNoBones) {
  Skeleton s = humanoid();
  s.joints[1].is_bone = false;
  const std::vector<Color> colors = joint_colors(s);
  EXPECT_GT(color_distance(colors[2], colors[0]), 0.1);
}

TEST(ColorsByPart, FollowTheLargestWeight) {
  const Character tube = test::make_two_bone_tube();
  const std::vector<Color> parts = colors_by_part(tube), palette = joint_colors(tube.skeleton);
  ASSERT_EQ(parts.size(), tube.meshes[0].positions.size());
  for (std::size_t v = 0; v < parts.size(); ++v) {
    const float y = tube.meshes[0].positions[v].y;
    if (std::abs(y - 1) < 0.01F) continue;
    EXPECT_EQ(parts[v], palette[y > 1 ? 1 : 0]);
  }
}

TEST(ColorsByWeight, ShowOneBoneOrTheBlendOfAll) {
  const Character tube = test::make_two_bone_tube();
  const std::vector<Color> upper = colors_by_weight(tube, 1), all = colors_by_weight(tube);
  const std::vector<Color> palette = joint_colors(tube.skeleton);
  EXPECT_EQ(upper.front(), map_color(0));
  EXPECT_EQ(upper.back(), map_color(1));
  EXPECT_LT(color_distance(all.front(), palette[0]), 1e-4);
  EXPECT_LT(color_distance(all.back(), palette[1]), 1e-4);
  EXPECT_THROW((void)colors_by_weight(tube, 2), Error);
}

TEST(ColorsByWeight, TakeMeshesWithoutWeights) {
  Character tube = test::make_two_bone_tube();
  tube.meshes[0].weights = {};
  EXPECT_EQ(colors_by_weight(tube, 0).size(), tube.meshes[0].positions.size());
  EXPECT_EQ(colors_by_part(tube).size(), tube.meshes[0].positions.size());
}

}  // namespace
}  // namespace cutis
