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
