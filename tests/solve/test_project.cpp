// One vertex: projection and relaxation on fields with known answers.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "kernels/mean_value.h"
#include "kernels/project.h"

namespace cutis {
namespace {

// A ball of radius 1: r = 1 - |p|, inward gradient.
ResidualSample ball(const Vec3f& p) {
  const float d = length(p);
  return {1 - d, p * (-1 / d), d < 2, false};
}

ProjectLimits limits() {
  ProjectLimits l;
  l.step = 0.25F;
  l.move = 2;
  l.slope = 0.1F;
  l.flat = 1e-3F;
  return l;
}

TEST(Project, ReachesTheSurfaceFromBothSides) {
  for (const float start : {0.4F, 0.9F, 1.0F, 1.3F, 1.9F}) {
    const Projected p = project_vertex(ball, {0, start, 0}, limits());
    EXPECT_EQ(p.end, ProjectEnd::converged) << start;
    EXPECT_NEAR(p.position.y, 1, 1e-4F);
    EXPECT_EQ(p.position.x, 0);
  }
}

TEST(Project, GoesOnWithoutGuards) {
  ProjectLimits l = limits();
  l.step = 4;
  l.guarded = false;
  EXPECT_EQ(project_vertex(ball, {0, 3, 0}, limits()).end, ProjectEnd::outside);
  const Projected p = project_vertex(ball, {0, 3, 0}, l);  // where no field says so, too
  EXPECT_EQ(p.end, ProjectEnd::converged);
  EXPECT_NEAR(p.position.y, 1, 1e-4F);
  EXPECT_EQ(p.at.value, ball(p.position).value);
  // Each step is newton_step(), as packs take it.
  l.steps = 1;
  const ResidualSample first = ball({0.3F, 0.4F, 0});
  EXPECT_EQ(project_vertex(ball, {0.3F, 0.4F, 0}, l).position,
            (Vec3f{0.3F, 0.4F, 0} + field_rules::newton_step(first.value, first.gradient, l.slope, l.step)));
  // No step at all where there is no number.
  const auto broken = [](const Vec3f&) { return ResidualSample{0.4F, {std::nanf(""), 0, 0}, true, false}; };
  EXPECT_EQ(project_vertex(broken, {1, 2, 3}, l).position, (Vec3f{1, 2, 3}));
}

TEST(Project, IsTheSameAtAnyScale) {
  for (const float scale : {1e-3F, 1.0F, 1e3F}) {
    ProjectLimits l = limits();
    l.step *= scale;
    l.move *= scale;
    l.slope /= scale;
    l.flat /= scale;
    const auto scaled = [&](const Vec3f& p) {
      ResidualSample s = ball(p / scale);
      s.gradient = s.gradient / scale;
      return s;
    };
    const Projected p = project_vertex(scaled, Vec3f{0, 1.7F, 0} * scale, l);
    EXPECT_EQ(p.end, ProjectEnd::converged);
    EXPECT_NEAR(p.position.y / scale, 1, 1e-4F);
    EXPECT_EQ(p.evaluations, project_vertex(ball, {0, 1.7F, 0}, limits()).evaluations);
  }
}

TEST(Project, TakesNoStepLongerThanItsBoundAndDoesNotRunAway) {
  ProjectLimits l = limits();
  l.steps = 1;
  l.step = 0.1F;
  EXPECT_NEAR(project_vertex(ball, {0, 1.5F, 0}, l).position.y, 1.4F, 1e-5F);
  l.steps = 50;
  l.move = 0.2F;
  const Projected p = project_vertex(ball, {0, 1.5F, 0}, l);
  EXPECT_EQ(p.end, ProjectEnd::limit);
  EXPECT_GE(p.position.y, 1.3F - 1e-5F);
}

TEST(Project, BisectsAStepOverASteepSurface) {
  // tanh rises within a hundredth: Newton from afar oversteps.
  const auto steep = [](const Vec3f& p) {
    const float t = std::tanh((1 - p.y) * 40);
    return ResidualSample{t, {0, -40 * (1 - t * t) - 0.5F, 0}, true, false};
  };
  ProjectLimits l = limits();
  l.step = 1;
  const Projected p = project_vertex(steep, {0, 1.06F, 0}, l);
  EXPECT_EQ(p.end, ProjectEnd::converged);
  EXPECT_NEAR(p.position.y, 1, 1e-3F);
}

TEST(Project, StopsInContactWhereTheGradientTurns) {
  // The union of two half-spaces that face each other across x = 0: from inside the right one the way out leads to the
  // left one's inside.
  const auto facing = [](const Vec3f& p) {
    const bool right = p.x > 0;
    return ResidualSample{0.3F + std::abs(p.x), {right ? 1.0F : -1.0F, 0, 0}, true, false};
  };
  ProjectLimits l = limits();
  l.turn_cosine = std::cos(0.96F);
  const Projected p = project_vertex(facing, {0.2F, 0, 0}, l);
  EXPECT_EQ(p.end, ProjectEnd::contact);
  EXPECT_GE(p.position.x, 0);
  EXPECT_LT(p.position.x, 1e-3F);
}

TEST(Project, SaysWhenThereIsNoFieldOrNoGradient) {
  EXPECT_EQ(project_vertex(ball, {0, 3, 0}, limits()).end, ProjectEnd::outside);
  const auto flat = [](const Vec3f&) { return ResidualSample{0.4F, {1e-6F, 0, 0}, true, false}; };
  const Projected p = project_vertex(flat, {1, 2, 3}, limits());
  EXPECT_EQ(p.end, ProjectEnd::flat);
  EXPECT_EQ(p.position, (Vec3f{1, 2, 3}));
}

TEST(MeanValue, TangentsOfHalfAnglesAreSignedAndBounded) {
  const Vec3d z{0, 0, 1};
  EXPECT_NEAR(half_angle_tangent({1, 0, 0}, {0, 1, 0}, z), 1, 1e-12);
  EXPECT_NEAR(half_angle_tangent({0, 1, 0}, {1, 0, 0}, z), -1, 1e-12);
  EXPECT_EQ(half_angle_tangent({0, 0, 0}, {1, 0, 0}, z), 0);
  EXPECT_EQ(std::abs(half_angle_tangent({1, 0, 0}, {-1, 1e-9, 0}, z)), 1e3);
}

TEST(MeanValue, StrengthFallsToNothingOnTheIsoSurface) {
  EXPECT_EQ(relaxation_strength(0), 0);
  EXPECT_NEAR(relaxation_strength(0.1F), 1 - std::pow(0.9F, 4.0F), 1e-6F);
  EXPECT_EQ(relaxation_strength(-0.1F), relaxation_strength(0.1F));
  EXPECT_EQ(relaxation_strength(1), 1);
}

TEST(MeanValue, RelaxationStaysInThePlane) {
  const std::array<Vec3f, 4> around{Vec3f{1, 0, 0.3F}, Vec3f{0, 1, 0.3F}, Vec3f{-1, 0, 0.3F}, Vec3f{0, -1, 0.3F}};
  const std::array<std::uint32_t, 4> ring{0, 1, 2, 3};
  const std::array<float, 4> weights{0.25F, 0.25F, 0.25F, 0.25F};
  const Vec3f p = relax_towards_ring({0.4F, 0.2F, 0}, {0, 0, 1}, around.data(), ring.data(), weights.data(), 4, 0.5F);
  EXPECT_NEAR(p.x, 0.2F, 1e-6F);
  EXPECT_NEAR(p.y, 0.1F, 1e-6F);
  EXPECT_EQ(p.z, 0);
}

}  // namespace
}  // namespace cutis
