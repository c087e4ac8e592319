#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/math.h"
#include "contact/contact_surface.h"
#include "support/support.h"

namespace cutis {
namespace {

// Two triangles keep apart only if all their elements do so on one and the same way: a pair of parts must find all the
// elements of its triangles in its own trees.
TEST(ContactSurface, OwnsEveryElementOnceInEachPartThatItBordersOn) {
  const test::Surface sphere = test::make_sphere(1, 10, 12);
  std::vector<std::uint32_t> part;
  for (const Vec3f& p : sphere.positions) part.push_back(p.y < -0.2F ? 0 : p.x < 0 ? 1 : 2);
  const std::vector<float> radius{1, 1, 1};
  const Context context(1);
  const ContactSurface surface({sphere.positions, sphere.triangles, part, 3, radius}, context);

  std::map<std::set<std::uint32_t>, std::map<std::uint32_t, int>> owners;  // element -> part -> how often
  std::map<std::set<std::uint32_t>, std::set<std::uint32_t>> borders;
  for (std::size_t t = 0; t < surface.triangles().size(); ++t)
    for (unsigned k = 0; k < 3; ++k) {
      const Triangle& corners = surface.triangles()[t];
      const std::set<std::uint32_t> vertex{corners[k]}, edge{corners[k], corners[(k + 1) % 3]};
      const std::uint32_t p = surface.triangle_part()[t];
      borders[vertex].insert(p);
      borders[edge].insert(p);
      if ((surface.ownership()[t].vertices >> k & 1U) != 0) ++owners[vertex][p];
      if ((surface.ownership()[t].edges >> k & 1U) != 0) ++owners[edge][p];
    }
  std::size_t several = 0;
  for (const auto& [element, parts] : borders) {
    EXPECT_EQ(owners[element].size(), parts.size());
    for (const auto& [p, count] : owners[element]) EXPECT_EQ(count, 1);
    several += parts.size() > 1;
  }
  EXPECT_GT(several, 0U);
}

// The legs of a low-poly spider: all of one would be near all of it.
TEST(ContactSurface, LooksNoFartherAroundALongEdgeThanItsPartIsThick) {
  test::Surface sphere = test::make_sphere(1, 6, 6);
  for (Vec3f& p : sphere.positions) p.y *= 20;
  const std::vector<std::uint32_t> part(sphere.positions.size(), 0);
  const Context context(1);
  const auto grain_for = [&](float radius) {
    const std::vector<float> radii{radius};
    const ContactSurface surface({sphere.positions, sphere.triangles, part, 1, radii}, context);
    for (std::size_t v = 0; v < part.size(); ++v) EXPECT_LE(surface.grain()[v], surface.edge_length()[v]);
    return std::vector<float>(surface.grain().begin(), surface.grain().end());
  };
  EXPECT_FLOAT_EQ(std::ranges::max(grain_for(1)), 2);
  EXPECT_GT(std::ranges::max(grain_for(100)), 5) << "edges that are not long for their part count as they are";
}

TEST(ContactSurface, CountsWhatIntersectsAndWhatIsFlatAtRest) {
  test::Surface cube = test::make_cube();
  const auto n = static_cast<std::uint32_t>(cube.positions.size());
  for (std::uint32_t v = 0; v < n; ++v) cube.positions.push_back(cube.positions[v] + Vec3f{0.5F, 0.4F, 0.3F});
  const std::size_t m = cube.triangles.size();
  for (std::size_t t = 0; t < m; ++t)
    cube.triangles.push_back({cube.triangles[t][0] + n, cube.triangles[t][1] + n, cube.triangles[t][2] + n});
  cube.triangles.push_back({0, 1, 1});
  const std::vector<std::uint32_t> part(2 * n, 0);
  const std::vector<float> radius{1};
  const Context context(1);
  const ContactSurface surface({cube.positions, cube.triangles, part, 1, radius}, context);
  EXPECT_GT(surface.rest_report().intersecting_pairs, 0U);
  EXPECT_EQ(surface.rest_report().excluded_components, 1U);
  EXPECT_EQ(surface.rest_report().degenerate_triangles, 1U);
  EXPECT_TRUE(surface.excluded(ElementPair::vertex_face, {0, n, n + 1, n + 2}));
  EXPECT_FALSE(surface.excluded(ElementPair::edge_edge, {0, 1, 2, 3}));
}

// Two long bars that cross near their left ends ignore each other there, and nowhere else.
TEST(ContactSurface, PiecesThatPassThroughEachOtherIgnoreEachOtherOnlyWhereTheyDo) {
  const auto bar = [](double angle) {
    test::Surface s;
    constexpr int kRings = 41;
    for (int i = 0; i < kRings; ++i)
      for (int j = 0; j < 4; ++j) {
        const double along = -0.5 + 0.25 * i, across = 0.2 * ((j == 1 || j == 2) ? 1 : -1),
                     up = 0.2 * (j >= 2 ? 1 : -1);
        s.positions.push_back(static_cast<Vec3f>(Vec3d{along * std::cos(angle) - across * std::sin(angle),
                                                       along * std::sin(angle) + across * std::cos(angle), up}));
      }
    const auto at = [](int i, int j) { return static_cast<std::uint32_t>(4 * i + j % 4); };
    for (int i = 0; i + 1 < kRings; ++i)
      for (int j = 0; j < 4; ++j) {
        s.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
        s.triangles.push_back({at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)});
      }
    s.triangles.push_back({at(0, 0), at(0, 2), at(0, 1)});
    s.triangles.push_back({at(0, 0), at(0, 3), at(0, 2)});
    s.triangles.push_back({at(kRings - 1, 0), at(kRings - 1, 1), at(kRings - 1, 2)});
    s.triangles.push_back({at(kRings - 1, 0), at(kRings - 1, 2), at(kRings - 1, 3)});
    return s;
  };
  test::Surface bars = bar(0);
  const test::Surface second = bar(0.7);
  const auto n = static_cast<std::uint32_t>(bars.positions.size());
  bars.positions.insert(bars.positions.end(), second.positions.begin(), second.positions.end());
  for (const Triangle& t : second.triangles) bars.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  const std::vector<std::uint32_t> part(2 * n, 0);
  const std::vector<float> radius{1};
  const ContactSurface surface({bars.positions, bars.triangles, part, 1, radius}, Context(1));
  ASSERT_GT(surface.rest_report().intersecting_pairs, 0U);
  EXPECT_EQ(surface.rest_report().excluded_components, 1U);
  // Where they cross (ring 2), and a ring beside; whatever of the other bar it is.
  EXPECT_TRUE(surface.excluded(ElementPair::vertex_face, {8, n + 8, n + 9, n + 12}));
  EXPECT_TRUE(surface.excluded(ElementPair::vertex_face, {12, n + 100, n + 101, n + 104}));
  EXPECT_TRUE(surface.excluded(ElementPair::edge_edge, {100, 101, n + 8, n + 9}));
  // Far ends.
  EXPECT_FALSE(surface.excluded(ElementPair::vertex_face, {120, n + 120, n + 121, n + 124}));
  EXPECT_FALSE(surface.excluded(ElementPair::edge_edge, {120, 121, n + 120, n + 121}));
  EXPECT_FALSE(surface.triangles_excluded(200, static_cast<std::uint32_t>(second.triangles.size()) + 200));
  EXPECT_TRUE(surface.triangles_excluded(16, static_cast<std::uint32_t>(second.triangles.size()) + 16));
}

// Part 0: a unit ball at the origin; part 1: one at x = 4 and one at x = 20.
TEST(ContactSurface, MeasuresTheTravelOfSkinThatComesNearAndOfNoOther) {
  test::Surface balls = test::make_sphere(1, 10, 12);
  const std::vector<Vec3f> ball = balls.positions;
  const std::vector<Triangle> faces = balls.triangles;
  const auto n = static_cast<std::uint32_t>(ball.size());
  std::vector<std::uint32_t> part(n, 0);
  for (const float x : {4.0F, 20.0F}) {
    const auto first = static_cast<std::uint32_t>(balls.positions.size());
    for (const Vec3f& p : ball) balls.positions.push_back(p + Vec3f{x, 0, 0});
    for (const Triangle& t : faces) balls.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    part.insert(part.end(), n, 1);
  }
  const std::vector<float> radius{1, 1};
  const Context context(1);
  const ContactSurface surface({balls.positions, balls.triangles, part, 2, radius}, context);
  const auto travel = [&](const Affine3d& to, double margin, double least) {
    return surface.travel_near(1, 0, Affine3d{}, to, margin, least);
  };
  Affine3d nearer;
  nearer.translation = {-1.5, 0, 0};  // leaves a gap of 0.5
  EXPECT_NEAR(travel(nearer, 0.6, 0), 1.5, 1e-6);
  EXPECT_EQ(travel(nearer, 0.2, 0), 0);
  EXPECT_EQ(travel(nearer, 0.6, 1.6), 0);  // asked for more
  Affine3d turned;
  turned.linear = to_matrix(axis_angle(Vec3d{0, 0, 1}, 0.1));
  // The near half of the near ball, three to four units out, not the far ball with its twenty.
  EXPECT_NEAR(travel(turned, 2.2, 0), 0.35, 0.06);
}

}  // namespace
}  // namespace cutis
