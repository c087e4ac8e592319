#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cutis/error.h"
#include "render/color.h"
#include "render/shapes.h"

namespace cutis {
namespace {

using test::error_of;
using test::pixel;

const Color kSheetRed{0.8F, 0.02F, 0.02F};

int count_red(const Image& image) {
  int red = 0;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) red += image.rgb[i] > 200 && image.rgb[i + 1] < 80;
  return red;
}
int count_dark(const Image& image, int x0, int y0, int x1, int y1) {
  int dark = 0;
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) dark += pixel(image, x, y).sum() < 450;
  return dark;
}

TEST(ContactSheet, ShowsEveryPictureWholeAndOnce) {
  const std::vector<SheetCell> cells(7, SheetCell{make_image(60, 40, kSheetRed), "frame"});
  const Image sheet = contact_sheet(cells, {.title = "Elbow", .columns = 3, .row_labels = {"lbs", "dqs", "x"}});
  EXPECT_EQ(count_red(sheet), 7 * 60 * 40);
  EXPECT_GT(sheet.width, 3 * 60);
  EXPECT_GT(sheet.height, 3 * 40);
}

TEST(ContactSheet, PutsTitleRowLabelsAndCellLabelsWhereTheyBelong) {
  const std::vector<SheetCell> cells(4, SheetCell{make_image(80, 50, kSheetRed), "12"});
  const Image sheet = contact_sheet(cells, {.title = "Title", .columns = 2, .row_labels = {"one", "two"}});
  // The first red pixel is the corner of the grid.
  int left = 0, top = 0;
  for (int y = 0; y < sheet.height && top == 0; ++y)
    for (int x = 0; x < sheet.width; ++x)
      if (pixel(sheet, x, y).r > 200 && pixel(sheet, x, y).g < 80) {
        left = x;
        top = y;
        break;
      }
  EXPECT_GT(count_dark(sheet, 0, 0, sheet.width, top), 50);              // title
  EXPECT_GT(count_dark(sheet, 0, top, left, top + 50), 20);              // row label
  EXPECT_GT(count_dark(sheet, left, top + 50, left + 80, top + 75), 5);  // cell label
}

TEST(ContactSheet, LegendAddsAColourBar) {
  const std::vector<SheetCell> cells(2, SheetCell{make_image(200, 90, kSheetRed), ""});
  const Image without = contact_sheet(cells, {.title = ""});
  const Image with = contact_sheet(cells, {.title = "", .legend = Legend{"stretch", 0, 2, ""}});
  EXPECT_EQ(with.width, without.width);
  EXPECT_GT(with.height, without.height + 30);
  int bright = 0;  // the light end of the map
  for (int y = without.height; y < with.height; ++y)
    for (int x = 0; x < with.width; ++x) {
      const auto p = pixel(with, x, y);
      bright += p.r > 200 && p.g > 180 && p.b < 120;
    }
  EXPECT_GT(bright, 20);
}

TEST(ContactSheet, CentresSmallerPicturesAndShortensLongLabels) {
  const std::vector<SheetCell> cells = {{make_image(60, 60, kSheetRed), std::string(300, 'w')},
                                        {make_image(20, 30, kSheetRed), "ok"}};
  const Image sheet = contact_sheet(cells, {.title = std::string(400, 'M'), .columns = 2});
  EXPECT_EQ(count_red(sheet), 60 * 60 + 20 * 30);
  EXPECT_LT(sheet.width, 400);
}

TEST(ContactSheet, RefusesWhatCannotBePlaced) {
  EXPECT_THAT(error_of([] { (void)contact_sheet({}, {}); }), testing::HasSubstr("no pictures"));
  const std::vector<SheetCell> broken = {{Image{4, 4, {}}, ""}};
  EXPECT_THAT(error_of([&] { (void)contact_sheet(broken, {}); }), testing::HasSubstr("4 x 4"));
  const std::vector<SheetCell> cells(1, SheetCell{make_image(8, 8, kSheetRed), ""});
  EXPECT_THAT(error_of([&] { (void)contact_sheet(cells, {.title = "", .columns = 0}); }), testing::HasSubstr("column"));
}

TEST(Compose, KeepsPicturesOfAnySizeWhole) {
  const std::vector<Image> images = {make_image(30, 50, kSheetRed), make_image(70, 10, kSheetRed),
                                     make_image(5, 5, kSheetRed)};
  for (const bool vertical : {false, true}) {
    const Image all = compose(images, {.vertical = vertical, .gap = 6});
    EXPECT_EQ(count_red(all), 30 * 50 + 70 * 10 + 5 * 5);
    EXPECT_EQ(vertical ? all.height : all.width, (vertical ? 50 + 10 + 5 : 30 + 70 + 5) + 4 * 6);
  }
  EXPECT_THROW((void)compose({}, {}), Error);
}

TEST(Legend, HasTheWholeMapAndItsEnds) {
  const Image legend = draw_legend({"residual", 0, 0.5, " m"}, 240, 15);
  EXPECT_EQ(legend.width, 240);
  bool low = false, high = false;
  const Color ends[2] = {map_color(0), map_color(1)};
  for (int y = 0; y < legend.height; ++y)
    for (int x = 0; x < legend.width; ++x) {
      const auto p = pixel(legend, x, y);
      const Color c = color_from_srgb(static_cast<std::uint32_t>(p.r << 16 | p.g << 8 | p.b));
      low = low || color_distance(c, ends[0]) < 0.01;
      high = high || color_distance(c, ends[1]) < 0.01;
    }
  EXPECT_TRUE(low);
  EXPECT_TRUE(high);
  EXPECT_NE(legend, draw_legend({"residual", 0, 0.7, " m"}, 240, 15));
}

TEST(MakeImage, RefusesImpossibleSizes) {
  EXPECT_THROW((void)make_image(0, 5, {}), Error);
  EXPECT_THROW((void)make_image(5, 1 << 20, {}), Error);
}

}  // namespace
}  // namespace cutis
