// Curves of the gradient angle, their presets and files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compose/controller.h"
#include "support/support.h"

namespace cutis {
namespace {

using testing::HasSubstr;

constexpr double kDegree = kPi / 180;

TEST(Controller, GoesThroughItsPointsAndIsConstantBeyond) {
  const Controller c{{{1.0, 0.2}, {1.5, 0.7}, {2.5, 0.4}}};
  EXPECT_EQ(c(1.0), 0.2);
  EXPECT_NEAR(c(1.5), 0.7, 1e-12);
  EXPECT_EQ(c(2.5), 0.4);
  EXPECT_EQ(c(0), 0.2);
  EXPECT_EQ(c(3), 0.4);
  EXPECT_EQ(c(std::nan("")), 0.2);
}

TEST(Controller, IsMonotoneBetweenItsPointsAndC1Everywhere) {
  for (const std::string& name : controller_preset_names()) {
    const ControllerPreset preset = controller_preset(name);
    for (const Controller* c : {&preset.contact, &preset.bulge, &preset.opening}) {
      const auto& p = c->points;
      for (std::size_t k = 0; k + 1 < p.size(); ++k) {
        const double up = p[k + 1].value >= p[k].value ? 1 : -1;
        double last = p[k].value;
        for (int i = 1; i <= 50; ++i) {
          const double now = (*c)(p[k].angle + i / 50.0 * (p[k + 1].angle - p[k].angle));
          EXPECT_GE(up * (now - last), -1e-12) << name;
          last = now;
        }
      }
      const double e = 1e-6;
      for (const ControllerPoint& q : p) {
        const double before = ((*c)(q.angle) - (*c)(q.angle - e)) / e, after = ((*c)(q.angle + e) - (*c)(q.angle)) / e;
        EXPECT_NEAR(before, after, 1e-4) << name << " at " << q.angle;
      }
    }
  }
}

TEST(Controller, IsTheSameInTheKernel) {
  const Controller c = controller_preset("finger").bulge;
  const std::vector<ControllerKnot> knots = controller_knots(c);
  for (int i = -10; i <= 400; ++i) {
    const double angle = i * 0.01;
    EXPECT_NEAR(evaluate_controller(knots.data(), static_cast<int>(knots.size()), static_cast<float>(angle)), c(angle),
                2e-6);
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(evaluate_controller(knots.data(), static_cast<int>(knots.size()), nan), knots[0].y);
}

TEST(ControllerPresets, AreClosedAtRestAndFullWhenGradientsOppose) {
  for (const std::string& name : controller_preset_names()) {
    const ControllerPreset preset = controller_preset(name);
    EXPECT_EQ(preset.name, name);
    EXPECT_EQ(preset.contact(60 * kDegree), 0) << name;  // angles at the seams of a rest pose stay below
    EXPECT_EQ(preset.contact(kPi), 1) << name;
    EXPECT_EQ(preset.bulge(15 * kDegree), 0) << name;
    EXPECT_EQ(preset.bulge(kPi), 1) << name;
    EXPECT_NEAR(preset.opening(0), kPi / 4, 1e-12) << name;
  }
  EXPECT_EQ(controller_preset("elbow").contact(kPi / 2), 0);
  EXPECT_THAT(test::error_of([] { (void)controller_preset("tail"); }), HasSubstr("shoulder"));
}

TEST(OpeningCurve, HasTheShapeOfTheFingerFigure) {
  const OpeningCurve figure10;
  EXPECT_NEAR(figure10(0), kPi / 4, 1e-12);
  EXPECT_NEAR(figure10(kPi / 8), kPi / 4, 1e-12);
  EXPECT_NEAR(figure10(kPi / 2), kPi / 10, 1e-12);
  EXPECT_NEAR(figure10(kPi), kPi / 10, 1e-12);
  // kappa(1/2) = 1 - exp(1 - 1/(1 - 1/e)), by hand.
  const double half = std::sqrt(1 - std::exp(1 - 1 / (1 - std::exp(-1.0))));
  EXPECT_NEAR(figure10(kPi * 5 / 16), half * (kPi / 4 - kPi / 10) + kPi / 10, 1e-12);
  const Controller preset = controller_preset("finger").opening;
  for (int i = 0; i <= 180; ++i) EXPECT_NEAR(preset(i * kDegree), figure10(i * kDegree), 0.5 * kDegree) << i;
}

TEST(GradientAngle, IsTheAngleAndZeroWhereAGradientVanishes) {
  for (int i = 0; i <= 180; ++i) {
    const double a = i * kDegree;
    const Vec3d u{2, 0, 0}, v{0.1 * std::cos(a), 0.1 * std::sin(a), 0};
    EXPECT_NEAR(gradient_angle(u, v), a, 1e-9);
    EXPECT_NEAR(gradient_angle(Vec3f(u), Vec3f(v)), a, 1e-3);
  }
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (const Vec3f& bad : {Vec3f{}, Vec3f{nan, 0, 0}, Vec3f{inf, 0, 0}, Vec3f{1e-20F, 0, 0}}) {
    EXPECT_EQ(gradient_angle(bad, Vec3f{1, 0, 0}), 0.0F);
    EXPECT_EQ(gradient_angle(Vec3f{0, 1, 0}, bad), 0.0F);
  }
  EXPECT_EQ(gradient_angle(Vec3d{}, Vec3d{1, 0, 0}), 0.0);
}

TEST(ControllerPresets, SurviveTheirFile) {
  for (const std::string& name : controller_preset_names()) {
    const ControllerPreset preset = controller_preset(name);
    const ControllerPreset read = controller_preset_from_json(to_json(preset), "preset.json");
    EXPECT_EQ(read.name, name);
    for (int i = 0; i <= 180; ++i) {
      EXPECT_NEAR(read.contact(i * kDegree), preset.contact(i * kDegree), 1e-6);
      EXPECT_NEAR(read.bulge(i * kDegree), preset.bulge(i * kDegree), 1e-6);
      EXPECT_NEAR(read.opening(i * kDegree), preset.opening(i * kDegree), 1e-6);
    }
  }
  const ControllerPreset mine =
      controller_preset_from_json(R"({"name": "mine", "like": "knee", "contact": [[30, 0], [90, 1]]})", "mine.json");
  EXPECT_NEAR(mine.contact(60 * kDegree), 0.5, 1e-9);
  EXPECT_EQ(mine.bulge(2), controller_preset("knee").bulge(2));
}

TEST(ControllerPresets, TellWhatIsWrongWithAFile) {
  const auto error = [](const char* text) {
    return test::error_of([&] { (void)controller_preset_from_json(text, "mine.json"); });
  };
  EXPECT_THAT(error("{"), HasSubstr("mine.json: is not JSON"));
  EXPECT_THAT(error("[]"), HasSubstr("object"));
  EXPECT_THAT(error(R"({"like": "tail"})"), HasSubstr("shoulder"));
  EXPECT_THAT(error(R"({"contacts": []})"), HasSubstr("\"contacts\""));
  EXPECT_THAT(error(R"({"contact": []})"), HasSubstr("contact: the curve has 0 points"));
  EXPECT_THAT(error(R"({"contact": [[0, 2]]})"), HasSubstr("value of point 1"));
  EXPECT_THAT(error(R"({"contact": [[0, 0], [0, 1]]})"), HasSubstr("point 2"));
  EXPECT_THAT(error(R"({"contact": [[200, 0]]})"), HasSubstr("180"));
  EXPECT_THAT(error(R"({"contact": [[0]]})"), HasSubstr("pair"));
  EXPECT_THAT(error(R"({"opening": [[0, 60]]})"), HasSubstr("opening"));
}

TEST(OperatorProfiles, SurviveTheirFile) {
  const OperatorProfile bulge = bulge_profile(), read = profile_from_json(to_json(bulge), "bulge.json");
  EXPECT_EQ(read.name, "bulge");
  ASSERT_EQ(read.points.size(), bulge.points.size());
  for (std::size_t i = 0; i < bulge.points.size(); ++i) {
    EXPECT_NEAR(read.points[i].f1, bulge.points[i].f1, 1e-9);
    EXPECT_NEAR(read.points[i].f2, bulge.points[i].f2, 1e-9);
  }
  EXPECT_THAT(test::error_of([] { (void)profile_from_json("{}", "p.json"); }), HasSubstr("p.json"));
  EXPECT_THAT(test::error_of([] { (void)profile_from_json(R"({"points": [[0.5, 0], [0.5, 0.3]]})", "p.json"); }),
              HasSubstr("diagonal"));
}

}  // namespace
}  // namespace cutis
