// Tracking in packs gives the bits of the scalar back end, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/same_bits.h"
#include "backends/track_places.h"
#include "cutis/cutis.h"
#include "rig/rig.h"
#include "support/support.h"

namespace cutis {
namespace {

void expect_same_bits(const Character& c, const char* clip, int frames, const BindOptions& bind_options = {},
                      const TrackingOptions& options = {}) {
  const std::vector<Frame> expected = test::expect_scalar_bits(
      c, clip, frames, bind_options, {.method = Method::tracking, .tracking = options, .contact_pass = false},
      [](const Frame& frame, const Frame& scalar) {
        EXPECT_EQ(frame.report.profile.evaluations, scalar.report.profile.evaluations);
        EXPECT_EQ(frame.report.profile.operations, scalar.report.profile.operations);
        EXPECT_EQ(frame.report.profile.gradient_steps, scalar.report.profile.gradient_steps);
      });
  EXPECT_GT(expected.back().report.profile.operations, 0U);
  EXPECT_GT(expected.back().report.profile.evaluations, expected.back().report.profile.operations);
}

TEST(SimdTracking, IsTheScalarOneBitForBitInAFold) {
  const Context context;
  expect_same_bits(load_character("builtin:cylinder", context), "bend", 7);
}

TEST(SimdTracking, IsTheScalarOneBitForBitWithManyPartsNearEachOther) {
  const Context context;
  expect_same_bits(load_character("builtin:hand", context), "fist", 4);
}

TEST(SimdTracking, IsTheScalarOneBitForBitWithMusclesStiffRegionsAndTargets) {
  const Context context;
  const Character c = load_character("builtin:arm", context);
  Preset preset = preset_from_json(
      R"({"regions": [{"name": "hand", "joints": ["hand"], "stiffness": 1, "fade": 0.02}],
          "targets": [{"name": "t", "vertex": 40, "radius": 0.02, "keys": [{"time": 0, "weight": 0.5}]}]})",
      "preset");
  preset.muscles = make_biceps(c);
  expect_same_bits(c, c.clips.front().name.c_str(), 6, {.preset = preset});
}

TEST(SimdTracking, IsTheScalarOneBitForBitWithBonesThatStretch) {
  const Context context;
  expect_same_bits(test::stretching_cylinder(context), "bend", 5);
}

TEST(TrackPlaces, HoldEveryVertexOnceByPartAndPadItsNeighbours) {
  const Context context;
  const auto rig = bind(load_character("builtin:human", context), context);
  const RigSurface& s = rig->surface;
  const TrackPlaces places = make_track_places(s);
  constexpr std::size_t kBlock = TrackPlaces::kBlock;
  ASSERT_EQ(places.vertex.size() % kBlock, 0U);
  std::vector<int> seen(s.size(), 0);
  for (std::size_t place = 0; place < places.vertex.size(); ++place) {
    const std::uint32_t v = places.vertex[place];
    if (v == TrackPlaces::kNone) continue;
    ++seen[v];
    EXPECT_EQ(places.place[v], place);
    EXPECT_EQ(places.owner[place / kBlock], s.owner[v]);
    const auto row = s.neighbours.row(v);
    const std::uint32_t first = places.rows[place / kBlock], last = places.rows[place / kBlock + 1];
    ASSERT_LE(row.size(), last - first);
    for (std::uint32_t r = first; r < last; ++r) {
      const std::size_t lane = place % kBlock, k = r - first;
      EXPECT_EQ(places.link[r].v[lane], 4 * (k < row.size() ? places.place[row[k]] : place));
      EXPECT_EQ(places.weight[r].v[lane], k < row.size() ? s.neighbour_weight[s.neighbours.begin[v] + k] : 0.0F);
    }
  }
  for (const int times : seen) ASSERT_EQ(times, 1);
}

TEST(TrackPlaces, PutNeighboursInSpaceNearEachOther) {
  const Context context;
  const auto rig = bind(load_character("builtin:human", context), context);
  const RigSurface& s = rig->surface;
  const TrackPlaces places = make_track_places(s);
  std::size_t close = 0;
  for (std::size_t v = 0; v < s.size(); ++v)
    for (const std::uint32_t w : s.neighbours.row(v))
      close += std::max(places.place[v], places.place[w]) - std::min(places.place[v], places.place[w]) < 128 ? 1 : 0;
  EXPECT_GT(close, s.neighbours.items.size() * 7 / 10);
}

TEST(TrackingProfile, CountsTheOperatorsOfTheComposedField) {
  const Context context;
  const Character c = load_character("builtin:cylinder", context);
  Solver solver(bind(c, context), {.method = Method::tracking, .tracking = {.contact = ContactModel::composed}},
                context);
  std::size_t operations = 0, evaluations = 0;
  for (const double t : sample_times(c.clip("bend"), 4, 30)) {
    const Frame& frame = solver.solve(sample(c.skeleton, c.clip("bend"), t));
    operations += frame.report.profile.operations;
    evaluations += frame.report.profile.evaluations;
  }
  EXPECT_GT(operations, 0U);
  EXPECT_GT(evaluations, operations) << "two parts: at most one operator a point";
}

}  // namespace
}  // namespace cutis
