#include "weights/mirror.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <tuple>

#include "weights/weights_support.h"

namespace cutis::test {
namespace {

TEST(MirroredName, SwapsSidesInTheUsualNotations) {
  EXPECT_EQ(mirrored_name("thigh_l"), "thigh_r");
  EXPECT_EQ(mirrored_name("hand.R"), "hand.L");
  EXPECT_EQ(mirrored_name("arm.L.001"), "arm.R.001");
  EXPECT_EQ(mirrored_name("L_Elbow"), "R_Elbow");
  EXPECT_EQ(mirrored_name("mixamorig:LeftForeArm"), "mixamorig:RightForeArm");
  EXPECT_EQ(mirrored_name("rightToes"), "leftToes");
  EXPECT_EQ(mirrored_name("leg_joint_L_2"), "leg_joint_R_2");
  EXPECT_EQ(mirrored_name("spine_01"), "");
  EXPECT_EQ(mirrored_name("pelvis"), "");
  EXPECT_EQ(mirrored_name("tail"), "");
  EXPECT_EQ(mirrored_name("L"), "");
}

TEST(SymmetricWeights, OfTheBodyAreExactlyMirrored) {
  CUTIS_NEEDS_SHARED_DATA();
  Character c = load_unweighted("makehuman_male/makehuman_male.glb");
  const WeightReport report = make_weights(c, {.symmetric = true}, Context(2));
  expect_good_weights(c);
  ASSERT_TRUE(report.mirror.has_value());
  EXPECT_EQ(report.mirror->unpaired_vertices, 0U);
  EXPECT_GE(report.mirror->paired_joints, 44U);
  EXPECT_LE(report.mirror->error_after, 1e-6);
  EXPECT_NEAR(std::abs(report.mirror->plane_normal.x), 1, 1e-6);

  // Not taking the report's word for it: partners by position and by name.
  const Mesh& mesh = c.meshes[0];
  std::map<std::tuple<long, long, long>, std::size_t> at;
  const auto key = [](const Vec3f& p, float sign) {
    return std::tuple{std::lround(sign * p.x * 1e5F), std::lround(p.y * 1e5F), std::lround(p.z * 1e5F)};
  };
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) at[key(mesh.positions[v], 1)] = v;
  std::size_t checked = 0;
  double worst = 0;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const auto it = at.find(key(mesh.positions[v], -1));
    if (it == at.end()) continue;
    ++checked;
    for (std::uint32_t i = mesh.weights.row_begin[v]; i < mesh.weights.row_begin[v + 1]; ++i) {
      const std::string& name = c.skeleton.joints[mesh.weights.joint[i]].name;
      const int other = c.skeleton.find(mirrored_name(name).empty() ? name : mirrored_name(name));
      ASSERT_GE(other, 0) << name;
      worst =
          std::max(worst, std::abs(static_cast<double>(mesh.weights.weight[i]) - weight_at(mesh, it->second, other)));
    }
  }
  EXPECT_GT(checked, mesh.positions.size() / 2);
  EXPECT_LE(worst, 1e-6);
}

TEST(SymmetricWeights, ReportTheErrorThatTheyMend) {
  Character c = make_two_bone_tube();
  for (Joint& j : c.skeleton.joints) j.world_from_rest.translation.x += 0.1;  // off the middle of a symmetric tube
  c.skeleton.joints[1].world_from_rest.translation.x += 0.05;
  const WeightReport report = make_weights(c, {.symmetric = true}, Context(1));
  expect_good_weights(c);
  ASSERT_TRUE(report.mirror.has_value());
  EXPECT_LE(report.mirror->error_after, 1e-6);
  EXPECT_LE(report.mirror->error_after, report.mirror->error_before);
}

TEST(SymmetricWeights, OfAHandAreLeftAsTheyAreAndTheReportSaysWhy) {
  CUTIS_NEEDS_SHARED_DATA();
  Character c = load_unweighted("hand_webxr/hand_left_poses.glb"), plain = c;
  const WeightReport report = make_weights(c, {.symmetric = true}, Context(1));
  make_weights(plain, {}, Context(1));
  EXPECT_FALSE(report.mirror.has_value());
  EXPECT_EQ(fallback(report, "no mirror plane").count, 1U);
  EXPECT_EQ(c.meshes[0].weights.weight, plain.meshes[0].weights.weight);
}

}  // namespace
}  // namespace cutis::test
