#include "volume/control_mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

#include "base/math.h"
#include "character/welded_character.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "geometry/triangle_bvh.h"
#include "geometry/winding_number.h"
#include "metrics/self_intersection.h"
#include "support/support.h"

namespace cutis {
namespace {

double volume_of(const ControlMesh& mesh) {
  double sum = 0;
  for (const Tetrahedron& t : mesh.tetrahedra)
    sum += six_volumes(mesh.rest[t[0]], mesh.rest[t[1]], mesh.rest[t[2]], mesh.rest[t[3]]) / 6;
  return sum;
}

TEST(Delaunay, TetrahedraOfACubeFillItAndArePositive) {
  std::vector<Vec3d> points;
  for (int i = 0; i < 8; ++i) points.push_back({1.0 * (i & 1), 1.0 * ((i >> 1) & 1), 1.0 * (i >> 2)});
  points.push_back({0.4, 0.5, 0.6});
  double sum = 0;
  for (const Tetrahedron& t : delaunay_tetrahedra(points)) {
    const double v = six_volumes(points[t[0]], points[t[1]], points[t[2]], points[t[3]]) / 6;
    EXPECT_GT(v, 0);
    sum += v;
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

double six_volumes_of(std::span<const Vec3d> points, const Tetrahedron& t) {
  return six_volumes(points[t[0]], points[t[1]], points[t[2]], points[t[3]]);
}

TEST(Delaunay, NoPointIsInsideACircumsphere) {
  std::vector<Vec3d> points;
  std::mt19937 random(7);
  const auto unit = [&] { return static_cast<double>(random()) * 0x1p-32; };
  for (int i = 0; i < 24; ++i) points.push_back({unit(), unit(), unit()});
  const std::vector<Tetrahedron> made = delaunay_tetrahedra(points);
  std::size_t empty_spheres = 0;
  for (std::uint32_t a = 0; a < points.size(); ++a)
    for (std::uint32_t b = a + 1; b < points.size(); ++b)
      for (std::uint32_t c = b + 1; c < points.size(); ++c)
        for (std::uint32_t d = c + 1; d < points.size(); ++d) {
          // The center from three differences of squared distances.
          const Vec3d u = points[b] - points[a], v = points[c] - points[a], w = points[d] - points[a];
          const double volume = dot(cross(u, v), w);
          const Vec3d center =
              points[a] + (cross(v, w) * dot(u, u) + cross(w, u) * dot(v, v) + cross(u, v) * dot(w, w)) / (2 * volume);
          const double radius = distance(center, points[a]);
          bool empty = true;
          for (std::uint32_t p = 0; p < points.size() && empty; ++p)
            empty = p == a || p == b || p == c || p == d || distance(center, points[p]) > radius;
          empty_spheres += empty;
          const Tetrahedron sorted_corners{a, b, c, d};
          const auto same = [&](Tetrahedron t) { return std::sort(t.begin(), t.end()), t == sorted_corners; };
          EXPECT_EQ(empty, std::any_of(made.begin(), made.end(), same)) << a << " " << b << " " << c << " " << d;
        }
  EXPECT_EQ(made.size(), empty_spheres);
}

struct DelaunayOfDegeneratePoints : testing::TestWithParam<int> {};

/// Points on common spheres, planes and lines, where rounded signs contradict each other.
std::vector<Vec3d> degenerate_points(int kind) {
  std::vector<Vec3d> points;
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j)
      for (int k = 0; k < 7; ++k) {
        const Vec3d p{i / 6.0, j / 6.0, k / 6.0};
        if (kind == 0) points.push_back(p);                                       // a lattice
        if (kind == 1) points.insert(points.end(), {p, {2 - p.x, p.y, p.z}, p});  // mirrored, and some twice
        if (kind == 2) points.push_back(p * 1e-6 + Vec3d{1000, -2000, 3000});     // small and far from the origin
        if (kind == 3 && j == 0 && k == 0) points.insert(points.end(), {{p.x, 0, 0}, {0, p.x, 1}});  // two lines
        if (kind == 4) {  // a sphere and its middle
          const double a = 2 * kPi * i / 7, b = kPi * (j + 1) / 8;
          if (k == 0) points.push_back({std::sin(b) * std::cos(a), std::sin(b) * std::sin(a), std::cos(b)});
          if (i == 0 && j == 0 && k == 0) points.push_back({});
        }
      }
  return points;
}

TEST_P(DelaunayOfDegeneratePoints, TetrahedraMeetFaceToFaceAndFillTheHull) {
  const std::vector<Vec3d> points = degenerate_points(GetParam());
  Box box;
  for (const Vec3d& p : points) box.add(p);
  const double size = distance(box.lo, box.hi);
  const std::vector<Tetrahedron> made = delaunay_tetrahedra(points);
  const std::vector<std::int64_t> neighbours = face_neighbours(made);
  double sum = 0;
  std::size_t open = 0;
  for (const Tetrahedron& t : made) {
    const double v = six_volumes_of(points, t);
    EXPECT_GT(v,
              -1e-6 * size * size * size);  // those of the sphere's circles are flat but for the rounding of its points
    sum += v;
  }
  // Every face has another tetrahedron on its other side, or all points behind it.
  for (std::size_t f = 0; f < neighbours.size(); ++f) {
    if (neighbours[f] >= 0) {
      EXPECT_EQ(std::count(neighbours.begin() + 4 * neighbours[f], neighbours.begin() + 4 * neighbours[f] + 4,
                           static_cast<std::int64_t>(f / 4)),
                1);
      continue;
    }
    ++open;
  }
  double hull = 0;
  for (const Triangle& t : boundary_of(made)) {
    const Vec3d &a = points[t[0]], &b = points[t[1]], &c = points[t[2]];
    hull += dot(a - box.lo, cross(b - box.lo, c - box.lo));
    const Vec3d normal = cross(b - a, c - a);
    for (const Vec3d& p : points) EXPECT_LE(dot(normal, p - a), 1e-6 * size * size * size);
  }
  EXPECT_GT(open, 3U);
  EXPECT_NEAR(sum, hull, 1e-9 * size * size * size);
  std::vector<std::size_t> used(points.size(), 0);
  for (const Tetrahedron& t : made)
    for (const std::uint32_t v : t) ++used[v];
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool is_first = std::find(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(i), points[i]) ==
                          points.begin() + static_cast<std::ptrdiff_t>(i);
    EXPECT_EQ(used[i] > 0, is_first) << i;
  }
  EXPECT_EQ(delaunay_tetrahedra(points), made);
}
INSTANTIATE_TEST_SUITE_P(All, DelaunayOfDegeneratePoints, testing::Range(0, 5));

TEST(Delaunay, RefusesPointsInAPlane) {
  std::vector<Vec3d> points;
  for (int i = 0; i < 20; ++i) points.push_back({1.0 * (i % 5), 1.0 * (i / 5), 0});
  EXPECT_THAT(test::error_of([&] { (void)delaunay_tetrahedra(points); }), testing::HasSubstr("span no volume"));
}

TEST(TetrahedronQuality, IsOneForARegularOneAndFallsWithFlatness) {
  EXPECT_NEAR(tetrahedron_quality({1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}), 1, 1e-12);
  EXPECT_LT(tetrahedron_quality({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0.5, 0.001}), 0.01);
}

struct ControlMeshOfAHand : testing::Test {
  const Context context{2};
  const Character character = load_character("builtin:hand", context);
  const WeldedCharacter welded = weld_character(character);
  const DrivenSkeleton skeleton = make_driven_skeleton(character);
  [[nodiscard]] ControlMesh make(std::size_t vertices, std::span<const Vec3d> markers, bool cage = true) const {
    return make_control_mesh(welded.positions, welded.topology.triangles, skeleton, markers,
                             {.vertices = vertices, .cage = cage}, context);
  }
};

TEST_F(ControlMeshOfAHand, IsFilledByPositiveTetrahedraInOnePiece) {
  const ControlMesh mesh = make(900, {});
  std::set<std::uint32_t> used;
  for (const Tetrahedron& t : mesh.tetrahedra) {
    EXPECT_GT(six_volumes(mesh.rest[t[0]], mesh.rest[t[1]], mesh.rest[t[2]], mesh.rest[t[3]]), 0);
    used.insert(t.begin(), t.end());
  }
  EXPECT_EQ(used.size(), mesh.rest.size());
  const double body = inspect(character).volume;
  EXPECT_GT(volume_of(mesh), 0.9 * body);
  EXPECT_LT(volume_of(mesh), 1.45 * body);
  EXPECT_GT(mesh.rest.size(), 450U);
  EXPECT_LT(mesh.rest.size(), 1500U);
}

TEST_F(ControlMeshOfAHand, HasEveryJointInsideAndEveryMarkerAsAVertex) {
  const std::vector<Vec3d> markers{static_cast<Vec3d>(welded.positions[10]), static_cast<Vec3d>(welded.positions[700]),
                                   skeleton.bones[3].rest + Vec3d{0, 0.3, 0}};
  const ControlMesh mesh = make(900, markers);
  std::set<int> joints;
  for (const SkeletonSample& s : mesh.samples)
    if (s.joint_of >= 0) {
      joints.insert(s.joint_of);
      EXPECT_LT(distance(mesh.rest[s.vertex], skeleton.bones[static_cast<std::size_t>(s.joint_of)].rest), 1e-3);
    }
  EXPECT_EQ(joints.size() + mesh.lost_samples, skeleton.bones.size());
  for (std::size_t m = 0; m < markers.size(); ++m)
    EXPECT_LT(distance(mesh.rest[mesh.marker_vertex[m]] + mesh.marker_offset[m], markers[m]), 1e-9) << m;
  EXPECT_LT(length(mesh.marker_offset[0]), 1e-6) << "a vertex, on the grid";
  EXPECT_GT(length(mesh.marker_offset[2]), 0.1);  // far outside: it hangs on the nearest skin
}

TEST_F(ControlMeshOfAHand, KeepsFingersApart) {
  const ControlMesh mesh = make(900, {});
  // No tetrahedron joins the outer phalanges of two fingers.
  const auto finger = [&](std::uint32_t v) {
    const int bone = mesh.nearest_bone[v];
    const std::string& name =
        character.skeleton.joints[static_cast<std::size_t>(skeleton.bones[static_cast<std::size_t>(bone)].joint)].name;
    return name.find("_2") != name.npos || name.find("_3") != name.npos ? name.substr(0, name.find('_'))
                                                                        : std::string();
  };
  std::size_t outer = 0;
  for (const Tetrahedron& t : mesh.tetrahedra) {
    std::set<std::string> fingers;
    for (const std::uint32_t v : t)
      if (const std::string f = finger(v); !f.empty()) fingers.insert(f);
    EXPECT_LE(fingers.size(), 1U);
    outer += fingers.size();
  }
  EXPECT_GT(outer, 100U);
}

using ControlMeshOfAHandSlow = ControlMeshOfAHand;
TEST_F(ControlMeshOfAHandSlow, CanUseItsOwnSurface) {
  const ControlMesh mesh = make(900, {}, false);
  EXPECT_GE(mesh.rest.size(), welded.positions.size());
  EXPECT_EQ(mesh.cage_vertices, welded.positions.size());
}

/// The cage around a character: what its own report says, and the exact sums.
void expect_a_sound_cage(const Character& character, std::size_t vertices, const Context& context) {
  const WeldedCharacter welded = weld_character(character);
  const ControlMesh mesh = make_control_mesh(welded.positions, welded.topology.triangles,
                                             make_driven_skeleton(character), {}, {.vertices = vertices}, context);
  EXPECT_EQ(mesh.uncovered, 0U);
  EXPECT_EQ(mesh.cage_intersections, 0U);
  std::vector<Vec3f> points;
  for (const Vec3d& p : mesh.rest) points.push_back(static_cast<Vec3f>(p));
  std::vector<std::uint32_t> all(mesh.boundary.size()), place(points.size());
  std::iota(all.begin(), all.end(), 0U);
  std::iota(place.begin(), place.end(), 0U);
  const TriangleBvh bvh(points, mesh.boundary, all);
  EXPECT_EQ(self_intersecting_pairs(bvh, points, mesh.boundary, place, context).size(), 0U);
  const WindingNumber winding(bvh, points, mesh.boundary);
  std::size_t outside = 0;
  for (const Vec3f& p : welded.positions) outside += winding.exact(static_cast<Vec3d>(p)) < 0.5 ? 1 : 0;
  EXPECT_EQ(outside, 0U);
}

TEST(CageSlow, CoversEveryVertexOfAHumanWithoutSelfIntersection) {
  const Context context(2);
  const Character character = load_character("builtin:human", context);
  for (const std::size_t vertices : {800U, 2000U}) {
    SCOPED_TRACE(vertices);
    expect_a_sound_cage(character, vertices, context);
  }
}
TEST(Cage, CoversEveryVertexOfAHandWithoutSelfIntersection) {
  const Context context(2);
  const Character character = load_character("builtin:hand", context);
  for (const std::size_t vertices : {300U, 900U, 2000U}) {
    SCOPED_TRACE(vertices);
    expect_a_sound_cage(character, vertices, context);
  }
}
TEST(Cage, CoversEveryVertexOfAFoxWithoutSelfIntersection) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(2);
  expect_a_sound_cage(load_character((test::shared_data() / "fox" / "fox.glb").string(), context), 2000, context);
}
TEST(CageSlow, CoversEveryVertexOfARealisticBodyWithoutSelfIntersection) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(2);
  expect_a_sound_cage(load_character((test::shared_data() / "makehuman_male" / "makehuman_male.glb").string(), context),
                      2000, context);
}

TEST(ControlMesh, RefusesAMeshWithoutVolume) {
  Character character = test::make_two_bone_tube();
  const test::Surface grid = test::make_grid(6, 6, 1);
  const Context context(1);
  EXPECT_THAT(test::error_of([&] {
                (void)make_control_mesh(grid.positions, grid.triangles, make_driven_skeleton(character), {}, {},
                                        context);
              }),
              testing::HasSubstr("volume"));
}

}  // namespace
}  // namespace cutis
