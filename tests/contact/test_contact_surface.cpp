#include <gtest/gtest.h>

#include <map>
#include <set>

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

}  // namespace
}  // namespace cutis
