// Operators of joints in the default mode: where they put the skin, and what is said of those that it cannot heed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backends/joint_shapes.h"
#include "base/math.h"
#include "cutis/cutis.h"
#include "kernels/compose.h"
#include "rig/rig.h"
#include "rig/rig_tree.h"
#include "support/support.h"

namespace cutis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(SkinLine, IsTheProfileOfItsOperator) {
  const Context context(1);
  const auto bulge = make_operator(OperatorKind::bulge, context),
             contact = make_operator(OperatorKind::contact, context);
  for (const double d : {0.3, 1.0})
    for (const ProfilePoint& p : bulge->profile(d))
      EXPECT_NEAR(skin_line(bulge->view(), static_cast<float>(p.f2), static_cast<float>(d)), p.f1, 3e-3) << p.f2;
  const auto crossing = static_cast<float>(bulge->profile(1).back().f2);
  EXPECT_NEAR(skin_line(bulge->view(), 0.8F, 1), crossing, 3e-3) << "inside, that of the crossing";
  for (const float f : {0.0F, 0.2F, 0.45F, 0.7F}) EXPECT_NEAR(skin_line(contact->view(), f, 1), 0.5F, 2e-3F) << f;
  // A blend that is fully open: a quarter circle about (0, 0).
  const OperatorView blend{OperatorForm::blend, {}};
  EXPECT_NEAR(skin_line(blend, 0.3F, 0), 0.4F, 1e-4F);
  EXPECT_NEAR(skin_line(blend, 0.6F, 0), 0.5F / std::sqrt(2.0F), 1e-3F);
  EXPECT_NEAR(skin_line(blend, 0.3F, 1), 0.5F, 1e-5F) << "closed, the union";
}

constexpr float kRadius = 0.1F;  // of the built-in cylinder
// Where the skins meet it is 0.32, 0.18 less than 0.5, from 100 degrees of bend on; nothing up to 60.
constexpr const char* kSoft = R"({"all_joints": {"operator": "soft", "controller": "quick"},
  "controllers": [{"name": "quick", "bulge": [[0, 0], [60, 0], [100, 1]]}],
  "profiles": [{"name": "soft", "points": [[0.5, 0], [0.5, 0.1], [0.42, 0.2], [0.32, 0.27], [0.32, 0.32]]}]})";

struct Cylinder {
  Context context{1};
  Character character = load_character("builtin:cylinder", context);
  std::shared_ptr<const Rig> rig;
  std::vector<std::string> warnings;

  explicit Cylinder(const std::string& preset, Backend backend = Backend::simd) : context(1, backend) {
    context.on_warning = [this](std::string_view text) { warnings.emplace_back(text); };
    BindOptions options;
    options.preset = preset_from_json(preset, "preset");
    rig = bind(character, context, options);
  }
  /// Bent in steps of five degrees, and held for two seconds.
  [[nodiscard]] std::vector<Vec3f> bent(double degrees, const SolveOptions& options = {}) const {
    Solver solver(rig, options, context);
    Pose pose = default_pose(character.skeleton);
    const auto upper = static_cast<std::size_t>(character.skeleton.find("upper"));
    const Quatd rest = pose.local[upper].rotation;
    for (double at = 5; at <= degrees; at += 5) {
      pose.local[upper].rotation = rest * axis_angle(Vec3d{0, 0, 1}, at * kPi / 180);
      (void)solver.solve(pose);
    }
    for (int held = 0; held < 60; ++held) (void)solver.solve(pose);
    return solver.solve(pose).positions;
  }
};

TEST(JointShapes, OfContactAndUnionsAreNone) {
  for (const char* op : {"contact", "union", "clean-union"})
    EXPECT_TRUE(JointShapes(*Cylinder(R"({"all_joints": {"operator": ")" + std::string(op) + R"("}})").rig).empty())
        << op;
  for (const char* op : {"bulge", "blend"})
    EXPECT_FALSE(JointShapes(*Cylinder(R"({"all_joints": {"operator": ")" + std::string(op) + R"("}})").rig).empty())
        << op;
}

