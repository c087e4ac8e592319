// Distances along the surface against shapes where they are known.
#include "geometry/geodesic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/math.h"
#include "geometry/plane_section.h"
#include "support/support.h"

namespace {

using namespace cutis;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Shape {
  std::vector<Vec3d> positions;
  Topology topology;
};

Shape shape_of(const std::vector<Vec3d>& positions, const std::vector<Triangle>& triangles) {
  return {positions, build_topology(positions.size(), triangles)};
}

Shape shape_of(const test::Surface& surface) {
  std::vector<Vec3d> positions;
  for (const Vec3f& p : surface.positions) positions.push_back(static_cast<Vec3d>(p));
  return shape_of(positions, surface.triangles);
}

// A tube around +Y of the given radius, open at both ends; `skew` shears the rows, so that triangles become obtuse.
Shape make_tube(int around, int along, double radius, double height, double skew) {
  std::vector<Vec3d> positions;
  std::vector<Triangle> triangles;
  for (int j = 0; j <= along; ++j) {
    for (int i = 0; i < around; ++i) {
      const double angle = 2 * kPi * (i + skew * j) / around;
      positions.push_back({radius * std::cos(angle), height * j / along, radius * std::sin(angle)});
    }
  }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(j * around + i % around); };
  for (int j = 0; j < along; ++j) {
    for (int i = 0; i < around; ++i) {
      triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
      triangles.push_back({at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)});
    }
  }
  return shape_of(positions, triangles);
}

