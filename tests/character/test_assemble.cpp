#include "cutis/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/math.h"
#include "cutis/builtin.h"
#include "cutis/error.h"
#include "support/support.h"

namespace cutis {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_argument);
    return error.what();
  }
  return "no error";
}

double largest_difference(const Skeleton& skeleton, const Pose& a, const Pose& b) {
  const std::vector<Affine3d> x = world_from_joint(skeleton, a), y = world_from_joint(skeleton, b);
  double largest = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    largest = std::max(largest, distance(x[j].translation, y[j].translation));
    largest = std::max(largest, frobenius(x[j].linear + y[j].linear * -1.0));
  }
  return largest;
}

TEST(PosesFromMatrices, AreThePosesThatTheMatricesAreOf) {
  const Character c = make_builtin("hand", Context(1));
  Pose pose = sample(c.skeleton, c.clip("fist"), 0.8);
  pose.local[2].scale = {1.2, 1.2, 1.2};
  const std::vector<Affine3d> world = world_from_joint(c.skeleton, pose);
  EXPECT_LT(largest_difference(c.skeleton, pose_from_world(c.skeleton, world), pose), 1e-12);
  std::vector<Affine3d> local;
  for (const Trsd& trs : pose.local) local.push_back(to_affine(trs));
  EXPECT_LT(largest_difference(c.skeleton, pose_from_local(c.skeleton, local), pose), 1e-12);
}

TEST(PosesFromMatrices, TakeWhatAJointHasBesidesItsTransform) {
  Character c = test::make_two_bone_tube();
  Affine3d shear;
  shear.linear.col[1].x = 0.3;
  c.skeleton.joints[1].local_residual = shear;
  const Pose pose = default_pose(c.skeleton);
  const std::vector<Affine3d> world = world_from_joint(c.skeleton, pose);
  EXPECT_LT(largest_difference(c.skeleton, pose_from_world(c.skeleton, world), pose), 1e-12);
}

TEST(PosesFromMatrices, AreRefusedWithASentenceWhereThereIsNone) {
  const Character c = test::make_two_bone_tube();
  const std::vector<Affine3d> good = world_from_joint(c.skeleton, default_pose(c.skeleton));
  auto changed = [&](auto change) {
    std::vector<Affine3d> world = good;
    change(world);
    return refusal_of([&] { (void)pose_from_world(c.skeleton, world); });
  };
  EXPECT_THAT(changed([](auto& w) { w.pop_back(); }), HasSubstr("joints"));
  EXPECT_THAT(changed([](auto& w) { w[1].translation.x = NAN; }), HasSubstr("not finite"));
  EXPECT_THAT(changed([](auto& w) { w[0].linear = w[0].linear * 0.0; }), HasSubstr("scaled to nothing"));
  EXPECT_THAT(changed([](auto& w) { w[1].linear.col[1].x += 0.2; }), HasSubstr("shear"));
  // Rounding of floats is no shear.
  EXPECT_EQ(changed([](auto& w) { w[1].linear.col[1].x += 1e-6; }), "no error");
}

TEST(ClipsFromPoses, HaveThePosesAtTheirTimes) {
  const Character c = make_builtin("hand", Context(1));
  const std::vector<double> times = {0.5, 0.75, 1.25};
  std::vector<Pose> poses;
  for (const double t : times) poses.push_back(sample(c.skeleton, c.clip("fist"), t));
  const Clip clip = clip_from_poses(c.skeleton, poses, times, "mine");
  EXPECT_EQ(clip.name, "mine");
  EXPECT_FLOAT_EQ(static_cast<float>(clip.start()), 0.5F);
  EXPECT_FLOAT_EQ(static_cast<float>(clip.end()), 1.25F);
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_LT(largest_difference(c.skeleton, sample(c.skeleton, clip, times[i]), poses[i]), 1e-5) << i;
  EXPECT_LT(clip.channels.size(), 3 * c.skeleton.joints.size());  // not of what stands still
}

TEST(ClipsFromPoses, LastAsLongAsTheirPosesWhenNothingMoves) {
  const Character c = test::make_two_bone_tube();
  const std::vector<Pose> still(2, default_pose(c.skeleton));
  const Clip clip = clip_from_poses(c.skeleton, still, std::vector<double>{0.0, 2.0}, "still");
  EXPECT_DOUBLE_EQ(clip.end() - clip.start(), 2.0);
}

TEST(ClipsFromPoses, AreRefusedWhereTimesDoNotFit) {
  const Character c = test::make_two_bone_tube();
  const std::vector<Pose> two(2, default_pose(c.skeleton));
  const auto made = [&](std::vector<double> times) {
    return refusal_of([&] { (void)clip_from_poses(c.skeleton, two, times, "x"); });
  };
  EXPECT_THAT(made({0}), HasSubstr("as many"));
  EXPECT_THAT(made({1, 1}), HasSubstr("later"));
  EXPECT_THAT(made({0, NAN}), HasSubstr("finite"));
}

TEST(SmoothNormals, OfATubePointOutward) {
  const Character c = test::make_two_bone_tube();
  const Mesh& mesh = c.meshes[0];
  const std::vector<Vec3f> normals = smooth_normals(mesh);
  ASSERT_EQ(normals.size(), mesh.positions.size());
  for (const Vec3f& n : normals) EXPECT_NEAR(length(n), 1, 1e-5);
}

}  // namespace
}  // namespace cutis
