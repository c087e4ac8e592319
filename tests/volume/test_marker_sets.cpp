// Takes as laboratories have them: any set of names, no names, several people, axes that are not what the file says.
#include "volume/marker_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/math.h"
#include "cutis/cutis.h"
#include "support/support.h"
#include "volume/marker_sites.h"
#include "volume/marker_support.h"
#include "volume/nameless.h"

namespace cutis {
namespace {

using testing::HasSubstr;

std::vector<std::string> names_of(const MarkerSet& set) {
  std::vector<std::string> names;
  for (const MarkerSet::Entry& e : set.entries) {
    const auto at = e.name.find('?');
    for (const char* side : {"L", "R"}) {
      std::string name(e.name);
      if (at != name.npos) name.replace(at, 1, side);
      if (at != name.npos || side[0] == 'L') names.push_back(name);
    }
  }
  return names;
}

MarkerTake take_with(const std::vector<std::string>& names) {
  MarkerTake take;
  take.source = "names";
  take.rate = 30;
  take.names = names;
  take.kinds.assign(names.size(), PointKind::marker);
  return take;
}

TEST(MarkerSets, NamesOfASetAreGivenOnceAndMeanSitesThatThereAre) {
  const Context context(1);
  const Character character = load_character("builtin:human", context);
  const MarkerSites sites = find_marker_sites(character, make_driven_skeleton(character));
  for (const MarkerSet& set : marker_sets()) {
    const std::vector<std::string> names = names_of(set);
    EXPECT_EQ(names.size(), set.size()) << set.title;
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << set.title;
    for (const std::string& name : names) {
      EXPECT_EQ(normalised_marker(name), name);
      EXPECT_TRUE(sites.contains(set.site_of(name))) << set.title << " " << name << " " << set.site_of(name);
    }
    // And the whole set is recognised as itself, with all of its markers placed.
    MarkerMapReport report;
    const MarkerMap map = default_marker_map(character, take_with(names), context, &report);
    EXPECT_EQ(map.places.size(), names.size()) << set.title;
    EXPECT_EQ(report.set, set.title);
    EXPECT_DOUBLE_EQ(report.score, 1.0) << set.title;
  }
}

TEST(MarkerSets, NamesAreReadAsPeopleWriteThem) {
  EXPECT_EQ(normalised_marker("R.Knee.Medial"), "RKNEEMEDIAL");
  EXPECT_EQ(normalised_marker("l_ias"), "LIAS");
  EXPECT_EQ(normalised_marker("Knee_L"), "LKNEE");
  EXPECT_EQ(normalised_marker("C7"), "C7");
  const Context context(1);
  const Character character = load_character("builtin:human", context);
  MarkerMapReport report;
  const auto set_of = [&](const std::vector<std::string>& names) {
    (void)default_marker_map(character, take_with(names), context, &report);
    return report.set;
  };
  EXPECT_EQ(set_of({"R.ASIS", "L.ASIS", "V.Sacral", "R.Thigh", "R.Knee", "R.Shank", "R.Ankle", "R.Heel", "R.Toe",
                    "L.Thigh", "L.Knee", "L.Shank", "L.Ankle", "L.Heel", "L.Toe", "Top.Head"}),
            "Helen Hayes");
  EXPECT_EQ(set_of({"L_IAS", "R_IAS", "L_IPS", "R_IPS", "L_FLE", "R_FLE", "L_FAL", "R_FAL", "L_FCC", "CV7", "SJN"}),
            "IOR");
  EXPECT_EQ(
      set_of({"WaistLFront", "WaistRFront", "WaistLBack", "WaistRBack", "BackTop", "Chest", "BackLeft", "BackRight",
              "HeadTop", "HeadFront", "HeadSide", "LShoulderTop", "RShoulderTop", "LUArmHigh", "LToeOut", "RToeOut"}),
      "OptiTrack Baseline 37");
  // Whole sets, as files that people publish have them; some write the subject with a line below.
  std::vector<std::string> baseline{"WaistLFront", "WaistRFront", "WaistLBack", "WaistRBack", "BackTop", "Chest",
                                    "BackLeft",    "BackRight",   "HeadTop",    "HeadFront",  "HeadSide"};
  for (const char* side : {"L", "R"})
    for (const char* name : {"ShoulderBack", "ShoulderTop", "ElbowOut", "UArmHigh", "HandOut", "WristOut", "WristIn",
                             "KneeOut", "Thigh", "AnkleOut", "Shin", "ToeOut", "ToeIn"})
      baseline.push_back(std::string(side) + name);
  ASSERT_EQ(baseline.size(), 37U);
  for (std::string& name : baseline) name = "Anna_" + name;
  EXPECT_EQ(set_of(baseline), "OptiTrack Baseline 37");
  EXPECT_DOUBLE_EQ(report.score, 1.0);
  EXPECT_TRUE(report.left_out.empty());
  std::vector<std::string> cmu{"C7", "T10", "CLAV", "STRN", "RBAC"};
  for (const std::string side : {"L", "R"})
    for (const char* name : {"FHD", "BHD", "SHO", "UPA", "ELB", "FRM", "WRA", "WRB", "FIN", "THMB", "FWT", "BWT", "THI",
                             "KNE", "SHN", "ANK", "HEE", "TOE", "MT5"})
      if (side + name != "RTHMB" && side + name != "LTHMB") cmu.push_back(side + name);
  ASSERT_EQ(cmu.size(), 41U);
  EXPECT_EQ(set_of(cmu), "CMU 41");
  EXPECT_GT(report.score, 0.95);
  EXPECT_EQ(set_of({"ARIEL", "C7",     "CLAV",   "LANK", "LBHD", "LBSH", "LBWT", "LELB", "LFHD", "LFSH",
                    "LFWT",  "LHEL",   "LIEL",   "LIWR", "LKNE", "LKNI", "LMT1", "LMT5", "LOWR", "LSHN",
                    "LTHI",  "LIHAND", "LOHAND", "MBWT", "RFWT", "RBWT", "STRN", "T10",  "RTOE"}),
            "production");
  EXPECT_EQ(set_of({"Top.Head",      "Sternum",       "R.Acromium",    "L.Acromium",    "R.ASIS",      "L.ASIS",
                    "V.Sacral",      "R.Thigh.Upper", "R.Thigh.Front", "R.Thigh.Rear",  "R.Knee.Lat",  "R.Knee.Med",
                    "R.Shank.Upper", "R.Shank.Front", "R.Shank.Rear",  "R.Ankle.Lat",   "R.Ankle.Med", "R.Heel",
                    "R.Toe.Lat",     "R.Toe.Med",     "R.Toe.Tip",     "L.Thigh.Upper", "L.Knee.Lat",  "L.Shank.Upper",
                    "L.Ankle.Lat",   "L.Heel",        "L.Toe.Tip"}),
            "OpenSim");
  EXPECT_EQ(set_of({"Q_HeadL",           "Q_HeadR",        "Q_HeadFront", "Q_Chest",          "Q_SpineThoracic2",
                    "Q_SpineThoracic12", "Q_LShoulderTop", "Q_LArm",      "Q_LElbowOut",      "Q_LElbowIn",
                    "Q_LWristIn",        "Q_LWristOut",    "Q_LHand2",    "Q_RShoulderTop",   "Q_RArm",
                    "Q_RElbowOut",       "Q_WaistL",       "Q_WaistR",    "Q_WaistBack",      "Q_WaistLFront",
                    "Q_LThighFrontLow",  "Q_LKneeOut",     "Q_LKneeIn",   "Q_LShinFrontHigh", "Q_LAnkleOut",
                    "Q_LHeelBack",       "Q_LForefoot2",   "Q_LForefoot5"}),
            "Qualisys");
  // Joints of a skeleton are joints, though some sets have markers of such names.
  EXPECT_EQ(set_of({"Hips", "LeftUpLeg", "LeftKnee", "LeftAnkle", "RightKnee", "RightAnkle", "LeftElbow", "RightElbow",
                    "LeftShoulder", "Neck", "Head"}),
            "joints");
}

struct TakesOfAHuman : testing::Test {
  Context context{2};
  const Character character = load_character("builtin:human", context);
  const MarkerMap truth = test::markers_on_vertices(character, context);
  std::vector<std::string> warnings;
  void SetUp() override {
    context.on_warning = [this](std::string_view w) { warnings.emplace_back(w); };
  }

