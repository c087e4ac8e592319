#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/math.h"
#include "cutis/error.h"
#include "io/bvh_read.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using ::testing::HasSubstr;

const std::string kHierarchy = R"(HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Left Arm
  {
    OFFSET 1 0 0
    CHANNELS 1 Xrotation
    JOINT Slider{
      OFFSET 0 2 0
      CHANNELS 4 Yposition Zrotation Xposition Yrotation
      End Site
      {
        OFFSET 0 3 0
      }
    }
  }
}
)";
const std::string kMotion = "MOTION\nFrames: 2\nFrame Time: 0.5\n";
const std::string kFrames = "1 2 3 90 0 0  0  7 0 5 0\n0 0 0 0 0 0  90  2 0 0 0\n";

BvhMotion bvh(const std::string& text) { return read_bvh_memory(text, "dance.bvh", Context(1)); }
std::string error(const std::string& text) {
  return error_of([&] { (void)bvh(text); });
}
void expect_at(const Vec3d& a, const Vec3d& b) { EXPECT_LT(distance(a, b), 1e-12) << a.x << " " << a.y << " " << a.z; }

TEST(Bvh, ReadsHierarchyChannelsAndFrames) {
  const BvhMotion m = bvh(kHierarchy + kMotion + kFrames);
  ASSERT_EQ(m.joints.size(), 3U);
  EXPECT_EQ(m.joints[1].name, "Left Arm");
  EXPECT_EQ(m.joints[2].name, "Slider");
  EXPECT_EQ(m.joints[2].parent, 1);
  EXPECT_EQ(m.joints[2].end_sites.size(), 1U);
  EXPECT_EQ(m.channels, 11U);
  EXPECT_EQ(m.frames, 2U);
  EXPECT_EQ(m.frame_time, 0.5);
}

TEST(Bvh, PosesJointsInTheOrderOfTheChannels) {
  const BvhMotion m = bvh(kHierarchy + kMotion + kFrames);
  const BvhMotion::Pose first = m.pose(0);
  expect_at(first.position[0], {1, 2, 3});
  expect_at(first.position[1], {1, 3, 3});  // (1,0,0) turned by 90 degrees about z
  // The positions of the slider replace its offset's x and y: (5,7,0), turned.
  expect_at(first.position[2], {1 - 7, 3 + 5, 3});
  const BvhMotion::Pose second = m.pose(1);
  expect_at(second.position[2], {1, 0, 2});
  expect_at(rotate(second.rotation[1], Vec3d{0, 1, 0}), {0, 0, 1});
  expect_at(m.rest().position[2], {1, 2, 0});

  // Z first, then X, then Y: columns times matrices from the left.
  const BvhMotion order = bvh(kHierarchy + kMotion + "0 0 0 90 90 0  0  2 0 0 0\n" + "0 0 0 0 90 90  0  2 0 0 0\n");
  expect_at(rotate(order.pose(0).rotation[0], Vec3d{0, 1, 0}), {0, 0, 1});
  expect_at(rotate(order.pose(1).rotation[0], Vec3d{1, 0, 0}), {0, 1, 0});
}

TEST(Bvh, ToleratesCaseWhiteSpaceAndSeveralRoots) {
  const BvhMotion m =
      bvh("\xef\xbb\xbfhierarchy root a { offset 0 0 0 channels 1 xrotation }\r\n\r\nRoot b\r\n{ OFFSET 1 0 0\r\n"
          "CHANNELS 1 YPOSITION end site { offset 0 1 0 } }\r\nmotion frames : 1 frame time : 1e-2\r\n\t45\r\n7");
  ASSERT_EQ(m.joints.size(), 2U);
  EXPECT_EQ(m.joints[1].parent, -1);
  expect_at(m.pose(0).position[1], {1, 7, 0});
}

TEST(Bvh, RefusesBadContentWithTheLineNumber) {
  EXPECT_THAT(error(""), HasSubstr("line 1"));
  EXPECT_THAT(error("ply\n"), HasSubstr("HIERARCHY"));
  EXPECT_THAT(error("HIERARCHY\nMOTION\n"), HasSubstr("no ROOT"));
  EXPECT_THAT(error("HIERARCHY\nJOINT a\n{\n"), HasSubstr("line 2"));
  EXPECT_THAT(error("HIERARCHY\nROOT a\n{\nROOT b\n{"), HasSubstr("line 4"));
  EXPECT_THAT(error("HIERARCHY\nROOT a\n{\nOFFSET 0 0\n}"), HasSubstr("line 5"));
  EXPECT_THAT(error("HIERARCHY\nROOT a\n{\nCHANNELS 2 Xrotation Wrotation\n}"), HasSubstr("'Wrotation'"));
  EXPECT_THAT(error("HIERARCHY\nROOT a\n{\nCHANNELS 999999999 Xrotation\n}"), HasSubstr("line 4"));
  EXPECT_THAT(error("HIERARCHY\nROOT a\n{\nWEIGHT 3\n}"), HasSubstr("'weight'"));
  EXPECT_THAT(error("HIERARCHY\n}\n"), HasSubstr("line 2"));
  EXPECT_THAT(error(kHierarchy), HasSubstr("no MOTION"));
  EXPECT_THAT(error(kHierarchy + "MOTION\nFrames: 0\nFrame Time: 0.5\n"), HasSubstr("not a number of frames"));
  EXPECT_THAT(error(kHierarchy + "MOTION\nFrames: 2\nFrame Time: 0\n" + kFrames), HasSubstr("frame time"));
  EXPECT_THAT(error(kHierarchy + "MOTION\nFrames: 2000000000\nFrame Time: 1\n" + kFrames), HasSubstr("too short"));
  EXPECT_THAT(error(kHierarchy + kMotion + "1 2 3 90 0 0  0  7 0 5 0\n1 2 3 90 0 0  0  7 0 5\n"),
              HasSubstr("file ends"));
  EXPECT_THAT(error(kHierarchy + kMotion + "1 2 3 90 0 0  0  7 0 5 0\n1 2 3 x 0 0  0  7 0 5 0\n"),
              HasSubstr("line 24: 'x'"));
  EXPECT_THAT(error(kHierarchy + kMotion + "1 2 3 nan 0 0  0  7 0 5 0\n1 2 3 0 0 0  0  7 0 5 0\n"),
              HasSubstr("line 23"));
}

TEST(Bvh, WarnsWhenMoreFollowsThanTheFramesPromise) {
  Context context(1);
  std::string warning;
  context.on_warning = [&](std::string_view text) { warning = text; };
  EXPECT_EQ(read_bvh_memory(kHierarchy + kMotion + kFrames + "1 2 3\n", "dance.bvh", context).frames, 2U);
  EXPECT_THAT(warning, HasSubstr("left out"));
}

}  // namespace
}  // namespace cutis
