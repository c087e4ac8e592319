// Contact always ends: poses that no skin can follow, figures far away, very many parts, work and time that run out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/math.h"
#include "base/work_meter.h"
#include "contact/contact_pass.h"
#include "cutis/cutis.h"
#include "cutis/metrics.h"
#include "rig/pose_limits.h"
#include "solve/poses.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::largest_distance;
using test::pose_at;

class ContactEnds : public testing::Test {
 protected:
  Context context{2};

  static void expect_finite(const Frame& frame, const std::string& what) {
    for (const Vec3f& p : frame.positions) ASSERT_TRUE(is_finite(p)) << what;
    for (const Vec3f& n : frame.normals) ASSERT_TRUE(is_finite(n)) << what;
  }
};

// `spokes` joints around a root, each with a small tetrahedron of its own; a clip turns some of them.
Character make_star(int spokes) {
  Character c;
  c.source = "star";
  Joint root;
  root.name = "root";
  root.is_bone = true;
  c.skeleton.joints.push_back(root);
  Mesh mesh;
  mesh.name = "star";
  mesh.weights.row_begin.push_back(0);
  Clip clip;
  clip.name = "turn";
  const auto add = [&](const Vec3d& at, double size, std::uint32_t joint) {
    const auto base = static_cast<std::uint32_t>(mesh.positions.size());
    const test::Surface piece = test::make_tetrahedron();
    for (const Vec3f& p : piece.positions) {
      mesh.positions.push_back(static_cast<Vec3f>(at + static_cast<Vec3d>(p) * size));
      mesh.weights.joint.push_back(joint);
      mesh.weights.weight.push_back(1);
      mesh.weights.row_begin.push_back(static_cast<std::uint32_t>(mesh.weights.joint.size()));
    }
    for (const Triangle& t : piece.triangles) mesh.triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
  };
  add({}, 0.1, 0);
  const double size = 1.5 / std::sqrt(static_cast<double>(spokes));
  for (int i = 0; i < spokes; ++i) {
    const double polar = std::acos(1 - 2 * (i + 0.5) / spokes), around = kPi * (1 + std::sqrt(5.0)) * (i + 0.5);
    Joint joint;
    joint.name = "spoke" + std::to_string(i);
    joint.parent = 0;
    joint.is_bone = true;
    joint.local.translation = {std::cos(around) * std::sin(polar), std::sin(around) * std::sin(polar), std::cos(polar)};
    joint.world_from_rest.translation = joint.local.translation;
    c.skeleton.joints.push_back(joint);
    add(joint.local.translation, size, static_cast<std::uint32_t>(i + 1));
    if (i % 20 != 0) continue;
    Channel channel{i + 1, ChannelPath::rotation, Interpolation::linear, {0, 1}, {0, 0, 0, 1, 0, 0, 1, 0}};
    clip.channels.push_back(channel);
  }
  mesh.normals.assign(mesh.positions.size(), Vec3f{0, 1, 0});
  c.meshes.push_back(mesh);
  c.clips.push_back(clip);
  return c;
}

struct Case {
  const char* what;
  std::function<void(Pose&)> spoil;
};
std::vector<Case> absurd_poses(std::size_t joint) {
  return {
      {"nothing is left of a bone", [=](Pose& p) { p.local[joint].scale = {0, 0, 0}; }},
      {"nothing is left at all", [=](Pose& p) { p.local[0].scale = {0, 0, 0}; }},
      {"a bone is flat", [=](Pose& p) { p.local[joint].scale = {1, 0, 1}; }},
      {"a bone is huge", [=](Pose& p) { p.local[joint].scale = {1e6, 1e6, 1e6}; }},
      {"a bone is mirrored", [=](Pose& p) { p.local[joint].scale = {-1, 1, 1}; }},
      {"a bone is at the end of the world", [=](Pose& p) { p.local[joint].translation.x = 1e14; }},
      {"beyond that", [=](Pose& p) { p.local[joint].translation.x = 1e20; }},
  };
}