  [[nodiscard]] Vec3d place_of(const MarkerMap& map, const std::string& marker) const {
    for (const MarkerPlace& p : map.places)
      if (p.marker == marker)
        return character.skeleton.joints[static_cast<std::size_t>(character.skeleton.find(p.bone))]
                   .world_from_rest.translation +
               p.offset;
    return {NAN, NAN, NAN};
  }
};

TEST_F(TakesOfAHuman, MarkersWithoutNamesAreFoundWhereTheirNamesWouldPutThem) {
  MarkerTake named = test::capture(character, truth, "walk", 40, context);
  const Quatd turn = axis_angle(Vec3d{0, 1, 0}, 2.2);
  for (Vec3d& p : named.positions) p = rotate(turn, p) * 1.08 + Vec3d{2, 0, -3};
  MarkerTake blank = named;
  for (std::size_t i = 0; i < blank.names.size(); ++i) blank.names[i] = "M" + std::to_string(i);
  MarkerMapReport report;
  const MarkerMap found =
      fit_marker_map(character, default_marker_map(character, blank, context, &report), blank, context);
  EXPECT_FALSE(report.by_names);
  EXPECT_EQ(report.set, "Plug-in Gait");
  EXPECT_THAT(report.left_out, testing::IsEmpty());
  const MarkerMap wanted = fit_marker_map(character, default_marker_map(character, named, context), named, context);
  ASSERT_EQ(found.places.size(), wanted.places.size());
  for (std::size_t i = 0; i < named.names.size(); ++i)
    EXPECT_LT(distance(place_of(found, blank.names[i]), place_of(wanted, named.names[i])), 0.015) << named.names[i];
  EXPECT_NEAR(found.scale, wanted.scale, 0.01);
}

TEST_F(TakesOfAHuman, WithoutNamesAndUpsideDownThePlacesAreFoundAndItIsTold) {
  const MarkerTake named = test::capture(character, truth, "walk", 60, context);
  MarkerTake blank = named;
  for (std::size_t i = 0; i < blank.names.size(); ++i) blank.names[i] = "M" + std::to_string(i);
  for (Vec3d& p : blank.positions) p = {-p.x, -p.y, p.z};
  warnings.clear();
  const MarkerMap found = fit_marker_map(character, default_marker_map(character, blank, context), blank, context);
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("-Y")));
  const MarkerMap wanted = fit_marker_map(character, default_marker_map(character, named, context), named, context);
  ASSERT_EQ(found.places.size(), wanted.places.size());
  for (std::size_t i = 0; i < named.names.size(); ++i)
    EXPECT_LT(distance(place_of(found, blank.names[i]), place_of(wanted, named.names[i])), 0.015) << named.names[i];
}

