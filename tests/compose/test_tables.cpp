// The properties of the contact and bulge operators, as tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compose/compose_support.h"
#include "compose/operator_table.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::for_each_pair;
using test::table_of;

const OperatorKind kKinds[] = {OperatorKind::contact, OperatorKind::bulge};
constexpr int kSlices = 14;

float slice(int k) { return static_cast<float>(k) / kSlices; }

TEST(OperatorTables, KeepTheFieldWhereTheOtherIsAbsent) {
  for (const OperatorKind kind : kKinds)
    for (const float d : {0.0F, 0.21F, 0.5F, 0.93F, 1.0F})
      for (int i = 0; i <= 333; ++i) {
        const float f = static_cast<float>(i) / 333;
        ASSERT_NEAR(table_of(kind)(f, 0, d).value, f, 2e-6);
        ASSERT_NEAR(table_of(kind)(0, f, d).value, f, 2e-6);
        ASSERT_NEAR(table_of(kind)(f, 0, d).d1, 1, 1e-4);
        if (f > 1.0F / 32) {
          ASSERT_NEAR(table_of(kind)(f, 0, d).d2, 0, 1e-4) << f;
        }
        ASSERT_NEAR(table_of(kind)(f, 1, d).value, 1, 1e-6);
      }
}

TEST(OperatorTables, AreSymmetricAndInRange) {
  for (const OperatorKind kind : kKinds)
    for (int k = 0; k <= 20; ++k)
      for_each_pair(75, [&](float a, float b) {
        const float d = static_cast<float>(k) / 20;
        const Composed g = table_of(kind)(a, b, d), mirrored = table_of(kind)(b, a, d);
        ASSERT_NEAR(g.value, mirrored.value, 2e-6);
        ASSERT_NEAR(g.d1, mirrored.d2, 3e-4);
        ASSERT_GE(g.value, 0);
        ASSERT_LE(g.value, 1);
      });
}

TEST(OperatorTables, AreOneHalfOnTheProfile) {
  for (const OperatorKind kind : kKinds) {
    const CompositionOperator& op = table_of(kind);
    const double side_error = kind == OperatorKind::contact ? 3e-7 : 5e-5;  // exact, and by collocation
    const double line_error = kind == OperatorKind::contact ? 5e-7 : 1e-5;
    for (int k = 0; k <= kSlices; ++k) {
      const float d = slice(k);
      const std::vector<ProfilePoint> side = op.profile(d);
      for (const ProfilePoint& p : side)
        ASSERT_NEAR(op(static_cast<float>(p.f1), static_cast<float>(p.f2), d).value, 0.5, side_error)
            << name_of(kind) << " slice " << k << " at " << p.f1 << " " << p.f2;
      for (int i = 0; i <= 300; ++i) {
        const auto x = static_cast<float>(side.back().f1 + i / 300.0 * (op.contact_end(d) - side.back().f1));
        const Composed g = op(x, x, d);
        ASSERT_NEAR(g.value, 0.5, line_error) << name_of(kind) << " slice " << k << " at " << x;
        ASSERT_LT(std::hypot(g.d1, g.d2), 6e-3) << name_of(kind) << " slice " << k << " at " << x;
      }
    }
  }
}

TEST(OperatorTables, AreBelowOneHalfOutsideTheProfileAndAboveInside) {
  for (const OperatorKind kind : kKinds)
    for (int k = 0; k <= kSlices; ++k) {
      const ProfileCurve curve =
          profile_at(kind == OperatorKind::contact ? contact_profile() : bulge_profile(), k / 14.0);
      for_each_pair(120, [&](float a, float b) {
        if (b > a) return;
        const float g = table_of(kind)(a, b, slice(k)).value;
        if (side_distance(curve, a, b) < 0)
          ASSERT_LE(g, 0.5F + 1e-5F) << a << " " << b;
        else
          ASSERT_GE(g, 0.5F - 1e-5F) << a << " " << b;
      });
    }
}

