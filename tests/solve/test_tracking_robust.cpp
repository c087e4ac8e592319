// Tracking where a pose, a clip or a rest pose is not as it should be: always finite, always over soon, always said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/math.h"
#include "cutis/bind.h"
#include "cutis/io.h"
#include "cutis/metrics.h"
#include "cutis/solve.h"
#include "solve/poses.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::pose_at;

double mean_distance(std::span<const Vec3f> a, std::span<const Vec3f> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += distance(a[i], b[i]);
  return sum / static_cast<double>(a.size());
}

// All numbers finite, and no more work than a frame may take.
void expect_sane(const Frame& frame, const std::string& what) {
  for (const Vec3f& p : frame.positions) ASSERT_TRUE(is_finite(p)) << what;
  for (const Vec3f& n : frame.normals) ASSERT_TRUE(is_finite(n)) << what;
  EXPECT_LE(frame.report.substeps, 72U + 16U) << what;  // of one call of the tracker
  EXPECT_LE(frame.report.halvings, 8U) << what;
  std::size_t counted = 0;
  for (const std::size_t count : frame.report.states) counted += count;
  EXPECT_GT(counted, 0U) << what;
}

TEST(TrackingRobust, TeleportingPosesStayFiniteAndTakeABoundedNumberOfSteps) {
  const Context context;
  const Character c = load_character("builtin:arm", context);
  const auto rig = bind(c, context);
  Solver solver(rig, {.method = Method::tracking, .contact_pass = false}, context);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto direction = [&] { return Vec3d{unit(random), unit(random), unit(random)}; };
  for (int i = 0; i < 3; ++i) {
    Pose pose = default_pose(c.skeleton);
    for (Trsd& local : pose.local)
      local.rotation = local.rotation * axis_angle(normalized(direction()), kPi * unit(random));
    pose.local.front().translation += direction() * 100.0;
    const Frame& frame = solver.solve(pose);
    expect_sane(frame, "pose " + std::to_string(i));
    EXPECT_GT(frame.report.substeps, 1U);
    EXPECT_EQ(frame.report.nonfinite, 0U);
  }
  solver.reset();
  Solver fresh(rig, {.method = Method::tracking, .contact_pass = false}, context);
  const Pose pose = pose_at(c, "elbow", 0.2);
  EXPECT_EQ(solver.solve(pose).positions, fresh.solve(pose).positions) << "after reset nothing is left of it";
}

TEST(TrackingRobust, JumpsThroughAClipStayFreeOfIntersectionsWithTheContactPass) {
  const Context context;
  const Character c = load_character("builtin:cylinder", context);
  const Metrics metrics(c, context);
  Solver solver(bind(c, context), {.method = Method::tracking, .contact_pass = true}, context);
  for (const double share : {0.5, 0.02, 0.45, 0.0}) {
    Pose pose = pose_at(c, "bend", share);
    pose.local.front().translation += Vec3d{300, -20, 40} * share;
    const Frame& frame = solver.solve(pose);
    expect_sane(frame, "at " + std::to_string(share));
    EXPECT_EQ(metrics.measure(frame.positions).intersecting_pairs.value_or(9), 0U) << share;
    EXPECT_TRUE(frame.report.contact.certified) << share;
  }
}

TEST(TrackingRobust, FlipsByHalfATurnComeBack) {
  const Context context;
  const Character c = load_character("builtin:cylinder", context);
  Solver solver(bind(c, context), {.method = Method::tracking, .contact_pass = false}, context);
  const Pose rest = default_pose(c.skeleton);
  for (const Vec3d& axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}) {
    Pose flipped = rest;
    flipped.local.back().rotation = flipped.local.back().rotation * axis_angle(axis, kPi);
    expect_sane(solver.solve(flipped), "flipped");
    expect_sane(solver.solve(rest), "and back");
  }
  Pose turned = rest;  // the root alone: a rigid motion, exactly
  turned.local.front().rotation = axis_angle(Vec3d{0, 0, 1}, kPi) * turned.local.front().rotation;
  solver.reset();
  const Frame& frame = solver.solve(turned);
  EXPECT_EQ(frame.report.active, 0U);
  for (std::size_t v = 0; v < frame.positions.size(); ++v) {
    const Vec3f& p = c.meshes[0].positions[v];
    EXPECT_LT(distance(frame.positions[v], Vec3f{-p.x, -p.y, p.z}), 1e-6F);
  }
}

