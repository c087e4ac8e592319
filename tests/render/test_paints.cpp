#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "base/math.h"
#include "cutis/error.h"
#include "render/color.h"
#include "render/shapes.h"
#include "render/texture.h"
#include "support/png_maker.h"

namespace cutis {
namespace {

using test::character_of;
using test::make_png;
using test::make_square;
using test::pixel;
using test::plain;
using test::Rgba;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Rgba kRedTexel{220, 20, 20, 255}, kGreenTexel{20, 200, 20, 255}, kBlueTexel{20, 20, 220, 255},
    kWhiteTexel{240, 240, 240, 255};
constexpr Rgba kClearTexel{0, 0, 0, 0};

Camera facing() { return {{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 0.5}; }

// A square of half side 1 at that depth; u to the right, v down.
Character square(float z = 0) {
  Character c = character_of(make_square(1, z));
  c.meshes[0].attributes.push_back({"TEXCOORD_0", 2, {0, 1, 1, 1, 1, 0, 0, 0}});
  return c;
}

Character with(Character a, const Character& b) {
  a.meshes.insert(a.meshes.end(), b.meshes.begin(), b.meshes.end());
  return a;
}

struct Drawn {
  Image image;
  std::vector<std::string> warnings;
};

Drawn draw(const Character& character, const std::vector<MeshLook>& looks, RenderOptions options = plain(80, 80),
           int threads = 1) {
  Drawn drawn;
  Context context(threads);
  context.on_warning = [&](std::string_view text) { drawn.warnings.emplace_back(text); };
  const Paints paints(character, looks, context);
  drawn.image = render_still({&character, {}, {}, {}, &paints}, facing(), options, context);
  return drawn;
}

const char* name_of(const test::Pixel& p) {
  if (p.r > p.g + 60 && p.r > p.b + 60) return "red";
  if (p.g > p.r + 60 && p.g > p.b + 60) return "green";
  if (p.b > p.r + 60 && p.b > p.g + 60) return "blue";
  return "grey";
}

TEST(Paints, PutTheTextureWhereItsCoordinatesSay) {
  const std::vector<unsigned char> png = make_png(2, 2, {kRedTexel, kGreenTexel, kBlueTexel, kWhiteTexel});
  const Image image = draw(square(), {{.picture = png}}).image;
  EXPECT_STREQ(name_of(pixel(image, 25, 25)), "red");
  EXPECT_STREQ(name_of(pixel(image, 55, 25)), "green");
  EXPECT_STREQ(name_of(pixel(image, 25, 55)), "blue");
  EXPECT_STREQ(name_of(pixel(image, 55, 55)), "grey");
  EXPECT_GT(pixel(image, 55, 55).sum(), 450);
}

TEST(Paints, TurnScaleAndShiftTheTextureAsAsked) {
  const std::vector<unsigned char> png = make_png(2, 2, {kRedTexel, kGreenTexel, kBlueTexel, kWhiteTexel});
  // Half a turn about the origin, and back by a whole: what was at the lower right is at the upper left.
  MeshLook turned{.picture = png};
  turned.uv_rotation = static_cast<float>(kPi);
  turned.uv_offset = {1, 1};
  EXPECT_STREQ(name_of(pixel(draw(square(), {turned}).image, 55, 55)), "red");
  // A quarter turn takes (1, 0) to (0, -1): repeated, the right upper quarter shows the picture's right lower corner.
  MeshLook quarter{.picture = png};
  quarter.uv_rotation = static_cast<float>(kPi / 2);
  const Image image = draw(square(), {quarter}).image;
  EXPECT_STREQ(name_of(pixel(image, 25, 25)), "blue");
  EXPECT_STREQ(name_of(pixel(image, 55, 25)), "red");
  MeshLook half{.picture = png};
  half.uv_scale = {0.5F, 0.5F};
  EXPECT_STREQ(name_of(pixel(draw(square(), {half}).image, 50, 50)), "red");
}

TEST(Paints, MultiplyTextureFactorAndVertexColours) {
  const std::vector<unsigned char> png = make_png(1, 1, {kWhiteTexel});
  MeshLook red{.picture = png};
  red.color = {1, 0.05F, 0.05F, 1};
  EXPECT_STREQ(name_of(pixel(draw(square(), {red}).image, 40, 40)), "red");
  Character colored = square();
  colored.meshes[0].attributes.push_back({"COLOR_0", 3, {1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1}});
  const Image image = draw(colored, {{.picture = png}}).image;
  EXPECT_STREQ(name_of(pixel(image, 40, 57)), "red");
  EXPECT_STREQ(name_of(pixel(image, 40, 23)), "blue");
  MeshLook green{.picture = png};
  green.color = {0, 1, 0, 1};
  EXPECT_LT(pixel(draw(colored, {green}).image, 40, 23).sum(), 150) << "green times blue is black";
}

TEST(Paints, MaskCutsOutWhatIsBelowItsCutoffAndShowsWhatIsBehind) {
  std::vector<Rgba> pixels(16, kRedTexel);
  for (std::size_t y = 0; y < 4; ++y) pixels[4 * y] = pixels[4 * y + 1] = kClearTexel;
  const std::vector<unsigned char> png = make_png(4, 4, pixels);
  MeshLook front{.picture = png}, back;
  front.alpha = AlphaMode::mask;
  back.color = {0.02F, 0.02F, 0.8F, 1};
  const Character both = with(square(0.5F), square(0));
  const Image image = draw(both, {front, back}).image;
  EXPECT_STREQ(name_of(pixel(image, 28, 40)), "blue");
  EXPECT_STREQ(name_of(pixel(image, 54, 40)), "red");
  // The colour of what is cut out (black) is nowhere seen along its border.
  for (int x = 20; x < 60; ++x) EXPECT_GT(pixel(image, x, 40).sum(), 120) << x;
  front.alpha = AlphaMode::opaque;
  EXPECT_STREQ(name_of(pixel(draw(both, {front, back}).image, 54, 40)), "red");
  EXPECT_LT(pixel(draw(both, {front, back}).image, 25, 40).sum(), 120) << "opaque: alpha says nothing";
}

TEST(Paints, BlendLetsThroughAsMuchAsAlphaLeaves) {
  MeshLook glass, back;
  glass.alpha = AlphaMode::blend;
  glass.color = {0.7F, 0.02F, 0.02F, 1};
  back.color = {0.02F, 0.02F, 0.7F, 1};
  const Character both = with(square(0.5F), square(0));
  const auto share = [&](float alpha) {
    glass.color[3] = alpha;
    const test::Pixel p = pixel(draw(both, {glass, back}).image, 40, 40);
    const float red = linear_from_srgb(static_cast<std::uint8_t>(p.r)),
                blue = linear_from_srgb(static_cast<std::uint8_t>(p.b));
    return red / (red + blue);
  };
  EXPECT_LT(share(0), 0.06F);
  EXPECT_NEAR(share(0.33F), 0.33F, 0.06F);
  EXPECT_NEAR(share(0.67F), 0.67F, 0.06F);
  EXPECT_GT(share(1), 0.94F);
}

TEST(Paints, CutOutsCastNoShadowsAndWhatIsDoubleSidedIsNoInside) {
  MeshLook clear, ground;
  clear.alpha = AlphaMode::blend;
  clear.color = {1, 1, 1, 0};
  RenderOptions lit = plain(80, 80);
  lit.ambient_occlusion = true;
  const Character floor = square(0);
  EXPECT_EQ(draw(with(square(0.3F), floor), {clear, ground}, lit).image, draw(floor, {ground}, lit).image);
  Character back = square(0);
  for (Triangle& t : back.meshes[0].triangles) std::swap(t[1], t[2]);
  for (Vec3f& n : back.meshes[0].normals) n = -n;
  MeshLook sheet;
  const Image inside = draw(back, {sheet}).image;
  sheet.double_sided = true;
  EXPECT_NE(draw(back, {sheet}).image, inside);
  EXPECT_EQ(draw(back, {sheet}).image, draw(floor, {{}}).image);
}

TEST(Paints, FineTextureIsEvenFromAfar) {
  std::vector<Rgba> pixels;
  for (std::size_t y = 0; y < 512; ++y)
    for (std::size_t x = 0; x < 512; ++x)
      pixels.push_back((x + y) % 2 == 0 ? Rgba{255, 255, 255, 255} : Rgba{0, 0, 0, 255});
  const std::vector<unsigned char> png = make_png(512, 512, pixels);
  MeshLook grey;
  grey.color = {0.5F, 0.5F, 0.5F, 1};
  RenderOptions options = plain(80, 80);
  options.samples = 1;
  const Image fine = draw(square(), {{.picture = png}}, options).image, even = draw(square(), {grey}, options).image;
  for (int y = 25; y < 55; ++y)
    for (int x = 25; x < 55; ++x) EXPECT_NEAR(pixel(fine, x, y).g, pixel(even, x, y).g, 2) << x << " " << y;
}

TEST(Paints, ReadJpeg) {
  const test::TemporaryFolder folder;
  Image picture = make_image(16, 16, color_from_srgb(0x20C020));
  write_jpeg(folder.file("a.jpg"), picture, 95);
  std::ifstream in(folder.file("a.jpg"), std::ios::binary);
  const std::vector<unsigned char> file{std::istreambuf_iterator<char>(in), {}};
  EXPECT_STREQ(name_of(pixel(draw(square(), {{.picture = file}}).image, 40, 40)), "green");
}

TEST(Paints, SayWhichPictureTheyCannotShowAndDrawItsMeshInOneColour) {
  std::vector<unsigned char> png = make_png(2, 2, {kRedTexel, kGreenTexel, kBlueTexel, kWhiteTexel});
  MeshLook look;
  look.color = {0.02F, 0.8F, 0.02F, 1};
  look.picture_name = "skin";
  const std::vector<unsigned char> none(40, 7);
  for (const std::vector<unsigned char>& file : {std::vector(png.begin(), png.begin() + 45), none}) {
    look.picture = file;
    const Drawn drawn = draw(square(), {look});
    EXPECT_THAT(drawn.warnings, ElementsAre(HasSubstr("'skin'")));
    EXPECT_STREQ(name_of(pixel(drawn.image, 25, 25)), "green");
  }
  look.picture = png;
  look.uv_set = 1;
  EXPECT_THAT(draw(square(), {look}).warnings, ElementsAre(HasSubstr("TEXCOORD_1")));
  look.uv_set = 0;
  EXPECT_THAT(draw(square(), {look}).warnings, IsEmpty());
}

TEST(Paints, AreEmptyWhereThereIsNothingToSee) {
  const Context context(1);
  const Character two = with(square(), square());
  EXPECT_TRUE(Paints().empty());
  EXPECT_TRUE(Paints(two, std::vector<MeshLook>(2), context).empty());
  MeshLook red;
  red.color = {1, 0, 0, 1};
  EXPECT_TRUE(Paints(two, std::vector{red, red}, context).empty()) << "one colour for all";
  EXPECT_FALSE(Paints(two, std::vector{red, MeshLook()}, context).empty());
  const std::vector<unsigned char> png = make_png(1, 1, {kRedTexel});
  EXPECT_FALSE(Paints(square(), std::vector<MeshLook>{{.picture = png}}, context).empty());
  Character colored = square();
  colored.meshes[0].attributes.push_back({"COLOR_0", 3, std::vector<float>(12, 0.5F)});
  EXPECT_FALSE(Paints(colored, std::vector<MeshLook>(1), context).empty());
  EXPECT_THAT(test::error_of([&] { (void)Paints(two, std::vector<MeshLook>(1), context); }), HasSubstr("2 meshes"));
  const Paints of_one(square(), std::vector{red}, context);
  EXPECT_THAT(
      test::error_of([&] { (void)render_still({&two, {}, {}, {}, &of_one}, facing(), plain(16, 16), context); }),
      HasSubstr("4 vertices"));
}

TEST(Paints, HaveTheSameBitsForAnyNumberOfThreads) {
  const std::vector<unsigned char> png = make_png(2, 2, {kRedTexel, {20, 200, 20, 100}, kClearTexel, kWhiteTexel});
  MeshLook look{.picture = png};
  look.alpha = AlphaMode::blend;
  const Character both = with(square(0.5F), square(0));
  const Image one = draw(both, {look, {}}).image;
  EXPECT_EQ(draw(both, {look, {}}, plain(80, 80), 3).image, one);
}

TEST(Texture, WrapsAsAsked) {
  const Texture t(2, 1, {0, 0, 0, 255, 255, 255, 255, 255});
  const auto red = [&](double u, TextureWrap wrap) { return t.at(u, 0.5, 0, wrap, wrap, true)[0]; };
  EXPECT_EQ(red(0.25, TextureWrap::repeat), 0);
  EXPECT_EQ(red(0.75, TextureWrap::repeat), 1);
  EXPECT_EQ(red(1.25, TextureWrap::repeat), 0);
  EXPECT_EQ(red(-0.25, TextureWrap::repeat), 1);
  EXPECT_EQ(red(1.25, TextureWrap::mirror), 1);
  EXPECT_EQ(red(-0.25, TextureWrap::mirror), 0);
  EXPECT_EQ(red(1.75, TextureWrap::mirror), 0);
  EXPECT_EQ(red(7, TextureWrap::clamp), 1);
  EXPECT_EQ(red(-7, TextureWrap::clamp), 0);
  // Far away and nowhere: some texel, without harm.
  for (const double u : {1e300, -1e300, 1e30, std::nan(""), HUGE_VAL})
    for (const TextureWrap wrap : {TextureWrap::repeat, TextureWrap::mirror, TextureWrap::clamp})
      EXPECT_TRUE(std::isfinite(t.at(u, u, 0.5, wrap, wrap, false)[0]));
}

TEST(Texture, TransparentTexelsLendNoColour) {
  const Texture t(2, 1, {255, 0, 0, 255, 0, 255, 0, 0});
  for (const double level : {0.0, 0.5, 1.0, 5.0}) {
    const Texel middle = t.at(0.5, 0.5, level, TextureWrap::clamp, TextureWrap::clamp, false);
    EXPECT_NEAR(middle[0], 1, 1e-3) << level;
    EXPECT_NEAR(middle[1], 0, 1e-3) << level;
    EXPECT_NEAR(middle[3], 0.5, 3e-3) << level;
  }
}

TEST(Texture, ThatUnpacksToMoreThanCanBeShownIsRefusedByItsHeader) {
  const std::vector<unsigned char> good = make_png(1, 1, {kRedTexel});
  std::string fault;
  EXPECT_TRUE(Texture::decode(good, fault).has_value()) << fault;
  for (const unsigned char first : {0x00, 0x01, 0x7f}) {  // 65,537 pixels wide and more; high as it was, or as wide
    std::vector<unsigned char> bomb = good;
    bomb[16] = first, bomb[17] = 1, bomb[18] = 0, bomb[19] = 1;
    EXPECT_FALSE(Texture::decode(bomb, fault).has_value());
    if (first == 0) {
      EXPECT_THAT(fault, HasSubstr("more than can be shown"));
    }
    EXPECT_FALSE(fault.empty());
  }
}

}  // namespace
}  // namespace cutis