TEST(OperatorTables, HaveTheGradientOfTheirDifferences) {
  const float h = 1.0F / 4096;
  for (const OperatorKind kind : kKinds) {
    const CompositionOperator& op = table_of(kind);
    double worst = 0;
    // Inside of cells, whose side is 1/32; the borders are the next test's.
    for (const float d : {0.0F, 0.31F, 0.5F, 1.0F})
      for (int i = 1; i < 244; i += 2)
        for (int j = 1; j < 244; j += 2) {
          const float a = static_cast<float>(i) / 256, b = static_cast<float>(j) / 256;
          const Composed g = op(a, b, d);
          const double d1 = (op(a + h, b, d).value - op(a - h, b, d).value) / (2.0 * h);
          const double d2 = (op(a, b + h, d).value - op(a, b - h, d).value) / (2.0 * h);
          worst = std::max(worst, std::hypot(g.d1 - d1, g.d2 - d2));
        }
    EXPECT_LT(worst, 1e-3) << name_of(kind);
  }
}

TEST(OperatorTables, AreC1AcrossCellBorders) {
  const float e = 1e-5F;
  for (const OperatorKind kind : kKinds)
    for (const float d : {0.0F, 0.4F, 1.0F})
      for (int i = 1; i < 32; ++i)
        for (int j = 0; j < 200; ++j) {
          const float a = static_cast<float>(i) / 32, b = static_cast<float>(j) / 200;
          const Composed left = table_of(kind)(a - e, b, d), right = table_of(kind)(a + e, b, d);
          ASSERT_NEAR(left.value, right.value, 5e-4);
          ASSERT_NEAR(left.d1, right.d1, 2e-2);
          ASSERT_NEAR(left.d2, right.d2, 2e-2);
        }
}

// g rises with the larger field everywhere: no critical point off the diagonal, so none that could trap a vertex.
TEST(OperatorTables, RiseWithTheLargerField) {
  for (const OperatorKind kind : kKinds)
    for (int k = 0; k <= 28; ++k)
      for (int i = 1; i <= 256; ++i)
        for (int j = 0; j < i; ++j) {
          const Composed g =
              table_of(kind)(static_cast<float>(i) / 256, static_cast<float>(j) / 256, static_cast<float>(k) / 28);
          ASSERT_GT(g.d1, -2e-4F) << name_of(kind) << " d " << k / 28.0 << " at " << i / 256.0 << " " << j / 256.0;
        }
}

TEST(OperatorTables, RiseAlongTheDiagonalOutsideAndBeyondTheContactLine) {
  for (const OperatorKind kind : kKinds)
    for (int k = 0; k <= kSlices; ++k)
      for (int i = 0; i <= 500; ++i) {
        const float x = static_cast<float>(i) / 500;
        const Composed g = table_of(kind)(x, x, slice(k));
        ASSERT_GT(g.d1 + g.d2, -8e-3F) << name_of(kind) << " slice " << k << " at " << x;
      }
}

struct Fall {
  double share = 0, steepest = 0, against_rise = 0;  // of the half f1 > f2: where g falls with f2
};
Fall fall_of(const CompositionOperator& op, float d) {
  Fall fall;
  int count = 0, falling = 0;
  for (int i = 1; i <= 400; ++i)
    for (int j = 0; j < i; ++j) {
      const float a = static_cast<float>(i) / 400, b = static_cast<float>(j) / 400;
      const Composed g = op(a, b, d);
      ++count;
      if (g.d2 < -0.01F) ++falling;
      fall.steepest = std::max<double>(fall.steepest, -g.d2);
      // The gradient vanishes at (0.5, 0.5) in every C1 operator with this skin; a cell and a half around it is left
      // out.
      if (g.d1 > 0 && std::hypot(a - 0.5, b - 0.5) > 0.05 && a < 0.98)
        fall.against_rise = std::max<double>(fall.against_rise, -g.d2 / g.d1);
    }
  fall.share = static_cast<double>(falling) / count;
  return fall;
}

