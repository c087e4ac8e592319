// Skin that shows through garments, and edges that are torn.
#include <gtest/gtest.h>

#include "base/math.h"
#include "cutis/metrics.h"
#include "metrics/metrics_support.h"
#include "support/dressed_tube.h"

namespace cutis {
namespace {

std::vector<Vec3f> rest_of(const Character& c) {
  std::vector<Vec3f> positions;
  for (const Mesh& mesh : c.meshes) positions.insert(positions.end(), mesh.positions.begin(), mesh.positions.end());
  return positions;
}

TEST(PokeThrough, IsTheShareOfTheGarmentThatSkinStandsOutOf) {
  const Character c = test::make_dressed_tube();
  const Metrics metrics(c, Context(2), {.per_vertex = true});
  std::vector<Vec3f> p = rest_of(c);
  EXPECT_EQ(metrics.rest().poke_through, 0.0);
  const std::size_t body = c.meshes[0].positions.size(), sleeve = c.meshes[1].positions.size();
  // The lower half of the sleeve shrinks into the tube: rings from 0.3 to 1.0 of 0.3 to 1.7.
  for (std::size_t v = body; v < body + sleeve; ++v)
    if (p[v].y < 1.03F) p[v].x *= 0.8F, p[v].z *= 0.8F;
  const FrameMetrics m = metrics.measure(p);
  ASSERT_TRUE(m.poke_through);
  EXPECT_NEAR(*m.poke_through, 0.5, 0.06);
  ASSERT_EQ(m.vertex_pokes.size(), p.size());
  EXPECT_EQ(m.vertex_pokes[body], 1);               // of the lowest ring
  EXPECT_EQ(m.vertex_pokes[body + sleeve - 1], 0);  // of the highest
  EXPECT_EQ(m.vertex_pokes[0], 0);                  // skin has no pokes
}

TEST(PokeThrough, LeavesOutWhatStoodOutAtRest) {
  Character c = test::make_dressed_tube();
  for (Vec3f& p : c.meshes[1].positions)
    if (p.y < 0.6F) p.x *= 0.8F, p.z *= 0.8F;
  const Metrics metrics(c, Context(1));
  ASSERT_TRUE(metrics.rest().poke_through);
  EXPECT_EQ(*metrics.rest().poke_through, 0.0);
}

TEST(PokeThrough, IsEmptyWithoutGarments) {
  const Character c = test::make_dressed_tube();
  const std::vector<RoleChoice> bare{{.name = "all", .role = PieceRole::body}};
  EXPECT_FALSE(Metrics(c, Context(1), {}, bare).rest().poke_through);
  EXPECT_FALSE(Metrics(test::character_of(test::make_cube()), Context(1)).rest().poke_through);
}

TEST(Tears, AreEdgesThreeTimesAsLongAsInSmoothSkinning) {
  const Character c = test::character_of(test::make_grid(4, 4, 1));
  const Metrics metrics(c, Context(1), {.per_vertex = true});
  const std::vector<Vec3f> rest = rest_of(c);
  FrameMetrics m = metrics.measure(rest);
  EXPECT_FALSE(m.tears);
  m = metrics.measure(rest, {}, {}, rest);
  EXPECT_EQ(m.tears, 0U);
  std::vector<Vec3f> torn = rest;
  for (Vec3f& p : torn) p *= 2.9F;
  m = metrics.measure(torn, {}, {}, rest);
  EXPECT_EQ(m.tears, 0U);
  std::vector<Vec3f> as_long = rest;
  as_long[0].y = torn[0].y = 5;  // the corner: two or three edges
  torn = rest;
  torn[0].y = 5;
  m = metrics.measure(torn, {}, {}, as_long);
  EXPECT_EQ(m.tears, 0U);  // smooth skinning has them too
  m = metrics.measure(torn, {}, {}, rest);
  EXPECT_GE(*m.tears, 2U);
  EXPECT_LE(*m.tears, 3U);
  EXPECT_EQ(m.vertex_tears[0], 1);
  EXPECT_EQ(m.vertex_tears.back(), 0);
}

TEST(Tears, AreNotWhereSmoothSkinningCrushesWhatKeepsItsLength) {
  const Character c = test::character_of(test::make_grid(4, 4, 1));
  const Metrics metrics(c, Context(1));
  const std::vector<Vec3f> rest = rest_of(c);
  std::vector<Vec3f> crushed = rest, longer = rest;
  for (Vec3f& p : crushed) p *= 0.1F;
  for (Vec3f& p : longer) p *= 1.01F;
  EXPECT_EQ(metrics.measure(rest, {}, {}, crushed).tears, 0U);
  EXPECT_GT(metrics.measure(longer, {}, {}, crushed).tears, 0U);
}

}  // namespace
}  // namespace cutis
