#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/math.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using test::make_two_bone_tube;

Skeleton one_joint() {
  Skeleton s;
  s.joints.resize(1);
  s.joints[0].name = "only";
  s.joints[0].local.translation = {9, 9, 9};
  return s;
}
Vec3d translation_at(const Channel& c, double t) { return sample(one_joint(), {"c", {c}}, t).local[0].translation; }

TEST(Sample, HoldsStepKeysUntilTheNext) {
  const Channel c{0, ChannelPath::translation, Interpolation::step, {0, 1, 2}, {0, 0, 0, 1, 0, 0, 2, 0, 0}};
  EXPECT_EQ(translation_at(c, 0.99).x, 0);
  EXPECT_EQ(translation_at(c, 1.0).x, 1);
  EXPECT_EQ(translation_at(c, 5.0).x, 2);
}

TEST(Sample, InterpolatesLinearlyAndClampsAtBothEnds) {
  const Channel c{0, ChannelPath::translation, Interpolation::linear, {1, 3}, {0, 0, 0, 4, 2, 0}};
  EXPECT_EQ(translation_at(c, 0), (Vec3d{0, 0, 0}));
  EXPECT_EQ(translation_at(c, 2), (Vec3d{2, 1, 0}));
  EXPECT_EQ(translation_at(c, 9), (Vec3d{4, 2, 0}));
}

TEST(Sample, TurnsAlongTheShorterArcWhateverTheSignsOfTheKeys) {
  const Quatd q = axis_angle(Vec3d{1, 0, 0}, 1.0);
  const auto f = [](double v) { return static_cast<float>(v); };
  const Channel c{0, ChannelPath::rotation, Interpolation::linear, {0, 1}, {0, 0, 0, 1, -f(q.x), 0, 0, -f(q.w)}};
  const Quatd half = sample(one_joint(), {"c", {c}}, 0.5).local[0].rotation;
  EXPECT_NEAR(std::abs(dot(half, axis_angle(Vec3d{1, 0, 0}, 0.5))), 1.0, 1e-7);
}

TEST(Sample, FollowsTheCubicSplineOfTheSpecification) {
  // Keys 0 and 1 over two seconds, out-tangent 1, in-tangent 0: at the middle h10 = 1/8, h01 = 1/2.
  const Channel c{0,
                  ChannelPath::translation,
                  Interpolation::cubic_spline,
                  {0, 2},
                  {0, 0, 0, 0, 0, 0, 1, 0, 0, /**/ 0, 0, 0, 1, 0, 0, 0, 0, 0}};
  EXPECT_NEAR(translation_at(c, 1).x, 0.5 + 2 * 0.125, 1e-12);
  EXPECT_NEAR(translation_at(c, 2).x, 1, 1e-12);
}

TEST(Sample, LeavesUnanimatedPropertiesAtTheirDefault) {
  const Channel c{0, ChannelPath::scale, Interpolation::linear, {0}, {2, 2, 2}};
  const Pose pose = sample(one_joint(), {"c", {c}}, 0.5);
  EXPECT_EQ(pose.local[0].translation, (Vec3d{9, 9, 9}));
  EXPECT_EQ(pose.local[0].scale, (Vec3d{2, 2, 2}));
}

TEST(WorldFromJoint, ChainsParentsAndResiduals) {
  Skeleton s = one_joint();
  s.joints.push_back(s.joints[0]);
  s.joints[1].parent = 0;
  s.joints[1].local.translation = {1, 0, 0};
  s.joints[0].local.rotation = axis_angle(Vec3d{0, 0, 1}, kPi / 2);
  s.joints[0].local_residual = Affine3d{diagonal_matrix(Vec3d{2, 1, 1}), {}};
  const auto world = world_from_joint(s, default_pose(s));
  EXPECT_LT(distance(world[1].translation, Vec3d{9, 11, 9}), 1e-12);
}

TEST(SampleTimes, CoverTheClipFromFirstToLastKey) {
  const Character c = make_two_bone_tube();
  EXPECT_EQ(sample_times(c.clips[0], 3, 30), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(sample_times(c.clips[0], 1, 30), (std::vector<double>{0}));
  EXPECT_EQ(sample_times(c.clips[0], 0, 30).size(), 31U);
  EXPECT_EQ(sample_times(c.clips[0], 0, 30).back(), 1.0);
  EXPECT_EQ(sample_times(c.clips[0], 0, 0.7).size(), 1U);
}

TEST(SampleTimes, HoldAClipWithoutDuration) {
  EXPECT_EQ(sample_times({"still", {}}, 3, 10), (std::vector<double>{0, 0.1, 0.2}));
  EXPECT_EQ(sample_times({"still", {}}, 0, 10), (std::vector<double>{0}));
}

TEST(ClipLookup, GoesByNameNumberOrFirstAndNamesWhatThereIs) {
  Character c = make_two_bone_tube();
  c.clips.push_back({"twist", c.clips[0].channels});
  EXPECT_EQ(c.clip("").name, "bend");
  EXPECT_EQ(c.clip("twist").name, "twist");
  EXPECT_EQ(c.clip("1").name, "twist");
  EXPECT_THAT(error_of([&] { (void)c.clip("run"); }), testing::HasSubstr("bend, twist"));
  c.clips.clear();
  EXPECT_THAT(error_of([&] { (void)c.clip(""); }), testing::HasSubstr("no clip"));
}

TEST(SampleTimes, RefuseRatesThatNeverArriveAndCountsThatFillMemory) {
  const Character c = make_two_bone_tube();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double rate : {-30.0, 0.0, -kInfinity, kInfinity, std::nan(""), 1e300, 1e-320, 1e8}) {
    EXPECT_THAT(error_of([&] { (void)sample_times(c.clips[0], 0, rate); }), testing::HasSubstr("clip 'bend'")) << rate;
  }
  EXPECT_THAT(error_of([&] { (void)sample_times({"still", {}}, 3, 0); }), testing::HasSubstr("rate"));
  EXPECT_THAT(error_of([&] { (void)sample_times(c.clips[0], 2'000'000'000, 30); }), testing::HasSubstr("frames"));
  // A rate that is not needed may be anything.
  EXPECT_EQ(sample_times(c.clips[0], 3, std::nan("")), (std::vector<double>{0, 0.5, 1}));
}

TEST(SampleTimes, RefuseClipsWhoseTimesAreNotNumbers) {
  Character c = make_two_bone_tube();
  for (const float time : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    c.clips[0].channels[0].times.back() = time;
    EXPECT_THAT(error_of([&] { (void)sample_times(c.clips[0], 0, 30); }), testing::HasSubstr("not finite"));
    EXPECT_THAT(error_of([&] { (void)sample_times(c.clips[0], 4, 30); }), testing::HasSubstr("not finite"));
  }
}

TEST(Sample, TakesTheFirstKeyAtATimeThatIsNoNumber) {
  const Channel c{0, ChannelPath::translation, Interpolation::linear, {1, 3}, {5, 0, 0, 4, 2, 0}};
  EXPECT_EQ(translation_at(c, std::nan("")).x, 5);
}

}  // namespace
}  // namespace cutis
