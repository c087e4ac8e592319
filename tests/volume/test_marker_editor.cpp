// A person who drags markers: figure 6 of Le Naour et al.
#include "cutis/marker_editor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/math.h"
#include "cutis/cutis.h"
#include "support/support.h"
#include "volume/marker_support.h"

namespace cutis {
namespace {

using testing::HasSubstr;

MarkerMap joints_as_handles(const std::vector<std::string>& names) {
  MarkerMap map;
  for (const std::string& name : names) {
    MarkerPlace place;
    place.marker = place.bone = name;
    map.places.push_back(place);
  }
  return map;
}

struct EditingAHuman : testing::Test {
  const Context context{2};
  const Character character = load_character("builtin:human", context);
  const MarkerMap map = joints_as_handles({"hips", "head", "foot_l", "foot_r", "hand_l", "hand_r"});
  enum { hips, head, foot_l, foot_r, hand_l, hand_r };
};

TEST_F(EditingAHuman, AScriptedDragReachesEachTargetAndPinsHold) {
  MarkerEditor editor(character, map, {.resolution = 800}, context);
  const std::vector<Vec3d> rest = editor.frame().markers;
  for (const std::size_t m : {hips, head, foot_l, foot_r}) editor.pin(m);
  const auto drag = [&](std::size_t marker, const Vec3d& to) {
    const Vec3d from = editor.begin(marker, 0).markers[marker];
    for (int k = 1; k <= 8; ++k) {
      const Vec3d at = lerp(from, to, k / 8.0);
      const MarkerFrame& frame = editor.move(at);
      EXPECT_LT(distance(frame.markers[marker], at), 0.01) << marker << ", step " << k;
      for (const UnreachedTarget& u : frame.report.unreached)
        ADD_FAILURE() << map.places[u.marker].marker << " is off by " << u.distance << " at step " << k << " of "
                      << marker << ": " << u.joint << " " << u.limit;
      for (const std::size_t pin : {hips, head, foot_l, foot_r})
        if (pin != marker) {
          EXPECT_LT(distance(frame.markers[pin], rest[pin]), 0.01) << pin << ", step " << k;
        }
    }
    editor.end();
  };
  drag(hand_l, rest[head] + Vec3d{0.25, 0.2, 0.15});
  drag(hand_r, rest[hips] + Vec3d{-0.3, 0.1, 0.3});
  // The pin gives way to the hand that takes it: a knee comes up.
  drag(foot_l, rest[foot_l] + Vec3d{0, 0.35, 0.2});
  EXPECT_LT(distance(editor.frame().markers[hand_l], rest[head] + Vec3d{0.25, 0.2, 0.15}), 0.01)
      << "stays where it was put";
  EXPECT_EQ(editor.layer().keys.size(), 3U);
}

TEST_F(EditingAHuman, WhatWasDoneIsUndoneAndDoneAgain) {
  MarkerEditor editor(character, map, {.resolution = 400}, context);
  EXPECT_FALSE(editor.undo());
  const Vec3d rest = editor.frame().markers[hand_l], up = rest + Vec3d{-0.1, 0.3, 0.1};
  for (const std::size_t m : {hips, head, foot_l, foot_r}) editor.pin(m);
  editor.begin(hand_l, 0);
  (void)editor.move(up);
  (void)editor.end();
  EXPECT_LT(distance(editor.frame().markers[hand_l], up), 0.01);
  EXPECT_TRUE(editor.undo());
  EXPECT_TRUE(editor.layer().keys.empty());
  EXPECT_LT(distance(editor.frame().markers[hand_l], rest), 0.05);
  EXPECT_TRUE(editor.redo());
  EXPECT_LT(distance(editor.frame().markers[hand_l], up), 0.01);
  EXPECT_FALSE(editor.redo());
  // A drag that is dropped leaves nothing behind.
  editor.begin(hand_l, 0);
  (void)editor.move(rest);
  EXPECT_TRUE(editor.undo());
  EXPECT_LT(distance(editor.frame().markers[hand_l], up), 0.01);
  EXPECT_TRUE(editor.is_pinned(head));
  editor.release(head);
  EXPECT_FALSE(editor.is_pinned(head));
  EXPECT_TRUE(editor.undo());
  EXPECT_TRUE(editor.is_pinned(head));
  EXPECT_EQ(editor.pins().size(), 4U);
  EXPECT_THAT(test::error_of([&] { (void)editor.move(rest); }), HasSubstr("begin()"));
  EXPECT_THAT(test::error_of([&] { (void)editor.begin(17, 0); }), HasSubstr("17"));
}

TEST_F(EditingAHuman, EditsAreALayerOverATakeThatFadesInTime) {
  const MarkerMap all = test::markers_on_vertices(character, context);
  const MarkerTake take = test::capture(character, all, "walk", 31, context);
  const MarkerTargets targets = prepare_targets(take, all, context);
  std::size_t finger = 0;
  while (all.places[finger].marker != "LFIN") ++finger;
  const double middle = 0.5 * static_cast<double>(targets.frames - 1) / targets.rate;
  EditLayer layer;
  layer.blend_seconds = 0.3 * middle;
  layer.keys.push_back({finger, middle, {0, 0.2, 0.1}});
  // Through JSON and back.
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("edits.json")) << to_json(layer, all);
  const EditLayer again = load_edits(folder.file("edits.json"), all);
  ASSERT_EQ(again.keys.size(), 1U);
  EXPECT_EQ(again.keys[0].marker, finger);
  EXPECT_LT(distance(again.keys[0].offset, layer.keys[0].offset), 1e-12);
  for (const auto& [text, names] :
       {std::pair{"{\"keys\": [{\"marker\": \"tail\", \"time\": 0, \"offset\": [0, 0, 0]}]}", "tail"},
        {"{\"keys\": [{\"marker\": \"LFIN\"}]}", "key 0"},
        {"{\"blend_seconds\": 0, \"keys\": []}", "blend_seconds"},
        {"[]", "keys"}}) {
    std::ofstream(folder.file("bad.json")) << text;
    EXPECT_THAT(test::error_of([&] { (void)load_edits(folder.file("bad.json"), all); }), HasSubstr(names));
  }