TEST_F(ContactEnds, PosesThatNoSkinCanFollowAreLetGoAndTheSkinGoesOnAfterThem) {
  const Character c = load_character("builtin:arm", context);
  const auto rig = bind(c, context);
  const Metrics metrics(c, context, {.overlap = false});
  const std::size_t joint = c.skeleton.joints.size() / 2;
  const std::vector<Case> cases = absurd_poses(joint);
  for (const Method method : {Method::dqs, Method::tracking}) {
    Solver solver(rig, {.method = method, .contact_pass = true}, context),
        steady(rig, {.method = method, .contact_pass = true}, context);
    const Pose pose = pose_at(c, "elbow", 0.3);
    (void)solver.solve(pose);
    (void)steady.solve(pose);
    for (const Case& test : cases) {
      Pose spoilt = pose;
      test.spoil(spoilt);
      const Frame& frame = solver.solve(spoilt);
      const std::string what = std::string(to_string(method)) + ": " + test.what;
      expect_finite(frame, what);
      EXPECT_FALSE(frame.report.contact.certified) << what;
      EXPECT_EQ(frame.report.contact.limit, ContactLimit::pose) << what;
      const Frame& after = solver.solve(pose);
      EXPECT_TRUE(after.report.contact.certified) << what;
      EXPECT_EQ(after.report.contact.limit, ContactLimit::none) << what;
      EXPECT_EQ(metrics.measure(after.positions).intersecting_pairs.value_or(9), 0U) << what;
      EXPECT_LT(largest_distance(after.positions, steady.solve(pose).positions), 1e-4 * metrics.size()) << what;
    }
  }
}

TEST_F(ContactEnds, PosesThatNoSkinCanFollowEndFromRestToo) {
  const Character c = load_character("builtin:arm", context);
  const auto rig = bind(c, context);
  Solver solver(rig, {.tracking = {.history = History::canonical}}, context);
  const Pose pose = pose_at(c, "elbow", 0.3);
  const Frame sound = solver.solve(pose);
  for (const Case& test : absurd_poses(c.skeleton.joints.size() / 2)) {
    Pose spoilt = pose;
    test.spoil(spoilt);
    expect_finite(solver.solve(spoilt), test.what);
    EXPECT_EQ(solver.solve(pose).positions, sound.positions) << test.what;  // canonical: no memory
  }
}

TEST_F(ContactEnds, OptionsAtTheirLargestEnd) {
  const Character c = test::make_two_bone_tube();
  const auto rig = bind(c, context);
  const Pose pose = sample(c.skeleton, c.clips[0], 0.9);
  Solver tracking(rig, {.tracking = {.history = History::canonical, .canonical_steps = 1000, .rings = 100}}, context);
  expect_finite(tracking.solve(pose), "tracking");
  Solver implicit(rig, {.method = Method::implicit, .implicit = {.rings = 100}}, context);
  expect_finite(implicit.solve(pose), "implicit");
}

TEST_F(ContactEnds, AFigureFarAwayIsSkinnedAsOneNearby) {
  const Character c = load_character("builtin:arm", context);
  const auto rig = bind(c, context);
  PoseOrigin origin(*rig);
  const Vec3d far = Vec3d{1, -0.5, 0.25} * (1e4 * origin.size());
  for (const Method method : {Method::dqs, Method::implicit, Method::tracking}) {
    Solver there(rig, {.method = method, .contact_pass = true}, context),
        here(rig, {.method = method, .contact_pass = true}, context);
    for (int i = 0; i <= 6; ++i) {
      Pose pose = pose_at(c, "elbow", 0.06 * i);
      const Frame near_frame = here.solve(pose);
      pose.local[0].translation += far;
      const Frame& frame = there.solve(pose);
      expect_finite(frame, "far away");
      EXPECT_EQ(frame.report.contact.substeps, near_frame.report.contact.substeps);
      const double coarse = 4 * length(far) / (1 << 24);
      for (std::size_t v = 0; v < frame.positions.size(); ++v)
        ASSERT_LT(distance(static_cast<Vec3d>(frame.positions[v]) - far, static_cast<Vec3d>(near_frame.positions[v])),
                  coarse)
            << to_string(method) << ", frame " << i;
    }
  }
}

