#include "cutis/shape_contact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/math.h"
#include "cutis/cutis.h"
#include "support/support.h"

namespace cutis {
namespace {

struct ShapesOfAnArm : testing::Test {
  const Context context{2};
  const Character character = load_character("builtin:arm", context);
  const std::shared_ptr<const Rig> rig = bind(character, context);
  Solver dqs{rig, {.method = Method::dqs}, context};
};

TEST_F(ShapesOfAnArm, AShapeThatTouchesNothingStaysAsItIs) {
  ShapeContact contact(rig, {}, context);
  for (const double t : {0.0, 0.2, 0.4}) {
    const Pose pose = sample(character.skeleton, character.clips[0], t * 0.5);
    Frame shape = dqs.solve(pose);
    // Another deformer: a little thicker towards the hand.
    for (std::size_t v = 0; v < shape.positions.size(); ++v)
      shape.positions[v] += shape.normals[v] * (0.004F * character.meshes[0].positions[v].x);
    const Frame& frame = contact.solve(pose, shape.positions, shape.normals);
    EXPECT_TRUE(frame.report.contact.certified);
    float worst = 0;
    for (std::size_t v = 0; v < shape.positions.size(); ++v)
      worst = std::max(worst, distance(frame.positions[v], shape.positions[v]));
    EXPECT_LT(worst, 0.004F) << "of an arm of 0.78 m, at " << t;
  }
}

TEST_F(ShapesOfAnArm, AShapeThatPassesThroughItselfIsMadeWhole) {
  const Metrics metrics(character, context, {.overlap = false});
  ShapeContact contact(rig, {}, context);
  std::size_t before = 0, after = 0;
  const Clip& clip = character.clips[0];
  for (const double time : sample_times(clip, 13, 30)) {
    const Pose pose = sample(character.skeleton, clip, time);
    const Frame& shape = dqs.solve(pose);
    before = std::max(before, metrics.measure(shape.positions).intersecting_pairs.value_or(0));
    const Frame& frame = contact.solve(pose, shape.positions, shape.normals);
    after = std::max(after, metrics.measure(frame.positions).intersecting_pairs.value_or(0));
    for (const Vec3f& p : frame.positions) ASSERT_TRUE(is_finite(p));
  }
  EXPECT_GT(before, 20U);
  EXPECT_EQ(after, 0U);
}

TEST_F(ShapesOfAnArm, AFrameThatCannotBeFollowedLeavesNothingBehind) {
  ShapeContact contact(rig, {}, context);
  const auto solve = [&](const Pose& pose, float blown_up) {
    Frame shape = dqs.solve(pose);
    for (Vec3f& p : shape.positions) p = p * blown_up;
    return std::pair(contact.solve(pose, shape.positions, shape.normals), shape);
  };
  const auto pose_at = [&](double time) { return sample(character.skeleton, character.clips[0], time); };
  EXPECT_TRUE(solve(pose_at(0), 1).first.report.contact.certified);
  Pose mirrored = pose_at(0.1);
  mirrored.local.back().scale = {-1, 1, 1};
  EXPECT_EQ(solve(mirrored, 30).first.report.contact.limit, ContactLimit::pose);
  const auto [frame, shape] = solve(pose_at(0.2), 1);
  EXPECT_TRUE(frame.report.contact.certified);
  EXPECT_EQ(frame.report.contact.truncated, 0U) << "on the way from the last frame that it followed";
  float worst = 0;
  for (std::size_t v = 0; v < shape.positions.size(); ++v)
    worst = std::max(worst, distance(frame.positions[v], shape.positions[v]));
  EXPECT_LT(worst, 0.004F);
}

TEST_F(ShapesOfAnArm, RefusesShapesOfOtherMeshesAndRigsWithoutASkin) {
  ShapeContact contact(rig, {}, context);
  const std::vector<Vec3f> few(3);
  EXPECT_THAT(test::error_of([&] { (void)contact.solve(default_pose(character.skeleton), few, few); }),
              testing::HasSubstr("vertices"));
  EXPECT_THAT(
      test::error_of([&] { ShapeContact bare(bind(character, context, {.implicit_skin = false}), {}, context); }),
      testing::HasSubstr("implicit skin"));
  EXPECT_THAT(test::error_of([&] { ShapeContact none(nullptr, {}, context); }), testing::HasSubstr("rig"));
}

}  // namespace
}  // namespace cutis