TEST_F(TakesOfAHuman, TwoPeopleAreToldApartByPrefixAndBySpace) {
  const MarkerTake one = test::capture(character, truth, "walk", 10, context);
  MarkerTake both = one;
  both.names.clear();
  both.kinds.clear();
  both.positions.clear();
  const std::size_t n = one.names.size();
  for (const char* who : {"Anna:", "Bert:"})
    for (std::size_t i = 0; i < n; ++i) {
      if (who[0] == 'B' && i == 0) continue;  // he lacks one
      both.names.push_back(who + one.names[i]);
      both.kinds.push_back(PointKind::marker);
    }
  for (std::size_t f = 0; f < one.frames; ++f)
    for (int who = 0; who < 2; ++who)
      for (std::size_t i = who == 0 ? 0 : 1; i < n; ++i)
        both.positions.push_back(one.at(f, i) + Vec3d{who == 0 ? 0.0 : 1.6, 0, 0});
  both.residuals.assign(both.positions.size(), 0.0F);
  for (const bool with_names : {true, false}) {
    warnings.clear();
    if (!with_names)
      for (std::size_t i = 0; i < both.names.size(); ++i) both.names[i] = "M" + std::to_string(i);
    const std::vector<TakeSubject> subjects = find_subjects(both);
    ASSERT_EQ(subjects.size(), 2U) << with_names;
    EXPECT_EQ(subjects[0].name, with_names ? "Anna" : "1");
    const MarkerTake first = take_of_subject(both, "", context);
    EXPECT_THAT(warnings, testing::ElementsAre(HasSubstr("--subject")));
    ASSERT_EQ(first.names.size(), n);
    EXPECT_EQ(first.at(3, 5), one.at(3, 5));
    const MarkerTake second = take_of_subject(both, subjects[1].name, context);
    ASSERT_EQ(second.names.size(), n - 1);
    EXPECT_LT(distance(second.at(3, 4), one.at(3, 5) + Vec3d{1.6, 0, 0}), 1e-12);
    EXPECT_THAT(test::error_of([&] { (void)take_of_subject(both, "Carl", context); }), HasSubstr("Carl"));
  }
}

