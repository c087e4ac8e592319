// Union, clean union and the diamond blend of 2013.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compose/compose_support.h"
#include "kernels/compose.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::for_each_pair;

const float kOpenings[] = {0.0F, 0.1F, 0.3249197F, 0.41421356F, 0.7F, 0.95F, 1.0F};

// By bisection on the definition, in double: the C whose arc about (k(C), k(C)) goes through the point.
double blend_by_definition(double f1, double f2, double t) {
  const auto k = [t](double c) { return c <= 0.5 ? t * c : 0.5 * (7 - 5 * t) * c + 1.75 * (t - 1); };
  const double top = std::max(f1, f2), low = std::min(f1, f2);
  if (top >= 0.7 || low <= k(top)) return top;
  double lo = top, hi = 0.7;
  for (int i = 0; i < 200; ++i) {
    const double c = 0.5 * (lo + hi), kc = k(c);
    const bool beyond = kc > low || std::hypot(f1 - kc, f2 - kc) < c - kc;
    (beyond ? hi : lo) = c;
  }
  return lo;
}

TEST(Union, IsTheMaximumWithTheGradientOfTheLarger) {
  EXPECT_EQ(compose_union(0.3F, 0.6F).value, 0.6F);
  EXPECT_EQ(compose_union(0.3F, 0.6F).d1, 0.0F);
  EXPECT_EQ(compose_union(0.3F, 0.6F).d2, 1.0F);
  EXPECT_EQ(compose_union(0.6F, 0.3F).d1, 1.0F);
}

TEST(DiamondBlend, HasTheCheckValuesOfTheReferencePrograms) {
  const float t = std::tan(static_cast<float>(kPi) / 10);
  const float x[] = {.1F, .2F, .3F, .4F, .45F, .5F, .6F, .69F};
  const float g[] = {.125F, .249F, .374F, .499F, .533F, .566F, .633F, .693F};
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(compose_blend(x[i], x[i], t).value, g[i], 6e-4) << x[i];
}

TEST(DiamondBlend, AgreesWithItsDefinitionForEveryOpening) {
  for (const float t : kOpenings)
    for_each_pair(60, [&](float a, float b) {
      EXPECT_NEAR(compose_blend(a, b, t).value, blend_by_definition(a, b, t), 2e-5) << a << " " << b << " " << t;
    });
}

TEST(DiamondBlend, IsTheUnionWhenClosed) {
  for_each_pair(50, [](float a, float b) { EXPECT_NEAR(compose_blend(a, b, 1).value, std::fmax(a, b), 1e-6); });
}

TEST(DiamondBlend, OpensWithoutAJumpAsTheAngleFalls) {
  for_each_pair(40, [](float a, float b) {
    float last = compose_blend(a, b, 1).value;
    for (int i = 1; i <= 200; ++i) {
      const float now = compose_blend(a, b, 1 - static_cast<float>(i) / 200).value;
      ASSERT_LE(std::abs(now - last), 0.01F) << a << " " << b << " " << i;
      ASSERT_GE(now, last - 1e-5F) << a << " " << b << " " << i;
      last = now;
    }
  });
}

struct Form {
  const char* name;
  Composed (*evaluate)(float, float);
};
const Form kForms[] = {
    {"union", compose_union},
    {"clean union", compose_clean_union},
    {"blend 18 degrees", [](float a, float b) { return compose_blend(a, b, 0.3249197F); }},
    {"blend 22.5 degrees", [](float a, float b) { return compose_blend(a, b, 0.41421356F); }},
    {"blend fully open", [](float a, float b) { return compose_blend(a, b, 0); }},
};

TEST(ClosedForms, KeepTheFieldWhereTheOtherIsAbsent) {
  for (const Form& form : kForms)
    for (int i = 0; i <= 100; ++i) {
      const float f = static_cast<float>(i) / 100;
      EXPECT_NEAR(form.evaluate(f, 0).value, f, 1e-6) << form.name;
      EXPECT_NEAR(form.evaluate(0, f).value, f, 1e-6) << form.name;
    }
}

