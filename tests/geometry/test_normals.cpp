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

TEST(SignedVolume, OfCubeAndSphere) {
  const auto cube = test::make_cube();
  EXPECT_NEAR(signed_volume(cube.positions, cube.triangles), 1.0, 1e-12);
  const auto sphere = test::make_sphere(1, 96, 128);
  EXPECT_NEAR(signed_volume(sphere.positions, sphere.triangles), 4.0 / 3.0 * kPi, 0.01);
}

}  // namespace
}  // namespace cutis
