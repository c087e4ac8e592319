#include "volume/pose_fit.h"

#include <gtest/gtest.h>

#include "base/math.h"
#include "cutis/cutis.h"
#include "volume/marker_map.h"
#include "volume/marker_support.h"

namespace cutis {
namespace {

TEST(PoseFit, FindsThePoseAndTheScaleThatMarkersCameFrom) {
  const Context context(2);
  const Character character = load_character("builtin:human", context);
  const DrivenSkeleton skeleton = make_driven_skeleton(character);
  const MarkerMap map = default_marker_map(character, test::plug_in_gait_names(), context);
  ASSERT_EQ(map.places.size(), 39U);
  const Clip& clip = character.clip("walk");
  const BonePose truth = to_bone_pose(character.skeleton, skeleton, sample(character.skeleton, clip, 0.4));
  std::vector<BoneMarker> markers;
  std::vector<Vec3d> targets;
  const double scale = 0.8;  // the subject is larger by its inverse
  for (const MarkerPlace& place : map.places) {
    markers.push_back(place_marker(character, skeleton, place).on_bone);
    const auto b = static_cast<std::size_t>(markers.back().bone);
    targets.push_back((truth.position[b] + rotate(truth.rotation[b], markers.back().offset) + Vec3d{2, 0, -1}) / scale);
  }
  const std::vector<double> weights(targets.size(), 1.0);
  BonePose pose = rest_bone_pose(skeleton);
  double found = place_as_one(skeleton, markers, targets, weights, pose, true);
  const PoseFitReport report = fit_pose(skeleton, JointLimits(skeleton.bones.size()), 2.2, markers, targets, weights,
                                        {.iterations = 200, .rest_pull = 0.002, .fit_scale = true}, pose, found);
  EXPECT_NEAR(found, scale, 0.01);
  EXPECT_LT(report.rms, 0.01);
  for (const char* name : {"hand_l", "foot_r", "head", "shin_l", "forearm_r"}) {
    const auto b =
        static_cast<std::size_t>(skeleton.bone_of_joint[static_cast<std::size_t>(character.skeleton.find(name))]);
    EXPECT_LT(distance(pose.position[b], truth.position[b] + Vec3d{2, 0, -1}), 0.03) << name;
  }
}

TEST(PoseFit, LeavesAPoseAloneWithoutMarkers) {
  const Context context(1);
  const Character character = load_character("builtin:arm", context);
  const DrivenSkeleton skeleton = make_driven_skeleton(character);
  BonePose pose = rest_bone_pose(skeleton);
  const std::vector<BoneMarker> markers{{0, {}}};
  const std::vector<Vec3d> targets{{1, 1, 1}};
  const std::vector<double> none{0.0};
  double scale = 1;
  EXPECT_EQ(
      fit_pose(skeleton, JointLimits(skeleton.bones.size()), 1, markers, targets, none, {}, pose, scale).iterations, 0);
  EXPECT_EQ(pose.position[0], skeleton.bones[0].rest);
}

TEST(DrivenSkeleton, PosesRoundTripThroughLocalTransforms) {
  const Context context(1);
  const Character character = load_character("builtin:human", context);
  const DrivenSkeleton skeleton = make_driven_skeleton(character);
  for (const Clip& clip : character.clips) {
    const Pose pose = sample(character.skeleton, clip, clip.start() + 0.6 * (clip.end() - clip.start()));
    const auto wanted = world_from_joint(character.skeleton, pose);
    const auto got = world_from_joint(
        character.skeleton, to_pose(character.skeleton, skeleton, to_bone_pose(character.skeleton, skeleton, pose)));
    for (const auto& bone : skeleton.bones)
      EXPECT_LT(distance(wanted[static_cast<std::size_t>(bone.joint)].translation,
                         got[static_cast<std::size_t>(bone.joint)].translation),
                1e-6);
  }
}

}  // namespace
}  // namespace cutis
