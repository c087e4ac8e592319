#include <gtest/gtest.h>

#include <numeric>

#include "base/math.h"
#include "cutis/metrics.h"
#include "geometry/normals.h"
#include "geometry/winding_number.h"
#include "metrics_support.h"

namespace cutis {
namespace {

using test::both;
using test::character_of;
using test::make_sphere;
using test::moved;
using test::Surface;

TEST(Overlap, OfASphereIsZero) {
  const Context context(1);
  EXPECT_EQ(Metrics(character_of(make_sphere(1, 20, 30)), context).rest().overlap, 0.0);
}

TEST(Overlap, OfNestedSpheresIsTheShareOfTheInnerOne) {
  const Surface outer = make_sphere(1, 20, 30), inner = make_sphere(0.4, 10, 12);
  const Context context(1);
  const Metrics metrics(character_of(both(outer, inner)), context, {.per_vertex = true});
  const auto n = static_cast<double>(inner.positions.size()), all = n + static_cast<double>(outer.positions.size());
  ASSERT_TRUE(metrics.rest().overlap);
  EXPECT_DOUBLE_EQ(*metrics.rest().overlap, n / all);
  EXPECT_EQ(metrics.rest().intersecting_pairs, 0U);
  for (std::size_t v = 0; v < metrics.vertex_count(); ++v)
    ASSERT_EQ(metrics.rest().vertex_overlaps[v], v >= outer.positions.size());
}

TEST(Overlap, OfCrossingSpheresIsTheShareInsideTheOther) {
  const Surface a = make_sphere(1, 40, 60);
  const Vec3f shift{0.7F, 0.31F, 0.2F};
  const Surface s = both(a, moved(a, shift));
  const Context context(2);
  const Metrics metrics(character_of(s), context, {.per_vertex = true});
  const double offset = metrics.mean_edge_length() / 4;
  std::size_t inside = 0, checked = 0;
  for (std::size_t v = 0; v < s.positions.size(); ++v) {
    const bool second = v >= a.positions.size();
    const Vec3f mine = second ? shift : Vec3f{}, other = second ? Vec3f{} : shift;
    const Vec3d q = static_cast<Vec3d>(s.positions[v]) +
                    normalized(static_cast<Vec3d>(s.positions[v] - mine)) * offset - static_cast<Vec3d>(other);
    inside += metrics.rest().vertex_overlaps[v];
    if (std::abs(length(q) - 0.998) < 0.004) continue;  // the facets lie within this of the ball
    ASSERT_EQ(metrics.rest().vertex_overlaps[v] != 0, length(q) < 1);
    ++checked;
  }
  EXPECT_GT(checked, s.positions.size() * 9 / 10);
  EXPECT_GT(inside, 500U);
  EXPECT_DOUBLE_EQ(*metrics.rest().overlap, static_cast<double>(inside) / static_cast<double>(s.positions.size()));
}

TEST(Overlap, IsTheDecisionOfTheExactWindingNumber) {
  // Open, so that winding numbers take all values between 0 and 1.
  Surface s = make_sphere(1, 24, 30);
  std::erase_if(s.triangles, [&](const Triangle& t) { return s.positions[t[0]].y < -0.3F; });
  s = both(s, moved(s, {0.5F, 0.1F, 0.2F}));
  const Context context(2);
  const Metrics metrics(character_of(s), context, {.per_vertex = true});
  const std::vector<Vec3f> normals = vertex_normals(s.positions, s.triangles);
  std::vector<char> used(s.positions.size(), 0);
  for (const Triangle& t : s.triangles)
    for (const std::uint32_t v : t) used[v] = 1;
  std::size_t inside = 0, vertices = 0;
  for (std::size_t v = 0; v < s.positions.size(); ++v) {
    if (!used[v]) continue;
    ++vertices;
    const Vec3d q =
        static_cast<Vec3d>(s.positions[v]) + static_cast<Vec3d>(normals[v]) * (metrics.mean_edge_length() / 4);
    double w = 0;
    for (const Triangle& t : s.triangles)
      w += winding_number(s.positions[t[0]], s.positions[t[1]], s.positions[t[2]], q);
    ASSERT_EQ(metrics.rest().vertex_overlaps[v] != 0, w > 0.5);
    inside += w > 0.5;
  }
  EXPECT_GT(inside, 100U);
  EXPECT_DOUBLE_EQ(*metrics.rest().overlap, static_cast<double>(inside) / static_cast<double>(vertices));
}

TEST(Overlap, MovesTheVertexByAQuarterOfTheRestMeshsMeanEdge) {
  // Two cubes of side 1 with a gap of 0.25: the corners' way out (diagonal) enters nothing. Brought so close that the
  // faces are 0.05 apart, corners moved by a quarter of the mean edge (about 0.28, a third of it along x) are inside.
  const Surface cube = test::make_cube();
  Surface small = cube;
  for (Vec3f& p : small.positions) p = p * 0.5F + Vec3f{1.25F, 0.25F, 0.25F};
  const Surface apart = both(cube, small);
  const Context context(1);
  const Metrics metrics(character_of(apart), context);
  EXPECT_EQ(metrics.rest().overlap, 0.0);
  std::vector<Vec3f> closer = apart.positions;
  for (std::size_t v = 8; v < 16; ++v) closer[v].x -= 0.2F;
  EXPECT_EQ(metrics.measure(closer).overlap, 4.0 / 16);
  for (std::size_t v = 8; v < 16; ++v) closer[v].x = apart.positions[v].x - 0.05F;
  EXPECT_EQ(metrics.measure(closer).overlap, 0.0);
}

}  // namespace
}  // namespace cutis
