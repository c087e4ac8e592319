#include <random>

#include <gtest/gtest.h>

#include "base/math.h"
#include "field/hrbf.h"
#include "field/part_shape.h"
#include "numerics/dense_solve.h"

namespace cutis {
namespace {

// `n` samples of a cylinder of radius 1 around the x axis, |x| <= 2, and a cap at each end.
std::vector<SurfaceSample> cylinder(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<SurfaceSample> samples;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = 4 * unit(random) - 2, angle = 2 * kPi * unit(random);
    const Vec3d normal{0, std::cos(angle), std::sin(angle)};
    samples.push_back({Vec3d{x, 0, 0} + normal, normal});
  }
  samples.push_back({{3, 0, 0}, {1, 0, 0}});
  samples.push_back({{-3, 0, 0}, {-1, 0, 0}});
  return samples;
}

std::vector<SurfaceSample> sphere(std::size_t n, double radius, const Vec3d& center) {
  std::vector<SurfaceSample> samples;  // a Fibonacci spiral: even
  for (std::size_t i = 0; i < n; ++i) {
    const double z = 1 - 2 * (static_cast<double>(i) + 0.5) / static_cast<double>(n), s = std::sqrt(1 - z * z);
    const double angle = kPi * (3 - std::sqrt(5.0)) * static_cast<double>(i);
    const Vec3d normal{s * std::cos(angle), s * std::sin(angle), z};
    samples.push_back({center + normal * radius, normal});
  }
  return samples;
}

class HrbfKernels : public ::testing::TestWithParam<HrbfKernel> {};

TEST_P(HrbfKernels, fit_meets_all_samples_to_rounding) {
  for (const std::size_t n : {20U, 50U, 100U}) {
    const Hrbf f(cylinder(n, 5), GetParam());
    ASSERT_TRUE(f.report().ok);
    EXPECT_EQ(f.report().samples, n + 2);
    EXPECT_LE(f.report().worst_value, 1e-9) << n;
    EXPECT_LE(f.report().worst_gradient, 1e-7) << n;
  }
}

TEST_P(HrbfKernels, gradient_is_the_derivative_of_the_value) {
  const Hrbf f(cylinder(50, 3), GetParam());
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(-1.5, 1.5);
  for (int i = 0; i < 200; ++i) {
    const Vec3d p{2 * unit(random), unit(random), unit(random)};
    const DistanceSample d = f.eval(p);
    for (int a = 0; a < 3; ++a) {
      Vec3d hi = p, lo = p;
      hi[a] += 1e-5;
      lo[a] -= 1e-5;
      EXPECT_NEAR(d.gradient[a], (f.eval(hi).value - f.eval(lo).value) / 2e-5,
                  GetParam() == HrbfKernel::cubic ? 1e-7 : 2e-5);
    }
  }
}

TEST_P(HrbfKernels, float_form_agrees_with_the_double_one_for_any_number_of_points) {
  const Hrbf f(cylinder(50, 3), GetParam());
  std::mt19937 random(2);
  std::uniform_real_distribution<float> unit(-1.5F, 1.5F);
  for (const std::size_t count : {1U, 3U, 4U, 203U}) {
    std::vector<Vec3f> points(count), gradients(count);
    std::vector<float> values(count);
    for (Vec3f& p : points) p = {2 * unit(random), unit(random), unit(random)};
    f.eval(points, values, gradients);
    const double tolerance = 2e-5;
    for (std::size_t i = 0; i < count; ++i) {
      const DistanceSample d = f.eval(static_cast<Vec3d>(points[i]));
      EXPECT_NEAR(values[i], d.value, tolerance);
      EXPECT_LT(distance(static_cast<Vec3d>(gradients[i]), d.gradient), 3 * tolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(all, HrbfKernels,
                         ::testing::Values(HrbfKernel::cubic, HrbfKernel::quintic, HrbfKernel::multiquadric));

TEST(hrbf, value_on_the_axis_of_a_cylinder_is_about_half_the_radius) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const double d = Hrbf(cylinder(100, seed)).eval({0, 0, 0}).value;
    EXPECT_LT(d, -0.45);
    EXPECT_GT(d, -0.60);
  }
}

TEST(hrbf, sphere_is_found_between_the_samples) {
  const Vec3d center{3, -2, 7};
  const Hrbf f(sphere(50, 0.25, center));
  for (const SurfaceSample& s : sphere(487, 0.25, center)) {
    const DistanceSample d = f.eval(s.position);
    EXPECT_LT(std::abs(d.value), 0.002 * 0.25);
    EXPECT_GT(dot(d.gradient, s.normal), 0.98);
  }
  EXPECT_LT(f.eval(center).value, 0);
  EXPECT_GT(f.eval(center + Vec3d{0.3, 0, 0}).value, 0);
}

TEST(hrbf, evaluation_at_a_centre_is_the_limit) {
  const std::vector<SurfaceSample> samples = cylinder(30, 1);
  const Hrbf f(samples);
  for (const SurfaceSample& s : samples) {
    const DistanceSample at = f.eval(s.position), near = f.eval(s.position + Vec3d{1e-7, 1e-7, 0});
    ASSERT_TRUE(std::isfinite(at.value) && is_finite(at.gradient));
    EXPECT_NEAR(at.value, near.value, 1e-6);
    EXPECT_LT(distance(at.gradient, near.gradient), 1e-5);
    std::vector<Vec3f> p{static_cast<Vec3f>(s.position)}, g(1);
    std::vector<float> v(1);
    f.eval(p, v, g);
    EXPECT_NEAR(v[0], 0, 1e-5);
    EXPECT_LT(distance(static_cast<Vec3d>(g[0]), s.normal), 1e-4);
  }
}

TEST(hrbf, size_and_place_of_the_samples_do_not_matter) {
  const std::vector<SurfaceSample> samples = cylinder(40, 9);
  std::vector<SurfaceSample> moved = samples;
  for (SurfaceSample& s : moved) s.position = s.position * 1e-3 + Vec3d{50, 60, 70};
  const Hrbf a(samples), b(moved);
  const Vec3d p{0.3, 0.9, 0.4};
  EXPECT_NEAR(a.eval(p).value, b.eval(p * 1e-3 + Vec3d{50, 60, 70}).value * 1e3, 1e-8);
}

TEST(hrbf, samples_that_are_close_and_disagree_are_evaluated_in_double) {
  std::vector<SurfaceSample> samples = cylinder(40, 9);
  for (std::size_t i = 0; i < 10; ++i) {
    const SurfaceSample s = samples[i];
    samples.push_back({s.position + Vec3d{0.002, 0, 0}, normalized(s.normal + Vec3d{0.8, 0, 0})});
  }
  const PartShape f{Hrbf(samples)};
  ASSERT_TRUE(f.hrbf()->report().ok);
  EXPECT_TRUE(f.hrbf()->needs_double());
  EXPECT_FALSE(Hrbf(cylinder(50, 9)).needs_double());
  std::mt19937 random(2);
  std::uniform_real_distribution<float> unit(-1.5F, 1.5F);
  std::vector<Vec3f> points(200), gradients(200);
  std::vector<float> values(200);
  for (Vec3f& p : points) p = {2 * unit(random), unit(random), unit(random)};
  f.eval(points, values, gradients, true);
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_NEAR(values[i], f.eval(static_cast<Vec3d>(points[i])).value, 1e-5);
}

TEST(hrbf, wanted_values_off_the_surface_are_met) {
  std::vector<SurfaceSample> samples = cylinder(40, 9);
  samples.push_back({{0, 0, 0}, {0, 0, 0}, -0.7});
  const Hrbf f(samples);
  EXPECT_NEAR(f.eval({0, 0, 0}).value, -0.7, 1e-9);
  EXPECT_LT(length(f.eval({0, 0, 0}).gradient), 1e-9);
}

TEST(hrbf, contradictory_samples_are_reported) {
  std::vector<SurfaceSample> samples = cylinder(10, 1);
  samples.push_back({samples.front().position, -samples.front().normal});
  EXPECT_FALSE(Hrbf(samples).report().ok);
  EXPECT_TRUE(Hrbf(std::span<const SurfaceSample>{}).empty());
}

TEST(dense_solve, regular_systems_are_solved_and_singular_ones_are_named) {
  const std::vector<double> matrix{0, 2, 1, 1};  // columns (0,2), (1,1): needs a pivot
  const std::vector<double> rhs{3, 7};
  const DenseSolution x = solve_dense(2, matrix, rhs);
  ASSERT_TRUE(x.ok);
  EXPECT_DOUBLE_EQ(x.x[0], 2);
  EXPECT_DOUBLE_EQ(x.x[1], 3);
  EXPECT_FALSE(solve_dense(2, std::vector<double>{1, 2, 2, 4}, rhs).ok);
  EXPECT_TRUE(solve_dense(0, {}, {}).ok);
}

}  // namespace
}  // namespace cutis