TEST_F(TakesOfAHuman, AxesThatAreNotAsTheFileSaysAreMended) {
  const MarkerTake take = test::capture(character, truth, "walk", 10, context);
  const auto check = [&](const auto& spoil, const char* told) {
    MarkerTake bad = take;
    for (Vec3d& p : bad.positions) p = spoil(p);
    warnings.clear();
    mend_axes(bad, context);
    if (told == nullptr) {
      EXPECT_THAT(warnings, testing::IsEmpty());
    } else {
      EXPECT_THAT(warnings, testing::ElementsAre(HasSubstr(told)));
    }
    // Upright again, with left on the left: equal but for a turn about the vertical.
    const auto at = [&](const char* name) { return bad.at(4, static_cast<std::size_t>(bad.find(name))); };
    EXPECT_GT(at("LFHD").y, at("LTOE").y + 1);
    const Vec3d left = at("LASI") - at("RASI"), forward = at("LASI") - at("LPSI");
    EXPECT_GT(cross(left, Vec3d{0, 1, 0}).x * forward.x + cross(left, Vec3d{0, 1, 0}).z * forward.z, 0);
  };
  check([](const Vec3d& p) { return p; }, nullptr);
  check([](const Vec3d& p) { return Vec3d{p.x, -p.z, p.y}; }, "up axis");
  check([](const Vec3d& p) { return Vec3d{p.y, p.x, -p.z}; }, "up axis");
  check([](const Vec3d& p) { return Vec3d{-p.x, -p.y, p.z}; }, "up axis");
  check([](const Vec3d& p) { return Vec3d{-p.x, p.y, p.z}; }, "mirrored");
}

