#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/math.h"
#include "cutis/error.h"
#include "render/shapes.h"

namespace cutis {
namespace {

using test::append;
using test::character_of;
using test::covered_pixels;
using test::error_of;
using test::make_square;
using test::pixel;
using test::plain;
using test::Surface;

Camera from_front(double range) { return {{0, 0, range}, {0, 0, 0}, {0, 1, 0}, 0.6}; }

Image draw(const Character& character, const Camera& camera, const RenderOptions& options, int threads = 1,
           std::span<const Color> colors = {}) {
  const Context context(threads);
  return render_still({&character, {}, {}, colors}, camera, options, context);
}

TEST(Still, OfASphereCoversTheAreaThatPerspectiveGivesAndIsLit) {
  const Character sphere = character_of(test::make_sphere(1, 64, 128)), nothing;
  const Camera camera = from_front(5);
  RenderOptions options = plain(300, 300);
  options.samples = 1;
  const Image image = draw(sphere, camera, options), empty = draw(nothing, camera, options);
  // The outline of a ball of radius 1 at distance 5 is a cone of half angle asin(1/5).
  const double radius = 150 * std::tan(std::asin(0.2)) / std::tan(0.3);
  EXPECT_NEAR(covered_pixels(image, empty), kPi * radius * radius, 0.01 * kPi * radius * radius);
  const auto center = pixel(image, 150, 150);
  EXPECT_GT(center.sum(), 330);
  EXPECT_LT(center.sum(), 735);
  // The key light stands at the upper left.
  EXPECT_GT(pixel(image, 130, 120).sum(), pixel(image, 185, 190).sum() + 60);
}

TEST(Still, ShowsTheNearerOfTwoSurfacesWhateverTheirOrder) {
  const std::vector<Color> red_then_blue = [] {
    std::vector<Color> c(4, {0.8F, 0.05F, 0.05F});
    c.insert(c.end(), 4, {0.05F, 0.05F, 0.8F});
    return c;
  }();
  for (const float red_z : {-0.5F, 0.5F}) {
    Surface s = make_square(1, red_z);
    append(s, make_square(1, 0), {});
    const Image image = draw(character_of(s), from_front(5), plain(64, 64), 1, red_then_blue);
    const auto p = pixel(image, 32, 32);
    EXPECT_GT(red_z > 0 ? p.r : p.b, (red_z > 0 ? p.b : p.r) + 60);
  }
}

// As doubled cards of hair are made.
TEST(Still, ShowsTheFrontOfFacesThatLieOnEachOtherBackToBack) {
  const std::vector<Color> one_color(8, {0.7F, 0.5F, 0.4F});
  Surface front = make_square(1, 0.1F);
  const Image alone = draw(character_of(front), from_front(5), plain(64, 64), 1, std::span(one_color).first(4));
  for (const bool back_first : {false, true}) {
    Surface back = make_square(1, 0.1F), both;
    for (Triangle& t : back.triangles) std::swap(t[0], t[1]);
    append(both, back_first ? back : front, {});
    append(both, back_first ? front : back, {});
    const Image image = draw(character_of(both), from_front(5), plain(64, 64), 1, one_color);
    for (int y = 10; y < 54; y += 4)
      for (int x = 10; x < 54; x += 4)
        EXPECT_NEAR(pixel(image, x, y).sum(), pixel(alone, x, y).sum(), 3) << x << ' ' << y;
  }
}

TEST(Still, CutsSurfacesThatPassThroughEachOtherAtTheirLineOfMeeting) {
  // Two squares that cross at x = 0: left of it red is nearer, right of it blue.
  Surface s{{{-1, -1, 0.5F}, {1, -1, -0.5F}, {1, 1, -0.5F}, {-1, 1, 0.5F}}, {{0, 1, 2}, {0, 2, 3}}};
  append(s, {{{-1, -1, -0.5F}, {1, -1, 0.5F}, {1, 1, 0.5F}, {-1, 1, -0.5F}}, {{0, 1, 2}, {0, 2, 3}}}, {});
  std::vector<Color> colors(4, {0.8F, 0.05F, 0.05F});
  colors.insert(colors.end(), 4, {0.05F, 0.05F, 0.8F});
  const Image image = draw(character_of(s), from_front(5), plain(100, 100), 1, colors);
  for (const int y : {40, 50, 60}) {
    EXPECT_GT(pixel(image, 46, y).r, pixel(image, 46, y).b + 40);
    EXPECT_GT(pixel(image, 53, y).b, pixel(image, 53, y).r + 40);
  }
}

TEST(Still, InterpolatesColoursInPerspective) {
  // A floor that recedes: the middle of its length appears where perspective puts it, not halfway up the picture.
  Surface s{{{-1, -1, 1}, {1, -1, 1}, {1, -1, -9}, {-1, -1, -9}}, {{0, 1, 2}, {0, 2, 3}}};
  const std::vector<Color> colors = {{1, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 0, 1}};
  const Camera camera{{0, 0, 3}, {0, 0, 0}, {0, 1, 0}, 1.2};
  const Image image = draw(character_of(s), camera, plain(200, 200), 1, colors);
  // Depth 7 is the middle of [2, 12]: at slope -1/7, which is the row where red and blue are equal.
  const int row = static_cast<int>((1 + (1.0 / 7) / std::tan(0.6)) * 100);
  const auto p = pixel(image, 100, row);
  EXPECT_NEAR(p.r, p.b, 12);
  EXPECT_GT(pixel(image, 100, row + 10).r, pixel(image, 100, row + 10).b);
}

TEST(Still, LeavesNoCracksBetweenTrianglesThatShareAnEdge) {
  // Vertices on the samples themselves, the worst case; the square fills the whole picture.
  Surface s;
  for (int y = 0; y <= 8; ++y)
    for (int x = 0; x <= 8; ++x)
      s.positions.push_back({static_cast<float>(x) / 2 - 2, static_cast<float>(y) / 2 - 2, 0});
  for (std::uint32_t y = 0; y < 8; ++y)
    for (std::uint32_t x = 0; x < 8; ++x) {
      const std::uint32_t a = y * 9 + x;
      s.triangles.push_back({a, a + 1, a + 10});
      s.triangles.push_back({a, a + 10, a + 9});
    }
  const Camera camera{{0, 0, 2}, {0, 0, 0}, {0, 1, 0}, 2 * std::atan(0.5)};
  RenderOptions options = plain(32, 32);
  options.samples = 1;
  const Character sheet = character_of(s);
  const std::vector<Color> colors(s.positions.size(), Color{0.02F, 0.02F, 0.02F});
  for (const double shift : {0.0, 1.0 / 32, 0.013}) {
    Camera moved = camera;
    moved.eye.x += shift;
    moved.target.x += shift;
    const Image image = draw(sheet, moved, options, 1, colors);
    for (int y = 0; y < 32; ++y)
      for (int x = 0; x < 32; ++x) ASSERT_LT(pixel(image, x, y).sum(), 300) << x << ' ' << y << ' ' << shift;
  }
}

TEST(Still, IsTheSameForAnyNumberOfThreads) {
  Surface s = test::make_sphere(0.5, 24, 48);
  append(s, test::make_cube(), {0.3F, -0.5F, 0.2F});
  const Character character = character_of(s);
  RenderOptions options;
  options.width = 150;
  options.height = 110;
  options.wireframe = true;
  const Camera camera = frame_bounds(Box{{-0.5, -0.5, -0.5}, {1.3, 0.5, 1.2}}, {}, 150.0 / 110);
  const Image one = draw(character, camera, options, 1);
  for (const int threads : {1, 2, 3, 7}) EXPECT_EQ(draw(character, camera, options, threads), one) << threads;
}

TEST(Still, TintsTheInsideOfTheSkin) {
  Surface front = make_square(1, 0), back = front;
  for (Triangle& t : back.triangles) std::swap(t[1], t[2]);
  const Image outside = draw(character_of(front), from_front(5), plain(32, 32));
  const Image inside = draw(character_of(back), from_front(5), plain(32, 32));
  const auto o = pixel(outside, 16, 16), i = pixel(inside, 16, 16);
  EXPECT_LT(i.sum(), o.sum() - 60);
  EXPECT_GT(o.r, o.b);      // clay
  EXPECT_GT(i.b, i.g + 8);  // violet
}

TEST(Still, IsDarkerInAConcaveCornerThanOnAFlatFace) {
  // Floor and wall as fine grids; both are seen.
  constexpr int kCells = 20;
  const Surface floor = test::make_grid(kCells, kCells, 1);
  Surface wall = floor;
  for (Vec3f& p : wall.positions) p = {p.x, 1 - p.z, 0};
  Surface corner = floor;
  append(corner, wall, {});
  const Camera camera{{0.5, 1.5, 2.5}, {0.5, 0.2, 0.4}, {0, 1, 0}, 0.6};
  RenderOptions options = plain(120, 120);
  options.ambient_occlusion = true;
  const Image with_wall = draw(character_of(corner), camera, options),
              without = draw(character_of(floor), camera, options);
  const auto at = [&](const Image& image, double z) {  // the floor's point (0.5, 0, z)
    const Vec3d d = Vec3d{0.5, 0, z} - camera.eye, back = normalized(camera.eye - camera.target);
    const Vec3d up = normalized(Vec3d{0, 1, 0} - back * back.y);
    const double slope = dot(d, up) / -dot(d, back);
    return pixel(image, 60, static_cast<int>((1 - slope / std::tan(0.3)) * 60)).sum();
  };
  EXPECT_LT(at(with_wall, 0.03), at(with_wall, 0.8) - 60);
  EXPECT_LT(at(with_wall, 0.03), at(without, 0.03) - 60);
  EXPECT_GT(at(with_wall, 0.03), 60);  // dark, not black
}

TEST(Still, CastsASoftShadowOnTheFloorThatFadesIntoTheBackground) {
  const Character ball = character_of(test::make_sphere(0.5, 24, 48)), nothing;
  const Camera camera = frame_bounds(Box{{-1.5, -0.5, -1.5}, {1.5, 0.5, 1.5}}, {}, 1);
  RenderOptions options = plain(200, 200);
  const Image bare = draw(ball, camera, options);
  options.ground_shadow = true;
  const Image shadowed = draw(ball, camera, options);
  int darker = 0, lighter = 0, most = 0;
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 200; ++x) {
      const int change = pixel(bare, x, y).sum() - pixel(shadowed, x, y).sum();
      darker += change > 6;
      lighter += change < 0;
      most = std::max(most, change);
      const bool border = x < 2 || y < 2 || x > 197 || y > 197;
      ASSERT_LE(change, border ? 3 : 765) << x << ' ' << y;
    }
  EXPECT_GT(darker, 600);
  EXPECT_EQ(lighter, 0);
  EXPECT_GT(most, 90);
}

TEST(Still, AsADraftLooksNearlyTheSame) {
  const Character ball = character_of(test::make_sphere(0.5, 24, 48));
  const Camera camera = frame_bounds(Box{{-1, -0.5, -1}, {1, 0.5, 1}}, {}, 1);
  RenderOptions options = plain(120, 120);
  options.ambient_occlusion = options.ground_shadow = true;
  const Image full = draw(ball, camera, options);
  options.draft = true;
  const Image draft = draw(ball, camera, options);
  EXPECT_NE(draft, full) << "fewer rays";
  double sum = 0;
  int most = 0;
  for (std::size_t i = 0; i < full.rgb.size(); ++i) {
    const int difference = std::abs(full.rgb[i] - draft.rgb[i]);
    sum += difference;
    most = std::max(most, difference);
  }
  EXPECT_LT(sum / static_cast<double>(full.rgb.size()), 2);
  EXPECT_LT(most, 40);
}

TEST(Still, DrawsWhatIsBeforeTheEyeWhenTheCameraIsInsideTheMesh) {
  const Character sphere = character_of(test::make_sphere(1, 32, 64)), nothing;
  const Camera camera{{0, 0, 0.2}, {0, 0, -1}, {0, 1, 0}, 1.0};
  const Image image = draw(sphere, camera, plain(64, 64)), empty = draw(nothing, camera, plain(64, 64));
  EXPECT_EQ(covered_pixels(image, empty), 64 * 64);
  const auto p = pixel(image, 32, 32);
  EXPECT_GT(p.b, p.g);  // the inside's tint
}

TEST(Still, ClipsATriangleThatPassesTheEye) {
  // A floor strip from far ahead to far behind the eye fills the lower half of the picture and nothing else.
  const Surface s{{{-50, -1, -50}, {-50, -1, 50}, {50, -1, 50}, {50, -1, -50}}, {{0, 1, 2}, {0, 2, 3}}};
  const Character floor = character_of(s), nothing;
  const Camera camera{{0, 0, 0}, {0, 0, -1}, {0, 1, 0}, 1.0};
  const Image image = draw(floor, camera, plain(50, 50)), empty = draw(nothing, camera, plain(50, 50));
  for (int y = 0; y < 50; ++y) {
    if (y == 24 || y == 25) continue;  // the horizon
    EXPECT_EQ(pixel(image, 25, y).sum() != pixel(empty, 25, y).sum(), y > 25) << y;
  }
}

TEST(Still, LeavesOutNonFiniteAndDegenerateTriangles) {
  Surface s = make_square(0.5F, 0);
  const Character clean = character_of(s);
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (const Vec3f& p : {Vec3f{nan, 0, 0}, Vec3f{0, inf, 0}, Vec3f{0, 0, -inf}, Vec3f{0.1F, 0.1F, 0}})
    s.positions.push_back(p);
  for (const Triangle& t :
       {Triangle{0, 1, 4}, Triangle{5, 1, 2}, Triangle{6, 5, 4}, Triangle{7, 7, 7}, Triangle{0, 0, 2}})
    s.triangles.push_back(t);
  Character broken = character_of(s);
  broken.meshes[0].normals[0] = {nan, nan, nan};
  RenderOptions options;
  options.width = options.height = 64;
  EXPECT_EQ(draw(broken, from_front(5), options), draw(clean, from_front(5), options));
}

TEST(Still, OfNothingIsTheBackground) {
  const Character nothing;
  RenderOptions options;
  options.width = 31;
  options.height = 17;
  const Image image = draw(nothing, from_front(3), options);
  EXPECT_EQ(image.rgb.size(), 31U * 17 * 3);
  EXPECT_EQ(image, draw(nothing, from_front(3), plain(31, 17)));
  Character empty_mesh;
  empty_mesh.meshes.emplace_back();
  EXPECT_EQ(draw(empty_mesh, from_front(3), options), image);
}

TEST(Still, SurvivesNumbersAtTheEndsOfTheirRange) {
  Surface s = make_square(1, 0);
  append(s, {{{-3e38F, -3e38F, -3e38F}, {3e38F, -3e38F, -3e38F}, {0, 3e38F, -3e38F}}, {{0, 1, 2}}}, {});
  append(s, {{{1e-38F, 0, 0}, {0, 1e-38F, 0}, {0, 0, 1e-38F}}, {{0, 1, 2}}}, {});
  RenderOptions options;
  options.width = options.height = 24;
  const Image image = draw(character_of(s), from_front(5), options);
  EXPECT_EQ(image.rgb.size(), 24U * 24 * 3);
}

TEST(Still, RefusesSizesThatDoNotFit) {
  const Character sphere = character_of(test::make_sphere(1, 8, 8));
  const Context context(1);
  const Camera camera = from_front(5);
  const auto refused = [&](const Drawable& drawable, const RenderOptions& options, const Camera& from) {
    try {
      (void)render_still(drawable, from, options, context);
    } catch (const Error& e) {
      return e.code() == ErrorCode::bad_argument;
    }
    return false;
  };
  const Drawable good{&sphere, {}, {}, {}};
  EXPECT_FALSE(refused(good, plain(8, 8), camera));
  EXPECT_TRUE(refused(good, plain(0, 8), camera));
  EXPECT_TRUE(refused(good, plain(8, -1), camera));
  EXPECT_TRUE(refused(good, plain(100000, 8), camera));
  RenderOptions options = plain(8, 8);
  options.samples = 0;
  EXPECT_TRUE(refused(good, options, camera));
  EXPECT_TRUE(refused({nullptr, {}, {}, {}}, plain(8, 8), camera));
  const std::vector<Vec3f> three(3);
  EXPECT_TRUE(refused({&sphere, three, {}, {}}, plain(8, 8), camera));
  EXPECT_TRUE(refused({&sphere, {}, three, {}}, plain(8, 8), camera));
  EXPECT_TRUE(refused({&sphere, {}, {}, three}, plain(8, 8), camera));
  Camera bad = camera;
  bad.eye = bad.target;
  EXPECT_TRUE(refused(good, plain(8, 8), bad));
  bad.eye.x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refused(good, plain(8, 8), bad));
  EXPECT_THAT(error_of([&] { (void)render_still({&sphere, three, {}, {}}, camera, plain(8, 8), context); }),
              testing::HasSubstr("3 positions"));
}

