#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "render/shapes.h"

namespace cutis {
namespace {

using test::error_of;
using test::pixel;
using testing::HasSubstr;

const Color kRed{0.9F, 0, 0};

// Distance from the middle of a plot without labels, in parts of its area's width.
std::vector<float> cone(int n) {
  std::vector<float> values;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      values.push_back(static_cast<float>(std::hypot(i / (n - 1.0) - 0.5, j / (n - 1.0) - 0.5)));
  return values;
}

TEST(IsoLines, OfAConeAreCircles) {
  const Image image =
      draw_iso_lines(cone(81), 81, 81, {.width = 300, .height = 300, .ticks = false, .levels = {{0.3, kRed, 2.0}}});
  // The centre of the red pixels is the centre of the area, and all have the same distance from it.
  double x = 0, y = 0, count = 0, least = 1e9, most = 0;
  const auto each = [&](auto fn) {
    for (int py = 0; py < image.height; ++py)
      for (int px = 0; px < image.width; ++px)
        if (pixel(image, px, py).r - pixel(image, px, py).g > 120) fn(px + 0.5, py + 0.5);
  };
  each([&](double a, double b) { x += a, y += b, ++count; });
  ASSERT_GT(count, 300);
  each([&](double a, double b) {
    const double r = std::hypot(a - x / count, b - y / count);
    least = std::min(least, r);
    most = std::max(most, r);
  });
  EXPECT_LT(most - least, 6);
  EXPECT_NEAR((most + least) / 2, 0.3 * (300 - 0.7 * 14 - 0.9 * 14), 3);
}

TEST(IsoLines, LeaveAGapWhereValuesAreMissing) {
  std::vector<float> values = cone(81);
  for (std::size_t i = 0; i < values.size() / 2; ++i) values[i] = std::nanf("");
  const Image image =
      draw_iso_lines(values, 81, 81, {.width = 300, .height = 300, .ticks = false, .levels = {{0.3, kRed, 2.0}}});
  int above = 0, below = 0;
  for (int y = 0; y < 300; ++y)
    for (int x = 0; x < 300; ++x)
      if (pixel(image, x, y).r - pixel(image, x, y).g > 120) ++(y < 146 ? above : below);
  EXPECT_GT(above, 150);
  EXPECT_LT(below, 20);
}

TEST(IsoLines, TintBothSidesOfTheSkin) {
  const Image image = draw_iso_lines(cone(41), 41, 41, {.width = 200, .height = 200, .ticks = false, .skin = 0.3});
  const auto middle = pixel(image, 100, 100), corner = pixel(image, 20, 20);
  EXPECT_GT(middle.b, middle.r);
  EXPECT_GT(corner.r, corner.b);
}

TEST(IsoLines, OfAFieldAreBlueOutsideGreyOnTheSkinRedInside) {
  const std::vector<IsoLevel> levels = field_levels(0.5, 0.1, 0, 1);
  EXPECT_EQ(levels.size(), 9U);
  for (const IsoLevel& level : levels) {
    if (level.value < 0.45) {
      EXPECT_GT(level.color.z, level.color.x);
    }
    if (level.value > 0.55) {
      EXPECT_GT(level.color.x, level.color.z);
    }
  }
}

TEST(IsoLines, TellWhatDoesNotFit) {
  const std::vector<float> four(4);
  EXPECT_THAT(error_of([&] { (void)draw_iso_lines(four, 3, 2, {}); }), HasSubstr("4 values"));
  EXPECT_THAT(error_of([&] { (void)draw_iso_lines(four, 2, 2, {.width = 20}); }), HasSubstr("too few"));
  EXPECT_THAT(error_of([&] { (void)draw_iso_lines(four, 2, 2, {.x_min = 1}); }), HasSubstr("x_min"));
  EXPECT_THAT(error_of([&] { (void)draw_iso_lines(four, 2, 2, {.curves = {{{1.0}, {}, kRed}}}); }), HasSubstr("curve"));
}

}  // namespace
}  // namespace cutis
