#include "geometry/isosurface.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "geometry/normals.h"
#include "geometry/topology.h"

namespace cutis {
namespace {

std::vector<double> lines(double lo, double hi, int cells) {
  std::vector<double> result;
  for (int i = 0; i <= cells; ++i) result.push_back(lo + (hi - lo) * i / cells);
  return result;
}

double unit_sphere(const Vec3d& p) { return length(p) - 1; }

double volume(const SurfaceMesh& mesh) {
  std::vector<Vec3f> p;
  for (const Vec3d& q : mesh.positions) p.push_back(static_cast<Vec3f>(q));
  return signed_volume(p, mesh.triangles);
}

TEST(Isosurface, OfASphereIsClosedOutwardAndOfItsVolume) {
  const auto axis = lines(-1.3, 1.3, 40);
  const SurfaceMesh mesh = trace_isosurface(unit_sphere, {axis, axis, axis}, {0, 0, 0});
  const Topology t = build_topology(mesh.positions.size(), mesh.triangles);
  EXPECT_TRUE(t.closed());
  EXPECT_EQ(t.nonmanifold_vertices, 0U);
  EXPECT_EQ(t.component_count, 1U);
  EXPECT_NEAR(volume(mesh), 4 * kPi / 3, 0.02);
  for (const Vec3d& p : mesh.positions) EXPECT_NEAR(length(p), 1, 0.005);
}

TEST(Isosurface, KeepsATorusATorusOnUnevenLines) {
  const auto torus = [](const Vec3d& p) { return std::hypot(std::hypot(p.x, p.y) - 1, p.z) - 0.3; };
  std::vector<double> uneven = lines(-1.4, 0.2, 20);
  for (const double x : lines(0.23, 1.4, 40)) uneven.push_back(x);
  const SurfaceMesh mesh = trace_isosurface(torus, {uneven, uneven, lines(-0.4, 0.4, 12)}, {1, 0, 0});
  const Topology t = build_topology(mesh.positions.size(), mesh.triangles);
  EXPECT_TRUE(t.closed());
  EXPECT_EQ(static_cast<long>(mesh.positions.size() + mesh.triangles.size()), static_cast<long>(t.edges.size()));
}

TEST(Isosurface, FindsOnlyTheComponentOfItsSeed) {
  const auto two = [](const Vec3d& p) { return std::min(length(p), length(p - Vec3d{3, 0, 0})) - 1; };
  const SurfaceMesh mesh =
      trace_isosurface(two, {lines(-1.3, 4.3, 60), lines(-1.3, 1.3, 30), lines(-1.3, 1.3, 30)}, {3, 0, 0});
  EXPECT_FALSE(mesh.positions.empty());
  for (const Vec3d& p : mesh.positions) EXPECT_GT(p.x, 1.5);
}

TEST(Isosurface, EndsOnThePlaneOfTheGridThatCutsIt) {
  const auto axis = lines(-1.3, 1.3, 30);
  const SurfaceMesh mesh = trace_isosurface(unit_sphere, {lines(0, 1.3, 15), axis, axis}, {0.1, 0, 0});
  const Topology t = build_topology(mesh.positions.size(), mesh.triangles);
  ASSERT_EQ(t.boundary_loops.size(), 1U);
  for (const std::uint32_t v : t.boundary_loops[0]) EXPECT_EQ(mesh.positions[v].x, 0);
}

TEST(Isosurface, IsEmptyWhenTheSeedIsOutside) {
  const auto axis = lines(-1.3, 1.3, 20);
  EXPECT_TRUE(trace_isosurface(unit_sphere, {axis, axis, axis}, {1.25, 1.25, 1.25}).triangles.empty());
  EXPECT_TRUE(trace_isosurface(unit_sphere, {{0}, axis, axis}, {0, 0, 0}).triangles.empty());
}

}  // namespace
}  // namespace cutis