// Past half a turn there is a shorter way to the same pose: skin takes it, and is not wound up.
TEST(TrackingRobust, ABoneThatTurnsOnAndOnWindsNothingUp) {
  const Context context;
  const Character c = load_character("builtin:cylinder", context);
  const auto rig = bind(c, context);
  const Box box = c.bounds();
  const double size = distance(box.lo, box.hi);
  for (const bool contact : {false, true}) {
    Solver solver(rig, {.method = Method::tracking, .contact_pass = contact}, context),
        plain(rig, {.method = Method::dqs}, context);
    const Pose rest = default_pose(c.skeleton);
    double most_before = 0, most_after = 0;
    for (int degrees = 0; degrees <= 720; degrees += 10) {
      Pose pose = rest;
      pose.time = degrees / 300.0;
      pose.local.back().rotation = pose.local.back().rotation * axis_angle(Vec3d{0, 1, 0}, degrees * kPi / 180);
      const Frame& frame = solver.solve(pose);
      expect_sane(frame, "turned by " + std::to_string(degrees));
      const double off = mean_distance(frame.positions, plain.solve(pose).positions) / size;
      double& most = degrees % 360 > 210 || degrees % 360 < 150 ? most_before : most_after;
      most = std::max(most, off);
    }
    EXPECT_LT(most_before, 0.005) << (contact ? "with contact" : "without");
    EXPECT_GT(most_after, 0.01) << "but it does not go to and fro at half a turn";
  }
}

TEST(TrackingRobust, ScaledBonesScaleTheirSkin) {
  const Context context;
  const Character c = load_character("builtin:cylinder", context);
  const auto rig = bind(c, context);
  for (const bool contact : {false, true}) {
    Solver solver(rig, {.method = Method::tracking, .contact_pass = contact}, context);
    Solver smooth(rig, {.method = Method::dqs}, context);
    for (const Vec3d& scale : {Vec3d{2, 2, 2}, Vec3d{0.5, 0.5, 0.5}, Vec3d{1, 3, 1}, Vec3d{1e-6, 1e-6, 1e-6},
                               Vec3d{0, 1, 1}, Vec3d{-1, 1, 1}}) {
      Pose pose = pose_at(c, "bend", 0.2);
      pose.local.back().scale = scale;
      const Frame& frame = solver.solve(pose);
      expect_sane(frame, "scale " + std::to_string(scale.x));
      EXPECT_EQ(frame.report.contact.limit, contact && scale.x < 0.5 ? ContactLimit::pose : ContactLimit::none);
      if (scale.x < 0.5 || contact) continue;
      EXPECT_LT(mean_distance(frame.positions, smooth.solve(pose).positions), 0.05) << scale.x << " " << scale.y;
    }
  }
}

TEST(TrackingRobust, NumbersThatAreNoneInAClipAreCountedAndPass) {
  const Context context;
  Character c = load_character("builtin:cylinder", context);
  Clip& clip = c.clips.front();
  const std::size_t key = clip.channels[0].times.size() / 4;
  for (std::size_t k = 0; k < 4; ++k) clip.channels[0].values[4 * key + k] = std::numeric_limits<float>::quiet_NaN();
  const auto rig = bind(load_character("builtin:cylinder", context), context);
  for (const bool contact : {false, true}) {
    Solver solver(rig, {.method = Method::tracking, .contact_pass = contact}, context);
    std::size_t bad_frames = 0;
    for (std::size_t k = 0; k < 2 * key; ++k) {
      const Frame& frame = solver.solve(sample(c.skeleton, clip, static_cast<double>(clip.channels[0].times[k])));
      expect_sane(frame, "key " + std::to_string(k));
      bad_frames += frame.report.nonfinite > 0 ? 1 : 0;
      EXPECT_EQ(frame.report.nonfinite > 0, k == key) << k << ", contact pass " << contact;
    }
    EXPECT_EQ(bad_frames, 1U);
    // It goes on as if nothing had been: only the bent half was held for a frame.
    const Frame& last = solver.solve(sample(c.skeleton, clip, clip.end()));
    const Metrics metrics(c, context);
    EXPECT_LT(metrics.distance_to_rest(last.positions).max, 5e-4 * 0.9);
  }
}

