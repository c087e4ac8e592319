#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cutis/error.h"
#include "render/shapes.h"
#include "render/style.h"

namespace cutis {
namespace {

using test::error_of;
using test::pixel;

const Color kPlotRed{0.9F, 0, 0};

// Mean row of the red pixels in a column; -1 when there are none.
double red_row(const Image& image, int x) {
  double sum = 0, weight = 0;
  for (int y = 0; y < image.height; ++y) {
    const auto p = pixel(image, x, y);
    const int red = p.r - p.g;
    if (red < 60) continue;
    sum += red * (y + 0.5);
    weight += red;
  }
  return weight > 0 ? sum / weight : -1;
}

TEST(Plot, PutsAStraightLineOnAStraightLine) {
  const std::vector<PlotSeries> series = {{"", {0, 1, 2, 3}, {0, 1, 2, 3}, kPlotRed}};
  const Image image = plot_lines(series, {.width = 500, .height = 400});
  const double a = red_row(image, 150), b = red_row(image, 250), c = red_row(image, 350);
  EXPECT_GT(a, b);
  EXPECT_GT(b, c);
  EXPECT_NEAR(a - b, b - c, 0.6);
}

TEST(Plot, BreaksTheLineWhereAValueIsMissing) {
  const double nan = std::nan("");
  PlotSeries s{"", {}, {}, kPlotRed};
  for (int i = 0; i <= 100; ++i) {
    s.x.push_back(i);
    s.y.push_back(i > 40 && i < 60 ? nan : 1 + 0.01 * i);
  }
  const Image image = plot_lines(std::vector{s}, {.width = 500, .height = 300});
  EXPECT_GT(red_row(image, 150), 0);
  EXPECT_EQ(red_row(image, 268), -1);  // the middle of the axis
  EXPECT_GT(red_row(image, 400), 0);
}

TEST(Plot, OfPowersIsStraightOnALogarithmicAxis) {
  const std::vector<PlotSeries> series = {{"", {0, 1, 2, 3, 4}, {1, 10, 100, 1000, 10000}, kPlotRed}};
  const Image image = plot_lines(series, {.width = 500, .height = 400, .log_y = true});
  EXPECT_NEAR(red_row(image, 150) - red_row(image, 250), red_row(image, 250) - red_row(image, 350), 0.6);
}

TEST(Plot, KeepsLinesWithinTheAxes) {
  const std::vector<PlotSeries> series = {{"", {0, 1, 2}, {-100, 100, -100}, kPlotRed}};
  const Image image = plot_lines(series, {.title = "t", .width = 400, .height = 300, .y_min = 0, .y_max = 1});
  for (int x = 0; x < 400; ++x)
    for (const int y : {2, 10, 20, 290, 297}) EXPECT_LT(pixel(image, x, y).r - pixel(image, x, y).g, 60);
}

TEST(Plot, TakesEmptyConstantAndNonFiniteSeries) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  EXPECT_NO_THROW((void)plot_lines({}, {}));
  for (const auto& y :
       {std::vector<double>{}, {5}, {0, 0}, {7, 7, 7}, {nan, nan}, {inf, 1, -inf}, {1e300, -1e300}, {1e-300, 2e-300}}) {
    PlotSeries s{"name", {}, y, {}};
    for (std::size_t i = 0; i < y.size(); ++i) s.x.push_back(static_cast<double>(i));
    for (const bool log : {false, true})
      EXPECT_NO_THROW((void)plot_lines(std::vector{s}, {.title = "T", .x_label = "x", .y_label = "y", .log_y = log}));
  }
}

TEST(Plot, RefusesWhatDoesNotFit) {
  const std::vector<PlotSeries> uneven = {{"volume", {0, 1}, {0}, {}}};
  EXPECT_THAT(error_of([&] { (void)plot_lines(uneven, {}); }), testing::HasSubstr("volume"));
  EXPECT_THROW((void)plot_lines({}, {.width = 20, .height = 20}), Error);
  EXPECT_THROW((void)plot_lines({}, {.y_min = 2, .y_max = 1}), Error);
  EXPECT_THROW((void)plot_lines({}, {.y_min = -1, .log_y = true}), Error);
}

TEST(Ticks, AreRoundAndWithinTheRange) {
  for (const auto& [lo, hi] : {std::pair{0.0, 1.0}, {-3.0, 17.0}, {0.0, 0.0123}, {1000.0, 1003.0}}) {
    const style::Ticks t = style::round_ticks(lo, hi, 5);
    EXPECT_GE(t.count, 2);
    EXPECT_LE(t.count, 12);
    EXPECT_GE(t.first, lo - 1e-9);
    EXPECT_LE(t.first + t.step * (t.count - 1), hi + 1e-9 * std::abs(hi));
  }
  EXPECT_EQ(style::number(0.25, 0.25), "0.25");
  EXPECT_EQ(style::number(2, 0.5), "2.0");
  EXPECT_EQ(style::number(-1e-12, 0.1), "0.0");
  EXPECT_EQ(style::number(1500, 500), "1500");
}

}  // namespace
}  // namespace cutis