TEST_F(TakesOfAHuman, FramesThatAModelComputedAreNotTakenForMarkers) {
  MarkerTake take = test::capture(character, truth, "walk", 20, context);
  MarkerTake with = take;
  with.positions.clear();
  for (const char* name : {"PELO", "PELA", "PELL", "PELP"}) {
    with.names.emplace_back(name);
    with.kinds.push_back(PointKind::marker);
  }
  for (std::size_t f = 0; f < take.frames; ++f) {
    for (std::size_t i = 0; i < take.names.size(); ++i) with.positions.push_back(take.at(f, i));
    const Quatd turn = axis_angle(normalized(Vec3d{1, 2, 3}), 0.1 * static_cast<double>(f));
    const Vec3d o = take.at(f, 0) + rotate(turn, Vec3d{0.05, 0.07, 0.03});
    const double l = 0.2 + 0.002 * static_cast<double>(f);  // as long as the bone, which models measure anew
    for (const Vec3d& axis : {Vec3d{}, Vec3d{l, 0, 0}, Vec3d{0, l, 0}, Vec3d{0, 0, l}})
      with.positions.push_back(o + rotate(turn, axis));
  }
  std::vector<std::size_t> all(with.names.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const std::vector<std::size_t> measured = measured_points(with, all);
  ASSERT_EQ(measured.size(), take.names.size());
  EXPECT_EQ(measured.back(), take.names.size() - 1);
}

TEST(NamelessTake, OfAWholeFileTheMarkersStayAndComputedFramesGo) {
  CUTIS_NEEDS_SHARED_DATA();
  const MarkerTake take = load_take((test::shared_data() / "markers_c3d" / "Movement_trial.c3d").string(), Context(1));
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < take.names.size(); ++i)
    if (take.kinds[i] != PointKind::model) all.push_back(i);
  std::set<std::string> measured;
  for (const std::size_t i : measured_points(take, all)) measured.emplace(without_subject(take.names[i]));
  for (const char* name :
       {"LFHD", "C7", "CLAV", "LSHO", "RSHO", "LELB", "LASI", "RPSI", "LKNE", "LANK", "RANK", "RTOE"})
    EXPECT_TRUE(measured.contains(name)) << name << ": origins of frames are computed from it";
  for (const char* name : {"PELO", "PELA", "TRXL", "LTIP", "LTIO", "RHUA", "HEDP", "RHNL"})
    EXPECT_FALSE(measured.contains(name)) << name;
}

TEST(NamelessTake, TheMovementTrialIsPlacedAsItsNamesPlaceIt) {
  CUTIS_NEEDS_SHARED_DATA();
  Context context(2);
  context.on_warning = [](std::string_view) {};
  const Character character = load_character("builtin:human", context);
  const MarkerTake all = load_take((test::shared_data() / "markers_c3d" / "Movement_trial.c3d").string(), context);
  const MarkerMap usual = default_marker_map(character, all, context);
  ASSERT_EQ(usual.places.size(), 39U);
  MarkerTake blank;
  blank.source = "blank";
  blank.rate = all.rate;
  blank.frames = all.frames;
  for (std::size_t i = 0; i < 39; ++i) blank.names.push_back("M" + std::to_string(100 + i));
  blank.kinds.assign(39, PointKind::marker);
  for (std::size_t f = 0; f < all.frames; ++f)
    for (const MarkerPlace& p : usual.places)
      blank.positions.push_back(all.at(f, static_cast<std::size_t>(all.find(p.marker))));
  blank.residuals.assign(blank.positions.size(), 0.0F);
  MarkerMapReport report;
  const MarkerMap found =
      fit_marker_map(character, default_marker_map(character, blank, context, &report), blank, context);
  const MarkerMap wanted = fit_marker_map(character, usual, all, context);
  EXPECT_FALSE(report.by_names);
  ASSERT_EQ(found.places.size(), 39U);
  const auto at = [&](const MarkerPlace& p) {
    return character.skeleton.joints[static_cast<std::size_t>(character.skeleton.find(p.bone))]
               .world_from_rest.translation +
           p.offset;
  };
  for (std::size_t i = 0; i < 39; ++i)
    for (const MarkerPlace& p : found.places)
      if (p.marker == blank.names[i]) {
        EXPECT_LT(distance(at(p), at(wanted.places[i])), 0.015) << wanted.places[i].marker << " at " << p.bone;
      }
}

