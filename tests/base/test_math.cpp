#include <gtest/gtest.h>

#include <random>

#include "base/dual_quat.h"
#include "base/polar.h"
#include "base/rotation_vector.h"

namespace cutis {
namespace {

Quatd random_rotation(std::mt19937& rng) {
  std::normal_distribution<double> n;
  return normalized(Quatd{n(rng), n(rng), n(rng), n(rng)});
}
double distance_of(const Mat3d& a, const Mat3d& b) { return frobenius(a + b * -1.0); }

TEST(Quaternion, TurnsVectorsLikeItsMatrix) {
  std::mt19937 rng(1);
  for (int i = 0; i < 100; ++i) {
    const Quatd q = random_rotation(rng);
    const Vec3d v{1, -2, 3};
    EXPECT_LT(distance(rotate(q, v), to_matrix(q) * v), 1e-12);
    EXPECT_EQ(to_matrix(q).col[0], rotate(q, Vec3d{1, 0, 0}));
    EXPECT_EQ(to_matrix(q).col[1], rotate(q, Vec3d{0, 1, 0}));
    EXPECT_EQ(to_matrix(q).col[2], rotate(q, Vec3d{0, 0, 1}));
    EXPECT_NEAR(std::abs(dot(to_quaternion(to_matrix(q)), q)), 1.0, 1e-12);
  }
}

TEST(Quaternion, IsItsAxisTimesItsAngle) {
  const Vec3d quarter{0, kPi / 2, 0};
  EXPECT_LT(distance(rotation_vector(axis_angle(Vec3d{0, 1, 0}, kPi / 2)), quarter), 1e-15);
  EXPECT_LT(distance(rotation_vector(negated(axis_angle(Vec3d{0, 1, 0}, kPi / 2))), quarter), 1e-15);
  EXPECT_LT(distance(rotate(from_rotation_vector(quarter), Vec3d{0, 0, 1}), Vec3d{1, 0, 0}), 1e-15);
  EXPECT_EQ(rotation_vector(Quatd{}), Vec3d{});
  EXPECT_EQ(from_rotation_vector(Vec3d{}), Quatd{});
  const Vec3d tiny{1e-20, 0, 0};  // no angle is too small
  EXPECT_LT(distance(rotation_vector(from_rotation_vector(tiny)), tiny), 1e-35);
  std::mt19937 rng(5);
  for (int i = 0; i < 100; ++i) {
    const Quatd q = random_rotation(rng);
    EXPECT_LE(length(rotation_vector(q)), kPi + 1e-12);
    EXPECT_NEAR(std::abs(dot(from_rotation_vector(rotation_vector(q)), q)), 1.0, 1e-12);
  }
}

TEST(Quaternion, SlerpTakesTheShorterArcAndAConstantSpeed) {
  const Quatd a{}, b = axis_angle(Vec3d{0, 0, 1}, 1.2);
  EXPECT_NEAR(std::abs(dot(slerp(a, b, 0.25), axis_angle(Vec3d{0, 0, 1}, 0.3))), 1.0, 1e-12);
  EXPECT_NEAR(std::abs(dot(slerp(a, negated(b), 0.25), axis_angle(Vec3d{0, 0, 1}, 0.3))), 1.0, 1e-12);
}

TEST(Quaternion, RotationBetweenOppositeVectorsIsAHalfTurn) {
  const Vec3d a{0, 1, 0};
  EXPECT_LT(distance(rotate(rotation_between(a, -a), a), -a), 1e-9);
  EXPECT_LT(distance(rotate(rotation_between(a, Vec3d{1, 0, 0}), a), Vec3d{1, 0, 0}), 1e-12);
}

TEST(Polar, GivesBackRotationAndStretch) {
  std::mt19937 rng(2);
  for (int i = 0; i < 200; ++i) {
    const Mat3d r = to_matrix(random_rotation(rng)), b = to_matrix(random_rotation(rng));
    const Mat3d s = b * diagonal_matrix(Vec3d{0.5, 2.0, 1.0 + 0.01 * i}) * transpose(b);
    const Polar p = polar_decompose(r * s);
    EXPECT_LT(distance_of(to_matrix(p.rotation), r), 1e-10);
    EXPECT_LT(distance_of(p.stretch, s), 1e-10);
  }
}

TEST(Polar, KeepsTheRotationProperWhenTheMatrixMirrors) {
  const Mat3d m = diagonal_matrix(Vec3d{-2, -2, -2});
  const Polar p = polar_decompose(m);
  EXPECT_LT(distance_of(to_matrix(p.rotation) * p.stretch, m), 1e-12);
  EXPECT_LT(distance_of(to_matrix(p.rotation), Mat3d{}), 1e-12);
}

TEST(Polar, SurvivesSingularAndZeroMatrices) {
  for (const Vec3d& d : {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{1, 2, 0}}) {
    const Mat3d m = diagonal_matrix(d);
    const Polar p = polar_decompose(m);
    EXPECT_NEAR(dot(p.rotation, p.rotation), 1.0, 1e-12);
    EXPECT_LT(distance_of(to_matrix(p.rotation) * p.stretch, m), 1e-9);
  }
}

TEST(DecomposeTrs, RoundTripsAndKeepsShearInTheResidual) {
  std::mt19937 rng(3);
  const Trsd trs{{1, 2, 3}, random_rotation(rng), {2, 3, -0.5}};
  const TrsDecomposition d = decompose_trs(to_affine(trs));
  EXPECT_TRUE(d.exact);
  EXPECT_LT(distance_of(to_affine(d.trs).linear, to_affine(trs).linear), 1e-9);

  Affine3d sheared = to_affine(trs);
  sheared.linear.col[1] += sheared.linear.col[0] * 0.7;
  const TrsDecomposition s = decompose_trs(sheared);
  EXPECT_FALSE(s.exact);
  EXPECT_LT(distance_of((to_affine(s.trs) * s.residual).linear, sheared.linear), 1e-9);
}

TEST(DualQuat, MovesPointsLikeRotationThenTranslation) {
  std::mt19937 rng(4);
  const Quatd q = random_rotation(rng);
  const Vec3d t{3, -1, 2}, p{0.5, 0.25, -4};
  EXPECT_LT(distance(transform_point(make_dual_quat(q, t), p), rotate(q, p) + t), 1e-12);
  EXPECT_LT(distance(transform_point(negated(make_dual_quat(q, t)), p), rotate(q, p) + t), 1e-12);
}

TEST(Affine, InverseUndoesIt) {
  std::mt19937 rng(5);
  const Affine3d a = to_affine(Trsd{{1, 2, 3}, random_rotation(rng), {2, 3, 0.5}});
  const Vec3d p{1, -1, 7};
  EXPECT_LT(distance(transform_point(inverse(a), transform_point(a, p)), p), 1e-12);
}

}  // namespace
}  // namespace cutis