TEST(TrackingRobust, ARestPoseThatIntersectsIsNamedAndNotMadeWorse) {
  Context context;
  std::vector<std::string> warnings;
  context.on_warning = [&](std::string_view text) { warnings.emplace_back(text); };
  Character c = load_character("builtin:cylinder", context);
  Mesh second = c.meshes[0];
  second.name = "second";
  for (Vec3f& p : second.positions) p = {p.x * 0.9F + 0.07F, p.y * 0.97F + 0.01F, p.z * 0.9F};
  c.meshes.push_back(second);
  const Metrics metrics(c, context);
  const std::size_t at_rest = metrics.rest().intersecting_pairs.value_or(0);
  ASSERT_GT(at_rest, 100U);
  const auto rig = bind(c, context);
  for (const bool contact : {false, true}) {
    warnings.clear();
    Solver solver(rig, {.method = Method::tracking, .contact_pass = contact}, context);
    const Frame& rest = solver.solve(default_pose(c.skeleton));
    EXPECT_LT(metrics.distance_to_rest(rest.positions).max, 1e-5);
    for (int i = 1; i <= 6; ++i) {
      const Frame& frame = solver.solve(pose_at(c, "bend", 0.05 * i));
      expect_sane(frame, "frame " + std::to_string(i));
      EXPECT_LT(metrics.measure(frame.positions).intersecting_pairs.value_or(99999), 3 * at_rest) << i;
    }
    EXPECT_EQ(!warnings.empty(), contact);
    EXPECT_THAT(warnings, testing::Each(testing::HasSubstr("rest pose")));
  }
}

TEST(TrackingRobust, ASubStepThatTurnsSkinOverIsRepeatedInHalvesAndTheReportSaysSo) {
  const Context context;
  const Character c = load_character("builtin:arm", context);
  const auto rig = bind(c, context);
  Pose pose = default_pose(c.skeleton);  // every finger bone over half a turn, in long steps
  for (Trsd& local : pose.local) local.rotation = local.rotation * axis_angle(normalized(Vec3d{1, 2, 3}), 2.5);
  const auto report = [&](int halvings) {
    Solver solver(rig,
                  {.method = Method::tracking, .tracking = {.step = 0.3, .halvings = halvings}, .contact_pass = false},
                  context);
    return solver.solve(pose).report;
  };
  const FrameReport without = report(0), with = report(2);
  EXPECT_EQ(without.halvings, 0U);
  EXPECT_GT(with.halvings, 0U);
  EXPECT_LE(with.halvings, 8U);
  EXPECT_EQ(with.substeps, without.substeps + 2 * with.halvings);
}

TEST(TrackingRobust, JacobiStepsComeToTheSameSkinInMoreIterations) {
  const Context context;
  const Character c = load_character("builtin:cylinder", context);
  const auto rig = bind(c, context);
  std::size_t iterations[2] = {0, 0};
  const auto bend = [&](Relaxation relaxation, int relaxations, std::size_t& count) {
    Solver solver(rig,
                  {.method = Method::tracking,
                   .tracking = {.relaxation = relaxation, .relaxations = relaxations},
                   .contact_pass = false},
                  context);
    const Frame* frame = nullptr;
    for (int i = 1; i <= 6; ++i) {
      frame = &solver.solve(pose_at(c, "bend", 0.03 * i));
      count += frame->report.iterations;
    }
    return frame->positions;
  };
  std::size_t few = 0;
  const std::vector<Vec3f> gradients = bend(Relaxation::conjugate_gradients, 6, iterations[0]);
  const std::vector<Vec3f> jacobi = bend(Relaxation::jacobi, 400, iterations[1]);
  const std::vector<Vec3f> short_jacobi = bend(Relaxation::jacobi, 6, few);
  EXPECT_LT(mean_distance(gradients, jacobi), 5e-4 * 0.9);
  EXPECT_GT(mean_distance(gradients, short_jacobi), 2 * mean_distance(gradients, jacobi));
  EXPECT_GT(iterations[1], 3 * iterations[0]);
}

