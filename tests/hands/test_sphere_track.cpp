#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/math.h"
#include "cutis/hands.h"
#include "cutis/io.h"
#include "support/support.h"

namespace cutis {
namespace {

using testing::HasSubstr;

TEST(SphereTrack, ReadsNamesObjectsUnitsAndGaps) {
  const SphereTrack t = sphere_track_from_json(R"({"name": "take 1", "unit": "mm", "fps": 10,
    "spheres": ["wrist", {"joint": "tip", "rest": [10, 0, 0], "radius": 5}],
    "frames": [[[1000, 2000, 3000], null], {"time": 4, "centers": [[0, 0, 0], [1, 1, 1]]}]})",
                                               "t.json");
  EXPECT_EQ(t.name, "take 1");
  ASSERT_EQ(t.spheres.size(), 2U);
  EXPECT_EQ(t.spheres[0].joint, "wrist");
  EXPECT_FALSE(t.spheres[0].rest.has_value());
  EXPECT_DOUBLE_EQ(t.spheres[1].rest->x, 0.01);
  EXPECT_DOUBLE_EQ(t.spheres[1].radius, 0.005);
  ASSERT_EQ(t.times.size(), 2U);
  EXPECT_DOUBLE_EQ(t.times[1], 4);
  EXPECT_DOUBLE_EQ(t.centers[0][0]->z, 3);
  EXPECT_FALSE(t.centers[0][1].has_value());
}

TEST(SphereTrack, WritesWhatItReadsBack) {
  const Context context(1);
  const Character hand = load_character("builtin:hand", context);
  SphereTrack made = make_sphere_track(hand, hand.clips[0], {0.0, 0.25});
  made.centers[1][2].reset();
  made.spheres[1].radius = 0.01;
  const SphereTrack read = sphere_track_from_json(to_json(made), "made");
  ASSERT_EQ(read.spheres.size(), made.spheres.size());
  EXPECT_EQ(read.times, made.times);
  EXPECT_FALSE(read.centers[1][2].has_value());
  EXPECT_EQ(read.centers[1][3], made.centers[1][3]);
  EXPECT_EQ(read.spheres[1].radius, 0.01);
  made.name = "caf\xe9";  // JSON is UTF-8, names need not be
  EXPECT_NO_THROW((void)sphere_track_from_json(to_json(made), "made"));
}

TEST(SphereTrack, FollowsPlacesThatSitBesideTheirJoints) {
  const Context context(1);
  const Character arm = load_character("builtin:arm", context);
  const std::string& joint = arm.skeleton.joints.back().name;
  const Vec3d at = arm.skeleton.joints.back().world_from_rest.translation;
  const std::vector<TrackedSphere> places{{joint, std::nullopt, 0.004}, {joint, at + Vec3d{0, 0.01, 0}, 0}};
  const SphereTrack track = make_sphere_track(arm, arm.clips[0], {0.0, 0.5}, places);
  ASSERT_EQ(track.spheres.size(), 2U);
  for (const auto& row : track.centers) EXPECT_NEAR(distance(*row[0], *row[1]), 0.01, 1e-9);
  EXPECT_THAT(test::error_of([&] { (void)make_sphere_track(arm, arm.clips[0], {0.0}, {{"tail", {}, 0}}); }),
              HasSubstr("'tail'"));
}

TEST(SphereTrack, IsDisturbedAsMuchAsWasAskedFor) {
  const Context context(1);
  const Character arm = load_character("builtin:arm", context);
  std::vector<double> times;
  for (int i = 0; i < 3000; ++i) times.push_back(i / 30.0);
  const SphereTrack clean = make_sphere_track(arm, arm.clips[0], times);
  SphereTrack track = clean, again = clean, other = clean;
  disturb(track, {.noise = 0.002, .gaps = 0.25, .length = 0.3});
  disturb(again, {.noise = 0.002, .gaps = 0.25, .length = 0.3});
  disturb(other, {.noise = 0.002, .gaps = 0.25, .length = 0.3, .seed = 2});
  EXPECT_EQ(track.centers, again.centers);
  EXPECT_NE(track.centers, other.centers);
  double squares = 0, seen = 0, gaps = 0;
  for (std::size_t f = 0; f < times.size(); ++f)
    for (std::size_t i = 0; i < track.spheres.size(); ++i) {
      if (!track.centers[f][i]) {
        gaps += f == 0 || track.centers[f - 1][i] ? 1 : 0;
        continue;
      }
      const Vec3d off = *track.centers[f][i] - *clean.centers[f][i];
      squares += dot(off, off);
      ++seen;
    }
  const double all = static_cast<double>(times.size() * track.spheres.size());
  EXPECT_NEAR(seen / all, 0.75, 0.04);
  EXPECT_NEAR(std::sqrt(squares / seen / 3), 0.002, 1e-4);
  EXPECT_NEAR((all - seen) / gaps / 30, 0.3, 0.06);  // seconds of a gap
  disturb(again = clean, {});
  EXPECT_EQ(again.centers, clean.centers);
  EXPECT_THAT(test::error_of([&] { disturb(track, {.gaps = 1}); }), HasSubstr("gaps"));
}

TEST(SphereTrack, SaysWhatIsWrongAndWhere) {
  const auto error = [](const char* text) {
    return test::error_of([&] { (void)sphere_track_from_json(text, "t.json"); });
  };
  EXPECT_THAT(error("{"), HasSubstr("not JSON"));
  EXPECT_THAT(error("[]"), HasSubstr("\"spheres\" and \"frames\""));
  EXPECT_THAT(error(R"({"spheres": []})"), HasSubstr("frames"));
  EXPECT_THAT(error(R"({"spheres": [], "frames": []})"), HasSubstr("no spheres"));
  EXPECT_THAT(error(R"({"spheres": ["a"], "frames": []})"), HasSubstr("no frames"));
  EXPECT_THAT(error(R"({"spheres": ["a"], "frames": [[]]})"), HasSubstr("frame 0"));
  EXPECT_THAT(error(R"({"spheres": ["a"], "frames": [[[1, 2]]]})"), HasSubstr("three numbers"));
  EXPECT_THAT(error(R"({"spheres": ["a"], "frames": [[[1, 2, 1e300]]]})"), HasSubstr("usable"));
  EXPECT_THAT(error(R"({"spheres": [{"joint": "a", "radius": -1}], "frames": [[null]]})"), HasSubstr("above 0"));
  EXPECT_THAT(error(R"({"unit": "inch", "spheres": ["a"], "frames": [[null]]})"), HasSubstr("unit"));
  EXPECT_THAT(
      error(R"({"spheres": ["a"], "frames": [{"time": 1, "centers": [null]}, {"time": 1, "centers": [null]}]})"),
      HasSubstr("rise"));
}

}  // namespace
}  // namespace cutis
