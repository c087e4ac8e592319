#include "geometry/topology.h"

#include <gtest/gtest.h>

#include "support/support.h"

namespace cutis {
namespace {

using test::make_cube;
using test::make_grid;
using test::make_sphere;
using test::Surface;

Topology topology_of(const Surface& s) { return build_topology(s.positions.size(), s.triangles); }

TEST(Topology, OfACubeIsClosedWithEulerNumberTwo) {
  const Topology t = topology_of(make_cube());
  EXPECT_TRUE(t.closed());
  EXPECT_EQ(t.edges.size(), 18U);
  EXPECT_EQ(t.component_count, 1U);
  EXPECT_EQ(8 - static_cast<int>(t.edges.size()) + 12, 2);
  EXPECT_EQ(t.nonmanifold_vertices, 0U);
  for (std::size_t e = 0; e < t.edges.size(); ++e) EXPECT_EQ(t.edge_faces.row(e).size(), 2U);
}

TEST(Topology, OfAGridHasOneBoundaryLoop) {
  const Topology t = topology_of(make_grid(4, 3, 1));
  EXPECT_FALSE(t.closed());
  ASSERT_EQ(t.boundary_loops.size(), 1U);
  EXPECT_EQ(t.boundary_edges, 14U);
  EXPECT_EQ(t.boundary_loops[0].size(), 14U);
  for (std::size_t i = 0; i < 14; ++i)
    EXPECT_GE(t.find_edge(t.boundary_loops[0][i], t.boundary_loops[0][(i + 1) % 14]), 0);
}

TEST(Topology, CountsTheHolesOfAnOpenSphere) {
  Surface s = make_sphere(1, 8, 12);
  s.triangles.erase(s.triangles.begin());
  s.triangles.pop_back();
  EXPECT_EQ(topology_of(s).boundary_loops.size(), 2U);
}

TEST(Topology, FindsTheFanOfThreeTriangles) {
  const Topology t = build_topology(5, std::vector<Triangle>{{0, 1, 2}, {1, 0, 3}, {0, 1, 4}});
  EXPECT_EQ(t.nonmanifold_edges, 1U);
  EXPECT_FALSE(t.closed());
  // Three pairs of boundary edges, all from 0 to 1: one connected boundary.
  EXPECT_EQ(t.boundary_edges, 6U);
  EXPECT_EQ(t.boundary_components, 1U);
}

TEST(Topology, FindsTheVertexThatTwoBodiesShare) {
  const Surface cube = make_cube();
  std::vector<Triangle> both = cube.triangles;
  for (Triangle t : cube.triangles) {
    for (auto& v : t) v = v == 0 ? 0 : v + 7;
    both.push_back(t);
  }
  const Topology t = build_topology(15, both);
  EXPECT_EQ(t.nonmanifold_vertices, 1U);
  EXPECT_EQ(t.nonmanifold_edges, 0U);
  EXPECT_EQ(t.component_count, 1U);
}

TEST(Topology, SeesAFlippedTriangle) {
  Surface s = make_cube();
  std::swap(s.triangles[3][0], s.triangles[3][1]);
  const Topology t = topology_of(s);
  EXPECT_EQ(t.inconsistent_edges, 3U);
  EXPECT_FALSE(t.closed());
}

TEST(Topology, LeavesOutCollapsedTrianglesAndUnusedVertices) {
  const Topology t = build_topology(5, std::vector<Triangle>{{0, 1, 2}, {1, 1, 3}});
  EXPECT_EQ(t.repeated_vertex_triangles, 1U);
  EXPECT_EQ(t.edges.size(), 3U);
  EXPECT_EQ(t.component_count, 1U);
  EXPECT_EQ(t.component[4], Topology::kNoComponent);
}

TEST(Topology, OfNothingIsEmpty) {
  const Topology t = build_topology(0, {});
  EXPECT_FALSE(t.closed());
  EXPECT_EQ(t.component_count, 0U);
}

}  // namespace
}  // namespace cutis
