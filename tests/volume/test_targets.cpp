#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/markers.h"
#include "support/support.h"

namespace cutis {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Five points of one rigid body that turns and moves.
struct Body {
  MarkerTake take;
  MarkerMap map;
  std::vector<Vec3d> truth;
  explicit Body(std::size_t frames, double rate = 100) {
    take.source = "body";
    take.rate = rate;
    take.frames = frames;
    take.names = {"S:A", "S:B", "S:C", "S:D", "S:E"};
    take.kinds.assign(5, PointKind::marker);
    const Vec3d points[] = {{0, 0, 0}, {0.45, 0, 0}, {0, 0.3, 0}, {0, 0, 0.2}, {0.2, 0.2, 0.2}};
    for (std::size_t f = 0; f < frames; ++f)
      for (const Vec3d& p : points) {
        const double t = static_cast<double>(f) / rate;
        take.positions.push_back(rotate(axis_angle(Vec3d{0, 1, 0}, 3 * t), p) + Vec3d{2 * t, std::sin(6 * t), 0});
      }
    truth = take.positions;
    take.residuals.assign(take.positions.size(), 0.0F);
    for (const char* name : {"A", "B", "C", "D", "E"}) {
      MarkerPlace place;
      place.marker = name;
      place.vertex = 0;
      map.places.push_back(place);
    }
  }
  void hide(std::size_t marker, std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) take.at(f, marker) = {kNan, kNan, kNan};
  }
};

TEST(Targets, AreTheTakeTimesTheScaleAndNamesMayHaveSubjects) {
  Body body(50);
  body.map.scale = 2;
  const MarkerTargets t = prepare_targets(body.take, body.map, Context(1));
  EXPECT_EQ(t.markers, 5U);
  for (std::size_t i = 0; i < body.truth.size(); ++i) EXPECT_LT(distance(t.positions[i], body.truth[i] * 2.0), 1e-12);
  EXPECT_EQ(t.filled + t.released + t.jumps, 0U);
}

TEST(Targets, ShortGapsAreCarriedAlongWithTheCompanions) {
  Body body(200);
  body.hide(4, 80, 120);  // 0.4 s
  const MarkerTargets t = prepare_targets(body.take, body.map, Context(1));
  EXPECT_EQ(t.filled, 40U);
  for (std::size_t f = 80; f < 120; ++f) {
    EXPECT_LT(distance(t.frame(f)[4], body.truth[f * 5 + 4]), 1e-3) << f;
    EXPECT_GT(t.frame_confidence(f)[4], 0);
    EXPECT_LT(t.frame_confidence(f)[4], 1);
  }
}

TEST(Targets, LongGapsAreReleasedAndFadeAtBothEnds) {
  Body body(400);
  body.hide(4, 100, 300);  // 2 s
  const MarkerTargets t = prepare_targets(body.take, body.map, Context(1));
  EXPECT_GT(t.released, 150U);
  EXPECT_EQ(t.frame_confidence(200)[4], 0);
  for (std::size_t f = 95; f < 320; ++f)
    EXPECT_LT(std::abs(t.frame_confidence(f)[4] - t.frame_confidence(f - 1)[4]), 0.6) << f;
  EXPECT_GT(t.frame_confidence(102)[4], t.frame_confidence(110)[4]);
  EXPECT_LT(t.frame_confidence(301)[4], 0.5);
  EXPECT_EQ(t.frame_confidence(330)[4], 1);
}

TEST(Targets, JumpsAndSwapsAreNotBelieved) {
  Body body(300);
  for (std::size_t f = 150; f < 160; ++f) body.take.at(f, 2) += Vec3d{0.5, 0, 0.4};  // jumps away and back
  MarkerTargets t = prepare_targets(body.take, body.map, Context(1));
  EXPECT_EQ(t.jumps, 10U);
  for (std::size_t f = 150; f < 160; ++f) EXPECT_LT(distance(t.frame(f)[2], body.truth[f * 5 + 2]), 0.02);

  Body swapped(300);
  for (std::size_t f = 100; f < 130; ++f) std::swap(swapped.take.at(f, 1), swapped.take.at(f, 3));
  t = prepare_targets(swapped.take, swapped.map, Context(1));
  EXPECT_GE(t.swapped + t.jumps, 60U);
  EXPECT_GE(t.swapped, 50U);
  double worst = 0;
  for (std::size_t f = 100; f < 130; ++f)
    for (const std::size_t m : {1U, 3U})
      if (t.frame_confidence(f)[m] > 0) worst = std::max(worst, distance(t.frame(f)[m], swapped.truth[f * 5 + m]));
  EXPECT_LT(worst, 0.1);
}

TEST(Targets, WhenAllAreMissingTheLastShapeIsHeldAndTheyComeBackWithoutAJump) {
  Body body(300);
  for (std::size_t m = 0; m < 5; ++m) body.hide(m, 100, 200);
  const MarkerTargets t = prepare_targets(body.take, body.map, Context(1));
  EXPECT_EQ(t.empty_frames, 100U);
  EXPECT_EQ(t.frame_confidence(120)[0], 0);
  double fastest = 0;
  Vec3d last = t.frame(99)[0];
  for (std::size_t f = 100; f < 300; ++f) {
    if (t.frame_confidence(f)[0] <= 0) continue;
    fastest = std::max(fastest, distance(t.frame(f)[0], last));
    last = t.frame(f)[0];
    EXPECT_TRUE(is_finite(last));
  }
  EXPECT_LT(fastest, 0.2 * distance(body.truth[99 * 5], body.truth[200 * 5]));
}

TEST(Targets, OfATakeAtAnotherRateAreTheSameMotion) {
  Body body(301, 120);
  const MarkerTargets t = resample(prepare_targets(body.take, body.map, Context(1)), 30);
  EXPECT_EQ(t.frames, 76U);
  for (std::size_t f = 0; f < t.frames; ++f) EXPECT_LT(distance(t.frame(f)[1], body.truth[4 * f * 5 + 1]), 1e-9);
}

TEST(Targets, NameMarkersThatTheTakeLacks) {
  Body body(20);
  body.take.names[2] = "S:Q";
  Context context(1);
  std::string warning;
  context.on_warning = [&](std::string_view w) { warning = w; };
  const MarkerTargets t = prepare_targets(body.take, body.map, context);
  EXPECT_THAT(warning, testing::HasSubstr("does not have C"));
  EXPECT_EQ(t.frame_confidence(5)[2], 0);
  for (std::string& name : body.take.names) name = "x" + name.substr(2);
  EXPECT_THAT(test::error_of([&] { (void)prepare_targets(body.take, body.map, context); }),
              testing::HasSubstr("none of the markers"));
}

}  // namespace
}  // namespace cutis