// Without contact g must not fall with the smaller field. The plain solution does on two fifths of the half square; the
// bounded one in the cell at (0.5, 0.5), where any C1 function with this skin must, and hardly elsewhere.
TEST(OperatorTables, FallLessWithTheSmallerFieldThanThePlainSolutionWhereThereIsNoContact) {
  const Fall plain = fall_of(table_of(OperatorKind::contact, false), 0);
  const Fall bounded = fall_of(table_of(OperatorKind::contact), 0);
  EXPECT_NEAR(plain.share, 0.42, 0.03);
  EXPECT_NEAR(plain.steepest, 0.16, 0.01);
  EXPECT_NEAR(plain.against_rise, 0.18, 0.02);
  EXPECT_LT(bounded.share, 0.08);
  EXPECT_LT(bounded.steepest, 0.13);
  EXPECT_LT(bounded.against_rise, 0.13);
}

TEST(OperatorTables, HaveBoundedGradientsUpToTheCornerOfFullContact) {
  for (const OperatorKind kind : kKinds) {
    float steepest = 0, steepest_reached = 0;
    for (int k = 0; k <= 28; ++k)
      for_each_pair(200, [&](float a, float b) {
        const Composed g = table_of(kind)(a, b, static_cast<float>(k) / 28);
        steepest = std::max(steepest, std::hypot(g.d1, g.d2));
        if (std::max(a, b) <= 0.9F) steepest_reached = std::max(steepest_reached, std::hypot(g.d1, g.d2));
      });
    EXPECT_LT(steepest, 12) << name_of(kind);
    EXPECT_LT(steepest_reached, 5) << name_of(kind);
  }
}

TEST(OperatorTables, StartAsTheSameCleanUnionAndFollowDWithoutAJump) {
  for_each_pair(64, [&](float a, float b) {
    ASSERT_NEAR(table_of(OperatorKind::contact)(a, b, 0).value, table_of(OperatorKind::bulge)(a, b, 0).value, 1e-4);
    for (const OperatorKind kind : kKinds) {
      float last = table_of(kind)(a, b, 0).value;
      for (int k = 1; k <= 140; ++k) {
        const float now = table_of(kind)(a, b, static_cast<float>(k) / 140).value;
        ASSERT_LT(std::abs(now - last), 0.035F) << name_of(kind) << " " << a << " " << b << " " << k;
        last = now;
      }
    }
  });
}

TEST(BulgeOperator, SwellsTheSkinAndOnlyThere) {
  const CompositionOperator& bulge = table_of(OperatorKind::bulge);
  const CompositionOperator& contact = table_of(OperatorKind::contact);
  EXPECT_GT(bulge(0.48F, 0.35F, 1).value, 0.505F);
  EXPECT_LT(contact(0.48F, 0.35F, 1).value, 0.5F);
  EXPECT_NEAR(bulge(0.48F, 0.02F, 1).value, contact(0.48F, 0.02F, 1).value, 2e-3);
}

TEST(FreeFormOperator, FollowsItsProfile) {
  const OperatorProfile soft{
      .name = "soft", .points = {{0.5, 0}, {0.5, 0.15}, {0.45, 0.27}, {0.36, 0.36}}, .contact_depth = 0};
  const auto op = make_operator(OperatorKind::profile, test::context(), {.profile = soft, .cache_folder = ""});
  for (const ProfilePoint& p : op->profile(1))
    EXPECT_NEAR((*op)(static_cast<float>(p.f1), static_cast<float>(p.f2), 1).value, 0.5, 2e-4);
  EXPECT_GT((*op)(0.45F, 0.45F, 1).value, 0.5F);
  EXPECT_LT((*op)(0.3F, 0.3F, 1).value, 0.5F);
  EXPECT_EQ(op->contact_end(1), op->profile(1).back().f1);
  // No contact line: g rises on the whole diagonal.
  for (int i = 1; i < 100; ++i) {
    const float x = static_cast<float>(i) / 100;
    EXPECT_GT((*op)(x, x, 1).d1, -1e-3F) << x;
  }
}

