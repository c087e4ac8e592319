#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/math.h"
#include "cutis/cutis.h"
#include "support/support.h"
#include "volume/marker_support.h"

namespace cutis {
namespace {

using test::error_of;
using testing::HasSubstr;

struct MarkersOfAHuman : testing::Test {
  Context context{2};
  const Character character = load_character("builtin:human", context);
};

TEST_F(MarkersOfAHuman, HasAPlaceOnTheRightSideForEveryOneOfThe39) {
  const MarkerMap map = default_marker_map(character, test::plug_in_gait_names(), context);
  ASSERT_EQ(map.places.size(), 39U);
  const auto at = [&](const std::string& name) {
    for (const MarkerPlace& p : map.places)
      if (p.marker == name)
        return character.skeleton.joints[static_cast<std::size_t>(character.skeleton.find(p.bone))]
                   .world_from_rest.translation +
               p.offset;
    return Vec3d{};
  };
  for (const MarkerPlace& p : map.places) {
    const Vec3d q = at(p.marker);
    if (p.marker[0] == 'L') {
      EXPECT_GT(q.x, 0) << p.marker;
    } else if (p.marker[0] == 'R') {
      EXPECT_LT(q.x, 0) << p.marker;
    }
  }
  EXPECT_GT(at("LFHD").z, at("LBHD").z);
  EXPECT_GT(at("CLAV").z, at("C7").z);
  EXPECT_GT(at("STRN").z, at("T10").z);
  EXPECT_GT(at("CLAV").y, at("STRN").y);
  EXPECT_GT(at("LASI").z, at("LPSI").z);
  EXPECT_GT(at("LTOE").z, at("LHEE").z);
  EXPECT_GT(at("LKNE").y, at("LTIB").y);
  EXPECT_GT(at("LTIB").y, at("LANK").y);
}

TEST_F(MarkersOfAHuman, TellsWhatIsMissingAndTheRestStillWorks) {
  MarkerTake take = test::plug_in_gait_names();
  take.names[3] = "Anna:unlabelled";
  take.names[5] = "Anna:t10";
  std::vector<std::string> warnings;
  context.on_warning = [&](std::string_view w) { warnings.emplace_back(w); };
  EXPECT_EQ(default_marker_map(character, take, context).places.size(), 38U);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("RBHD"));
  take.names[7] = "CLAV";  // was STRN
  warnings.clear();
  (void)default_marker_map(character, take, context);
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("CLAV more than once")));
  take.names.assign(2, "nothing");
  take.kinds.resize(2);
  EXPECT_THAT(error_of([&] { (void)default_marker_map(character, take, context); }), HasSubstr("--map"));
}

TEST_F(MarkersOfAHuman, MapsGoThroughJsonAndBadOnesAreNamed) {
  const test::TemporaryFolder folder;
  MarkerMap map = default_marker_map(character, test::plug_in_gait_names(), context);
  map.scale = 0.9;
  map.places[0].bone.clear();
  map.places[0].vertex = 12;
  map.places[0].offset = {};
  std::ofstream(folder.file("map.json")) << to_json(map);
  const MarkerMap again = load_marker_map(folder.file("map.json"), character);
  ASSERT_EQ(again.places.size(), map.places.size());
  EXPECT_DOUBLE_EQ(again.scale, 0.9);
  EXPECT_EQ(again.places[0].vertex, 12);
  for (std::size_t i = 1; i < map.places.size(); ++i)
    EXPECT_LT(distance(again.places[i].offset, map.places[i].offset), 2e-6);
  map.places[0].marker = "caf\xe9";  // JSON is UTF-8, names of markers need not be
  std::ofstream(folder.file("latin.json")) << to_json(map);
  EXPECT_EQ(load_marker_map(folder.file("latin.json"), character).places.size(), map.places.size());
  const struct {
    const char *text, *names;
  } bad[] = {{"{", "JSON"},
             {"{}", "markers"},
             {R"({"markers": {"A": {"bone": "tail"}}})", "tail"},
             {R"({"markers": {"A": {"vertex": 99999999}}})", "99999999"},
             {R"({"markers": {"A": {"vertex": 1, "bone": "head"}}})", "not both"},
             {R"({"markers": {"A": {"vertex": 1}, "A": {"vertex": 2}}})", "twice"},
             {R"({"markers": {"A": {"bone": "head", "offset": [1, 2]}}})", "offset"},
             {R"({"scale": -1, "markers": {"A": {"vertex": 1}}})", "scale"}};
  for (const auto& b : bad) {
    std::ofstream(folder.file("bad.json")) << b.text;
    const std::string error = error_of([&] { (void)load_marker_map(folder.file("bad.json"), character); });
    EXPECT_THAT(error, HasSubstr(b.names)) << b.text;
    EXPECT_THAT(error, HasSubstr("bad.json")) << b.text;
  }
}

TEST_F(MarkersOfAHuman, IsFittedToAStaticTrialOfALargerSubjectElsewhere) {
  // The person itself, a tenth larger, turned and moved, in a pose of the walk; one marker is not seen.
  const MarkerMap truth = test::markers_on_vertices(character, context);
  MarkerTake take = test::capture(character, truth, "walk", 5, context);
  const Quatd turn = axis_angle(Vec3d{0, 1, 0}, 2.0);
  for (Vec3d& p : take.positions) p = rotate(turn, p) * 1.1 + Vec3d{3, 0, 1};
  take.positions.resize(take.names.size());
  take.frames = 1;
  take.positions[4] = {NAN, NAN, NAN};
  MarkerFitReport report;
  const MarkerMap map = fit_marker_map(character, truth, take, context, &report);
  EXPECT_NEAR(map.scale, 1 / 1.1, 0.01);
  EXPECT_EQ(report.markers, 38U);
  EXPECT_LT(report.rms_before, 0.02);
  // Every marker is attached where it falls: in the fitted pose it is exactly at its target.
  const auto world = world_from_joint(character.skeleton, report.pose);
  for (std::size_t m = 0; m < map.places.size(); ++m) {
    if (m == 4) continue;
    const auto joint = static_cast<std::size_t>(character.skeleton.find(map.places[m].bone));
    const Mat3d rotation = world[joint].linear * inverse(character.skeleton.joints[joint].world_from_rest.linear);
    EXPECT_LT(distance(world[joint].translation + rotation * map.places[m].offset, take.at(0, m) * map.scale), 1e-6);
  }
}

TEST_F(MarkersOfAHuman, JointCentresOfAnotherSkeletonFindJointsOfTheSameRole) {
  MarkerTake take;
  take.source = "joints";
  take.rate = 30;
  take.names = {"Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "LeftArm", "LeftForeArm", "Head"};
  take.kinds.assign(take.names.size(), PointKind::marker);
  const MarkerMap map = default_marker_map(character, take, context);
  ASSERT_EQ(map.places.size(), take.names.size());
  for (const MarkerPlace& place : map.places) {
    if (place.marker == "LeftLeg") {
      EXPECT_EQ(place.bone, "shin_l");
    }
  }
}

}  // namespace
}  // namespace cutis