// A file of the worst kind: two people without prefixes, millimetres that are said to be metres, Y and Z exchanged,
// gaps, a swap, a jump, numbers that are none though the file says they are valid.
TEST_F(TakesOfAHuman, AllThatCanBeWrongWithATakeIsMendedOrTold) {
  const MarkerTake good = test::capture(character, truth, "walk", 90, context);
  const std::size_t n = good.names.size();
  MarkerTake bad;
  bad.source = "worst";
  bad.rate = good.rate;
  bad.frames = good.frames;
  for (const char* who : {"", "b"})
    for (const std::string& name : good.names) bad.names.push_back(who + name);
  bad.kinds.assign(2 * n, PointKind::marker);
  for (std::size_t f = 0; f < good.frames; ++f)
    for (int who = 0; who < 2; ++who)
      for (std::size_t i = 0; i < n; ++i) bad.positions.push_back(good.at(f, i) + Vec3d{who * 2.0, 0, 0});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto point = [&](const char* name) { return static_cast<std::size_t>(good.find(name)); };
  for (std::size_t f = 20; f < 26; ++f) std::swap(bad.at(f, point("LKNE")), bad.at(f, point("LTHI")));
  for (std::size_t f = 40; f < 44; ++f) bad.at(f, point("RELB")) += Vec3d{0.6, 0.3, 0};
  for (std::size_t f = 30; f < 38; ++f) bad.at(f, point("RANK")) = {nan, nan, nan};
  for (std::size_t f = 50; f < 55; ++f) bad.at(f, point("C7")) = {};
  for (Vec3d& p : bad.positions) p = Vec3d{p.x, p.z, p.y} * 1000.0;
  bad.residuals.assign(bad.positions.size(), 0.0F);

  MarkerTake one = take_of_subject(bad, "", context);
  EXPECT_THAT(warnings, testing::ElementsAre(HasSubstr("2 subjects")));
  ASSERT_EQ(one.names.size(), n);
  const bool first = one.names[0][0] != 'b';
  ASSERT_TRUE(first) << "of two that are as large the first";
  (void)mend_axes(one, context);
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("up axis")));
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("mirrored")));
  const MarkerMap map = fit_marker_map(character, default_marker_map(character, one, context), one, context);
  EXPECT_NEAR(map.scale, 0.001, 0.00002);
  const MarkerTargets targets = prepare_targets(one, map, context);
  EXPECT_EQ(targets.swapped, 12U);
  EXPECT_EQ(targets.jumps, 4U + 5U) << "zeros that no reader has seen are jumps";
  EXPECT_GE(targets.filled, 8U + 5U + 4U);
  // Distances between markers are those of the walk: nothing wrong is left, whichever way the body now faces.
  for (std::size_t f = 15; f < 60; ++f)
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (targets.frame_confidence(f)[a] > 0 && targets.frame_confidence(f)[b] > 0) {
          EXPECT_NEAR(distance(targets.frame(f)[a], targets.frame(f)[b]),
                      distance(good.at(f, a), good.at(f, b)) * map.scale * 1000, 0.05)
              << f << " " << good.names[a] << " " << good.names[b];
        }
}

// As the file is, with its 112 other points: the names are not looked at.
TEST(NamelessTake, TheWholeMovementTrialIsPlacedAndDrivesTheBodyAsWithNames) {
  CUTIS_NEEDS_SHARED_DATA();
  Context context(2);
  context.on_warning = [](std::string_view) {};
  const Character character = load_character("builtin:human", context);
  const MarkerTake take = load_take((test::shared_data() / "markers_c3d" / "Movement_trial.c3d").string(), context);
  const MarkerMap wanted = fit_marker_map(character, default_marker_map(character, take, context), take, context);
  const MarkerMap found =
      fit_marker_map(character, default_marker_map(character, take, context, nullptr, false), take, context);
  ASSERT_GE(found.places.size(), 39U);
  const auto at = [&](const MarkerPlace& p) {
    return character.skeleton.joints[static_cast<std::size_t>(character.skeleton.find(p.bone))]
               .world_from_rest.translation +
           p.offset;
  };
  for (const MarkerPlace& w : wanted.places) {
    const auto f = std::find_if(found.places.begin(), found.places.end(),
                                [&](const MarkerPlace& p) { return without_subject(p.marker) == w.marker; });
    ASSERT_NE(f, found.places.end()) << w.marker;
    EXPECT_LT(distance(at(*f), at(w)), 0.015) << w.marker;
  }
  const auto mean_distance = [&](const MarkerMap& map) {
    const MarkerTargets targets = prepare_targets(take, map, context);
    MarkerSolver solver(character, map, {.resolution = 300}, context);
    double sum = 0, count = 0;
    for (std::size_t f = 0; f < targets.frames; f += 40) {
      const MarkerFrame& frame = solver.solve(targets.frame(f), targets.frame_confidence(f));
      for (const MarkerPlace& w : wanted.places)
        for (std::size_t m = 0; m < map.places.size(); ++m)
          if (without_subject(map.places[m].marker) == w.marker && targets.frame_confidence(f)[m] > 0)
            sum += distance(frame.markers[m], targets.frame(f)[m]), count += 1;
    }
    return sum / count;
  };
  EXPECT_LT(mean_distance(found), 1.2 * mean_distance(wanted));
}

