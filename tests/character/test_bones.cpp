#include "character/bones.h"

#include <gtest/gtest.h>

#include "base/math.h"
#include "support/support.h"

namespace cutis {
namespace {

TEST(BoneSegments, RunToTheChildAndTheLeafToTheEndOfItsVertices) {
  const auto segments = bone_segments(test::make_two_bone_tube());
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_LT(distance(segments[0].to, Vec3d{0, 1, 0}), 1e-9);
  EXPECT_NEAR(segments[1].to.y, 2.0, 1e-3);
  EXPECT_TRUE(segments[1].owns_vertices);
}

TEST(BoneSegments, OfAHelperWithoutVerticesAreDegenerate) {
  Character c = test::make_two_bone_tube();
  Joint twist = c.skeleton.joints[1];
  twist.name = "helper";
  twist.parent = 1;
  c.skeleton.joints.push_back(twist);
  const auto segments = bone_segments(c);
  EXPECT_TRUE(segments[2].degenerate(2.0));
  EXPECT_FALSE(segments[2].owns_vertices);
}

TEST(ParentBone, PassesOverNodesThatAreNoBones) {
  Skeleton s;
  s.joints.resize(4);
  s.joints[0].is_bone = s.joints[2].is_bone = true;
  s.joints[1].parent = 0;
  s.joints[2].parent = 1;
  s.joints[3].parent = 2;
  EXPECT_EQ(parent_bone(s, 2), 0);
  EXPECT_EQ(parent_bone(s, 0), -1);
  EXPECT_EQ(children_of(s)[1], (std::vector<int>{2}));
}

}  // namespace
}  // namespace cutis