TEST(JointShapes, BulgeByTheStatedSizeBesideTheContact) {
  const Cylinder plain("{}"), soft(kSoft);
  const std::vector<Vec3f>& rest = plain.character.meshes[0].positions;
  const auto a = plain.bent(100), b = soft.bent(100);
  // 0.18 of a field that falls by 0.9375 over the part's support: how far out the two skins meet.
  const std::uint32_t lower = 0;
  const float stated = 0.18F / 0.9375F * soft.rig->fields[lower].grid.radius;
  ASSERT_GT(stated, 0.15F * kRadius);
  float highest = 0, at = 0, behind = 0, far = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    const float below = 0.4F - rest[v].y;  // of the joint
    const float moved = distance(a[v], b[v]);
    if (rest[v].x > 0.05F) behind = std::max(behind, moved);  // it bends towards -x
    if (std::abs(below) > 0.3F) far = std::max(far, moved);
    if (below < 0 || below > 0.3F) continue;
    const float thick = std::hypot(b[v].x, b[v].z) - std::hypot(a[v].x, a[v].z);  // the lower part stands still
    if (rest[v].x < -0.09F && thick > highest) {
      highest = thick;
      at = 0.4F - b[v].y;
    }
  }
  EXPECT_GT(highest, 0.6F * stated);
  EXPECT_LT(highest, 1.2F * stated);
  // The skins of two cylinders at 100 degrees meet r / tan(40 degrees) = 1.19 r from the joint.
  EXPECT_NEAR(at, 1.19F * kRadius, 0.35F * kRadius);
  EXPECT_LT(behind, 0.03F * kRadius) << "the outer side of the bend";
  EXPECT_LT(far, 0.01F * kRadius);
}

TEST(JointShapes, FollowTheirController) {
  const Cylinder plain("{}"), soft(kSoft);
  const auto difference = [&](double degrees) {
    const auto a = plain.bent(degrees, {.contact_pass = false}), b = soft.bent(degrees, {.contact_pass = false});
    float most = 0;
    for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, distance(a[v], b[v]));
    return most;
  };
  EXPECT_EQ(difference(60), 0) << "not yet";
  const float half = difference(80), full = difference(100);
  EXPECT_GT(half, 0.02F * kRadius);
  EXPECT_GT(full, 1.3F * half);
}

TEST(JointShapes, HaveTheSameBitsOnAllBackEnds) {
  EXPECT_EQ(Cylinder(kSoft, Backend::scalar).bent(100), Cylinder(kSoft, Backend::simd).bent(100));
}

TEST(JointShapes, WarnOfWhatAMethodDoesNotHeed) {
  const auto warnings = [](const std::string& preset, const SolveOptions& options) {
    Cylinder c(preset);
    const Solver solver(c.rig, options, c.context);
    return c.warnings;
  };
  const std::string united = R"({"all_joints": {"operator": "union"}})";
  const std::string bulge = R"({"all_joints": {"operator": "bulge"}})";
  const std::string late = R"({"all_joints": {"controller": "late"},
    "controllers": [{"name": "late", "contact": [[120, 0], [180, 1]]}]})";
  const SolveOptions tracking, implicit{.method = Method::implicit},
      paper{.tracking = {.contact = ContactModel::composed}};
  EXPECT_THAT(warnings("{}", tracking), IsEmpty());
  EXPECT_THAT(warnings("{}", implicit), IsEmpty());
  EXPECT_THAT(warnings(bulge, tracking), IsEmpty()) << "heeded";
  EXPECT_THAT(warnings(bulge, implicit), ElementsAre(HasSubstr("does not use the operators of upper")));
  EXPECT_THAT(warnings(united, tracking), ElementsAre(HasSubstr("the union of upper does what 'contact' does")));
  EXPECT_THAT(warnings(late, tracking), ElementsAre(HasSubstr("contact curve of the controller of upper")));
  for (const std::string& preset : {united, late})
    EXPECT_THAT(warnings(preset, paper), testing::Each(testing::Not(HasSubstr("upper"))));
}

}  // namespace
}  // namespace cutis