// Markers on the skin of people the fit has not seen, on other bodies, in motions that are never at rest.
struct StrangeTake {
  const char *name, *person, *motion, *on;  // a motion of the shared data, or a clip of the person
  test::TakeMaking making;
};
class StrangeTakes : public testing::TestWithParam<StrangeTake> {};

TEST_P(StrangeTakes, WithoutNamesAreOnTheBodyWhereNamesPutThem) {
  CUTIS_NEEDS_SHARED_DATA();
  const StrangeTake& c = GetParam();
  Context context(2);
  context.on_warning = [](std::string_view) {};
  const auto load = [&](const std::string& name) {
    return load_character(name.starts_with("builtin:") ? name : (test::shared_data() / name).string(), context);
  };
  const Character person = load(c.person), on = load(c.on);
  const std::string motion = c.motion;
  const Clip clip = motion.ends_with(".bvh") ? load_motion((test::shared_data() / motion).string(), person, context)
                                             : person.clip(motion);
  const MarkerTake named = test::lab_take(person, clip, c.making, context);
  std::vector<std::size_t> order;
  const MarkerTake blank = test::without_names(named, c.making.seed, order);
  MarkerMapReport report;
  const MarkerMap wanted = fit_marker_map(on, default_marker_map(on, named, context), named, context);
  const MarkerMap found = fit_marker_map(on, default_marker_map(on, blank, context, &report), blank, context);
  EXPECT_EQ(report.set, c.making.set);
  EXPECT_FALSE(report.doubtful);
  const auto at = [&](const MarkerPlace& p) {
    return on.skeleton.joints[static_cast<std::size_t>(on.skeleton.find(p.bone))].world_from_rest.translation +
           p.offset;
  };
  std::vector<double> off;
  for (const MarkerPlace& w : wanted.places)
    for (const MarkerPlace& f : found.places)
      if (named.names[order[std::stoul(f.marker) - 1000]] == w.marker) off.push_back(distance(at(f), at(w)));
  ASSERT_GE(off.size(), wanted.places.size() - 1);
  std::sort(off.begin(), off.end());
  EXPECT_LT(off[off.size() * 19 / 20], 0.015);
  EXPECT_NEAR(found.scale, wanted.scale, 0.02 * wanted.scale);
}

INSTANTIATE_TEST_SUITE_P(Of, StrangeTakes,
                         testing::Values(StrangeTake{"KataOnAnotherBody",
                                                     "makehuman_male/makehuman_male.glb",
                                                     "motion_bvh_hard/cmu_135_02.bvh",
                                                     "builtin:human",
                                                     {.set = "OptiTrack Baseline 37", .seed = 3}},
                                         StrangeTake{"SalsaWithFiftyMarkers",
                                                     "makehuman_male/makehuman_male.glb",
                                                     "motion_bvh_hard/cmu_60_08.bvh",
                                                     "builtin:human",
                                                     {.set = "OptiTrack Core 50", .seed = 4}},
                                         StrangeTake{"CrouchOfAClothedManWithMoreMarkers",
                                                     "avatars/rocketbox_male.glb",
                                                     "crouch_in",
                                                     "builtin:human",
                                                     {.set = "Plug-in Gait", .more = 14, .seed = 15}},
                                         StrangeTake{"ASquatWithSixtySixMarkers",
                                                     "makehuman_male/makehuman_male.glb",
                                                     "motion_bvh_cmu/13_29_twists_squats_30fps.bvh",
                                                     "builtin:human",
                                                     {.set = "IOR", .seed = 9}},
                                         StrangeTake{"ACartwheelAtAHundredAndTwentyHertz",
                                                     "makehuman_male/makehuman_male.glb",
                                                     "motion_bvh_cmu/49_07_cartwheel.bvh",
                                                     "builtin:human",
                                                     {.set = "Plug-in Gait", .seed = 6}},
                                         StrangeTake{"AWalkOfARabbit",
                                                     "avatars/rabbit.vrm",
                                                     "motion_bvh_cmu/02_01_walk.bvh",
                                                     "builtin:human",
                                                     {.set = "Plug-in Gait", .seed = 18}}),
                         [](const auto& test) { return test.param.name; });