TEST_F(ContactEnds, ARootThatIsGoneForAFrameIsNoEvent) {
  const Character c = load_character("builtin:arm", context);
  const auto rig = bind(c, context);
  for (const double jump : {1e6, 1e14}) {
    Solver solver(rig, {.method = Method::tracking, .contact_pass = true}, context),
        steady(rig, {.method = Method::tracking, .contact_pass = true}, context);
    for (int i = 0; i < 8; ++i) {
      Pose pose = pose_at(c, "elbow", 0.03 * i);
      const std::vector<Vec3f> expected = steady.solve(pose).positions;
      if (i == 3) pose.local[0].translation.x += jump;
      const Frame& frame = solver.solve(pose);
      expect_finite(frame, "gone");
      EXPECT_LE(frame.report.contact.substeps, 8U);
      EXPECT_EQ(frame.report.contact.limit, i == 3 ? ContactLimit::far : ContactLimit::none) << i;
      if (i == 3) continue;
      EXPECT_LT(largest_distance(frame.positions, expected), 1e-3) << "frame " << i << ", jump " << jump;
    }
  }
}

TEST_F(ContactEnds, CertificatesHoldInFloatsBeyondTheFarthestFigureThatIsLeftWhereItIs) {
  const Character c = load_character("builtin:hand", context);
  const auto rig = bind(c, context);
  const Metrics metrics(c, context, {.overlap = false});
  PoseOrigin origin(*rig);
  Solver solver(rig, {.method = Method::dqs, .contact_pass = true}, context);
  std::size_t certified = 0;
  for (int i = 0; i <= 8; ++i) {
    Pose pose = pose_at(c, "fist", 0.06 * i);
    pose.local[0].translation.y += 1.5 * kFarSizes * origin.size();
    const Frame& frame = solver.solve(pose);
    if (!frame.report.contact.certified) continue;
    ++certified;
    EXPECT_EQ(metrics.measure(frame.positions).intersecting_pairs.value_or(9), 0U) << i;
  }
  EXPECT_GT(certified, 4U);
}

TEST_F(ContactEnds, AStarOfVeryManyJointsIsOverSoon) {
  const Character c = make_star(280);
  const auto rig = bind(c, context);
  const Metrics metrics(c, context, {.overlap = false});
  const std::size_t at_rest = metrics.rest().intersecting_pairs.value_or(0);
  Solver solver(rig, {.method = Method::dqs, .contact_pass = true}, context);
  for (int i = 0; i < 6; ++i) {
    const Frame& frame = solver.solve(sample(c.skeleton, c.clips[0], i / 30.0));
    expect_finite(frame, "star");
    EXPECT_TRUE(frame.report.contact.certified) << i;
    EXPECT_LE(metrics.measure(frame.positions).intersecting_pairs.value_or(99999), at_rest) << i;
  }
}

using ContactEndsSlow = ContactEnds;

TEST_F(ContactEndsSlow, TenThousandJointsAreTracked) {
  const Character c = make_star(10000);
  const auto rig = bind(c, context);
  Solver solver(rig, {}, context);
  for (int i = 0; i < 2; ++i) expect_finite(solver.solve(sample(c.skeleton, c.clips[0], i / 30.0)), "star");
}

