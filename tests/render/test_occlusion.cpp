#include "render/occlusion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "render/shapes.h"

namespace cutis {
namespace {

using test::Surface;

std::vector<Visibility> visibility_of(const Surface& s, const Vec3f& to_key, int threads = 1) {
  const OcclusionScene scene(s.positions, s.triangles);
  const std::vector<Vec3f> normals = vertex_normals(s.positions, s.triangles);
  const std::vector<std::uint8_t> wanted(s.positions.size(), 1);
  OcclusionOptions options;
  options.to_key = to_key;
  options.offset = 1e-3F;
  return vertex_visibility(scene, s.positions, normals, s.triangles, wanted, options, Context(threads));
}

TEST(Occlusion, IsAbsentOnAConvexShape) {
  for (const Visibility& v : visibility_of(test::make_sphere(1, 24, 48), {0, 1, 0})) {
    EXPECT_GT(v.sky, 0.97F);
    EXPECT_LE(v.sky, 1.0001F);
  }
}

TEST(Occlusion, OfAFloorBesideAHighWallIsHalf) {
  Surface s = test::make_grid(20, 20, 1);
  const std::size_t floor_vertices = s.positions.size();
  test::append(
      s,
      {{{-50, -0.01F, -0.001F}, {50, -0.01F, -0.001F}, {50, 50, -0.001F}, {-50, 50, -0.001F}}, {{0, 1, 2}, {0, 2, 3}}},
      {0, 0, 0});
  const std::vector<Visibility> v = visibility_of(s, normalized(Vec3f{0, 0.5F, -1}));
  EXPECT_NEAR(v[10].sky, 0.5, 0.06);  // at the wall's foot
  EXPECT_GT(v[floor_vertices - 11].sky, v[10].sky);
  EXPECT_LT(v[10].key, 0.05F);  // the light is behind the wall
}

TEST(Occlusion, DoesNotDependOnTheNumberOfThreads) {
  Surface s = test::make_sphere(0.5, 20, 30);
  test::append(s, test::make_cube(), {0.2F, 0, 0});
  const std::vector<Visibility> one = visibility_of(s, {0, 1, 0}, 1);
  for (const int threads : {2, 3}) {
    const std::vector<Visibility> many = visibility_of(s, {0, 1, 0}, threads);
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_EQ(one[i].sky, many[i].sky);
      ASSERT_EQ(one[i].key, many[i].key);
    }
  }
}

TEST(Occlusion, DoesNotSeeWhereAFileSplitsVertices) {
  Surface shared = test::make_sphere(0.5, 12, 18);
  test::append(shared, test::make_cube(), {0.2F, 0, 0});
  const std::vector<Vec3f> normals = vertex_normals(shared.positions, shared.triangles);
  Surface split;
  std::vector<Vec3f> split_normals;
  std::vector<std::uint32_t> from;
  for (const Triangle& t : shared.triangles) {
    const auto base = static_cast<std::uint32_t>(split.positions.size());
    for (const std::uint32_t v : t) {
      split.positions.push_back(shared.positions[v]);
      split_normals.push_back(normals[v]);
      from.push_back(v);
    }
    split.triangles.push_back({base, base + 1, base + 2});
  }
  const OcclusionScene scene(split.positions, split.triangles);
  const std::vector<std::uint8_t> wanted(split.positions.size(), 1);
  OcclusionOptions options;
  options.offset = 1e-3F;
  const std::vector<Visibility> apart =
      vertex_visibility(scene, split.positions, split_normals, split.triangles, wanted, options, Context(1));
  const std::vector<Visibility> joined = visibility_of(shared, options.to_key);
  for (std::size_t i = 0; i < from.size(); ++i) ASSERT_NEAR(apart[i].sky, joined[from[i]].sky, 1e-5F);
}

TEST(GroundShadow, IsDarkestUnderTheShapeAndEndsBeforeItsBorders) {
  const Surface s = test::make_sphere(0.5, 24, 48);
  const OcclusionScene scene(s.positions, s.triangles);
  const Box box{{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  const GroundShadow shadow(scene, box, -0.5, {0, 1, 0}, false, Context(2));
  EXPECT_GT(shadow.at(0, 0), 0.8F);
  float last = 1;
  for (const double x : {0.0, 0.2, 0.4, 0.6, 0.8, 0.94}) {
    EXPECT_LE(shadow.at(x, 0), last + 0.01F) << x;
    last = shadow.at(x, 0);
  }
  EXPECT_LT(last, 0.02F);
  EXPECT_EQ(shadow.at(50, 0), 0);
  EXPECT_EQ(shadow.at(std::nan(""), 0), 0);
  EXPECT_EQ(GroundShadow().at(0, 0), 0);
}

}  // namespace
}  // namespace cutis