TEST(NamelessTake, OfACartoonOnAPersonIsSaidToBeDoubtful) {
  CUTIS_NEEDS_SHARED_DATA();
  Context context(2);
  context.on_warning = [](std::string_view) {};
  const Character cartoon = load_character((test::shared_data() / "cesium_man" / "cesium_man.glb").string(), context);
  const Character on = load_character("builtin:human", context);
  const MarkerTake named = test::lab_take(cartoon, cartoon.clips[0], {.set = "Plug-in Gait", .seed = 3}, context);
  std::vector<std::size_t> order;
  MarkerMapReport report;
  (void)default_marker_map(on, test::without_names(named, 3, order), context, &report);
  EXPECT_TRUE(report.doubtful);
}

// A cartoon is not built as the person: places that are as good as any are said to be, and those on a person are not.
TEST(NamelessTake, OnABodyOfOtherProportionsIsSaidToBeDoubtful) {
  CUTIS_NEEDS_SHARED_DATA();
  std::vector<std::string> warnings;
  Context context(2);
  context.on_warning = [&](std::string_view text) { warnings.emplace_back(text); };
  const MarkerTake take = load_take((test::shared_data() / "markers_c3d" / "Movement_trial.c3d").string(), context);
  for (const auto& [name, doubtful] : {std::pair{"cesium_man/cesium_man.glb", true},
                                       {"avatars/platformer_character.glb", true},
                                       {"avatars/rocketbox_male.glb", false}}) {
    const Character character = load_character((test::shared_data() / name).string(), context);
    warnings.clear();
    MarkerMapReport report;
    (void)default_marker_map(character, take, context, &report, false);
    EXPECT_EQ(report.doubtful, doubtful) << name;
    EXPECT_EQ(std::ranges::count_if(warnings, [](const auto& w) { return w.find("is doubtful") != w.npos; }),
              doubtful ? 1 : 0)
        << name;
  }
}

TEST(NamelessTake, OfPointsThatAreNoBodyIsRefused) {
  Context context(2);
  context.on_warning = [](std::string_view) {};
  const Character character = load_character("builtin:human", context);
  std::vector<std::string> names;
  for (int i = 0; i < 30; ++i) names.push_back("P" + std::to_string(i));
  MarkerTake take = take_with(names);
  take.frames = 60;
  // Each on a circle of its own.
  for (std::size_t f = 0; f < take.frames; ++f)
    for (std::size_t i = 0; i < names.size(); ++i) {
      const double a = 0.3 * static_cast<double>(f) + static_cast<double>(i * i);
      take.positions.push_back({0.3 * std::sin(static_cast<double>(i)) + 0.4 * std::cos(a),
                                0.06 * static_cast<double>(i) + 0.2 * std::sin(1.7 * a),
                                0.2 * std::cos(2.0 * static_cast<double>(i)) + 0.4 * std::sin(a)});
    }
  take.residuals.assign(take.positions.size(), 0.0F);
  EXPECT_THAT(test::error_of([&] { (void)default_marker_map(character, take, context); }),
              HasSubstr("do not move as markers on a body"));
}

}  // namespace
}  // namespace cutis