TEST(FreeFormOperator, KeepsItsPropertiesForBulgesAndDents) {
  const OperatorProfile profiles[] = {
      {.name = "strong bulge", .points = {{0.5, 0}, {0.48, 0.1}, {0.38, 0.22}, {0.33, 0.33}}, .contact_depth = 0.5},
      {.name = "dent", .points = {{0.5, 0}, {0.5, 0.2}, {0.56, 0.4}, {0.6, 0.6}}, .contact_depth = 1},
      {.name = "shallow contact", .points = {{0.5, 0}, {0.5, 0.5}}, .contact_depth = 0.2}};
  for (const OperatorProfile& profile : profiles) {
    const auto op = make_operator(OperatorKind::profile, test::context(), {.profile = profile, .cache_folder = ""});
    for (const ProfilePoint& p : op->profile(1))
      ASSERT_NEAR((*op)(static_cast<float>(p.f1), static_cast<float>(p.f2), 1).value, 0.5, 3e-3) << profile.name;
    for (int i = 1; i <= 200; ++i)
      for (int j = 0; j < i; ++j) {
        const Composed g = (*op)(static_cast<float>(i) / 200, static_cast<float>(j) / 200, 1);
        ASSERT_GT(g.d1, -0.03F) << profile.name << " at " << i / 200.0 << " " << j / 200.0;
        ASSERT_LE(g.value, 1) << profile.name;
      }
  }
}

TEST(FreeFormOperator, TellsWhatIsWrongWithAProfile) {
  const auto error = [](OperatorProfile p) {
    p.name = "mine";
    return test::error_of([&] {
      (void)make_operator(OperatorKind::profile, test::context(), {.profile = p, .cache_folder = std::string()});
    });
  };
  using testing::HasSubstr;
  EXPECT_THAT(error({}), HasSubstr("mine"));
  EXPECT_THAT(error({.points = {{0.5, 0}}}), HasSubstr("2 to 64"));
  EXPECT_THAT(error({.points = {{0.4, 0}, {0.5, 0.5}}}), HasSubstr("start at (0.5, 0)"));
  EXPECT_THAT(error({.points = {{0.5, 0}, {0.5, 0.4}}}), HasSubstr("diagonal"));
  EXPECT_THAT(error({.points = {{0.5, 0}, {0.5, 0.3}, {0.5, 0.2}, {0.5, 0.5}}}), HasSubstr("rise"));
  EXPECT_THAT(error({.points = {{0.5, 0}, {std::nan(""), 0.2}, {0.5, 0.5}}}), HasSubstr("point 2"));
  EXPECT_THAT(error({.points = {{0.5, 0}, {0.5, 0.5}}, .contact_depth = 2}), HasSubstr("depth"));
}

TEST(OperatorTables, HaveTheSameBitsForAnyNumberOfThreads) {
  const Context one(1), three(3);
  const OperatorTable a = build_table(bulge_profile(), true, one), b = build_table(bulge_profile(), true, three);
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    ASSERT_EQ(a.nodes[i].g, b.nodes[i].g);
    ASSERT_EQ(a.nodes[i].g12, b.nodes[i].g12);
  }
}

TEST(OperatorTables, EvaluateManyPointsAsOne) {
  std::vector<float> f1, f2, d;
  for_each_pair(100, [&](float a, float b) {
    f1.push_back(a);
    f2.push_back(b);
    d.push_back(0.5F * (a + b));
  });
  std::vector<Composed> out(f1.size());
  const CompositionOperator& op = table_of(OperatorKind::contact);
  op.evaluate(f1, f2, d, out, test::context());
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i].value, op(f1[i], f2[i], d[i]).value);
  EXPECT_THAT(test::error_of([&] { op.evaluate(f1, f2, std::span(d).first(3), out, test::context()); }),
              testing::HasSubstr("3 parameters"));
}

TEST(OperatorTables, AnswerNanAndInfinityWithNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const CompositionOperator& op = table_of(OperatorKind::contact);
  for (const float a : {nan, inf, -inf, 0.3F})
    for (const float b : {nan, inf, -inf, 0.7F})
      for (const float d : {nan, inf, -inf, 0.5F}) {
        const Composed g = op(a, b, d);
        EXPECT_TRUE(std::isfinite(g.value) && std::isfinite(g.d1) && std::isfinite(g.d2));
      }
  EXPECT_NEAR(op(nan, 0.4F, 0.5F).value, 0.4F, 1e-6);
}

}  // namespace
}  // namespace cutis