TEST(Still, DrawsWireLinesAlongEdgesOnly) {
  const Character square = character_of(make_square(1, 0));
  RenderOptions options = plain(200, 200);
  const Image without = draw(square, from_front(4), options);
  options.wireframe = true;
  const Image with = draw(square, from_front(4), options);
  const int scale = static_cast<int>(100 / std::tan(0.3) / 4);                 // pixels per metre
  EXPECT_LT(pixel(with, 100, 99).sum(), pixel(without, 100, 99).sum() - 100);  // on the diagonal
  EXPECT_EQ(pixel(with, 100 + scale / 2, 100 + scale / 3).sum(),
            pixel(without, 100 + scale / 2, 100 + scale / 3).sum());
}

TEST(Still, SmoothsEdgesWithMoreSamples) {
  const Character sphere = character_of(test::make_sphere(1, 32, 64));
  const auto shades = [&](int samples) {
    RenderOptions options = plain(60, 60);
    options.samples = samples;
    const std::vector<Color> black(sphere.meshes[0].positions.size(), Color{});
    const Image image = draw(sphere, from_front(6), options, 1, black);
    int between = 0;
    for (std::size_t i = 0; i < image.rgb.size(); i += 3) between += image.rgb[i] > 60 && image.rgb[i] < 200;
    return between;
  };
  EXPECT_LE(shades(1), 2);
  EXPECT_GT(shades(3), 40);
}

}  // namespace
}  // namespace cutis
