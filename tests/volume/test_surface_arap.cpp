// What markers do to a surface without inside: figure 3's left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/math.h"
#include "cutis/surface_markers.h"
#include "support/support.h"

namespace cutis {
namespace {

struct SurfaceOfATube : testing::Test {
  const Context context{2};
  const Character tube = test::make_two_bone_tube();
  MarkerMap map;
  std::vector<Vec3d> rest;

  void SetUp() override {
    // Three at each end, on the surface.
    const auto& positions = tube.meshes[0].positions;
    for (const Vec3d& wanted : {Vec3d{0.3, 0.2, 0}, Vec3d{-0.3, 0.2, 0}, Vec3d{0, 0.2, 0.3}, Vec3d{0.3, 1.7, 0},
                                Vec3d{-0.3, 1.7, 0}, Vec3d{0, 1.7, 0.3}}) {
      std::size_t best = 0;
      for (std::size_t v = 0; v < positions.size(); ++v)
        if (distance(static_cast<Vec3d>(positions[v]), wanted) < distance(static_cast<Vec3d>(positions[best]), wanted))
          best = v;
      MarkerPlace place;
      place.marker = "m" + std::to_string(best);
      place.vertex = static_cast<std::int64_t>(best);
      map.places.push_back(place);
      rest.push_back(static_cast<Vec3d>(positions[best]));
    }
  }
  std::vector<double> sure() const { return std::vector<double>(rest.size(), 1.0); }
};

TEST_F(SurfaceOfATube, FollowsARigidMotionRigidly) {
  SurfaceMarkers solver(tube, map, context);
  const Quatd turn = axis_angle(normalized(Vec3d{1, 2, 3}), 2.0);
  std::vector<Vec3d> targets;
  for (const Vec3d& p : rest) targets.push_back(rotate(turn, p) + Vec3d{1, 2, 3});
  const MarkerFrame& frame = solver.solve(targets, sure());
  const auto& positions = tube.meshes[0].positions;
  double worst = 0;
  for (std::size_t v = 0; v < positions.size(); ++v)
    worst = std::max(worst, distance(static_cast<Vec3d>(frame.positions[v]),
                                     rotate(turn, static_cast<Vec3d>(positions[v])) + Vec3d{1, 2, 3}));
  EXPECT_LT(worst, 1e-3);  // of two metres: rotations rest at a thousandth of a radian
  EXPECT_TRUE(frame.report.converged);
  EXPECT_LT(frame.report.rrms, 1e-3);
  EXPECT_NEAR(frame.report.mesh_volume_error, 0, 1e-5);
  EXPECT_LT(frame.report.marker_worst, 1e-4);
}

TEST_F(SurfaceOfATube, StartsTheRightWayRoundFromMarkersInAPlane) {
  map.places = {map.places[0], map.places[1], map.places[3], map.places[4]};  // all at z = 0
  rest = {rest[0], rest[1], rest[3], rest[4]};
  for (const double angle : {0.0, 1.0, 3.0}) {
    SurfaceMarkers solver(tube, map, context);
    const Quatd turn = axis_angle(Vec3d{0, 1, 0}, angle);
    std::vector<Vec3d> targets;
    for (const Vec3d& p : rest) targets.push_back(rotate(turn, p));
    const MarkerFrame& frame = solver.solve(targets, sure());
    EXPECT_NEAR(frame.report.mesh_volume_error, 0, 1e-4) << angle;
    EXPECT_LT(frame.report.rrms, 1e-3) << angle;
  }
}

// The upper half swung down beside the lower one: a skin without inside kinks flat, a volume does not.
TEST_F(SurfaceOfATube, LosesVolumeInABendWhereTheVolumetricSolverKeepsIt) {
  SurfaceMarkers surface(tube, map, context);
  MarkerSolver volume(tube, map, {.resolution = 500, .limits = false}, context);
  double lost = 0, kept = 0;
  for (int step = 1; step <= 6; ++step) {
    std::vector<Vec3d> targets = rest;
    const Quatd turn = axis_angle(Vec3d{0, 0, 1}, 2.2 * step / 6);
    for (std::size_t m = 3; m < rest.size(); ++m) targets[m] = rotate(turn, rest[m] - Vec3d{0, 1, 0}) + Vec3d{0, 1, 0};
    const MarkerFrame& s = surface.solve(targets, sure());
    EXPECT_LT(s.report.marker_rms, 0.02) << step;
    lost = s.report.mesh_volume_error;
    kept = volume.solve(targets, sure()).report.mesh_volume_error;
  }
  EXPECT_LT(lost, -0.05);
  EXPECT_LT(std::abs(kept), std::abs(lost) / 2);
}

TEST_F(SurfaceOfATube, ForgetsMissingMarkersAndHoldsWithoutAny) {
  SurfaceMarkers solver(tube, map, context);
  std::vector<Vec3d> targets = rest;
  targets[5] = {9, 9, 9};
  std::vector<double> confidence = sure();
  confidence[5] = 0;
  const MarkerFrame& frame = solver.solve(targets, confidence);
  EXPECT_LT(frame.report.marker_worst, 1e-4);
  EXPECT_EQ(frame.report.markers, 5U);
  const std::vector<Vec3f> before = frame.positions;
  EXPECT_EQ(solver.solve(targets, std::vector<double>(6, 0.0)).positions, before);
  EXPECT_THAT(test::error_of([&] { (void)solver.solve({}, {}); }), testing::HasSubstr("each place of the map"));
}

TEST_F(SurfaceOfATube, GivesTheSameBitsForAnyNumberOfThreads) {
  const Context one(1);
  SurfaceMarkers a(tube, map, context), b(tube, map, one);
  std::vector<Vec3d> targets = rest;
  targets[4] += {0.2, 0.1, 0.3};
  EXPECT_EQ(a.solve(targets, sure()).positions, b.solve(targets, sure()).positions);
}

}  // namespace
}  // namespace cutis