TEST_F(ContactEndsSlow, FiveThousandCubesInOnePlaceAreBoundAndMoved) {
  Character c = test::make_two_bone_tube();
  Mesh cube = c.meshes[0];
  const test::Surface shape = test::make_cube();
  cube.positions = shape.positions;
  cube.triangles = shape.triangles;
  cube.normals.assign(cube.positions.size(), Vec3f{0, 1, 0});
  cube.weights = {};
  cube.weights.row_begin.push_back(0);
  for (std::uint32_t v = 0; v < cube.positions.size(); ++v) {
    cube.weights.joint.push_back(1);
    cube.weights.weight.push_back(1);
    cube.weights.row_begin.push_back(v + 1);
  }
  cube.attributes.clear();
  c.meshes.assign(5000, cube);
  const auto rig = bind(c, context);
  Solver solver(rig, {}, context);
  for (const double time : {0.0, 0.1, 1.0}) {
    const Frame& frame = solver.solve(sample(c.skeleton, c.clips[0], time));
    expect_finite(frame, "cubes");
    EXPECT_NEAR(distance(frame.positions[0], frame.positions[4]), 1, 1e-3);
  }
}

// The tube folded until it lies on itself, by a pass that may do so much a frame.
class StoppedPass : public ContactEnds {
 protected:
  Character c = load_character("builtin:hand", context);
  std::shared_ptr<const Rig> rig = bind(c, context);
  ContactPass pass{*rig, {}, context};
  Solver solver{rig, {.method = Method::dqs}, context};
  std::vector<Vec3f> positions = std::vector<Vec3f>(rig->vertex_count());
  ContactReport report;
  WorkMeter meter;

  bool advance(double share, std::uint64_t limit) {
    meter.start(limit, 0);
    const auto skin = [&](const Pose& at, double, std::span<Vec3f> out) {
      std::ranges::copy(solver.solve(at).positions, out.begin());
      return std::span<const std::uint32_t>{};
    };
    return pass.advance(pose_at(c, "fist", share), skin, positions, report, context, &meter);
  }
};

