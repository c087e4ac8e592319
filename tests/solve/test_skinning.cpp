#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/math.h"
#include "cutis/bind.h"
#include "cutis/solve.h"
#include "geometry/normals.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::make_two_bone_tube;

Frame solve_once(const Character& c, Method method, const Pose& pose, int threads = 1) {
  const Context context(threads);
  Solver solver(bind(c, context), {method}, context);
  return solver.solve(pose);
}

// Linear blend skinning from its definition, in double.
std::vector<Vec3d> reference_lbs(const Character& c, const Pose& pose) {
  const auto world = world_from_joint(c.skeleton, pose);
  std::vector<Vec3d> result;
  for (const Mesh& m : c.meshes) {
    for (std::size_t v = 0; v < m.positions.size(); ++v) {
      Vec3d sum;
      for (std::uint32_t i = m.weights.row_begin[v]; i < m.weights.row_begin[v + 1]; ++i) {
        const std::uint32_t j = m.weights.joint[i];
        sum += transform_point(world[j] * inverse(c.skeleton.joints[j].world_from_rest),
                               static_cast<Vec3d>(m.positions[v])) *
               static_cast<double>(m.weights.weight[i]);
      }
      result.push_back(sum);
    }
  }
  return result;
}

Pose bent(const Character& c, double angle, const Vec3d& axis = {0, 0, 1}) {
  Pose pose = default_pose(c.skeleton);
  pose.local[1].rotation = axis_angle(axis, angle);
  return pose;
}

double worst_distance(const std::vector<Vec3f>& a, const std::vector<Vec3d>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, distance(static_cast<Vec3d>(a[i]), b[i]));
  return worst;
}

TEST(Lbs, AgreesWithItsDefinitionAlsoUnderScaleAndMirror) {
  const Character c = make_two_bone_tube();
  Pose pose = bent(c, 2.0);
  pose.local[0].translation = {3, -1, 2};
  pose.local[1].scale = {-1.5, 0.5, 2};
  EXPECT_LT(worst_distance(solve_once(c, Method::lbs, pose).positions, reference_lbs(c, pose)), 2e-6);
}

TEST(Skinning, AtRestGivesBackTheRestPose) {
  const Character c = make_two_bone_tube();
  for (const Method method : {Method::lbs, Method::dqs}) {
    const Frame f = solve_once(c, method, default_pose(c.skeleton));
    for (std::size_t v = 0; v < f.positions.size(); ++v) {
      EXPECT_LT(distance(f.positions[v], c.meshes[0].positions[v]), 1e-6F);
      EXPECT_LT(distance(f.normals[v], c.meshes[0].normals[v]), 1e-6F);
    }
  }
}