// A sphere of radius 1 with nearly equal triangles: an icosahedron, split and pushed out.
Shape make_ico_sphere(int splits) {
  const double g = (1 + std::sqrt(5.0)) / 2;
  std::vector<Vec3d> p{{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                       {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  std::vector<Triangle> t{{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                          {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                          {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  for (int s = 0; s < splits; ++s) {
    const Topology topology = build_topology(p.size(), t);
    const auto first = static_cast<std::uint32_t>(p.size());
    for (const Edge& e : topology.edges) p.push_back((p[e.a] + p[e.b]) * 0.5);
    std::vector<Triangle> next;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      return first + static_cast<std::uint32_t>(topology.find_edge(a, b));
    };
    for (const Triangle& f : t) {
      const std::uint32_t a = middle(f[0], f[1]), b = middle(f[1], f[2]), c = middle(f[2], f[0]);
      next.insert(next.end(), {{f[0], a, c}, {f[1], b, a}, {f[2], c, b}, {a, b, c}});
    }
    t = next;
  }
  for (Vec3d& q : p) q = normalized(q);
  return shape_of(p, t);
}

std::vector<CurveSegment> section(const Shape& shape, const Plane& plane) {
  const PlaneSections sections(shape.positions, shape.topology);
  PlaneSections::Scratch scratch;
  std::vector<CurveSegment> curve;
  for (const SectionCurve& c : sections.all(plane, scratch))
    for (std::size_t i = 0; i < c.faces.size(); ++i)
      curve.push_back({c.faces[i], c.points[i].position, c.points[(i + 1) % c.points.size()].position});
  return curve;
}

std::vector<double> all_distances(const Shape& shape, std::span<const CurveSegment> curve,
                                  double max_distance = kInfinity) {
  const Geodesics geodesics(shape.positions, shape.topology);
  Geodesics::Scratch scratch;
  std::vector<double> result(shape.positions.size(), kInfinity);
  for (const VertexDistance& d : geodesics.distances(curve, max_distance, scratch)) result[d.vertex] = d.distance;
  return result;
}

struct Errors {
  double mean = 0, max = 0;
};
Errors errors(const Shape& shape, const std::vector<double>& distances,
              const std::function<double(const Vec3d&)>& truth) {
  Errors e;
  for (std::size_t v = 0; v < distances.size(); ++v) {
    const double error = std::abs(distances[v] - truth(shape.positions[v]));
    e.mean += error / static_cast<double>(distances.size());
    e.max = std::max(e.max, error);
  }
  return e;
}

TEST(Geodesics, OnACylinderTheDistanceToACrossSectionIsTheHeight) {
  // A prism unfolds and its fronts are straight: nothing is lost, in acute or in right-angled triangles. Skewed rows
  // twist the prism, so that it is no longer quite the cylinder; its triangles are obtuse.
  for (const auto& [skew, tolerance] : {std::pair{0.0, 1e-12}, {0.5, 3e-4}, {1.7, 7e-3}}) {
    const Shape tube = make_tube(48, 40, 0.5, 2.0, skew);
    const auto d = all_distances(tube, section(tube, {{0, 0.83, 0}, {0, 1, 0}}));
    const Errors e = errors(tube, d, [](const Vec3d& p) { return std::abs(p.y - 0.83); });
    EXPECT_LT(e.max, tolerance) << "skew " << skew;
  }
}

TEST(Geodesics, OnASphereTheErrorFallsWithTheEdgeLength) {
  // To the circle at height 0.3; the exact distance is along the meridian. At the two poles, where the front meets
  // itself from all sides, it is largest.
  const auto truth = [](const Vec3d& p) { return std::abs(std::asin(std::clamp(p.y, -1.0, 1.0)) - std::asin(0.3)); };
  double last = 1;
  for (const int splits : {3, 4, 5}) {
    const Shape sphere = make_ico_sphere(splits);
    double edge = 0;
    for (const Edge& e : sphere.topology.edges) edge += distance(sphere.positions[e.a], sphere.positions[e.b]);
    edge /= static_cast<double>(sphere.topology.edges.size());
    const auto d = all_distances(sphere, section(sphere, {{0, 0.3, 0}, {0, 1, 0}}));
    const Errors e = errors(sphere, d, truth);
    double near = 0;  // within the circle's radius
    for (std::size_t v = 0; v < d.size(); ++v)
      if (d[v] < std::sqrt(1 - 0.09)) near = std::max(near, std::abs(d[v] - truth(sphere.positions[v])));
    EXPECT_LT(e.mean, 0.03 * edge);
    EXPECT_LT(near, 0.15 * edge);
    EXPECT_LT(e.max, 0.45 * edge);
    EXPECT_LT(e.mean, 0.55 * last);
    last = e.mean;
  }
}

TEST(Geodesics, FromAPointOfAPlaneTheErrorIsAFractionOfAnEdge) {
  for (const double skew : {0.0, 0.5, 1.7}) {
    // A wide tube is a plane; edges of length 1.
    const Shape sheet = make_tube(600, 40, 600 / (2 * kPi), 40, skew);
    const std::uint32_t start = 20 * 600 + 100;
    const Vec3d source = sheet.positions[start];
    const std::vector<CurveSegment> curve{{sheet.topology.vertex_faces.row(start)[0], source, source}};
    const auto d = all_distances(sheet, curve, 15);
    double worst = 0;
    for (std::size_t v = 0; v < d.size(); ++v)
      if (d[v] < 14) worst = std::max(worst, std::abs(d[v] - distance(sheet.positions[v], source)));
    EXPECT_LT(worst, 0.8) << "skew " << skew;
  }
}

TEST(Geodesics, DistancesDifferByNoMoreThanTheEdge) {
  const Shape sphere = shape_of(test::make_sphere(1, 24, 40));
  const auto d = all_distances(sphere, section(sphere, {{0.1, 0.2, 0}, normalized(Vec3d{1, 2, 0.5})}));
  for (const Edge& e : sphere.topology.edges)
    EXPECT_LE(std::abs(d[e.a] - d[e.b]), distance(sphere.positions[e.a], sphere.positions[e.b]) + 1e-12);
}

TEST(Geodesics, AVertexBesideTheCurveHasItsDistanceInsideTheTriangle) {
  const Shape triangle = shape_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
  const auto d = all_distances(triangle, std::vector<CurveSegment>{{0, {0.25, 0, 0}, {0.25, 0.75, 0}}});
  EXPECT_NEAR(d[0], 0.25, 1e-15);
  EXPECT_NEAR(d[1], 0.75, 1e-15);
  EXPECT_NEAR(d[2], std::hypot(0.25, 0.25), 1e-15);
}

TEST(Geodesics, AGapIsNotCrossedHoweverNarrow) {
  // Two sheets a hair apart, joined nowhere.
  const Shape two =
      shape_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1e-6}, {1, 0, 1e-6}, {0, 1, 1e-6}}, {{0, 1, 2}, {3, 4, 5}});
  const auto d = all_distances(two, std::vector<CurveSegment>{{0, {0, 0, 0}, {0, 0, 0}}});
  EXPECT_EQ(d[0], 0);
  EXPECT_NEAR(d[1], 1, 1e-15);
  for (std::size_t v = 3; v < 6; ++v) EXPECT_EQ(d[v], kInfinity);
}

TEST(Geodesics, TheFrontPassesNonManifoldEdgesAndTrianglesWithoutArea) {
  // Three leaves on one edge, and a sliver that leads on to a fourth triangle.
  const Shape fins = shape_of({{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 2, 0}, {1, 2, 0}},
                              {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {0, 1, 5}, {1, 5, 6}});
  const auto d = all_distances(fins, std::vector<CurveSegment>{{0, {1, 0, 0}, {1, 0, 0}}});
  EXPECT_NEAR(d[0], 1, 1e-12);
  EXPECT_NEAR(d[1], std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(d[3], 2, 1e-9);
  EXPECT_NEAR(d[4], 2, 1e-9);
  EXPECT_NEAR(d[5], 1 + std::sqrt(2.0), 1e-9);
  EXPECT_LT(d[6], 4);
}

TEST(Geodesics, NoVertexBeyondTheLimitIsReturnedAndTheOthersAreTheSame) {
  const Shape tube = make_tube(24, 20, 0.5, 2.0, 0.5);
  const auto curve = section(tube, {{0, 0.83, 0}, normalized(Vec3d{0.3, 1, 0})});
  const auto all = all_distances(tube, curve), near = all_distances(tube, curve, 0.4);
  std::size_t cut = 0;
  for (std::size_t v = 0; v < all.size(); ++v) {
    if (all[v] <= 0.4)
      EXPECT_EQ(near[v], all[v]);
    else
      EXPECT_EQ(near[v], kInfinity);
    cut += all[v] > 0.4;
  }
  EXPECT_GT(cut, 0U);
}

TEST(Geodesics, AnEmptyCurveReachesNothing) {
  const Shape sphere = shape_of(test::make_sphere(1, 8, 8));
  for (const double d : all_distances(sphere, {})) EXPECT_EQ(d, kInfinity);
}

TEST(PlaneSection, OfASphereIsACircleAroundItsAxis) {
  const Shape sphere = make_ico_sphere(4);
  const PlaneSections sections(sphere.positions, sphere.topology);
  PlaneSections::Scratch scratch;
  const Plane plane{{0, 0.3, 0}, {0, 1, 0}};
  const auto curves = sections.all(plane, scratch);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_TRUE(curves[0].closed);
  EXPECT_NEAR(curves[0].perimeter(), 2 * kPi * std::sqrt(1 - 0.09), 0.01);
  EXPECT_EQ(std::abs(winding(curves[0], {0, 0.3, 0}, plane.normal)), 1);
  EXPECT_EQ(winding(curves[0], {1.2, 0.3, 0}, plane.normal), 0);
  EXPECT_LT(distance(centroid(curves[0]), {0, 0.3, 0}), 0.01);
}

TEST(PlaneSection, ThroughVerticesStaysOneCurve) {
  const Shape tube = make_tube(16, 4, 0.5, 2.0, 0.0);
  const PlaneSections sections(tube.positions, tube.topology);
  PlaneSections::Scratch scratch;
  const auto curves = sections.all({{0, 1, 0}, {0, 1, 0}}, scratch);  // along a ring of vertices
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_TRUE(curves[0].closed);
  EXPECT_NEAR(curves[0].perimeter(), 16 * 2 * 0.5 * std::sin(kPi / 16), 1e-12);
}

TEST(PlaneSection, OfAnOpenTubeLengthwiseEndsAtTheBorders) {
  const Shape tube = make_tube(16, 4, 0.5, 2.0, 0.0);
  const PlaneSections sections(tube.positions, tube.topology);
  PlaneSections::Scratch scratch;
  const auto curves = sections.all({{0.1, 0, 0}, {1, 0, 0}}, scratch);
  ASSERT_EQ(curves.size(), 2U);
  for (const SectionCurve& c : curves) {
    EXPECT_FALSE(c.closed);
    EXPECT_NEAR(c.length, 2, 1e-12);
    EXPECT_NEAR(c.gap, 2, 1e-12);
    EXPECT_EQ(c.points.size(), c.faces.size() + 1);
  }
}

TEST(PlaneSection, ALineThroughAnEdgeMeetsBothTriangles) {
  const Shape cube = shape_of(test::make_cube());
  const PlaneSections sections(cube.positions, cube.topology);
  const auto hits = sections.line_hits({0.5, 0.5, 0.5}, {1, 0, 0});  // through the diagonals of two sides
  ASSERT_EQ(hits.size(), 4U);
  for (const RayHit& h : hits) EXPECT_NEAR(std::abs(h.t), 0.5, 1e-12);
}

}  // namespace
