#include "cutis/shape_contact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "cutis/cutis.h"
#include "rig/rig.h"
#include "support/dressed_tube.h"
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

TEST_F(ShapesOfAnArm, AShapeStaysAsItIsOverAPoseThatWringsSmoothSkinning) {
  // Joint centres do not say how far a limb is turned about itself: the pose found for them may be off by half a turn.
  // And what the deformer stretches is meant: here a sleeve of skin, to four times its length.
  ShapeContact contact(rig, {}, context);
  Frame shape = dqs.solve(default_pose(character.skeleton));
  for (Vec3f& p : shape.positions) p.x += 3 * (std::clamp(p.x, 0.40F, 0.46F) - 0.40F);
  for (int i = 0; i <= 12; ++i) {
    Pose pose = default_pose(character.skeleton);
    pose.local[1].rotation = pose.local[1].rotation * axis_angle(Vec3d{1, 0, 0}, i * 15 * kPi / 180);
    pose.time = i / 30.0;
    const Frame& frame = contact.solve(pose, shape.positions, shape.normals);
    float worst = 0;
    for (std::size_t v = 0; v < shape.positions.size(); ++v)
      worst = std::max(worst, distance(frame.positions[v], shape.positions[v]));
    EXPECT_LT(worst, 0.004F) << "turned by " << i * 15 << " degrees";
  }
}

TEST_F(ShapesOfAnArm, AFrameThatIsNotCertifiedHasNoMoreIntersectionsThanItsShape) {
  const Metrics metrics(character, context, {.overlap = false});
  ShapeContact contact(rig, {}, context);
  Pose pose = default_pose(character.skeleton);
  Frame shape = dqs.solve(pose);
  (void)contact.solve(pose, shape.positions, shape.normals);
  for (Vec3f& p : shape.positions) {  // wrung flat at once, and crumpled: nothing that skin could follow
    p.y *= -std::cos(20 * p.x);
    p.x += 0.02F * std::sin(200 * p.x);
  }
  pose.time = 1.0 / 30;
  const Frame& frame = contact.solve(pose, shape.positions, shape.normals);
  EXPECT_FALSE(frame.report.contact.certified);
  EXPECT_LE(metrics.measure(frame.positions).intersecting_pairs.value_or(0),
            metrics.measure(shape.positions).intersecting_pairs.value_or(0));
}

// What is on the skin is the deformer's too: bones alone would have it elsewhere.
struct ShapesOfADressedTube : testing::Test {
  const Context context{2};
  const Character character = test::make_dressed_tube();
  const std::shared_ptr<const Rig> rig = bind(character, context);
  Solver dqs{rig, {.method = Method::dqs, .contact_pass = false}, context};

  [[nodiscard]] Pose bent(double degrees) const {
    Pose pose = default_pose(character.skeleton);
    pose.local[1].rotation = axis_angle(Vec3d{0, 0, 1}, degrees * kPi / 180);
    pose.time = degrees / 300;
    return pose;
  }
  /// Sheared: fatter to one side, up to a third of the tube's radius.
  [[nodiscard]] static Frame sheared(Frame shape) {
    for (Vec3f& p : shape.positions) p.x += 0.1F * p.z;
    return shape;
  }
};

TEST_F(ShapesOfADressedTube, RidersStayWhereTheShapeHasThem) {
  ASSERT_GT(rig->layers.size(), 0U);
  ShapeContact contact(rig, {}, context);
  for (const double degrees : {0.0, 10.0, 20.0}) {
    const Pose pose = bent(degrees);
    const Frame shape = sheared(dqs.solve(pose));
    const Frame& frame = contact.solve(pose, shape.positions, shape.normals);
    EXPECT_TRUE(frame.report.contact.certified);
    float worst = 0;
    for (std::size_t v = 0; v < shape.positions.size(); ++v)
      if (rig->layers.rides(v)) worst = std::max(worst, distance(frame.positions[v], shape.positions[v]));
    EXPECT_LT(worst, 0.003F) << "of a sleeve 0.03 above the skin, at " << degrees;
  }
}

TEST_F(ShapesOfADressedTube, RidersGoAlongWithSkinThatGivesWay) {
  const Metrics metrics(character, context, {.overlap = false});
  ShapeContact contact(rig, {}, context);
  std::size_t before = 0, after = 0;
  float moved = 0;
  for (double degrees = 0; degrees <= 130; degrees += 10) {
    const Pose pose = bent(degrees);
    const Frame shape = sheared(dqs.solve(pose));
    const Frame& frame = contact.solve(pose, shape.positions, shape.normals);
    EXPECT_TRUE(frame.report.contact.certified) << degrees;
    const FrameMetrics given = metrics.measure(shape.positions), made = metrics.measure(frame.positions);
    EXPECT_LE(made.new_pairs.value_or(0), given.new_pairs.value_or(0)) << degrees;
    EXPECT_LE(made.poke_through.value_or(0), std::max(0.01, given.poke_through.value_or(0))) << degrees;
    before += given.new_pairs.value_or(0);
    after += made.new_pairs.value_or(0);
    for (std::size_t v = 0; v < shape.positions.size(); ++v) {
      ASSERT_TRUE(is_finite(frame.positions[v]));
      if (rig->layers.rides(v)) moved = std::max(moved, distance(frame.positions[v], shape.positions[v]));
    }
  }
  EXPECT_GT(before, 500U);
  EXPECT_LT(after, before * 3 / 4) << "what is left is cloth on cloth in the crease";
  EXPECT_GT(moved, 0.05F);
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

// A man in shorts and shirt whose hair, eyes and collar stand in his skin, driven by a take.
TEST(ClothedShapes, AreNeverWorseWithTheContactPassAndMuchBetterInTheMean) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context{2};
  const auto data = test::shared_data();
  const Character man = load_character((data / "avatars" / "rocketbox_male.glb").string(), context);
  const auto take_of = [&](const char* file) {
    MarkerTake take = load_take((data / "markers_c3d" / file).string(), context);
    take = take_of_subject(take, "", context);
    (void)mend_axes(take, context);
    return take;
  };
  const MarkerTake take = take_of("Movement_trial.c3d");
  const MarkerMap map =
      fit_marker_map(man, default_marker_map(man, take, context), take_of("Static_trial.c3d"), context);
  const MarkerTargets targets = resample(prepare_targets(take, map, context), 30);
  MarkerSolver markers(man, map, {}, context);
  ShapeContact contact(bind(man, context), {}, context);
  const Metrics metrics(man, context, {.overlap = false});
  std::size_t before = 0, after = 0;
  for (std::size_t f = 0; f < 46; ++f) {
    const MarkerFrame& shape = markers.solve(targets.frame(f), targets.frame_confidence(f));
    const Frame& frame = contact.solve(shape.pose, shape.positions, shape.normals);
    EXPECT_TRUE(frame.report.contact.certified) << f;
    if (f % 5 != 0) continue;
    const FrameMetrics given = metrics.measure(shape.positions), made = metrics.measure(frame.positions);
    EXPECT_LE(made.new_pairs.value_or(0), given.new_pairs.value_or(0)) << f;
    EXPECT_LE(made.roughness.value_or(0), 1.2 * given.roughness.value_or(0)) << f;
    before += given.new_pairs.value_or(0);
    after += made.new_pairs.value_or(0);
  }
  EXPECT_GT(before, 300U);
  EXPECT_LT(after, before / 2);
}

}  // namespace
}  // namespace cutis
