#include <gtest/gtest.h>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "weights/weights_support.h"

namespace cutis::test {
namespace {

TEST(TakeSkeleton, OfTheRiggedBodyGivesThePlainMeshTheSameWeights) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(2);
  Character plain =
      load_character((shared_data() / "makehuman_male/makehuman_male_unrigged_quads.obj").string(), context);
  take_skeleton(plain, load_skeleton((shared_data() / "makehuman_male/makehuman_male.glb").string(), context));
  EXPECT_EQ(plain.clips.size(), 18U);
  Character rigged = load_unweighted("makehuman_male/makehuman_male.glb");
  make_weights(plain, {}, context);
  make_weights(rigged, {}, context);
  expect_good_weights(plain);
  // Same surface in another vertex order: the same number of vertices follows each bone the most, nearly.
  std::vector<double> a(plain.skeleton.joints.size()), b(a.size());
  for (std::size_t i = 0; i < plain.meshes[0].weights.joint.size(); ++i)
    a[plain.meshes[0].weights.joint[i]] += static_cast<double>(plain.meshes[0].weights.weight[i]);
  for (std::size_t i = 0; i < rigged.meshes[0].weights.joint.size(); ++i)
    b[rigged.meshes[0].weights.joint[i]] += static_cast<double>(rigged.meshes[0].weights.weight[i]);
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], 0.02 * b[j] + 2) << plain.skeleton.joints[j].name;
}

TEST(TakeSkeleton, ScalesRestFramesLocalsAndClipsAlike) {
  Character c = make_two_bone_tube();
  Character donor = c;
  Channel move;
  move.joint = 0;
  move.path = ChannelPath::translation;
  move.times = {0};
  move.values = {1, 2, 3};
  donor.clips[0].channels.push_back(move);
  take_skeleton(c, donor, 0.5);
  EXPECT_TRUE(c.meshes[0].weights.empty());
  EXPECT_EQ(c.skeleton.joints[1].world_from_rest.translation, (Vec3d{0, 0.5, 0}));
  EXPECT_EQ(c.clips[0].channels.back().values, (std::vector<float>{0.5F, 1, 1.5F}));
  const auto frames = world_from_joint(c.skeleton, default_pose(c.skeleton));
  EXPECT_LT(distance(frames[1].translation, Vec3d{0, 0.5, 0}), 1e-12);
  EXPECT_THROW(take_skeleton(c, donor, -1), Error);
  EXPECT_THROW(take_skeleton(c, Character{}, 1), Error);
}

TEST(LoadSkeleton, OfABvhStandsOnTheGroundAndPlaysItsMotion) {
  CUTIS_NEEDS_SHARED_DATA();
  const Character c = load_skeleton((shared_data() / "motion_bvh_cmu/02_01_walk.bvh").string(), Context(1));
  EXPECT_TRUE(c.meshes.empty());
  std::size_t bones = 0;
  double lowest = 1e9;
  for (const Joint& j : c.skeleton.joints) {
    bones += j.is_bone ? 1U : 0U;
    lowest = std::min(lowest, j.world_from_rest.translation.y);
  }
  EXPECT_EQ(bones, 31U);
  EXPECT_NEAR(lowest, 0, 1e-9);
  ASSERT_EQ(c.clips.size(), 1U);
  EXPECT_NEAR(c.clips[0].end(), 343.0 / 120, 1e-3);
  // The rest pose is the default pose.
  const auto frames = world_from_joint(c.skeleton, default_pose(c.skeleton));
  for (std::size_t j = 0; j < frames.size(); ++j)
    EXPECT_LT(distance(frames[j].translation, c.skeleton.joints[j].world_from_rest.translation), 1e-9);
}

TEST(LoadSkeleton, SaysThatAMeshFileHasNone) {
  CUTIS_NEEDS_SHARED_DATA();
  const std::string file = (shared_data() / "spot/spot_triangulated.obj").string();
  EXPECT_NE(error_of([&] { (void)load_skeleton(file, Context(1)); }).find("has no skeleton"), std::string::npos);
}

TEST(ABvhSkeleton, InAnotherUnitIsRefusedWithTheScaleToUse) {
  CUTIS_NEEDS_SHARED_DATA();
  Character body =
      load_character((shared_data() / "makehuman_male/makehuman_male_unrigged_quads.obj").string(), Context(1));
  const Character bvh = load_skeleton((shared_data() / "motion_bvh_cmu/02_01_walk.bvh").string(), Context(1));
  take_skeleton(body, bvh);
  EXPECT_NE(error_of([&] { make_weights(body, {}, Context(1)); }).find("--skeleton-scale"), std::string::npos);
  take_skeleton(body, bvh, 0.056);
  make_weights(body, {}, Context(2));
  expect_good_weights(body);
}

}  // namespace
}  // namespace cutis::test