// Three rings: every edge along the tube is as long as its part.
TEST(TrackingRobust, SkinWhoseEdgesSpanItsPartsKeepsItsEnds) {
  const Context context;
  const Character c = test::make_two_bone_tube(3);
  const auto rig = bind(c, context);
  for (const Method method : {Method::implicit, Method::tracking})
    for (const bool contact : {false, true}) {
      Solver solver(rig, {.method = method, .contact_pass = contact}, context),
          plain(rig, {.method = Method::dqs}, context);
      for (int degrees = 0; degrees <= 70; degrees += 5) {
        Pose pose = default_pose(c.skeleton);
        pose.time = degrees / 150.0;
        pose.local[1].rotation = axis_angle(Vec3d{0, 0, 1}, degrees * kPi / 180);
        const Frame& frame = solver.solve(pose);
        const std::vector<Vec3f>& there = plain.solve(pose).positions;
        for (std::size_t v = 0; v < there.size(); ++v) {
          const float y = c.meshes[0].positions[v].y;
          if (y > 0.5F && y < 1.5F) continue;  // at the joint
          EXPECT_LT(distance(frame.positions[v], there[v]), 0.02F)
              << to_string(method) << (contact ? ", contact" : "") << " at " << degrees << " degrees, vertex " << v;
        }
      }
    }
}

TEST(TrackingRobust, NormalsAtRestAreThoseOfTheFile) {
  const Context context;
  Character c = test::make_two_bone_tube(3);
  std::vector<Vec3f>& normals = c.meshes[0].normals;  // painted: straight outward, at the rims as well
  normals.clear();
  for (const Vec3f& p : c.meshes[0].positions) normals.push_back(normalized(Vec3f{p.x, 0, p.z}, Vec3f{0, 1, 0}));
  const auto rig = bind(c, context);
  Solver tracking(rig, {.method = Method::tracking, .contact_pass = false}, context),
      plain(rig, {.method = Method::dqs}, context);
  const Pose rest = default_pose(c.skeleton);
  const std::vector<Vec3f>& there = plain.solve(rest).normals;
  const std::vector<Vec3f>& here = tracking.solve(rest).normals;
  for (std::size_t v = 0; v < there.size(); ++v) EXPECT_LT(distance(here[v], there[v]), 1e-4F) << v;
}

// What a back end has not, another one does, and says so.
TEST(TrackingBackend, NamesWhatItHasNot) {
  const auto warnings_of = [](Backend backend, const TrackingOptions& tracking) {
    Context context(1, backend);
    std::vector<std::string> warnings;
    context.on_warning = [&](std::string_view text) { warnings.emplace_back(text); };
    const auto rig = bind(load_character("builtin:cylinder", context), context);
    const Solver solver(rig, {.method = Method::tracking, .tracking = tracking, .contact_pass = false}, context);
    return warnings;
  };
  using testing::ElementsAre;
  using testing::HasSubstr;
  EXPECT_THAT(warnings_of(Backend::simd, {}), ElementsAre());
  EXPECT_THAT(warnings_of(Backend::simd, {.contact = ContactModel::composed}), ElementsAre(HasSubstr("operators")));
  EXPECT_THAT(warnings_of(Backend::simd, {.relaxation = Relaxation::jacobi}), ElementsAre(HasSubstr("Jacobi")));
  EXPECT_THAT(warnings_of(Backend::scalar, {.contact = ContactModel::composed, .relaxation = Relaxation::jacobi}),
              ElementsAre());
}

// Fields of fingers that pass each other throw single vertices a third of the hand away; there they stayed.
TEST(TrackingRobust, NoVertexLeavesItsNeighboursInAFist) {
  for (const Backend backend : {Backend::scalar, Backend::simd}) {
    const Context context(2, backend);
    const Character hand = load_character("builtin:hand", context);
    const Clip& clip = hand.clip("fist");
    Solver solver(bind(hand, context), {.method = Method::tracking, .contact_pass = false}, context);
    const Metrics metrics(hand, context, {.intersections = false, .overlap = false});
    for (const double t : sample_times(clip, 0, 30))
      EXPECT_LT(metrics.measure(solver.solve(sample(hand.skeleton, clip, t)).positions).stretch_max.value(), 6)
          << (backend == Backend::scalar ? "scalar" : "simd") << " at " << t << " s; dual quaternions stretch by 2.3";
  }
}

}  // namespace
}  // namespace cutis
