#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cutis/io.h"
#include "hands/hands_support.h"
#include "support/support.h"

namespace cutis {
namespace {

// A person whose fingers are longer than the character's, the index most.
Character longer_hand(const Character& hand, SphereRegistration& truth) {
  for (const Joint& joint : hand.skeleton.joints) {
    if (joint.parent < 0 || !joint.is_bone) continue;
    const bool index = joint.name.find("index") != std::string::npos;
    truth.bones.push_back({joint.name, index ? 1.25 : 1.1, 1.1, true});
  }
  return fitted_to(hand, truth);
}

TEST(SphereRegistration, FindsBoneLengthsUnderNoise) {
  const Context context(1);
  const Character hand = load_character("builtin:hand", context);
  SphereRegistration truth;
  const Character person = longer_hand(hand, truth);
  SphereTrack track = make_sphere_track(person, person.clip("fist"), sample_times(person.clip("fist"), 24, 30));
  test::add_noise(track, 0.001, 11);
  const SphereRegistration found = register_spheres(hand, track, {}, context);
  EXPECT_LT(found.miss_after, 0.5 * found.miss_before);
  EXPECT_LT(found.miss_after, 0.002);
  std::size_t checked = 0;
  for (const auto& bone : found.bones)
    for (const auto& want : truth.bones)
      if (bone.joint == want.joint) {
        EXPECT_NEAR(bone.length, want.length, 0.06) << bone.joint;
        ++checked;
      }
  EXPECT_GT(checked, 10U);
}

TEST(SphereRegistration, MakesTheTrackFitAndLeavesTheOriginalAlone) {
  const Context context(1);
  const Character hand = load_character("builtin:hand", context);
  SphereRegistration truth;
  const Character person = longer_hand(hand, truth);
  const SphereTrack track = make_sphere_track(person, person.clip("pinch"), {0.2, 0.6});
  const double before = pose_from_spheres(hand, track, {}, context).miss[1];
  const Character fitted = fitted_to(hand, register_spheres(hand, track, {}, context));
  const double after = pose_from_spheres(fitted, track, {}, context).miss[1];
  EXPECT_GT(before, 0.001);
  EXPECT_LT(after, 0.2 * before);
  EXPECT_EQ(fitted.vertex_count(), hand.vertex_count());
  validate(fitted);
  EXPECT_GT(diagonal(fitted.bounds()), 1.03 * diagonal(hand.bounds()));
}

TEST(SphereRegistration, TakesThicknessFromTheRadii) {
  const Context context(1);
  const Character hand = load_character("builtin:hand", context);
  SphereTrack track = make_sphere_track(hand, hand.clip("pinch"), {0.0, 0.3});
  for (TrackedSphere& s : track.spheres) s.radius = 0.02;
  const SphereRegistration found = register_spheres(hand, track, {}, context);
  for (const auto& bone : found.bones) EXPECT_GT(bone.thickness, 1.0) << bone.joint;
}

TEST(SphereRegistration, OfTheCharacterItselfChangesNothing) {
  const Context context(1);
  const Character hand = load_character("builtin:hand", context);
  const SphereTrack track = make_sphere_track(hand, hand.clip("fist"), {0.0, 0.4, 0.8});
  const Character same = fitted_to(hand, register_spheres(hand, track, {}, context));
  double farthest = 0;
  for (std::size_t v = 0; v < hand.meshes[0].positions.size(); ++v)
    farthest = std::max<double>(farthest, distance(hand.meshes[0].positions[v], same.meshes[0].positions[v]));
  EXPECT_LT(farthest, 0.01 * diagonal(hand.bounds()));
}

}  // namespace
}  // namespace cutis