  const MarkerTargets edited = with_edits(targets, layer);
  const std::size_t half = targets.frames / 2;
  EXPECT_LT(distance(edited.frame(half)[finger], targets.frame(half)[finger] + Vec3d{0, 0.2, 0.1}), 1e-9);
  EXPECT_EQ(edited.frame(0)[finger], targets.frame(0)[finger]);
  EXPECT_EQ(edited.frame_confidence(0)[finger], targets.frame_confidence(0)[finger]);
  EXPECT_LT(edited.frame_confidence(half)[0], 0.1);

  // In the body: the hand is where the edit has it in the middle of the take, and where the take has it at both ends.
  MarkerEditor editor(character, all, {.resolution = 400}, context);
  editor.set_take(targets);
  editor.set_layer(layer);
  EXPECT_LT(distance(editor.show(0).markers[finger], targets.frame(0)[finger]), 0.03);
  const Vec3d wanted = targets.frame(half)[finger] + Vec3d{0, 0.2, 0.1};
  for (int k = 0; k < 3; ++k) (void)editor.show(middle);
  EXPECT_LT(distance(editor.frame().markers[finger], wanted), 0.01)
      << "the other 38 markers of the take give way to it";
}

TEST_F(EditingAHuman, StandsInAPoseAndKeepsWhatIsLeftOpen) {
  const MarkerMap all = joint_handles(character);
  const auto handle = [&](std::string_view name) {
    const auto found = std::ranges::find_if(all.places, [&](const MarkerPlace& p) { return p.marker == name; });
    EXPECT_NE(found, all.places.end()) << name;
    return static_cast<std::size_t>(found - all.places.begin());
  };
  MarkerEditor editor(character, all, {.resolution = 400}, context);
  const auto clip = std::ranges::find_if(character.clips, [](const Clip& c) { return c.name == "squat"; });
  ASSERT_NE(clip, character.clips.end());
  const Pose squat = sample(character.skeleton, *clip, 0.25 * (clip->start() + clip->end()));
  const std::vector<Affine3d> world = world_from_joint(character.skeleton, squat);
  (void)editor.stand(squat);
  const std::vector<Vec3d> there = editor.frame().markers;
  const std::vector<std::string> seen{"hips",      "head",   "foot_l", "hand_r", "forearm_l",
                                      "forearm_r", "shin_l", "shin_r", "chest"};
  for (const std::string& name : seen) {
    const auto joint = static_cast<std::size_t>(character.skeleton.find(name));
    EXPECT_LT(distance(there[handle(name)], world[joint].translation), 0.03) << name;
  }
  for (const char* name : {"hips", "head", "foot_l", "foot_r"}) editor.pin(handle(name));
  // Held where it is: an elbow and the knees may swing, and have no reason to.
  const std::size_t hand = handle("hand_l");
  (void)editor.begin(hand, 0);
  for (int k = 0; k < 3; ++k) (void)editor.move(there[hand]);
  for (const std::string& name : seen)
    EXPECT_LT(distance(editor.frame().markers[handle(name)], there[handle(name)]), 0.03) << name;
  const Vec3d up = there[hand] + Vec3d{0.05, 0.15, 0.05};
  EXPECT_LT(distance(editor.move(up).markers[hand], up), 0.01);
  EXPECT_LT(distance(editor.frame().markers[handle("foot_r")], there[handle("foot_r")]), 0.01);
  EXPECT_LT(distance(editor.frame().markers[handle("shin_r")], there[handle("shin_r")]), 0.05);
  // The hand goes along as it is to the arm: what it holds is not held back by its fingers.
  const auto wrist = static_cast<std::size_t>(character.skeleton.find("hand_l"));
  const double turned = std::abs(dot(editor.frame().pose.local[wrist].rotation, squat.local[wrist].rotation));
  EXPECT_GT(turned, std::cos(0.5 * 25 * kDegree));
  (void)editor.end();
  // Taken back: it stands as before, not at rest.
  while (editor.undo()) {
  }
  for (const std::string& name : seen)
    EXPECT_LT(distance(editor.frame().markers[handle(name)], there[handle(name)]), 0.01) << name;
  EXPECT_THAT(test::error_of([&] { (void)editor.stand(Pose{}); }), HasSubstr("another skeleton"));
}

TEST_F(EditingAHuman, HandlesAreTheJointsThatReachFarthest) {
  const MarkerMap few = joint_handles(character, 8), all = joint_handles(character, 1000);
  ASSERT_EQ(few.places.size(), 8U);
  const auto has = [](const MarkerMap& handles, std::string_view name) {
    return std::ranges::any_of(handles.places,
                               [&](const MarkerPlace& p) { return p.bone == name && p.marker == name; });
  };
  EXPECT_TRUE(has(few, "hips"));
  EXPECT_TRUE(has(few, "upper_arm_l"));
  EXPECT_FALSE(has(few, "index_3_l"));
  EXPECT_TRUE(has(all, "hand_l"));
  EXPECT_TRUE(has(joint_handles(character), "hand_l"));
  EXPECT_TRUE(has(joint_handles(character), "foot_r"));
}

TEST_F(EditingAHuman, CanBeDrawn) {
  MarkerEditor editor(character, map, {.resolution = 400}, context);
  std::vector<Vec3f> positions;
  std::vector<Triangle> cage;
  std::vector<std::array<std::uint32_t, 4>> cells;
  editor.boundary(positions, cage);
  editor.control_mesh(positions, cells);
  EXPECT_GT(cells.size(), cage.size() / 2);
  const auto p = [&](std::uint32_t v) { return static_cast<Vec3d>(positions[v]); };
  for (const auto& t : cells) EXPECT_GT(dot(cross(p(t[1]) - p(t[0]), p(t[2]) - p(t[0])), p(t[3]) - p(t[0])), 0);
  // A knee that is bent: the range goes with the thigh, the angle with the shin.
  const auto knee = [&] {
    for (const JointRange& r : editor.joint_ranges())
      if (character.skeleton.joints[static_cast<std::size_t>(r.joint)].name == "shin_l") return r;
    return JointRange{};
  };
  const JointRange before = knee();
  EXPECT_LE(before.flexion.low, 0);
  EXPECT_GT(before.flexion.high, 2);
  EXPECT_NEAR(before.flexion.now, 0, 0.05);
  for (const std::size_t m : {hips, head, foot_r}) editor.pin(m);
  EXPECT_EQ(editor.pins().size(), 3U);
  editor.begin(foot_l, 0);
  (void)editor.move(editor.frame().markers[foot_l] + Vec3d{0, 0.35, 0.1});
  const JointRange after = knee();
  EXPECT_GT(after.flexion.now, 0.7);
  EXPECT_GT(distance(before.along, after.along), 0.2) << "the thigh was lifted";
  EXPECT_EQ(after.flexion.high, before.flexion.high);
}

TEST_F(EditingAHuman, ALimitThatStopsADragIsTold) {
  MarkerEditor editor(character, map, {.resolution = 400}, context);
  for (const std::size_t m : {hips, head, foot_l, foot_r}) editor.pin(m);
  editor.begin(hand_l, 0);
  const MarkerFrame& frame = editor.move(editor.frame().markers[hand_l] + Vec3d{1.5, 0, 0});
  ASSERT_FALSE(frame.report.unreached.empty());
  EXPECT_EQ(frame.report.unreached[0].marker, static_cast<std::size_t>(hand_l));
  EXPECT_GT(frame.report.unreached[0].distance, 0.3);
}

}  // namespace
}  // namespace cutis
