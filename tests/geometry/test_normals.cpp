#include "geometry/normals.h"

#include <gtest/gtest.h>

#include "base/math.h"
#include "support/support.h"

namespace cutis {
namespace {

TEST(VertexNormals, OfASphereAreRadial) {
  const auto s = test::make_sphere(2, 24, 32);
  const auto n = vertex_normals(s.positions, s.triangles);
  for (std::size_t i = 0; i < n.size(); ++i) EXPECT_GT(dot(n[i], normalized(s.positions[i])), 0.995F);
}

TEST(VertexNormals, OfACubeCornerDoNotDependOnHowTheFacesAreSplit) {
  const auto s = test::make_cube();
  const auto n = vertex_normals(s.positions, s.triangles);
  for (std::size_t i = 0; i < n.size(); ++i)
    EXPECT_LT(distance(n[i], normalized(s.positions[i] - Vec3f{0.5F, 0.5F, 0.5F})), 1e-6F);
}

TEST(VertexNormals, StayFiniteWithoutAnyArea) {
  const std::vector<Vec3f> p{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {5, 5, 5}};
  for (const Vec3f& n : vertex_normals(p, std::vector<Triangle>{{0, 1, 2}, {1, 1, 1}})) EXPECT_EQ(n, (Vec3f{0, 1, 0}));
}

TEST(DeformedNormals, AreThoseOfTheRestShapeAndTurnWithIt) {
  const auto s = test::make_cube();
  DeformedNormals deformed(s.positions, s.triangles);
  std::vector<Vec3f> n(s.positions.size()), turned_positions;
  deformed.find(s.positions, n);
  EXPECT_EQ(n, vertex_normals(s.positions, s.triangles));
  for (const Vec3f& p : s.positions) turned_positions.push_back({3 * p.z, 3 * p.x, 3 * p.y});
  std::vector<Vec3f> turned(n.size());
  deformed.find(turned_positions, turned);
  for (std::size_t i = 0; i < n.size(); ++i) EXPECT_LT(distance(turned[i], Vec3f{n[i].z, n[i].x, n[i].y}), 1e-6F);
}

TEST(DeformedNormals, AreSharedByAGroup) {
  // Two faces at a right angle, with vertices of their own along the seam.
  const std::vector<Vec3f> p{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {0, 0, -1}, {1, 0, 0}};
  const std::vector<Triangle> t{{0, 1, 2}, {3, 4, 5}};
  const std::vector<std::uint32_t> group{0, 1, 2, 0, 3, 1};
  std::vector<Vec3f> n(p.size());
  DeformedNormals(p, t, group).find(p, n);
  EXPECT_EQ(n, vertex_normals(p, t, group));
  EXPECT_EQ(n[0], n[3]);
  EXPECT_EQ(n[1], n[5]);
  EXPECT_EQ(n[2], (Vec3f{0, 0, 1}));
}

TEST(FaceNormal, IsAsLongAsTwiceTheArea) {
  const std::vector<Vec3f> p{{0, 0, 0}, {3, 0, 0}, {0, 2, 0}};
  EXPECT_EQ(face_normal<double>(p, Triangle{0, 1, 2}), (Vec3d{0, 0, 6}));
  EXPECT_EQ(face_normal<float>(p, Triangle{0, 2, 1}), (Vec3f{0, 0, -6}));
  EXPECT_EQ(area_vector(p[0], p[1], p[2]), (Vec3d{0, 0, 3}));
}

TEST(AreaWeightedNormals, LeanToTheLargerFace) {
  // Two faces at a right angle, the first with four times the area.
  const std::vector<Vec3f> p{{0, 0, 0}, {1, 0, 0}, {0, 4, 0}, {0, 0, -1}, {9, 9, 9}};
  const std::vector<Triangle> t{{0, 1, 2}, {0, 1, 3}, {4, 4, 4}};
  const std::vector<Vec3d> n = area_weighted_normals(p, t);
  EXPECT_LT(distance(n[0], normalized(Vec3d{0, 1, 4})), 1e-12);
  EXPECT_EQ(n[0], n[1]);
  EXPECT_EQ(n[2], (Vec3d{0, 0, 1}));
  EXPECT_EQ(n[3], (Vec3d{0, 1, 0}));
  EXPECT_EQ(n[4], Vec3d{});
  std::vector<Vec3d> sum(p.size());
  add_face_normals(p, t, [](const Triangle& face) { return face[2] == 3; }, sum);
  EXPECT_EQ(sum[0], (Vec3d{0, 1, 0}));
  EXPECT_EQ(sum[2], Vec3d{});
}

TEST(SignedVolume, OfCubeAndSphere) {
  const auto cube = test::make_cube();
  EXPECT_NEAR(signed_volume(cube.positions, cube.triangles), 1.0, 1e-12);
  const auto sphere = test::make_sphere(1, 96, 128);
  EXPECT_NEAR(signed_volume(sphere.positions, sphere.triangles), 4.0 / 3.0 * kPi, 0.01);
}

}  // namespace
}  // namespace cutis