TEST(Skinning, MovesVerticesOfOneBoneExactlyWithIt) {
  const Character c = make_two_bone_tube();
  Pose pose = bent(c, 1.3, normalized(Vec3d{1, 2, 3}));
  pose.local[1].scale = {2, 0.25, 1};  // scale included: one influence is exact for dual quaternions too
  pose.local[0].rotation = axis_angle(Vec3d{1, 0, 0}, 0.4);
  const auto expected = reference_lbs(c, pose);
  const Frame f = solve_once(c, Method::dqs, pose);
  const Weights& w = c.meshes[0].weights;
  int checked = 0;
  for (std::size_t v = 0; v < f.positions.size(); ++v) {
    if (w.row_begin[v + 1] - w.row_begin[v] != 1) continue;
    EXPECT_LT(distance(static_cast<Vec3d>(f.positions[v]), expected[v]), 3e-6);
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

TEST(Dqs, IsExactForOneBoneThatMirrors) {
  const Character c = make_two_bone_tube();
  Pose pose = default_pose(c.skeleton);
  pose.local[0].scale = {-1, 1, 1};
  EXPECT_LT(worst_distance(solve_once(c, Method::dqs, pose).positions, reference_lbs(c, pose)), 3e-6);
}

// Radius of the ring of vertices at mid-height: a twist by 180 degrees wrings it to nothing under linear blending.
double mid_radius(const Frame& f, const Character& c) {
  double sum = 0;
  int n = 0;
  for (std::size_t v = 0; v < f.positions.size(); ++v) {
    const Vec3f& p = c.meshes[0].positions[v];
    if (std::abs(p.y - 1) > 1e-6F || std::hypot(p.x, p.z) < 0.1F) continue;
    sum += static_cast<double>(std::hypot(f.positions[v].x, f.positions[v].z));
    ++n;
  }
  return sum / n;
}

TEST(Dqs, KeepsTheRadiusUnderATwistThatWringsLbs) {
  const Character c = make_two_bone_tube();
  const Pose pose = bent(c, 0.98 * kPi, {0, 1, 0});
  EXPECT_LT(mid_radius(solve_once(c, Method::lbs, pose), c), 0.03);
  EXPECT_NEAR(mid_radius(solve_once(c, Method::dqs, pose), c), 0.3, 1e-4);
}

// A chain of three bones with weights that fade smoothly from one to the next.
Character make_three_bone_tube(double sharpness) {
  Character c = make_two_bone_tube();
  Joint third = c.skeleton.joints[1];
  third.name = "third";
  third.parent = 1;
  third.local.translation = {0, 0.4, 0};
  third.world_from_rest.translation = {0, 1.4, 0};
  c.skeleton.joints.push_back(third);
  Mesh& mesh = c.meshes[0];
  mesh.weights = {};
  mesh.weights.row_begin.push_back(0);
  for (const Vec3f& p : mesh.positions) {
    const double centers[3] = {0.6, 1.0, 1.4};
    double w[3], sum = 0;
    for (int b = 0; b < 3; ++b) sum += w[b] = std::exp(-sharpness * (p.y - centers[b]) * (p.y - centers[b]));
    for (std::uint32_t b = 0; b < 3; ++b) {
      mesh.weights.joint.push_back(b);
      mesh.weights.weight.push_back(static_cast<float>(w[b] / sum));
    }
    mesh.weights.row_begin.push_back(static_cast<std::uint32_t>(mesh.weights.joint.size()));
  }
  return c;
}

Pose twisted(const Character& c, double angle) {
  Pose pose = default_pose(c.skeleton);
  pose.local[1].rotation = axis_angle(Vec3d{0, 1, 0}, angle);
  pose.local[2].rotation = axis_angle(Vec3d{0, 1, 0}, angle);
  return pose;
}

TEST(Dqs, NeverFlipsBetweenNeighbours) {
  // Each bone is twisted against the one before it: measured against a vertex's heaviest bone, the sign of the far bone
  // would change where the heaviest bone changes. Weights fade smoothly, so neighbours must stay close.
  const Character c = make_three_bone_tube(8);
  double worst = 0;
  for (const double angle : {1.0, 1.6, 2.0, 2.27, 2.6, 3.0}) {
    const Frame f = solve_once(c, Method::dqs, twisted(c, angle));
    for (const Triangle& t : c.meshes[0].triangles)
      for (unsigned k = 0; k < 3; ++k)
        worst = std::max<double>(worst, distance(f.positions[t[k]], f.positions[t[(k + 1) % 3]]));
  }
  EXPECT_LT(worst, 0.35);  // a flip carries a vertex to the other side of the tube, 0.6 away
}

TEST(Dqs, BlendsABoneWithItsParentTheShortWayAlsoPastHalfATurn) {
  // Bones at 0, 145 and 290 degrees: half-way between the last two lies 217.5, not 37.5.
  const Character c = make_three_bone_tube(200);  // sharp: at y = 1.2 the last two bones share equally
  const double angle = 145 * kPi / 180;
  const Frame f = solve_once(c, Method::dqs, twisted(c, angle));
  int checked = 0;
  for (std::size_t v = 0; v < f.positions.size(); ++v) {
    const Vec3f& p = c.meshes[0].positions[v];
    if (std::abs(p.y - 1.1875F) > 1e-4F || std::hypot(p.x, p.z) < 0.1F) continue;
    const Weights& w = c.meshes[0].weights;
    const double share = static_cast<double>(w.weight[w.row_begin[v] + 2]);  // of the last bone
    const Quatd expected = axis_angle(Vec3d{0, 1, 0}, angle);
    const Quatd last = axis_angle(Vec3d{0, 1, 0}, 2 * angle);
    const Vec3d turned = rotate(slerp(expected, last, share), static_cast<Vec3d>(p));
    EXPECT_LT(distance(turned, static_cast<Vec3d>(f.positions[v])), 0.1) << share;
    ++checked;
  }
  EXPECT_GT(checked, 8);
}

TEST(Skinning, TurnsNormalsWithTheSurface) {
  const Character c = make_two_bone_tube();
  for (const Method method : {Method::lbs, Method::dqs}) {
    Pose pose = bent(c, 0.7);
    pose.local[0].scale = {1, 2, 1};
    const Frame f = solve_once(c, method, pose);
    const auto expected = vertex_normals(f.positions, c.meshes[0].triangles);
    double worst = 1;
    for (std::size_t v = 0; v < f.normals.size(); ++v) {
      EXPECT_NEAR(length(f.normals[v]), 1.0F, 1e-5F);
      if (c.meshes[0].positions[v].y > 0.1F && c.meshes[0].positions[v].y < 1.9F)
        worst = std::min<double>(worst, dot(f.normals[v], expected[v]));
    }
    EXPECT_GT(worst, 0.8) << to_string(method);
  }
}

TEST(Skinning, HasTheSameBitsForAnyNumberOfThreads) {
  const Character c = make_two_bone_tube();
  for (const Method method : {Method::lbs, Method::dqs}) {
    const Frame one = solve_once(c, method, bent(c, 1.7), 1);
    for (const int threads : {2, 3}) {
      const Frame many = solve_once(c, method, bent(c, 1.7), threads);
      EXPECT_EQ(one.positions, many.positions);
      EXPECT_EQ(one.normals, many.normals);
    }
  }
}

TEST(Solver, KeepsTheLastGoodPositionsWhenAPoseIsNoNumberAndSaysHowMany) {
  const Character c = make_two_bone_tube();
  const Context context(1);
  for (const Method method : {Method::lbs, Method::dqs}) {
    Solver solver(bind(c, context), {method}, context);
    const std::vector<Vec3f> good = solver.solve(bent(c, 1)).positions;
    Pose bad = bent(c, 1);
    bad.local[1].translation.x = std::numeric_limits<double>::quiet_NaN();
    const Frame& f = solver.solve(bad);
    EXPECT_EQ(f.positions, good);
    EXPECT_GT(f.report.nonfinite, 100U);
    EXPECT_LT(f.report.nonfinite, good.size());
    EXPECT_EQ(solver.solve(bent(c, 1)).report.nonfinite, 0U);
  }
}

TEST(Solver, StaysFiniteForExtremePoses) {
  const Character c = make_two_bone_tube();
  for (const Method method : {Method::lbs, Method::dqs}) {
    for (const double scale : {0.0, 1e-30, 1e14, 1e40}) {
      Pose pose = bent(c, kPi);
      pose.local[1].scale = {scale, 0, scale};
      const Frame f = solve_once(c, method, pose);
      for (std::size_t v = 0; v < f.positions.size(); ++v)
        ASSERT_TRUE(is_finite(f.positions[v]) && is_finite(f.normals[v]));
    }
  }
}

TEST(Methods, HaveNamesThatReadBack) {
  for (const std::string& name : method_names()) EXPECT_EQ(to_string(method_from_string(name)), name);
  EXPECT_THAT(test::error_of([] { (void)method_from_string("magic"); }), testing::HasSubstr("lbs, dqs"));
}

}  // namespace
}  // namespace cutis
