// Targets piece by piece are those of the whole take.
#include "cutis/target_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/math.h"
#include "cutis/error.h"
#include "support/support.h"

namespace cutis {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Two rigid bodies of five points each, 75 s at 60 frames a second: four pieces.
struct LongTake {
  MarkerTake take;
  MarkerMap map;

  LongTake() {
    take.source = "long";
    take.rate = 60;
    take.frames = 4500;
    const Vec3d points[] = {{0, 0, 0}, {0.45, 0, 0}, {0, 0.3, 0}, {0, 0, 0.2}, {0.2, 0.2, 0.2}};
    for (int body = 0; body < 2; ++body)
      for (int k = 0; k < 5; ++k) {
        take.names.push_back(std::string(1, static_cast<char>('A' + 5 * body + k)));
        map.places.emplace_back().marker = take.names.back();
        map.places.back().vertex = 0;
      }
    take.kinds.assign(10, PointKind::marker);
    for (std::size_t f = 0; f < take.frames; ++f)
      for (int body = 0; body < 2; ++body)
        for (const Vec3d& p : points) {
          const double t = static_cast<double>(f) / take.rate;
          take.positions.push_back(rotate(axis_angle(Vec3d{0, 1, 0}, (1 + body) * t), p) +
                                   Vec3d{std::sin(0.4 * t) + 3 * body, std::sin(2 * t), 0});
        }
    take.residuals.assign(take.positions.size(), 0.0F);
  }
  void hide(std::size_t marker, std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) take.at(f, marker) = {kNan, kNan, kNan};
  }
  [[nodiscard]] MarkerTake piece(std::size_t first, std::size_t count) const {
    MarkerTake part = take;
    first = std::min(first, take.frames);
    part.frames = std::min(count, take.frames - first);
    const auto at = [&](const auto& list, std::size_t f) {
      return list.begin() + static_cast<std::ptrdiff_t>(f * take.names.size());
    };
    part.positions.assign(at(take.positions, first), at(take.positions, first + part.frames));
    part.residuals.assign(part.positions.size(), 0.0F);
    return part;
  }
};

TEST(TargetStream, HasTheTargetsOfTheWholeTakeAcrossTheEndsOfPieces) {
  LongTake t;
  // Pieces are 20 s, 1200 frames, long.
  t.hide(3, 1190, 1215);                 // a short gap over the end of a piece
  t.hide(4, 1100, 1900);                 // a long one
  t.hide(6, 2380, 2400);                 // one that ends with it
  t.hide(7, 2400, 2410);                 // one that starts with it
  t.hide(0, 0, 10);                      // at the beginning of the take
  t.hide(9, 4480, 4500);                 // and at its end
  t.take.at(1199, 1) += Vec3d{1, 1, 0};  // a jump
  std::swap(t.take.at(1201, 0), t.take.at(1201, 2));
  for (std::size_t f = 3590; f < 3610; ++f)  // nothing at all is seen
    for (std::size_t m = 0; m < 10; ++m) t.take.at(f, m) = {kNan, kNan, kNan};
  const Context context(1);
  for (const double rate : {60.0, 24.0, 100.0}) {
    const MarkerTargets whole = resample(prepare_targets(t.take, t.map, context), rate);
    std::size_t most = 0;
    TargetStream stream(
        t.take, t.take.frames, t.take.rate,
        [&](std::size_t first, std::size_t count) {
          most = std::max(most, count);
          return t.piece(first, count);
        },
        t.map, rate, context);
    ASSERT_EQ(stream.counts().frames, whole.frames);
    for (std::size_t f = 0; f < whole.frames; ++f) {
      stream.seek(f);
      for (std::size_t m = 0; m < 10; ++m) {
        ASSERT_EQ(stream.confidence()[m], whole.frame_confidence(f)[m]) << rate << " " << f << " " << m;
        ASSERT_EQ(stream.positions()[m], whole.frame(f)[m]) << rate << " " << f << " " << m;
      }
    }
    EXPECT_EQ(stream.counts().filled, whole.filled);
    EXPECT_EQ(stream.counts().released, whole.released);
    EXPECT_EQ(stream.counts().jumps, whole.jumps);
    EXPECT_EQ(stream.counts().swapped, whole.swapped);
    EXPECT_EQ(stream.counts().empty_frames, whole.empty_frames);
    EXPECT_LT(most, 1500U);
    EXPECT_GT(whole.filled, 0U);
    EXPECT_GT(whole.released, 0U);
    EXPECT_GT(whole.jumps, 0U);
    EXPECT_EQ(whole.empty_frames, 20U);
  }
}

TEST(TargetStream, GoesBackToo) {
  const LongTake t;
  TargetStream stream(
      t.take, t.take.frames, t.take.rate, [&](std::size_t first, std::size_t count) { return t.piece(first, count); },
      t.map, 60, Context(1));
  for (const std::size_t f : {std::size_t{4000}, std::size_t{5}, std::size_t{1200}}) {
    stream.seek(f);
    EXPECT_LT(distance(stream.positions()[1], t.take.at(f, 1)), 1e-9);
  }
}

TEST(TargetStream, RefusesAMapOfOtherMarkersAndATakeThatGotShorter) {
  LongTake t;
  const Context context(1);
  const auto stream = [&](const MarkerMap& map, std::size_t frames) {
    return TargetStream(
        t.take, frames, t.take.rate, [&](std::size_t first, std::size_t count) { return t.piece(first, count); }, map,
        30, context);
  };
  MarkerMap other;
  other.places.emplace_back().marker = "elsewhere";
  EXPECT_THAT(test::error_of([&] { (void)stream(other, t.take.frames); }), testing::HasSubstr("none of the markers"));
  TargetStream cut = stream(t.map, t.take.frames + 900);
  EXPECT_THAT(test::error_of([&] { cut.seek(cut.counts().frames - 1); }), testing::HasSubstr("shorter"));
}

}  // namespace
}  // namespace cutis
