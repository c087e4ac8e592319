// Method `implicit`: what it promises on shapes with known answers.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/math.h"
#include "cutis/bind.h"
#include "cutis/io.h"
#include "cutis/metrics.h"
#include "cutis/solve.h"
#include "rig/rig.h"
#include "support/support.h"

namespace cutis {
namespace {

Pose at(const Character& c, const char* clip, double t) {
  const Clip& motion = c.clip(clip);
  return sample(c.skeleton, motion, motion.start() + t * (motion.end() - motion.start()));
}

// The frame of `clip` whose lower joint is bent by `angle`: bends are symmetric in time and rise at first.
Pose bent_cylinder(const Character& c, double angle) {
  Pose pose = default_pose(c.skeleton);
  pose.local[1].rotation = pose.local[1].rotation * axis_angle(Vec3d{0, 0, 1}, angle);
  return pose;
}

double farthest(const std::vector<Vec3f>& a, const std::vector<Vec3f>& b) {
  double most = 0;
  for (std::size_t v = 0; v < a.size(); ++v) most = std::max<double>(most, distance(a[v], b[v]));
  return most;
}

TEST(Implicit, GivesTheRestPoseBackForTheRestPose) {
  const Context context(1);
  for (const char* name : {"builtin:cylinder", "builtin:hand"}) {
    const Character c = load_character(name, context);
    for (const bool blend : {false, true}) {
      Solver solver(bind(c, context), {.method = Method::implicit, .implicit = {.blend = blend}}, context);
      const Frame& f = solver.solve(default_pose(c.skeleton));
      EXPECT_LT(farthest(f.positions, c.meshes[0].positions), 1e-5 * diagonal(c.bounds())) << name;
      for (std::size_t v = 0; v < f.normals.size(); v += 7)
        EXPECT_GT(dot(f.normals[v], c.meshes[0].normals[v]), 0.999F);
    }
  }
}

TEST(Implicit, GivesTheRestPoseBackInTheComposedField) {
  const Context context(1);
  const Character c = load_character("builtin:cylinder", context);
  BindOptions options;
  options.preset.all.op = "contact";
  Solver solver(bind(c, context, options),
                {.method = Method::implicit, .implicit = {.contact = ContactModel::composed}}, context);
  EXPECT_LT(farthest(solver.solve(default_pose(c.skeleton)).positions, c.meshes[0].positions),
            1e-5 * diagonal(c.bounds()));
}

TEST(Implicit, KeepsACylinderBentToNinetyDegreesFreeOfIntersectionsAndItsVolume) {
  const Context context(1);
  const Character c = load_character("builtin:cylinder", context);
  const Metrics metrics(c, context);
  const auto rig = bind(c, context);
  Solver implicit(rig, {.method = Method::implicit}, context), dqs(rig, {.method = Method::dqs}, context);
  for (const double degrees : {30.0, 60.0, 90.0}) {
    const Pose pose = bent_cylinder(c, degrees * kPi / 180);
    const FrameMetrics m = metrics.measure(implicit.solve(pose).positions);
    EXPECT_EQ(m.intersecting_pairs, 0U) << degrees;
    EXPECT_LT(std::abs(*m.volume_change), 0.02) << degrees;
    EXPECT_LE(m.folds, metrics.measure(dqs.solve(pose).positions).folds) << degrees;
  }
  // Beyond, dual quaternions fold the skin into itself; here the fold is a contact.
  const Pose deep = bent_cylinder(c, 2.1);
  EXPECT_GT(*metrics.measure(dqs.solve(deep).positions).intersecting_pairs, 50U);
  EXPECT_EQ(*metrics.measure(implicit.solve(deep).positions).intersecting_pairs, 0U);
}

TEST(Implicit, KeepsTheRadiusOfATwistedCylinder) {
  const Context context(1);
  const Character c = load_character("builtin:cylinder", context);
  Solver solver(bind(c, context), {.method = Method::implicit, .implicit = {.initial = Method::dqs}}, context);
  Pose pose = default_pose(c.skeleton);
  pose.local[1].rotation = pose.local[1].rotation * axis_angle(Vec3d{0, 1, 0}, kPi);
  const Frame& f = solver.solve(pose);
  for (std::size_t v = 0; v < f.positions.size(); ++v) {
    const Vec3f& p = c.meshes[0].positions[v];
    const float rest = std::hypot(p.x, p.z), now = std::hypot(f.positions[v].x, f.positions[v].z);
    if (rest > 0.095F) {
      ASSERT_NEAR(now, rest, 0.01F * rest) << v;
    }
  }
}

TEST(Implicit, RepairsTheCandyWrapperOfLinearBlending) {
  const Context context(1);
  const Character c = load_character("builtin:cylinder", context);
  const auto rig = bind(c, context);
  Solver lbs(rig, {.method = Method::lbs}, context),
      implicit(rig, {.method = Method::implicit, .implicit = {.initial = Method::lbs}}, context);
  Pose pose = default_pose(c.skeleton);
  pose.local[1].rotation = pose.local[1].rotation * axis_angle(Vec3d{0, 1, 0}, 2.4);
  const auto thinnest = [&](const std::vector<Vec3f>& positions) {
    float least = 1;
    for (std::size_t v = 0; v < positions.size(); ++v)
      if (std::hypot(c.meshes[0].positions[v].x, c.meshes[0].positions[v].z) > 0.095F)
        least = std::min(least, std::hypot(positions[v].x, positions[v].z));
    return least;
  };
  EXPECT_LT(thinnest(lbs.solve(pose).positions), 0.06F);
  EXPECT_GT(thinnest(implicit.solve(pose).positions), 0.09F);
}

TEST(Implicit, DoesNotDependOnTheFramesBefore) {
  const Context context(1);
  const Character c = load_character("builtin:hand", context);
  const auto rig = bind(c, context);
  Solver fresh(rig, {.method = Method::implicit}, context), used(rig, {.method = Method::implicit}, context);
  for (const double t : {0.9, 0.1, 0.5}) (void)used.solve(at(c, "fist", t));
  const Frame& a = fresh.solve(at(c, "pinch", 0.5));
  const Frame& b = used.solve(at(c, "pinch", 0.5));
  EXPECT_EQ(a.positions, b.positions);
  EXPECT_EQ(a.normals, b.normals);
  EXPECT_EQ(a.states, b.states);
  EXPECT_EQ(a.report.iterations, b.report.iterations);
}

TEST(Implicit, HasTheSameBitsForAnyNumberOfThreads) {
  const Context one(1), three(3);
  const Character c = load_character("builtin:hand", one);
  const auto rig = bind(c, one);
  Solver a(rig, {.method = Method::implicit}, one), b(rig, {.method = Method::implicit}, three);
  const Pose pose = at(c, "fist", 0.5);
  EXPECT_EQ(a.solve(pose).positions, b.solve(pose).positions);
}

TEST(Implicit, ConvergesAndCountsEveryVertexOnce) {
  const Context context(1);
  const Character c = load_character("builtin:hand", context);
  const auto rig = bind(c, context);
  for (const bool blend : {false, true}) {
    Solver solver(rig, {.method = Method::implicit, .implicit = {.blend = blend}}, context);
    for (const double t : {0.25, 0.5}) {
      const Frame& f = solver.solve(at(c, "pinch", t));
      std::size_t sum = 0;
      for (const std::size_t n : f.report.states) sum += n;
      EXPECT_EQ(sum, rig->surface.size());
      EXPECT_LE(f.report.residual_p95, 1e-3);
      EXPECT_LE(f.report.states[static_cast<std::size_t>(VertexState::limit)], rig->surface.size() / 100);
      EXPECT_GT(f.report.states[static_cast<std::size_t>(VertexState::converged)], 100U);
      EXPECT_GT(f.report.states[static_cast<std::size_t>(VertexState::rigid)], 100U);
    }
  }
}

TEST(Implicit, LetsPartsBlendOnTheInnerSideOfABendOnly) {
  const Context context(1);
  const Character c = load_character("builtin:cylinder", context);
  const auto rig = bind(c, context);
  Solver plain(rig, {.method = Method::implicit}, context),
      blend(rig, {.method = Method::implicit, .implicit = {.blend = true}}, context);
  const Pose pose = bent_cylinder(c, 80 * kPi / 180);
  const std::vector<Vec3f> a = plain.solve(pose).positions;
  const std::vector<Vec3f>& b = blend.solve(pose).positions;
  double inner = 0, outer = 0;
  for (std::size_t v = 0; v < a.size(); ++v) {
    // The bend is about +Z: the upper half goes to -X.
    const double x = c.meshes[0].positions[v].x;
    const double moved = distance(a[v], b[v]);
    if (x < -0.05) inner = std::max(inner, moved);
    if (x > 0.05) outer = std::max(outer, moved);
  }
  EXPECT_GT(inner, 0.01);
  EXPECT_LT(outer, 0.1 * inner);
}

TEST(Implicit, StaysFiniteForExtremePosesAndKeepsTheLastGoodOne) {
  const Context context(1);
  const Character c = test::make_two_bone_tube();
  const auto rig = bind(c, context);
  for (const double scale : {0.0, 1e-30, 1e14, 1e40}) {
    Solver solver(rig, {.method = Method::implicit}, context);
    Pose pose = default_pose(c.skeleton);
    pose.local[1].scale = {scale, 0, scale};
    const Frame& f = solver.solve(pose);
    for (std::size_t v = 0; v < f.positions.size(); ++v)
      ASSERT_TRUE(is_finite(f.positions[v]) && is_finite(f.normals[v]) && !std::isinf(f.residuals[v])) << scale;
  }
  Solver solver(rig, {.method = Method::implicit}, context);
  Pose pose = bent_cylinder(c, 1);
  const std::vector<Vec3f> good = solver.solve(pose).positions;
  pose.local[1].translation.x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_LT(farthest(solver.solve(pose).positions, good), 1e-6);
}

TEST(Implicit, SaysThatItNeedsASkin) {
  const Context context(1);
  const auto rig = bind(test::make_two_bone_tube(), context, {.implicit_skin = false});
  EXPECT_THAT(test::error_of([&] { Solver(rig, {.method = Method::implicit}, context); }),
              testing::HasSubstr("without its implicit skin"));
}

TEST(Implicit, HoldsCopiesOfASeamTogether) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(1);
  const Character c = load_character((test::shared_data() / "cesium_man" / "cesium_man.glb").string(), context);
  const auto rig = bind(c, context);
  Solver solver(rig, {.method = Method::implicit}, context);
  const Frame& f = solver.solve(sample(c.skeleton, c.clips[0], 0.5));
  for (std::size_t v = 0; v < f.positions.size(); ++v)
    ASSERT_EQ(f.positions[v], f.positions[rig->surface.first_of[rig->surface.welded_of[v]]]);
}

TEST(Implicit, TurnsJointsBackThatDriveAPartIntoAnother) {
  const Context context(1);
  const Character c = load_character("builtin:hand", context);
  const Metrics metrics(c, context);
  const auto rig = bind(c, context);
  Solver taken(rig, {.method = Method::implicit, .relief_cap = 0}, context),
      relieved(rig, {.method = Method::implicit, .relief_cap = 0.1}, context);
  const Pose pose = at(c, "fist", 0.5);
  EXPECT_TRUE(taken.solve(pose).report.contact.relief.empty());
  const Frame& f = relieved.solve(pose);
  ASSERT_FALSE(f.report.contact.relief.empty());
  ASSERT_FALSE(f.report.contact.overlaps.empty());
  for (const BoneOffset& b : f.report.contact.relief) EXPECT_LE(length(b.offset), 0.1 * diagonal(c.bounds()) + 1e-9);
  for (const BoneOverlap& o : f.report.contact.overlaps) EXPECT_LE(o.left, o.depth + 1e-6);
  // A pose that can be met is met.
  EXPECT_TRUE(relieved.solve(default_pose(c.skeleton)).report.contact.relief.empty());
  EXPECT_EQ(relieved.solve(at(c, "fist", 0.1)).positions, taken.solve(at(c, "fist", 0.1)).positions);
}

// Sums over some frames of a clip: pairs, overlap, folds.
struct Sums {
  double pairs = 0, overlap = 0, folds = 0;
};
Sums sum_over(const Character& c, const Metrics& metrics, Solver& solver, const char* clip, int frames) {
  Sums sums;
  for (const double time : sample_times(c.clip(clip), frames, 30)) {
    const Frame& f = solver.solve(sample(c.skeleton, c.clip(clip), time));
    const FrameMetrics m = metrics.measure(f.positions);
    sums.pairs += static_cast<double>(*m.intersecting_pairs);
    sums.overlap += *m.overlap;
    sums.folds += static_cast<double>(m.folds);
    EXPECT_EQ(m.nonfinite, 0U);
    if (f.residuals.empty()) continue;
    EXPECT_LE(f.report.residual_p95, 1e-3) << clip << " " << time;
    EXPECT_LE(100 * f.report.states[static_cast<std::size_t>(VertexState::limit)], f.positions.size()) << clip;
  }
  return sums;
}

void expect_better(const char* file, std::initializer_list<const char*> clips, int frames) {
  const Context context(2);
  const Character c = load_character((test::shared_data() / file).string(), context);
  const Metrics metrics(c, context);
  const auto rig = bind(c, context);
  Solver dqs(rig, {.method = Method::dqs}, context), implicit(rig, {.method = Method::implicit}, context);
  const double rest = *metrics.rest().overlap * frames;
  for (const char* clip : clips) {
    const Sums before = sum_over(c, metrics, dqs, clip, frames), after = sum_over(c, metrics, implicit, clip, frames);
    EXPECT_LE(8 * after.pairs, before.pairs) << clip;
    EXPECT_LE(after.folds, before.folds) << clip;
    EXPECT_LE(after.overlap - rest, 0.5 * (before.overlap - rest) + 1e-3) << clip;
  }
}

// Skin that geometric skinning draws past the axis of a finger once came out on the other side, and the backs of the
// knuckles were held off the hand: spikes of six edges' length.
TEST(Implicit, ClosesTheBuiltInHandToAFistWithoutSpikes) {
  const Context context(2);
  const Character c = load_character("builtin:hand:3000", context);
  const auto rig = bind(c, context);
  Solver implicit(rig, {.method = Method::implicit}, context), dqs(rig, {.method = Method::dqs}, context);
  const Metrics metrics(c, context);
  for (const double t : {0.4, 0.5}) {
    const Frame& f = implicit.solve(at(c, "fist", t));
    const std::size_t unfinished = f.report.states[static_cast<std::size_t>(VertexState::limit)];
    const FrameMetrics ours = metrics.measure(f.positions),
                       theirs = metrics.measure(dqs.solve(at(c, "fist", t)).positions);
    EXPECT_LT(*ours.stretch_max, 4) << t;
    EXPECT_LT(2 * *ours.intersecting_pairs, *theirs.intersecting_pairs) << t;
    EXPECT_LE(unfinished * 100, rig->surface.size()) << t;
  }
}

TEST(Implicit, LeavesFarFewerIntersectionsThanDualQuaternionsOnTheSharedHand) {
  CUTIS_NEEDS_SHARED_DATA();
  expect_better("hand_webxr/hand_left_poses.glb", {"fist", "hook_grip", "pinch"}, 12);
}

TEST(ImplicitSlow, LeavesFarFewerIntersectionsThanDualQuaternionsOnTheSharedBody) {
  CUTIS_NEEDS_SHARED_DATA();
  expect_better("makehuman_male/makehuman_male.glb", {"elbow_l_0_150", "knee_l_0_150", "index_l_curl"}, 6);
}

TEST(Implicit, SweepsTheBackOfABendAroundItsJoint) {
  const Context context(1);
  const Character c = load_character("builtin:cylinder", context);  // of radius 0.1, its joint at (0, 0.4, 0)
  const std::vector<Vec3f>& rest = c.meshes[0].positions;
  const auto rig = bind(c, context);
  const auto thickest = [&](Method method, double& thinnest) {
    Solver solver(rig, {.method = method}, context);
    const Frame& frame = solver.solve(sample(c.skeleton, c.clip("bend"), 1.0));  // by 150 degrees, towards -x
    const double turn = 150 * kPi / 180;
    double most = 0;
    thinnest = 10;
    for (std::size_t v = 0; v < rest.size(); ++v) {
      if (rest[v].x < 0.06F || std::abs(rest[v].y - 0.4F) > 0.15F) continue;
      const Vec3d p = static_cast<Vec3d>(frame.positions[v]) - Vec3d{0, 0.4, 0};
      double nearest = 10;
      for (const Vec3d& along : {Vec3d{0, -1, 0}, Vec3d{-std::sin(turn), std::cos(turn), 0}})
        nearest = std::min(nearest, length(p - along * std::max(0.0, dot(p, along))) / 0.1);
      most = std::max(most, nearest);
      thinnest = std::min(thinnest, nearest);
    }
    return most;
  };
  double least = 0;
  EXPECT_GT(thickest(Method::dqs, least), 1.1) << "the fault that it cures";
  EXPECT_LT(thickest(Method::implicit, least), 1.02);
  EXPECT_GT(least, 0.98);
}

}  // namespace
}  // namespace cutis
