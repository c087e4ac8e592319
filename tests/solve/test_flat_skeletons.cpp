// Joints in a flat list, each with its own place in the world, move the skin as the same joints do when they are
// nested.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cutis/bind.h"
#include "cutis/io.h"
#include "cutis/metrics.h"
#include "cutis/solve.h"
#include "rig/rig.h"
#include "solve/poses.h"
#include "support/odd_skeletons.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::FlatCopy;
using test::largest_distance;
using test::ListOrder;

double size_of(const Character& c) {
  Box box;
  for (const Mesh& mesh : c.meshes)
    for (const Vec3f& p : mesh.positions) box.add(static_cast<Vec3d>(p));
  return diagonal(box);
}

// Poses of all clips.
std::vector<Pose> all_poses(const Character& c, int per_clip) {
  std::vector<Pose> poses;
  for (const Clip& clip : c.clips)
    for (int i = 0; i < per_clip; ++i)
      poses.push_back(sample(c.skeleton, clip, clip.start() + (clip.end() - clip.start()) * i / (per_clip - 1)));
  return poses;
}

void expect_same_skin(const Character& c, int per_clip) {
  const Context context(2);
  const double size = size_of(c);
  const auto rig = bind(c, context, {.implicit_skin = false});
  for (const ListOrder order : {ListOrder::as_it_is, ListOrder::backwards}) {
    const FlatCopy flat = test::make_flat_copy(c, order);
    const auto flat_rig = bind(flat.character, context, {.implicit_skin = false});
    for (const Method method : {Method::lbs, Method::dqs}) {
      Solver nested(rig, {method}, context), listed(flat_rig, {method}, context);
      double worst = 0, shear = 0;
      for (const Pose& pose : all_poses(c, per_clip)) {
        const std::vector<Vec3f> expected = nested.solve(pose).positions;
        worst = std::max(worst, largest_distance(expected, listed.solve(flat.pose(pose, shear)).positions));
      }
      EXPECT_LT(shear, 1e-4) << c.source;  // of rounded scale along the way
      EXPECT_LT(worst, (1e-6 + shear) * size) << c.source << ", " << to_string(method);
    }
  }
}

TEST(FlatSkeletons, MoveTheSkinOfEveryBuiltInCharacterAsNestedOnesDo) {
  for (const std::string& name : builtin_names()) expect_same_skin(load_character("builtin:" + name, Context(2)), 9);
}

TEST(FlatSkeletons, MoveTheSkinOfEverySharedCharacterAsNestedOnesDo) {
  CUTIS_NEEDS_SHARED_DATA();
  for (const char* file :
       {"makehuman_male/makehuman_male.glb", "hand_webxr/hand_left_poses.glb", "cesium_man/cesium_man.glb",
        "fox/fox.glb", "rigged_figure/rigged_figure.glb", "rigged_simple/rigged_simple.glb",
        "avatars/rocketbox_male.glb", "avatars/platformer_character.glb", "avatars/astronaut_draco.glb"})
    expect_same_skin(load_character((test::shared_data() / file).string(), Context(2)), 5);
}

// What a hand's clip comes to: nested, and in a list.
struct Played {
  double farthest = 0;  // between the two, in sizes
  std::size_t pairs = 0, flat_pairs = 0;
};

Played play_hand(Method method, bool contact) {
  const Context context(2);
  const Character hand = load_character("builtin:hand", context);
  const FlatCopy flat = test::make_flat_copy(hand, ListOrder::backwards);
  const Metrics metrics(hand, context);
  SolveOptions options{method};
  options.contact_pass = contact;
  options.relief_cap = contact ? options.relief_cap : 0;
  Solver nested(bind(hand, context), options, context), listed(bind(flat.character, context), options, context);
  Played played;
  for (int i = 0; i <= 10; ++i) {
    double shear = 0;
    const Pose pose = test::pose_at(hand, "fist", 0.05 * i);
    const std::vector<Vec3f> expected = nested.solve(pose).positions;
    const std::vector<Vec3f>& found = listed.solve(flat.pose(pose, shear)).positions;
    played.farthest = std::max(played.farthest, largest_distance(expected, found) / size_of(hand));
    played.pairs = std::max(played.pairs, metrics.measure(expected).intersecting_pairs.value());
    played.flat_pairs = std::max(played.flat_pairs, metrics.measure(found).intersecting_pairs.value());
  }
  return played;
}

TEST(FlatSkeletons, HaveTheImplicitSkinOfNestedOnes) {
  const Played hand = play_hand(Method::implicit, false);
  EXPECT_LT(hand.farthest, 1e-3);
}

TEST(FlatSkeletons, AreTrackedAsNestedOnesAre) {
  const Played hand = play_hand(Method::tracking, false);
  EXPECT_LT(hand.farthest, 1e-2);
  EXPECT_LE(hand.flat_pairs, hand.pairs + hand.pairs / 10 + 2);
}

TEST(FlatSkeletons, AreKeptFromIntersectingAsNestedOnesAre) {
  const Played hand = play_hand(Method::tracking, true);
  EXPECT_LE(hand.flat_pairs, hand.pairs);
}

}  // namespace
}  // namespace cutis
