// Angles between neighbouring triangles against the rest pose, and what counts as contact.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "cutis/metrics.h"
#include "metrics_support.h"

namespace cutis {
namespace {

using test::bent;
using test::both;
using test::character_of;
using test::make_grid;
using test::make_sphere;
using test::moved;
using test::scaled;
using test::Surface;

const MetricsOptions kPairs{.overlap = false, .per_vertex = true};

std::vector<Vec3f> turned(std::vector<Vec3f> points, const Quatd& by, const Vec3d& to) {
  for (Vec3f& p : points) p = static_cast<Vec3f>(rotate(by, static_cast<Vec3d>(p)) + to);
  return points;
}

// make_grid(nx, ny, 1): the edges with two triangles: inner columns and rows, and a diagonal a cell.
double inner_edge_length(int nx, int ny) {
  const double dx = 1.0 / nx, dy = 1.0 / ny;
  return (nx - 1) * 1.0 + (ny - 1) * 1.0 + nx * ny * std::hypot(dx, dy);
}

TEST(Roughness, IsZeroAtRest) {
  const Context context(1);
  EXPECT_EQ(Metrics(character_of(make_sphere(1, 12, 18)), context, kPairs).rest().roughness, 0.0);
}

TEST(Roughness, OfABentStripIsTheAngleOfItsCrease) {
  // A crease of length 1, bent by 60 degrees; the strip is wide enough that nothing comes near anything.
  const Surface strip = make_grid(6, 4, 1);
  const Context context(1);
  const Metrics metrics(character_of(strip), context, kPairs);
  for (const double degrees : {60.0, -20.0}) {
    const FrameMetrics m = metrics.measure(bent(strip.positions, 0.5F, degrees * kPi / 180));
    ASSERT_TRUE(m.roughness);
    EXPECT_NEAR(*m.roughness, std::abs(degrees) * std::sqrt(1 / inner_edge_length(6, 4)), 1e-4);
  }
}

TEST(Roughness, GoesTheShortWayRoundTheCircle) {
  // At rest folded by 170 degrees, then by as much to the other side: 20 degrees through the closed fold.
  Surface strip = make_grid(2, 1, 1);
  const std::vector<Vec3f> flat = strip.positions;
  strip.positions = bent(flat, 0.5F, 170 * kPi / 180);
  const Context context(1);
  const Metrics metrics(character_of(strip), context, {.intersections = false, .overlap = false, .per_vertex = true});
  const std::vector<std::uint8_t> free(flat.size(), 0);
  const FrameMetrics m = metrics.measure(bent(flat, 0.5F, -170 * kPi / 180), {}, free);
  EXPECT_NEAR(*m.roughness, 20 * std::sqrt(1 / inner_edge_length(2, 1)), 1e-3);
}

TEST(Roughness, OfARigidMotionIsZero) {
  const Surface s = make_sphere(1, 20, 30);
  const Context context(1);
  const Metrics metrics(character_of(s), context, kPairs);
  const Quatd turn = axis_angle(normalized(Vec3d{1, 2, -0.5}), 1.1);
  EXPECT_NEAR(*metrics.measure(turned(s.positions, turn, {0.3, -2, 1})).roughness, 0, 1e-3);
}

TEST(Roughness, DoesNotDependOnTheSize) {
  const Surface strip = make_grid(6, 4, 1);
  const Context context(1);
  const std::vector<Vec3f> pose = bent(strip.positions, 0.5F, 1.0);
  const double expected = *Metrics(character_of(strip), context, kPairs).measure(pose).roughness;
  for (const float size : {1e-3F, 7.0F}) {
    const Surface other{scaled(strip.positions, {size, size, size}), strip.triangles};
    const Metrics metrics(character_of(other), context, kPairs);
    EXPECT_NEAR(*metrics.measure(scaled(pose, {size, size, size})).roughness, expected, 1e-3);
    // Growing alone changes no angle.
    EXPECT_NEAR(*metrics.measure(strip.positions).roughness, 0, 1e-3);
  }
}

TEST(Roughness, LeavesOutTwoRingsAroundGivenContact) {
  const Surface strip = make_grid(10, 4, 1);  // columns of vertices 0.1 apart, the crease at the sixth
  const Context context(1);
  const Metrics metrics(character_of(strip), context, {.intersections = false, .overlap = false});
  const std::vector<Vec3f> pose = bent(strip.positions, 0.5F, 1.0);
  const auto with_contact_at = [&](float x) {
    std::vector<std::uint8_t> touching(strip.positions.size(), 0);
    for (std::size_t v = 0; v < touching.size(); ++v) touching[v] = std::abs(strip.positions[v].x - x) < 0.01F;
    return metrics.measure(pose, {}, touching).roughness;
  };
  EXPECT_FALSE(metrics.measure(pose).roughness) << "nobody looked for contact";
  EXPECT_GT(*with_contact_at(0.2F), 1);
  EXPECT_NEAR(*with_contact_at(0.3F), 0, 1e-3);
  EXPECT_NEAR(*with_contact_at(0.7F), 0, 1e-3);
  EXPECT_GT(*with_contact_at(0.8F), 1);
  EXPECT_FALSE(metrics.measure(pose, {}, std::vector<std::uint8_t>(strip.positions.size(), 1)).roughness)
      << "no edge is left";
  EXPECT_THAT(test::error_of([&] { (void)metrics.measure(pose, {}, std::vector<std::uint8_t>(3, 1)); }),
              testing::HasSubstr("3 marks of contact"));
}

// Two spheres side by side; on the right side of the second, away from the first, a vertex is dented.
struct TwoSpheres {
  Surface one = make_sphere(1, 40, 60);
  Surface rest = both(one, moved(one, {5, 0, 0}));
  [[nodiscard]] std::vector<Vec3f> second_at(float x, float dent_towards) const {
    std::vector<Vec3f> p = rest.positions;
    std::size_t dented = one.positions.size();
    for (std::size_t v = one.positions.size(); v < p.size(); ++v)
      if ((p[v].x - p[dented].x) * dent_towards > 0) dented = v;
    p[dented].x -= 0.05F * dent_towards;
    for (std::size_t v = one.positions.size(); v < p.size(); ++v) p[v].x += x - 5;
    return p;
  }
};

TEST(Roughness, DoesNotCountSkinThatTouchesButCountsSkinThatPassesThrough) {
  const TwoSpheres spheres;
  const Context context(1);
  const Metrics metrics(character_of(spheres.rest), context, kPairs);
  const double reach = 0.5 * metrics.mean_edge_length();
  const auto measure = [&](double x, float side) {
    return metrics.measure(spheres.second_at(static_cast<float>(x), side));
  };
  const double dented = *measure(5, 1).roughness;
  EXPECT_GT(dented, 0.3);
  EXPECT_NEAR(*measure(5, -1).roughness, dented, 0.05) << "apart, both sides count";
  // The dent faces the other sphere.
  const FrameMetrics near = measure(2 + 0.5 * reach, -1), far = measure(2 + 2 * reach, -1), through = measure(1.3, -1);
  EXPECT_EQ(near.intersecting_pairs, 0U);
  EXPECT_LT(*near.roughness, 0.01);
  EXPECT_GT(*far.roughness, 0.9 * dented);
  EXPECT_GT(*through.intersecting_pairs, 0U);
  EXPECT_GT(*through.roughness, 0.9 * dented);
  // On the side away from it, it counts however near the spheres are.
  EXPECT_GT(*measure(2 + 0.5 * reach, 1).roughness, 0.9 * dented);
  EXPECT_GT(*measure(1.3, 1).roughness, 0.9 * dented);
}

TEST(Roughness, DoesNotDropWhenAFoldPassesThroughItself) {
  // A closed tube pinched ever more at its joint, until its walls cross: the crease is left out at no stage.
  const Character tube = test::make_two_bone_tube();
  const Context context(1);
  const Metrics metrics(tube, context, kPairs);
  double last = 0;
  for (const float width : {0.5F, 0.1F, -0.2F, -0.5F}) {
    std::vector<Vec3f> pinched = tube.meshes[0].positions;
    for (Vec3f& p : pinched)
      if (std::abs(p.y - 1) < 0.01F) p = {p.x * width, p.y, p.z};
    const FrameMetrics m = metrics.measure(pinched);
    EXPECT_EQ(*m.intersecting_pairs > 0, width < 0) << width;
    EXPECT_GT(*m.roughness, last) << width;
    last = *m.roughness;
  }
}

TEST(Roughness, PerVertexIsTheMeanOverItsEdges) {
  const Surface strip = make_grid(2, 1, 1);  // six vertices; the crease is one edge
  const Context context(1);
  const Metrics metrics(character_of(strip), context, kPairs);
  const FrameMetrics m = metrics.measure(bent(strip.positions, 0.5F, kPi / 6));
  ASSERT_EQ(m.vertex_roughness.size(), 6U);
  double sum = 0;
  for (std::size_t v = 0; v < 6; ++v) {
    const bool on_crease = std::abs(strip.positions[v].x - 0.5F) < 0.01F;
    EXPECT_EQ(m.vertex_roughness[v] > 1, on_crease) << v;
    sum += m.vertex_roughness[v];
  }
  // Each end of the crease has one diagonal beside it, which stays flat.
  EXPECT_NEAR(sum, 2 * 30 / 2.0, 1e-3);
}

}  // namespace
}  // namespace cutis
