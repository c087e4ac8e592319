#include <gtest/gtest.h>

#include <map>

#include "render/font.h"
#include "render/shapes.h"

namespace cutis {
namespace {

using test::pixel;

Image text_image(std::string_view text, double size = 14) {
  Image image = make_image(32, 24, {1, 1, 1});
  draw_text(image, 8, 16, size, text, {0, 0, 0});
  return image;
}

TEST(Text, HasAGlyphForEveryPrintableCharacterAndNoTwoLookAlike) {
  std::map<std::vector<std::uint8_t>, char> seen;
  for (char c = 32; c < 127; ++c) {
    EXPECT_TRUE(has_glyph(static_cast<char32_t>(c))) << c;
    const Image image = text_image(std::string_view(&c, 1));
    int dark = 0, border = 0;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) {
        dark += 255 - pixel(image, x, y).g;
        if (y == 0 || y == image.height - 1 || x == 0 || x == image.width - 1) border += 255 - pixel(image, x, y).g;
      }
    EXPECT_EQ(dark > 300, c != ' ') << c;
    EXPECT_EQ(border, 0) << c;
    const auto [other, is_new] = seen.emplace(image.rgb, c);
    EXPECT_TRUE(is_new) << c << " looks like " << other->second;
  }
}

TEST(Text, GlyphsDifferByMoreThanAFewPixels) {
  // Pairs that poor fonts confuse.
  for (const auto& [a, b] : {std::pair{"0", "O"},
                             {"1", "l"},
                             {"I", "l"},
                             {"5", "S"},
                             {"8", "B"},
                             {"6", "b"},
                             {"c", "e"},
                             {"u", "v"},
                             {"g", "q"},
                             {".", ","},
                             {"(", "["}}) {
    const Image p = text_image(a), q = text_image(b);
    int difference = 0;
    for (std::size_t i = 0; i < p.rgb.size(); i += 3) difference += std::abs(p.rgb[i] - q.rgb[i]);
    EXPECT_GT(difference, 350) << a << ' ' << b;
  }
}

TEST(Text, WidthIsTheSumOfItsLettersAndScales) {
  EXPECT_EQ(text_width(16, ""), 0);
  EXPECT_GT(text_width(16, "mm"), 2 * text_width(16, "m"));
  EXPECT_NEAR(text_width(32, "abc"), 2 * text_width(16, "abc"), 1e-9);
  for (const char* text : {"Hello", "0.25 m", "iiii"}) {
    double right = 0;
    for (const Line2d& s : text_segments(0, 0, 20, text)) right = std::max({right, s.x0, s.x1});
    EXPECT_NEAR(right, text_width(20, text), 1.0);
  }
}

TEST(Text, ReadsUtf8AndShowsABoxForWhatItDoesNotKnow) {
  EXPECT_TRUE(has_glyph(U'°'));
  EXPECT_NE(text_image("°"), text_image("\xC3\xA9"));
  EXPECT_EQ(text_image("\xC3\xA9"), text_image("\xE4\xBD\xA0"));  // one box each
  EXPECT_NO_THROW((void)text_image("\xFF\xC3"));                  // not UTF-8
  EXPECT_NO_THROW((void)text_image("\xE4\xBD"));                  // cut short
}

TEST(Text, IsCutOffAtTheBorders) {
  Image image = make_image(10, 10, {1, 1, 1});
  draw_text(image, -500, -3, 40, "far to the left and beyond the right of the picture", {0, 0, 0});
  draw_text(image, 1e9, 1e9, 40, "elsewhere", {0, 0, 0});
  EXPECT_EQ(image.rgb.size(), 300U);
}

TEST(Lines, AreAntiAliasedAndPaintNothingTwice) {
  Image image = make_image(20, 20, {1, 1, 1});
  const std::vector<Line2d> twice = {{2, 10, 18, 10}, {2, 10, 18, 10}};
  draw_segments(image, twice, 1, {0, 0, 0}, 0.5);
  // Rows 9 and 10 share the line: half of a half.
  EXPECT_NEAR(pixel(image, 10, 9).g, 191, 2);
  EXPECT_NEAR(pixel(image, 10, 10).g, 191, 2);
  EXPECT_EQ(pixel(image, 10, 12).g, 255);
}

}  // namespace
}  // namespace cutis
