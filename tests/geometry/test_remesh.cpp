#include "geometry/remesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/math.h"
#include "geometry/topology.h"

namespace cutis {
namespace {

SurfaceMesh traced_sphere(bool half) {
  std::vector<double> axis, positive;
  for (int i = 0; i <= 40; ++i) axis.push_back(-1.3 + 0.065 * i);
  for (int i = 0; i <= 20; ++i) positive.push_back(0.065 * i);
  return trace_isosurface([](const Vec3d& p) { return length(p) - 1; }, {half ? positive : axis, axis, axis},
                          {0.1, 0, 0});
}

RemeshOptions onto_sphere(const std::function<double(const Vec3d&)>& edge_length) {
  RemeshOptions options;
  options.edge_length = edge_length;
  options.project = [](const Vec3d& p, bool on_border) { return normalized(on_border ? Vec3d{0, p.y, p.z} : p); };
  return options;
}

double smallest_angle(const SurfaceMesh& mesh) {
  double least = kPi;
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3d &a = mesh.positions[t[k]], &b = mesh.positions[t[(k + 1) % 3]], &c = mesh.positions[t[(k + 2) % 3]];
      least = std::min(least, std::atan2(length(cross(b - a, c - a)), dot(b - a, c - a)));
    }
  }
  return least * 180 / kPi;
}

std::uint64_t hash_of(const SurfaceMesh& mesh) {
  return hash_span<Triangle>(mesh.triangles, hash_span<Vec3d>(mesh.positions));
}

TEST(Remesh, MakesASphereOfNearEquilateralTrianglesOfTheWantedSize) {
  const SurfaceMesh mesh = remesh(traced_sphere(false), onto_sphere([](const Vec3d&) { return 0.1; }), Context(1));
  const Topology t = build_topology(mesh.positions.size(), mesh.triangles);
  EXPECT_TRUE(t.closed());
  EXPECT_EQ(t.component_count, 1U);
  EXPECT_EQ(mesh.positions.size() + mesh.triangles.size(), t.edges.size() + 2);
  EXPECT_GT(smallest_angle(mesh), 30);
  for (const Edge& e : t.edges) {
    const double d = distance(mesh.positions[e.a], mesh.positions[e.b]);
    EXPECT_GT(d, 0.05);
    EXPECT_LT(d, 0.16);
  }
  for (const Vec3d& p : mesh.positions) EXPECT_NEAR(length(p), 1, 1e-12);
}

TEST(Remesh, FollowsASizeThatVariesOverSpace) {
  const auto size = [](const Vec3d& p) { return 0.13 + 0.07 * p.y; };
  const SurfaceMesh mesh = remesh(traced_sphere(false), onto_sphere(size), Context(1));
  const Topology t = build_topology(mesh.positions.size(), mesh.triangles);
  EXPECT_TRUE(t.closed());
  EXPECT_GT(smallest_angle(mesh), 25);
  for (const Edge& e : t.edges) {
    const Vec3d &a = mesh.positions[e.a], &b = mesh.positions[e.b];
    const double relative = distance(a, b) / size((a + b) * 0.5);
    EXPECT_GT(relative, 0.5);
    EXPECT_LT(relative, 1.6);
  }
}

TEST(Remesh, KeepsTheBorderOnItsCurveAndJoinsNoTwoBorderVerticesInside) {
  const SurfaceMesh mesh = remesh(traced_sphere(true), onto_sphere([](const Vec3d&) { return 0.12; }), Context(1));
  const Topology t = build_topology(mesh.positions.size(), mesh.triangles);
  ASSERT_EQ(t.boundary_loops.size(), 1U);
  std::vector<bool> border(mesh.positions.size(), false);
  for (const std::uint32_t v : t.boundary_loops[0]) {
    border[v] = true;
    EXPECT_EQ(mesh.positions[v].x, 0);
  }
  for (const Edge& e : t.edges) {
    if (border[e.a] && border[e.b]) {
      EXPECT_EQ(e.faces, 1U);
    }
  }
}

TEST(Remesh, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto options = onto_sphere([](const Vec3d&) { return 0.1; });
  EXPECT_EQ(hash_of(remesh(traced_sphere(true), options, Context(1))),
            hash_of(remesh(traced_sphere(true), options, Context(3))));
}

}  // namespace
}  // namespace cutis
