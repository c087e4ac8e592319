// Flesh that is pressed in comes out around it; folds are smoothed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.h"
#include "cutis/cutis.h"
#include "cutis/metrics.h"
#include "rig/rig.h"
#include "contact/swell.h"
#include "contact/unfold.h"
#include "support/support.h"

namespace cutis {
namespace {

class SwellTest : public testing::Test {
 protected:
  Context context{2};
  std::shared_ptr<const Rig> rig = bind(load_character("builtin:cylinder", context), context);
  const RigSurface& skin = rig->surface;
  const Topology topology = build_topology(skin.size(), skin.triangles);
  std::vector<std::uint32_t> part = std::vector<std::uint32_t>(skin.size(), 0);
  std::vector<float> radius = std::vector<float>(rig->bones.size(), 0.02F);
  std::vector<Affine3d> rest = std::vector<Affine3d>(rig->bones.size());
  std::vector<Vec3d> none = std::vector<Vec3d>(skin.size());
  std::vector<char> touching = std::vector<char>(skin.size(), 0);
  std::vector<Vec3f> mesh = skin.positions;
  Vec3f middle = skin.positions[skin.size() / 2];

  // A patch around the middle, pressed in by `depth`.
  void press(float depth) {
    for (std::size_t v = 0; v < skin.size(); ++v) {
      if (distance(skin.positions[v], middle) > 0.06F) continue;
      touching[v] = 1;
      mesh[v] = mesh[v] - skin.normals[v] * depth;
    }
  }
  std::vector<double> areas() const {
    std::vector<double> area(skin.size(), 0);
    for (const Triangle& t : skin.triangles)
      for (const std::uint32_t v : t)
        area[v] += length(cross(static_cast<Vec3d>(skin.positions[t[1]] - skin.positions[t[0]]),
                                static_cast<Vec3d>(skin.positions[t[2]] - skin.positions[t[0]]))) /
                   6;
    return area;
  }
};

TEST_F(SwellTest, FreeSkinGainsWhatTouchingSkinLost) {
  press(0.002F);
  ASSERT_GT(std::ranges::count(touching, 1), 10);
  Swell swell(*rig, std::make_shared<const SwellRest>(*rig, topology, part, radius, context), part, radius);
  swell.update(mesh, none, rest, touching, 1, context);
  const std::vector<double> area = areas();
  double lost = 0, gained = 0;
  for (std::size_t v = 0; v < skin.size(); ++v) {
    lost += swell.state().source[v] * area[v];
    gained += (1 - swell.state().touch[v]) * swell.state().lift[v] * area[v];
  }
  ASSERT_GT(lost, 0);
  EXPECT_NEAR(gained, lost, 1e-6 * lost);
}

TEST_F(SwellTest, SkinIsLiftedOutwardsAroundTheContactAndNotFarFromIt) {
  press(0.002F);
  Swell swell(*rig, std::make_shared<const SwellRest>(*rig, topology, part, radius, context), part, radius);
  swell.update(mesh, none, rest, touching, 1, context);
  std::vector<Vec3d> lift;
  swell.lift(rest, lift);
  double most = 0;
  for (std::size_t v = 0; v < skin.size(); ++v) {
    const double up = dot(lift[v], static_cast<Vec3d>(skin.normals[v]));
    EXPECT_GE(up, -1e-9);
    EXPECT_LE(length(lift[v]), 0.2 * radius[0] + 1e-9);
    most = std::max(most, up);
    if (distance(skin.positions[v], middle) > 0.06F + 4.5F * 2 * radius[0]) {
      EXPECT_EQ(length(lift[v]), 0);
    }
    if (distance(skin.positions[v], middle) < 0.03F) {
      EXPECT_LT(length(lift[v]), 1e-9) << "lifts what is held";
    }
  }
  EXPECT_GT(most, 1e-5);
}

TEST_F(SwellTest, WithoutContactNothingIsLiftedAndAfterItTheLiftGoes) {
  Swell swell(*rig, std::make_shared<const SwellRest>(*rig, topology, part, radius, context), part, radius);
  std::vector<Vec3d> lift;
  swell.update(mesh, none, rest, touching, 1, context);
  swell.lift(rest, lift);
  EXPECT_EQ(lift, none);
  press(0.002F);
  swell.update(mesh, none, rest, touching, 1, context);
  touching.assign(skin.size(), 0);
  for (int frame = 0; frame < 40; ++frame) swell.update(skin.positions, none, rest, touching, 0.4, context);
  swell.lift(rest, lift);
  EXPECT_EQ(lift, none);
}

TEST_F(SwellTest, TheLiftTurnsWithTheParts) {
  press(0.002F);
  Swell swell(*rig, std::make_shared<const SwellRest>(*rig, topology, part, radius, context), part, radius);
  swell.update(mesh, none, rest, touching, 1, context);
  std::vector<Vec3d> lift, turned;
  swell.lift(rest, lift);
  std::vector<Affine3d> quarter(rest.size());
  for (Affine3d& m : quarter) m.linear = to_matrix(axis_angle(Vec3d{0, 0, 1}, kPi / 2));
  swell.lift(quarter, turned);
  for (std::size_t v = 0; v < skin.size(); ++v) EXPECT_LT(length(turned[v] - quarter[0].linear * lift[v]), 1e-9);
}

TEST_F(SwellTest, ASharpFoldIsSmoothedAndOtherSkinStaysExactly) {
  Unfold unfold(*rig, topology, std::make_shared<const UnfoldRest>(*rig, topology));
  std::vector<Vec3d> at(skin.size()), shift(skin.size());
  for (std::size_t v = 0; v < skin.size(); ++v) at[v] = static_cast<Vec3d>(skin.positions[v]);
  const std::vector<double> touch(skin.size(), 1);
  unfold.smooth(at, shift, touch, 1, context);
  EXPECT_EQ(shift, none);
  std::uint32_t pulled = 0;
  for (std::uint32_t v = 0; v < skin.size(); ++v)
    if (skin.positions[v] == middle) pulled = v;
  const double edge = skin.edge[pulled];
  const Vec3d rest_place = at[pulled];
  at[pulled] += normalized(at[skin.neighbours.row(pulled)[0]] - rest_place) * (2.5 * edge);  // its faces turn over
  unfold.smooth(at, shift, {}, 1, context);
  EXPECT_EQ(shift, none) << "folds that nothing presses";
  unfold.smooth(at, shift, touch, 1, context);
  EXPECT_LT(distance(at[pulled] + shift[pulled], rest_place), 0.5 * edge);
  for (std::size_t v = 0; v < skin.size(); ++v)
    if (distance(skin.positions[v], middle) > 5 * static_cast<float>(edge)) {
      EXPECT_EQ(shift[v], Vec3d{});
    }
}

// How far a squat of the built-in human loses volume.
using SwellSlow = SwellTest;
TEST_F(SwellSlow, ASquatLosesMuchLessVolumeWithIt) {
  const Character human = load_character("builtin:human", context);
  const auto bound = bind(human, context);
  const Metrics metrics(human, context, {.overlap = false});
  const auto loss = [&](bool swell) {
    Solver solver(bound, {.method = Method::tracking, .contact_pass = true, .swell = swell}, context);
    double worst = 0;
    for (const double t : sample_times(human.clip("squat"), 16, 30)) {
      const FrameMetrics m = metrics.measure(solver.solve(sample(human.skeleton, human.clip("squat"), t)).positions);
      EXPECT_EQ(m.intersecting_pairs.value_or(9999), 0U);
      worst = std::max(worst, -m.volume_change.value_or(-1));
    }
    return worst;
  };
  const double with = loss(true), without = loss(false);
  EXPECT_LT(with, 0.75 * without) << with << ' ' << without;
}

}  // namespace
}  // namespace cutis