TEST(ClosedForms, AreSymmetricMonotoneInRangeAndNeverSteeperThanTheirFields) {
  for (const Form& form : kForms)
    for_each_pair(80, [&](float a, float b) {
      const Composed g = form.evaluate(a, b), mirrored = form.evaluate(b, a);
      ASSERT_NEAR(g.value, mirrored.value, 1e-6) << form.name;
      ASSERT_GE(g.value, std::fmax(a, b) - 1e-6F) << form.name;
      ASSERT_LE(g.value, 1.0F) << form.name;
      ASSERT_GE(std::fmin(g.d1, g.d2), -1e-4F) << form.name << " " << a << " " << b;
      ASSERT_LE(std::hypot(g.d1, g.d2), 1.0F + 1e-4F) << form.name << " " << a << " " << b;
      if (a != b) {
        ASSERT_NEAR(g.d1, mirrored.d2, 1e-4) << form.name << " " << a << " " << b;
      }
    });
}

TEST(ClosedForms, HaveTheGradientOfTheirDifferences) {
  const float h = 2e-3F;
  for (const Form& form : kForms) {
    int compared = 0, off = 0;
    for_each_pair(97, [&](float a, float b) {
      if (a < h || b < h || a > 1 - h || b > 1 - h) return;
      const double d1 = (form.evaluate(a + h, b).value - form.evaluate(a - h, b).value) / (2.0 * h);
      const double d2 = (form.evaluate(a, b + h).value - form.evaluate(a, b - h).value) / (2.0 * h);
      const Composed g = form.evaluate(a, b);
      ++compared;
      if (std::hypot(g.d1 - d1, g.d2 - d2) > 0.03) ++off;
    });
    // Off only on the union's diagonal and on the iso-lines where a slope of k jumps: curves, not areas.
    EXPECT_LT(off, compared / 25) << form.name << " " << off << " of " << compared;
  }
}

TEST(CleanUnion, HasTheUnionsSkinAndARoundFieldAroundIt) {
  for (int i = 0; i <= 50; ++i) EXPECT_NEAR(compose_clean_union(0.5F, static_cast<float>(i) / 100).value, 0.5F, 2e-6);
  EXPECT_GT(compose_clean_union(0.25F, 0.25F).value, 0.27F);
  EXPECT_LT(compose_clean_union(0.49F, 0.49F).value, 0.5F);
  EXPECT_GT(compose_clean_union(0.51F, 0.51F).value, 0.51F);
  // No crease on the diagonal: the two slopes are equal there and change without a jump.
  const Composed on = compose_clean_union(0.3F, 0.3F), beside = compose_clean_union(0.3F, 0.297F);
  EXPECT_NEAR(on.d1, on.d2, 1e-4);
  EXPECT_NEAR(on.d1, beside.d1, 0.05);
}

TEST(ClosedForms, ClampWhatIsNotInTheUnitIntervalAndAnswerNanWithTheOtherField) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (const Form& form : kForms) {
    EXPECT_NEAR(form.evaluate(nan, 0.4F).value, 0.4F, 1e-6) << form.name;
    EXPECT_NEAR(form.evaluate(-3, 0.4F).value, 0.4F, 1e-6) << form.name;
    EXPECT_EQ(form.evaluate(inf, 0.4F).value, 1.0F) << form.name;
    EXPECT_TRUE(std::isfinite(form.evaluate(nan, nan).d1)) << form.name;
  }
}

TEST(BlendingWeight, GoesFromTheUnionToTheOperator) {
  const Composed u = compose_union(0.45F, 0.4F), b = compose_blend(0.45F, 0.4F, 0.3F);
  EXPECT_EQ(mix(u, b, 0).value, u.value);
  EXPECT_NEAR(mix(u, b, 1).value, b.value, 1e-7);
  EXPECT_NEAR(mix(u, b, 0.5F).d2, 0.5F * (u.d2 + b.d2), 1e-6);
}

}  // namespace
}  // namespace cutis
