// Markers put on characters, moved by their clips, and the clips found again from the markers alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "cutis/cutis.h"
#include "support/support.h"
#include "volume/marker_support.h"

namespace cutis {
namespace {

struct Errors {
  double mean = 0, worst = 0, length = 0, volume = 0, flipped = 0;
};

/// `targets` over `clip`; joint errors in heights of the character.
Errors recover(const Character& character, const MarkerMap& map, const MarkerTargets& targets,
               const std::string& clip_name, const Context& context) {
  Errors errors;
  const Box box = character.bounds();
  const double height = box.hi.y - box.lo.y;
  const Clip& clip = character.clip(clip_name);
  MarkerSolver solver(character, map, {}, context);
  const Metrics metrics(character, context, {.intersections = false, .overlap = false});
  const std::vector<double> times = sample_times(clip, static_cast<int>(targets.frames), 30);
  double count = 0;
  for (std::size_t f = 0; f < targets.frames; ++f) {
    const MarkerFrame& frame = solver.solve(targets.frame(f), targets.frame_confidence(f));
    const auto world = world_from_joint(character.skeleton, sample(character.skeleton, clip, times[f]));
    for (std::size_t j = 0; j < world.size(); ++j) {
      if (!is_finite(frame.joints[j])) continue;
      const double d = distance(frame.joints[j], world[j].translation) / height;
      errors.mean += d;
      errors.worst = std::max(errors.worst, d);
      count += 1;
    }
    errors.length = std::max(errors.length, frame.report.bone_length_error);
    errors.flipped += static_cast<double>(frame.report.flipped);
    errors.volume = std::max(errors.volume, std::abs(metrics.measure(frame.positions).volume_change.value_or(0)));
  }
  errors.mean /= count;
  return errors;
}

struct GroundTruth : testing::Test {
  const Context context{2};
  Character character;
  MarkerMap map;
  void SetUp() override {
    CUTIS_NEEDS_SHARED_DATA();
    character = load_character((test::shared_data() / "makehuman_male" / "makehuman_male.glb").string(), context);
    map = test::markers_on_vertices(character, context);
  }

  void expect_recovered(const char* clip, int frames) {
    const MarkerTake take = test::capture(character, map, clip, frames, context);
    const Errors e = recover(character, map, prepare_targets(take, map, context), clip, context);
    EXPECT_LT(e.mean, 0.015);
    EXPECT_LT(e.worst, 0.04);
    EXPECT_LT(e.length, 0.005);
    EXPECT_LT(e.volume, 0.015);
    EXPECT_EQ(e.flipped, 0);
  }
};

TEST_F(GroundTruth, WalkIsRecoveredFromItsMarkers) { expect_recovered("cmu_02_01_walk", 43); }

using GroundTruthSlow = GroundTruth;
TEST_F(GroundTruthSlow, TwistsAndSquatsAreRecoveredFromTheirMarkers) {
  expect_recovered("cmu_13_29_twists_squats", 170);
}

TEST_F(GroundTruthSlow, WalkIsRecoveredWithAFifthOfTheMarkersMissingForHalfSeconds) {
  MarkerTake take = test::capture(character, map, "cmu_02_01_walk", 86, context);
  // At any time eight of the 39 are missing, for 15 frames at 30 a second.
  std::uint32_t seed = 12345;
  for (std::size_t begin = 0; begin < take.frames; begin += 15)
    for (int k = 0; k < 8; ++k) {
      seed = seed * 1664525U + 1013904223U;
      const std::size_t m = (seed >> 8U) % take.names.size();
      for (std::size_t f = begin; f < std::min(begin + 15, take.frames); ++f) take.at(f, m) = {NAN, NAN, NAN};
    }
  const MarkerTargets targets = prepare_targets(take, map, context);
  EXPECT_GT(targets.filled + targets.released, 500U);
  const Errors e = recover(character, map, targets, "cmu_02_01_walk", context);
  EXPECT_LT(e.mean, 0.025);
  EXPECT_LT(e.length, 0.005);
  EXPECT_EQ(e.flipped, 0);
}

MarkerMap four_vertices() {
  MarkerMap map;
  for (const std::int64_t v : {0, 200, 400, 600}) {
    MarkerPlace place;
    place.marker = "M" + std::to_string(v);
    place.vertex = v;
    map.places.push_back(place);
  }
  return map;
}

TEST(MarkerSolver, HoldsItsShapeWithoutMarkersAndNeverReturnsANonFiniteNumber) {
  const Context context(2);
  const Character character = load_character("builtin:arm", context);
  const MarkerMap map = four_vertices();
  MarkerSolver solver(character, map, {.resolution = 400}, context);
  std::vector<Vec3d> targets;
  for (const MarkerPlace& p : map.places)
    targets.push_back(static_cast<Vec3d>(character.meshes[0].positions[static_cast<std::size_t>(p.vertex)]) +
                      Vec3d{0, 0.5, 0});
  const std::vector<double> sure(4, 1.0), none(4, 0.0);
  const std::vector<Vec3f> first = solver.solve(targets, sure).positions;
  EXPECT_EQ(solver.solve(targets, none).positions, first);
  const double nan = std::numeric_limits<double>::quiet_NaN(), huge = 1e300;
  const std::vector<Vec3d> bad{{nan, 0, 0}, {huge, 0, 0}, targets[2], targets[3]};
  for (const Vec3f& p : solver.solve(bad, sure).positions) ASSERT_TRUE(is_finite(p));
  EXPECT_EQ(solver.solve(bad, sure).report.markers, 2U);
  // Targets that collapse into one point are not survivable, but are survived.
  for (const Vec3f& p : solver.solve(std::vector<Vec3d>(4, Vec3d{1, 1, 1}), sure).positions) ASSERT_TRUE(is_finite(p));
  solver.reset();
  EXPECT_LT(distance(solver.solve(targets, sure).positions[0], first[0]), 1e-3F);
}

TEST(MarkerSolver, GivesTheSameBitsForAnyNumberOfThreads) {
  const Context one(1), two(2);
  const Character character = load_character("builtin:arm", one);
  const MarkerMap map = four_vertices();
  std::vector<Vec3d> targets;
  for (const MarkerPlace& p : map.places)
    targets.push_back(static_cast<Vec3d>(character.meshes[0].positions[static_cast<std::size_t>(p.vertex)]) * 1.05);
  const std::vector<double> sure(4, 1.0);
  MarkerSolver a(character, map, {.resolution = 400}, one), b(character, map, {.resolution = 400}, two);
  EXPECT_EQ(a.solve(targets, sure).positions, b.solve(targets, sure).positions);
}

TEST(MarkerSolver, RefusesWhatItCannotUse) {
  const Context context(1);
  const Character character = load_character("builtin:arm", context);
  MarkerMap map;
  EXPECT_THAT(test::error_of([&] { MarkerSolver s(character, map, {}, context); }), testing::HasSubstr("no places"));
  map.places.push_back({});
  map.places[0].marker = "A";
  map.places[0].bone = "wing";
  EXPECT_THAT(test::error_of([&] { MarkerSolver s(character, map, {}, context); }), testing::HasSubstr("wing"));
  map.places[0].bone.clear();
  map.places[0].vertex = 1;
  EXPECT_THAT(test::error_of([&] { MarkerSolver s(character, map, {.resolution = 3}, context); }),
              testing::HasSubstr("resolution"));
  EXPECT_THAT(test::error_of([&] { MarkerSolver s(character, map, {.w_u = -1}, context); }),
              testing::HasSubstr("w_u is -1; it must be more than 0"));
}

}  // namespace
}  // namespace cutis