TEST_F(StoppedPass, StopsWhenItsWorkIsSpentAndSaysSoAndGoesOnLater) {
  ASSERT_TRUE(advance(0.1, WorkMeter::kNoLimit));
  const std::vector<Vec3f> kept = positions;
  EXPECT_FALSE(advance(0.35, 50'000));
  EXPECT_FALSE(report.certified);
  EXPECT_EQ(report.limit, ContactLimit::work);
  EXPECT_EQ(positions, kept) << "not touched";
  EXPECT_LT(meter.used(), 400'000U) << "it stops soon";
  EXPECT_FALSE(advance(0.35, WorkMeter::kNoLimit)) << "a frame of pause";
  EXPECT_EQ(report.limit, ContactLimit::work);
  EXPECT_EQ(meter.used(), 0U);
  EXPECT_TRUE(advance(0.35, WorkMeter::kNoLimit));
  EXPECT_TRUE(report.certified);
  const Metrics metrics(c, context, {.overlap = false});
  EXPECT_EQ(metrics.measure(positions).intersecting_pairs.value_or(9), 0U);
}

TEST_F(StoppedPass, PausesLongerAndLongerWhereNothingHelps) {
  std::vector<int> tried;
  for (int i = 0; i < 80; ++i) {
    EXPECT_FALSE(advance(0.35, 50'000));
    if (meter.used() > 0) tried.push_back(i);
  }
  EXPECT_THAT(tried, testing::ElementsAre(0, 2, 5, 10, 19, 36, 53, 70));
  for (int i = 0; i < 20 && !advance(0.35, WorkMeter::kNoLimit); ++i) EXPECT_LT(i, 16);
  EXPECT_EQ(report.limit, ContactLimit::none);
}

TEST_F(StoppedPass, WhatIsSpentDoesNotDependOnThreads) {
  const Context one(1);
  ContactPass alone(*rig, {}, one);
  const auto skin = [&](const Pose& at, double, std::span<Vec3f> out) {
    std::ranges::copy(solver.solve(at).positions, out.begin());
    return std::span<const std::uint32_t>{};
  };
  for (const double share : {0.1, 0.2, 0.3, 0.4}) {
    ASSERT_TRUE(advance(share, WorkMeter::kNoLimit));
    WorkMeter other;
    other.start(WorkMeter::kNoLimit, 0);
    ASSERT_TRUE(alone.advance(pose_at(c, "fist", share), skin, positions, report, one, &other));
    EXPECT_EQ(meter.used(), other.used());
  }
}

class FrameBudget : public ContactEnds {
 protected:
  Character c = load_character("builtin:hand", context);
  std::shared_ptr<const Rig> rig = bind(c, context);

  // The most that an edge of the skin is stretched.
  [[nodiscard]] double stretch(const std::vector<Vec3f>& positions) const {
    double most = 0;
    for (const Mesh& mesh : c.meshes)
      for (const Triangle& t : mesh.triangles)
        for (std::size_t k = 0; k < 3; ++k) {
          const std::uint32_t a = t[k], b = t[(k + 1) % 3];
          const double rest = distance(mesh.positions[a], mesh.positions[b]);
          if (rest > 0) most = std::max(most, distance(positions[a], positions[b]) / rest);
        }
    return most;
  }
};

TEST_F(FrameBudget, FramesThatRunOutOfTimeAreWholeAndSaySo) {
  ASSERT_EQ(c.meshes.size(), 1U);
  for (const bool contact : {true, false}) {
    Solver solver(rig, {.method = Method::tracking, .contact_pass = contact, .frame_budget_ms = 1e-6}, context);
    Solver smooth(rig, {.method = Method::lbs}, context);
    for (int i = 0; i <= 12; ++i) {
      const Pose pose = pose_at(c, "fist", 0.04 * i);
      const Frame& frame = solver.solve(pose);
      expect_finite(frame, "late");
      EXPECT_TRUE(frame.report.out_of_time) << i;
      if (contact) {
        EXPECT_FALSE(frame.report.contact.certified) << i;
        EXPECT_EQ(frame.report.contact.limit, ContactLimit::time) << i;
      }
      const double plain = stretch(smooth.solve(pose).positions);
      EXPECT_LT(stretch(frame.positions), 2 * plain) << i;
    }
  }
}

TEST_F(FrameBudget, SkinThatWasLateCatchesUpWhenThereIsTime) {
  const Metrics metrics(c, context, {.overlap = false});
  SolveOptions options{.method = Method::tracking, .contact_pass = true};
  Solver patient(rig, options, context);
  options.frame_budget_ms = 1e-6;
  Solver late(rig, options, context);
  for (int i = 0; i <= 6; ++i) {
    (void)patient.solve(pose_at(c, "fist", 0.04 * i));
    EXPECT_TRUE(late.solve(pose_at(c, "fist", 0.04 * i)).report.out_of_time);
  }
  Solver freed(rig, {.method = Method::tracking, .contact_pass = true}, context);
  freed.restore_state(late.save_state());
  for (int i = 7; i <= 9; ++i) {
    const Frame& frame = freed.solve(pose_at(c, "fist", 0.04 * i));
    EXPECT_FALSE(frame.report.out_of_time);
    if (i < 9) {  // later the thumb, which never saw the fingers close, may be on their wrong side, and is let go
      EXPECT_TRUE(frame.report.contact.certified) << i;
      EXPECT_EQ(metrics.measure(frame.positions).intersecting_pairs.value_or(9), 0U) << i;
    }
    EXPECT_LT(largest_distance(frame.positions, patient.solve(pose_at(c, "fist", 0.04 * i)).positions),
              0.05 * metrics.size())
        << i;
  }
}

TEST_F(FrameBudget, ABudgetThatIsNeverReachedChangesNothing) {
  Solver with(rig, {.method = Method::tracking, .contact_pass = true, .frame_budget_ms = 1e9}, context),
      without(rig, {.method = Method::tracking, .contact_pass = true}, context);
  for (int i = 0; i <= 6; ++i) {
    const Pose pose = pose_at(c, "fist", 0.05 * i);
    const Frame& frame = with.solve(pose);
    EXPECT_FALSE(frame.report.out_of_time);
    EXPECT_EQ(frame.positions, without.solve(pose).positions) << i;
  }
}

}  // namespace
}  // namespace cutis
