// Parts of a rig made by hand, and how bones move them.
#include "rig/parts.h"

#include <gtest/gtest.h>

#include "rig/motion.h"

namespace cutis {
namespace {

TEST(PartRadii, AreMedianDistancesToTheBone) {
  Rig rig;
  rig.bones.resize(3);
  rig.bones[0].rest_end = {1, 0, 0};
  rig.bones[1].rest_origin = rig.bones[1].rest_end = {5, 0, 0};  // no segment: its point
  rig.surface.positions = {{0.5F, 1, 0}, {0.2F, 0, 2}, {1, 7, 0}, {5, 3, 0}, {9, 9, 9}};
  rig.surface.owner = {0, 0, 0, 1, RigSurface::kNoBone};
  EXPECT_EQ(part_radii(rig), (std::vector<float>{2, 3, 0}));
}

TEST(ParentPart, IsTheNearestAboveWithAField) {
  Rig rig;
  rig.bones.resize(4);
  for (int b = 0; b < 4; ++b) rig.bones[static_cast<std::size_t>(b)].parent = b - 1;
  rig.fields.resize(4);
  rig.fields[1].nodes.resize(8);
  rig.fields[3].nodes.resize(8);
  EXPECT_EQ(parent_part(rig, 3), 1);  // over 2, which has none
  EXPECT_EQ(parent_part(rig, 2), 1);
  EXPECT_EQ(parent_part(rig, 1), -1);
  EXPECT_EQ(parent_part(rig, 0), -1);
}

TEST(MotionOfABone, TakesRestToThePose) {
  RigBone bone;
  bone.joint = 1;
  bone.rest_from_world.translation = {-2, 0, 0};
  std::vector<Affine3d> world(2);
  world[1] = {to_matrix(axis_angle(Vec3d{0, 0, 1}, kPi / 2)), {5, 5, 0}};
  EXPECT_LT(distance(transform_point(motion_of(bone, world), Vec3d{3, 0, 0}), Vec3d{5, 6, 0}), 1e-15);
}

}  // namespace
}  // namespace cutis
