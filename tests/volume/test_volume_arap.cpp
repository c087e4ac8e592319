#include "volume/volume_arap.h"

#include <gtest/gtest.h>

#include "base/math.h"
#include "character/welded_character.h"
#include "support/support.h"
#include "volume/skeleton_step.h"
#include "volume/untangle.h"
#include "volume/volume_keeper.h"

namespace cutis {
namespace {

struct VolumeOfATube : testing::Test {
  const Context context{2};
  const Character character = test::make_two_bone_tube();
  const WeldedCharacter welded = weld_character(character);
  const DrivenSkeleton skeleton = make_driven_skeleton(character);
  const std::vector<Vec3d> markers{{0.3, 0.2, 0}, {-0.3, 0.2, 0}, {0, 0.2, 0.3},
                                   {0.3, 1.7, 0}, {-0.3, 1.7, 0}, {0, 1.7, 0.3}};
  const ControlMesh mesh =
      make_control_mesh(welded.positions, welded.topology.triangles, skeleton, markers, {.vertices = 500}, context);
  const JointLimits free{skeleton.bones.size()};

  void solve(VolumeArap& arap, int steps) const {
    SkeletonStep step(skeleton, mesh, free);
    BonePose pose = rest_bone_pose(skeleton);
    std::vector<Vec3d> gamma;
    for (int i = 0; i < steps; ++i) {
      arap.local_step(context);
      step.find_pose(arap.positions, arap.rotations, pose);
      step.differentials(pose, gamma);
      arap.global_step(gamma, context);
    }
  }
};

TEST_F(VolumeOfATube, FollowsARigidMotionOfItsMarkersRigidly) {
  VolumeArap arap(mesh, 2, {}, context);
  const Quatd turn = axis_angle(normalized(Vec3d{1, 2, 3}), 1.0);
  std::vector<Vec3d> targets;
  for (const Vec3d& m : markers) targets.push_back(rotate(turn, m) + Vec3d{1, 2, 3});
  arap.set_targets(targets, std::vector<double>(markers.size(), 1.0));
  solve(arap, 400);
  double worst = 0;
  for (std::size_t v = 0; v < mesh.rest.size(); ++v)
    worst = std::max(worst, distance(arap.positions[v], rotate(turn, mesh.rest[v]) + Vec3d{1, 2, 3}));
  EXPECT_LT(worst, 2e-3);
  EXPECT_LT(arap.relative_error(), 2e-3);
}

TEST_F(VolumeOfATube, ForgetsAMissingMarkerAsIfItWereNotThere) {
  VolumeArap arap(mesh, 2, {}, context);
  std::vector<Vec3d> targets = markers;
  targets[5] = {9, 9, 9};  // missing: its place is nonsense
  std::vector<double> confidence(markers.size(), 1.0);
  confidence[5] = 0;
  arap.set_targets(targets, confidence);
  solve(arap, 30);
  double worst = 0;
  for (std::size_t v = 0; v < mesh.rest.size(); ++v) worst = std::max(worst, distance(arap.positions[v], mesh.rest[v]));
  EXPECT_LT(worst, 1e-3);  // the others are at rest, so everything is
}

TEST_F(VolumeOfATube, KeepsTheLengthsOfItsBonesWhenBent) {
  VolumeArap arap(mesh, 2, {}, context);
  // The upper three markers turn by 70 degrees about the joint at (0, 1, 0).
  const Quatd turn = axis_angle(Vec3d{0, 0, 1}, 70 * kPi / 180);
  std::vector<Vec3d> targets = markers;
  for (std::size_t m = 3; m < 6; ++m) targets[m] = rotate(turn, markers[m] - Vec3d{0, 1, 0}) + Vec3d{0, 1, 0};
  arap.set_targets(targets, std::vector<double>(markers.size(), 1.0));
  solve(arap, 300);
  SkeletonStep step(skeleton, mesh, free);
  // A tube three fifths as thick as its bones are long, bent by its ends alone: harder than any limb.
  EXPECT_LT(step.length_error(arap.positions).worst, 0.03);
  for (std::size_t m = 0; m < markers.size(); ++m)
    EXPECT_LT(distance(arap.positions[mesh.marker_vertex[m]], targets[m]), 0.1);

  // Volume comes back part by part, and nothing stays turned over.
  const Untangler untangler(mesh);
  VolumeKeeper keeper(mesh);
  std::vector<Vec3d> shape = arap.positions;
  keeper.run(shape);
  EXPECT_LE(untangler.run(shape).left, 0U);
  EXPECT_LT(std::abs(untangler.volume_error(shape)), 0.015);
}

TEST_F(VolumeOfATube, TurnsTetrahedraBackThatWereTurnedOver) {
  std::vector<Vec3d> shape = mesh.rest;
  // A free inner vertex pulled through its neighbours.
  std::vector<char> fixed(shape.size(), 0);
  for (const SkeletonSample& s : mesh.samples) fixed[s.vertex] = 1;
  std::size_t v = mesh.cage_vertices;
  while (v < shape.size() && fixed[v]) ++v;
  ASSERT_LT(v, shape.size());
  shape[v] += Vec3d{0.15, 0.1, 0};
  const Untangler untangler(mesh);
  const UntangleReport report = untangler.run(shape);
  EXPECT_GT(report.found, 0U);
  EXPECT_EQ(report.left, 0U);
}

TEST_F(VolumeOfATube, WeightsMeanTheSameAtEveryResolution) {
  // The same soft pull on a marker gives about the same residual on a coarse and on a fine control mesh.
  std::vector<double> residual;
  for (const std::size_t vertices : {350, 1500}) {
    const ControlMesh control = make_control_mesh(welded.positions, welded.topology.triangles, skeleton, markers,
                                                  {.vertices = vertices}, context);
    VolumeArap arap(control, 2, {}, context);
    std::vector<Vec3d> targets = markers;
    targets[3] += Vec3d{0.2, 0, 0};
    targets[4] += Vec3d{-0.2, 0, 0};  // pulled apart: nothing rigid can follow
    arap.set_targets(targets, std::vector<double>(markers.size(), 1.0));
    SkeletonStep step(skeleton, control, free);
    BonePose pose = rest_bone_pose(skeleton);
    std::vector<Vec3d> gamma;
    for (int i = 0; i < 60; ++i) {
      arap.local_step(context);
      step.find_pose(arap.positions, arap.rotations, pose);
      step.differentials(pose, gamma);
      arap.global_step(gamma, context);
    }
    residual.push_back(distance(arap.positions[control.marker_vertex[3]], targets[3]));
  }
  EXPECT_LT(residual[0] / residual[1], 2.5);
  EXPECT_GT(residual[0] / residual[1], 0.4);
}

}  // namespace
}  // namespace cutis
