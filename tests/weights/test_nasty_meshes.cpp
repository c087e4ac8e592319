// Every mesh binds; the report names what was wrong with it.
#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "weights/weights_support.h"

namespace cutis::test {
namespace {

struct Nasty {
  const char* file;
  std::vector<std::string> named;  ///< what the report has to say
};
void PrintTo(const Nasty& nasty, std::ostream* out) { *out << nasty.file; }

class NastyMeshes : public testing::TestWithParam<Nasty> {};
INSTANTIATE_TEST_SUITE_P(
    Shared, NastyMeshes,
    testing::Values(Nasty{"bowling_pin_degenerate.glb", {"repeat a vertex", "without area", "open borders"}},
                    Nasty{"pumpkin_bucket_nonmanifold.glb", {"more than two triangles", "only touch", "open borders"}},
                    Nasty{"fan3.obj", {"more than two triangles", "open borders"}},
                    Nasty{"hourglass_ico.obj", {"only touch"}},
                    Nasty{"triple_vierbein.obj", {"more than two triangles", "open borders"}},
                    Nasty{"moebius.obj", {"cannot be oriented", "open borders"}}, Nasty{"platonic_shelf.obj", {}},
                    Nasty{"cat_head.obj", {"open borders"}}, Nasty{"lego.ply", {"open borders"}},
                    Nasty{"hole_capsule.off", {"open borders"}}),
    [](const auto& nasty) {
      const std::string name = nasty.param.file;
      return name.substr(0, name.find('.'));
    });

TEST_P(NastyMeshes, BindToTwoBonesWithAReportThatNamesWhatIsWrong) {
  CUTIS_NEEDS_SHARED_DATA();
  Character c = load_unweighted(std::string("nasty_meshes/") + GetParam().file);
  c.clips.clear();
  c.skeleton = two_bones_through(c);
  const WeightReport report = make_weights(c, {}, Context(2));
  expect_good_weights(c);
  for (const std::string& what : GetParam().named) {
    const WeightFallback f = fallback(report, what);
    EXPECT_GT(f.count, 0U) << "no word about '" << what << "' in:\n" << text_of(report);
  }
  EXPECT_EQ(report.weighted_bones, 2U) << text_of(report);
}

Character with_bones(const Surface& surface) {
  Character c = make_character(surface);
  c.skeleton = two_bones_through(c);
  return c;
}

/// Along y from -1 to 1.
Surface long_ball() {
  Surface s = make_sphere(0.4, 16, 16);
  for (Vec3f& p : s.positions) p.y *= 2.5F;
  return s;
}

TEST(BadMeshes, OfAnInsideOutBodyBindAsIfItWereRight) {
  Character right = with_bones(long_ball()), wrong = right;
  for (Triangle& t : wrong.meshes[0].triangles) std::swap(t[1], t[2]);
  make_weights(right, {}, Context(1));
  const WeightReport report = make_weights(wrong, {}, Context(1));
  EXPECT_EQ(fallback(report, "inside out").count, 1U);
  for (std::size_t v = 0; v < right.meshes[0].positions.size(); ++v)
    EXPECT_NEAR(weight_at(right.meshes[0], v, 0), weight_at(wrong.meshes[0], v, 0), 1e-6);
}

TEST(BadMeshes, WithDoubledTrianglesBindAsIfTheyWereThereOnce) {
  Character right = with_bones(long_ball()), wrong = right;
  auto& triangles = wrong.meshes[0].triangles;
  const Triangle a = triangles[10], b = triangles[20];
  triangles.push_back(a);
  triangles.push_back({b[1], b[0], b[2]});  // and one in the other direction
  make_weights(right, {}, Context(1));
  const WeightReport report = make_weights(wrong, {}, Context(1));
  EXPECT_EQ(fallback(report, "more than once").count, 2U);
  for (std::size_t v = 0; v < right.meshes[0].positions.size(); ++v)
    EXPECT_NEAR(weight_at(right.meshes[0], v, 0), weight_at(wrong.meshes[0], v, 0), 1e-6);
}

TEST(BadMeshes, WithLooseVerticesBindThemToTheNearestSurface) {
  Character c = with_bones(long_ball());
  c.meshes[0].positions.push_back({0, -1.2F, 0});
  c.meshes[0].normals.push_back({0, 1, 0});
  const WeightReport report = make_weights(c, {}, Context(1));
  expect_good_weights(c);
  EXPECT_EQ(fallback(report, "without a triangle").count, 1U);
  EXPECT_GT(weight_at(c.meshes[0], c.meshes[0].positions.size() - 1, 0), 0.9);
}

TEST(BadMeshes, OfPointsAloneBindToTheNearestBone) {
  Character c = make_character({{{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0.1F, 2, 0}}, {}});
  c.skeleton = two_bones_through(c);
  make_weights(c, {}, Context(1));
  expect_good_weights(c);
  EXPECT_EQ(weight_at(c.meshes[0], 0, 0), 1);
  EXPECT_EQ(weight_at(c.meshes[0], 3, 1), 1);
}

TEST(BadMeshes, OfOneRepeatedPointBindToo) {
  Character c = make_character({{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {{0, 1, 2}}});
  Joint joint;
  joint.name = "root";
  joint.is_bone = true;
  joint.world_from_rest.translation = joint.local.translation = {1, 1, 1};
  c.skeleton.joints = {joint};
  const WeightReport report = make_weights(c, {}, Context(1));
  expect_good_weights(c);
  EXPECT_EQ(fallback(report, "repeat a vertex").count, 1U);
}

TEST(BadMeshes, ThatAreFlatSheetsWithBonesInThemBindFromBothSides) {
  CUTIS_NEEDS_SHARED_DATA();
  Character c = load_unweighted("simple_skin/simple_skin.gltf");
  const WeightReport report = make_weights(c, {}, Context(1));
  expect_good_weights(c);
  EXPECT_EQ(report.weighted_bones, 2U) << text_of(report);
}

TEST(BadMeshes, WithASliverAcrossTheJointStayFinite) {
  Character c = with_bones(long_ball());
  Mesh& mesh = c.meshes[0];
  const auto n = static_cast<std::uint32_t>(mesh.positions.size());
  mesh.positions.push_back(mesh.positions[5] + Vec3f{1e-7F, 0, 0});
  mesh.normals.push_back({0, 1, 0});
  mesh.triangles.push_back({5, n, n - 1});
  make_weights(c, {}, Context(1));
  expect_good_weights(c);
}

}  // namespace
}  // namespace cutis::test
