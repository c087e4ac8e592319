#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cutis/bind.h"
#include "cutis/io.h"
#include "cutis/solve.h"
#include "hands/hands_support.h"
#include "support/support.h"

namespace cutis {
namespace {

double size_of(const Character& character) { return diagonal(character.bounds()); }

TEST(SpherePose, RecoversAFistFromPerfectCentres) {
  const Context context(1);
  const Character hand = load_character("builtin:hand", context);
  const Clip& fist = hand.clip("fist");
  const std::vector<double> times = sample_times(fist, 6, 30);
  const SphereTrack track = make_sphere_track(hand, fist, times);
  const SphereMotion motion = pose_from_spheres(hand, track, {}, context);
  const test::Distance d = test::joint_distance(hand, fist, motion.clip, times);
  EXPECT_LT(d.largest, 2e-3 * size_of(hand));
  EXPECT_EQ(motion.missing, 0U);
}

// Hand length: from the wrist to the tip of the middle finger, the longest way through the skeleton.
double hand_length(const Character& hand) {
  std::vector<double> reach(hand.skeleton.joints.size(), 0);
  double longest = 0;
  for (std::size_t j = 0; j < reach.size(); ++j) {
    const int parent = hand.skeleton.joints[j].parent;
    if (parent < 0 || !hand.skeleton.joints[j].is_bone ||
        !hand.skeleton.joints[static_cast<std::size_t>(parent)].is_bone)
      continue;
    const auto p = static_cast<std::size_t>(parent);
    reach[j] = reach[p] + distance(hand.skeleton.joints[j].world_from_rest.translation,
                                   hand.skeleton.joints[p].world_from_rest.translation);
    longest = std::max(longest, reach[j]);
  }
  return longest;
}

// Which sphere is not seen in frame f of n spheres.
using Hidden = std::size_t (*)(std::size_t f, std::size_t n);

void expect_recovered(const Character& hand, const char* name, Hidden hidden) {
  const Context context(1);
  const Clip& clip = hand.clip(name);
  const std::vector<double> times = sample_times(clip, 12, 30);
  SphereTrack track = make_sphere_track(hand, clip, times);
  test::add_noise(track, 0.001, 7);
  for (std::size_t f = 0; f < track.centers.size(); ++f) track.centers[f][hidden(f, track.spheres.size())].reset();
  const SphereMotion motion = pose_from_spheres(hand, track, {}, context);
  EXPECT_EQ(motion.missing, track.centers.size());
  EXPECT_LT(test::joint_distance(hand, clip, motion.clip, times).mean, 0.01 * hand_length(hand)) << name;
  // The skin follows too, not only the joints.
  Solver solver(bind(hand, context, {.implicit_skin = false}), {.method = Method::dqs}, context);
  double mean = 0;
  for (const double t : times) {
    const std::vector<Vec3f> truth = solver.solve(sample(hand.skeleton, clip, t)).positions;
    const std::vector<Vec3f>& own = solver.solve(sample(hand.skeleton, motion.clip, t)).positions;
    for (std::size_t v = 0; v < own.size(); ++v)
      mean += distance(truth[v], own[v]) / static_cast<double>(own.size() * times.size());
  }
  EXPECT_LT(mean, 0.01 * hand_length(hand)) << name;
}

TEST(SpherePose, RecoversTheSharedHandToAHundredthUnderNoiseWithOneSphereMissing) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(1);
  const Character hand = load_character((test::shared_data() / "hand_webxr" / "hand_left_poses.glb").string(), context);
  for (const char* name : {"fist", "pinch", "hook_grip", "finger_wave"}) {
    expect_recovered(hand, name, [](std::size_t f, std::size_t n) { return (3 * f + 4) % n; });  // another each frame
    expect_recovered(hand, name, [](std::size_t, std::size_t) { return std::size_t{7}; });       // always the same
    expect_recovered(hand, name, [](std::size_t, std::size_t) { return std::size_t{9}; });       // a fingertip
  }
}

TEST(SpherePose, KeepsBoneLengthsWhateverTheCentresSay) {
  const Context context(1);
  const Character hand = load_character("builtin:hand", context);
  SphereTrack track = make_sphere_track(hand, hand.clip("fist"), {0.5});
  test::add_noise(track, 0.01, 3);
  const SphereMotion motion = pose_from_spheres(hand, track, {}, context);
  const auto posed = world_from_joint(hand.skeleton, sample(hand.skeleton, motion.clip, 0.5));
  for (std::size_t j = 0; j < posed.size(); ++j) {
    const int parent = hand.skeleton.joints[j].parent;
    if (parent < 0) continue;
    const auto p = static_cast<std::size_t>(parent);
    EXPECT_NEAR(distance(posed[j].translation, posed[p].translation),
                distance(hand.skeleton.joints[j].world_from_rest.translation,
                         hand.skeleton.joints[p].world_from_rest.translation),
                1e-6);
  }
}

TEST(SpherePose, IsHardlyMovedByOneWildCentre) {
  const Context context(1);
  const Character hand = load_character("builtin:hand", context);
  const Clip& fist = hand.clip("fist");
  SphereTrack track = make_sphere_track(hand, fist, {0.3});
  const SphereMotion clean = pose_from_spheres(hand, track, {}, context);
  *track.centers[0][5] += Vec3d{0.05, 0, 0};
  const SphereMotion wild = pose_from_spheres(hand, track, {}, context);
  EXPECT_LT(test::joint_distance(hand, clean.clip, wild.clip, {0.3}).mean, 0.01 * size_of(hand));
}

TEST(SpherePose, FollowsAHandThatTurnsAndTravels) {
  const Context context(1);
  const Character hand = load_character("builtin:hand", context);
  SphereTrack track = make_sphere_track(hand, hand.clip("pinch"), {0.4});
  const Quatd turn = axis_angle(normalized(Vec3d{1, 2, 3}), 2.5);
  for (auto& c : track.centers[0]) c = rotate(turn, *c) + Vec3d{3, -2, 1};
  const SphereMotion motion = pose_from_spheres(hand, track, {}, context);
  EXPECT_LT(motion.miss[0], 1e-3 * size_of(hand));
}

TEST(SpherePose, HoldsThePoseWhereTooFewSpheresAreSeenAndNamesAJointThatIsNotThere) {
  Context context(1);
  const Character hand = load_character("builtin:hand", context);
  SphereTrack track = make_sphere_track(hand, hand.clip("fist"), {0.0, 0.5, 1.0});
  for (auto& c : track.centers[1]) c.reset();
  std::string said;
  context.on_warning = [&](std::string_view text) { said = text; };
  const SphereMotion motion = pose_from_spheres(hand, track, {}, context);
  EXPECT_LT(test::joint_distance(hand, motion.clip, motion.clip, {0.5}).largest, 1e-9);
  EXPECT_THAT(said, testing::HasSubstr("hold the pose"));
  for (auto& row : track.centers)
    for (auto& c : row) c.reset();
  EXPECT_THAT(test::error_of([&] { (void)pose_from_spheres(hand, track, {}, context); }),
              testing::HasSubstr("fewer than three"));
  track.spheres[0].joint = "tail";
  EXPECT_THAT(test::error_of([&] { (void)pose_from_spheres(hand, track, {}, context); }), testing::HasSubstr("'tail'"));
}

}  // namespace
}  // namespace cutis
