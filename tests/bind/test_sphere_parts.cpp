// Parts made of spheres, from the surface and from files.
#include <cstring>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/math.h"
#include "cutis/bind.h"
#include "cutis/io.h"
#include "cutis/preset.h"
#include "cutis/skin_field.h"
#include "cutis/solve.h"
#include "rig/rig.h"
#include "solve/poses.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using test::pose_at;
using testing::AllOf;
using testing::HasSubstr;

struct SphereHand : testing::Test {
  static void SetUpTestSuite() {
    const Context context(2);
    hand = load_character("builtin:hand", context);
    Preset preset;
    preset.all.shape = PartForm::spheres;
    rig = bind(hand, context, {.preset = preset}, report);
  }
  static void TearDownTestSuite() { rig.reset(); }
  static inline Character hand;
  static inline std::shared_ptr<const Rig> rig;
  static inline BindReport report;
};

TEST_F(SphereHand, has_a_palm_of_triangles_near_its_surface) {
  const SphereModel& model = report.preset.spheres;
  std::size_t palm = 0;
  for (const SphereModel::Block& block : model.blocks) palm += block.joint == "hand" && block.balls.size() == 3 ? 1 : 0;
  EXPECT_GE(palm, 3U);
  double sum = 0, parts = 0;
  for (const PartReport& part : report.parts) {
    if (part.vertices == 0) continue;
    EXPECT_EQ(part.shape, "spheres") << part.joint;
    EXPECT_LT(part.median, 0.15 * part.radius) << part.joint;
    sum += part.median;
    ++parts;
  }
  EXPECT_LT(sum / parts, 0.6e-3);
}

// Whatever the pose: around every joint, as far as half the ball that is shared there, and along every finger's bone.
TEST_F(SphereHand, never_gaps_at_a_joint) {
  const Context context(2);
  SkinField field(rig);
  const SphereModel& model = report.preset.spheres;
  for (const double share : {0.0, 0.25, 0.5}) {
    const Pose pose = pose_at(hand, "fist", share);
    field.set_pose(pose);
    const std::vector<Affine3d> world = world_from_joint(hand.skeleton, pose);
    std::vector<Vec3f> points;
    std::vector<std::string> names;
    for (const SphereModel::Ball& ball : model.balls) {
      if (ball.name != ball.joint || ball.parent.empty()) continue;
      const auto j = static_cast<std::size_t>(hand.skeleton.find(ball.joint));
      const Vec3d at = transform_point(world[j] * inverse(hand.skeleton.joints[j].world_from_rest), ball.center);
      for (const Vec3d& way : {Vec3d{}, Vec3d{1, 0, 0}, Vec3d{-1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, -1, 0},
                               Vec3d{0, 0, 1}, Vec3d{0, 0, -1}}) {
        points.push_back(static_cast<Vec3f>(at + way * (ball.radius / 2)));
        names.push_back(ball.name);
      }
      const auto parent = static_cast<std::size_t>(hand.skeleton.joints[j].parent);
      for (double t = 0; t <= 1; t += 0.125) {
        points.push_back(static_cast<Vec3f>(lerp(world[parent].translation, world[j].translation, t)));
        names.push_back(ball.name + "'s bone");
      }
    }
    ASSERT_GT(points.size(), 200U);
    std::vector<SkinFieldSample> samples(points.size());
    field.evaluate(points, samples, context);
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_GT(samples[i].value, 0.5F) << names[i] << " at " << share;
  }
}

TEST_F(SphereHand, is_the_same_again_from_the_model_it_reports) {
  const Context context(1);
  const Preset read = preset_from_json(to_json(report.preset), "in force");
  EXPECT_EQ(read.spheres, report.preset.spheres);
  BindReport again;
  const auto same = bind(hand, context, {.preset = read}, again);
  ASSERT_EQ(same->fields.size(), rig->fields.size());
  for (std::size_t b = 0; b < rig->fields.size(); ++b) {
    ASSERT_EQ(same->fields[b].nodes.size(), rig->fields[b].nodes.size()) << b;
    EXPECT_TRUE(
        std::ranges::equal(same->fields[b].nodes, rig->fields[b].nodes,
                           [](const GridNode& x, const GridNode& y) { return std::memcmp(&x, &y, sizeof x) == 0; }))
        << b;
  }
}

TEST(SphereFile, is_named_by_a_preset_from_its_own_folder) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("balls.json")) << R"({"spheres": [{"joint": "lower", "center": [0, 0.1, 0], "radius": 0.09},
                         {"joint": "upper", "parent": "lower", "center": [0, 0.45, 0], "radius": 0.1},
                         {"name": "top", "joint": "upper", "parent": "upper", "center": [0, 0.8, 0], "radius": 0.11}]})";
  std::ofstream(folder.file("preset.json")) << R"({"spheres": "balls.json"})";
  const Preset preset = load_preset(folder.file("preset.json"));
  ASSERT_EQ(preset.spheres.balls.size(), 3U);
  const Context context(1);
  const Character cylinder = load_character("builtin:cylinder", context);
  BindReport report;
  const auto rig = bind(cylinder, context, {.preset = preset}, report);
  for (const PartReport& part : report.parts) EXPECT_EQ(part.shape, "spheres") << part.joint;
  EXPECT_EQ(report.preset.spheres.blocks.size(), 2U);
  // The skin is where the spheres say.
  const SkinField field(rig);
  std::vector<SkinFieldSample> samples(2);
  field.evaluate(std::vector<Vec3f>{{0.095F, 0.6F, 0}, {0.115F, 0.6F, 0}}, samples, context);
  EXPECT_GT(samples[0].value, 0.5F);
  EXPECT_LT(samples[1].value, 0.5F);

  const auto error = [&](const std::string& json) {
    return error_of([&] { (void)bind(cylinder, context, {.preset = preset_from_json(json, "p.json")}); });
  };
  EXPECT_THAT(error(R"({"spheres": {"spheres": [{"joint": "tail", "center": [0, 0, 0], "radius": 1}]}})"),
              AllOf(HasSubstr("'tail'"), HasSubstr("no joint")));
  EXPECT_THAT(error(R"({"spheres": {"spheres": [{"joint": "upper", "center": [0, 50, 0], "radius": 1}]}})"),
              AllOf(HasSubstr("'upper'"), HasSubstr("rest pose, in metres")));
  EXPECT_THAT(error_of([] { (void)preset_from_json(R"({"spheres": "no-such.json"})", "p.json"); }),
              HasSubstr("no-such.json"));
}

// ---- blending weights ----

struct PaintedBlend : testing::Test {
  const Context context{2};
  const Character cylinder = load_character("builtin:cylinder", context);
  std::shared_ptr<const Rig> bound(const std::string& regions) const {
    return bind(cylinder, context, {.preset = preset_from_json(R"({"regions": [)" + regions + "]}", "p")});
  }
  std::string all(const char* name, double blend) const {
    return fmt::format(R"({{"name": "{}", "meshes": ["{}"], "blend": {}}})", name, cylinder.meshes[0].name, blend);
  }
};

TEST_F(PaintedBlend, takes_the_place_of_the_inner_side_as_far_as_it_is_painted) {
  SkinField plain(bound("")), none(bound(all("none", 0))), whole(bound(all("none", 0) + "," + all("some", 0.7)));
  const Pose pose = pose_at(cylinder, "bend", 0.5);
  for (SkinField* field : {&plain, &none, &whole}) field->set_pose(pose);
  const std::vector<float> own = plain.blending_weights(context), zero = none.blending_weights(context),
                           painted = whole.blending_weights(context);
  ASSERT_EQ(own.size(), cylinder.meshes[0].positions.size());
  EXPECT_GT(std::ranges::max(own), 0.9F);  // the inner side
  EXPECT_EQ(std::ranges::max(zero), 0.0F);
  std::size_t felt = 0;
  for (std::size_t v = 0; v < own.size(); ++v) {
    if (own[v] > 0) {
      EXPECT_NEAR(painted[v], 0.7F, 1e-6F);
    }
    felt += painted[v] > 0 ? 1 : 0;
  }
  EXPECT_GT(felt, 50U);
  plain.set_rest();
  EXPECT_EQ(std::ranges::max(plain.blending_weights(context)), 0.0F);  // nothing bends
}

TEST_F(PaintedBlend, changes_the_skin_of_implicit_and_is_kept_in_rigs) {
  const Pose pose = pose_at(cylinder, "bend", 0.3);
  const auto skin = [&](const std::shared_ptr<const Rig>& rig, bool blend) {
    SolveOptions options{.method = Method::implicit, .contact_pass = false};
    options.implicit.blend = blend;
    options.implicit.controllers = "hip";
    Solver solver(rig, options, context);
    return solver.solve(pose).positions;
  };
  const auto apart = [](const std::vector<Vec3f>& a, const std::vector<Vec3f>& b) {
    double most = 0;
    for (std::size_t v = 0; v < a.size(); ++v)
      most = std::max(most, distance(static_cast<Vec3d>(a[v]), static_cast<Vec3d>(b[v])));
    return most;
  };
  const auto plain = bound(""), none = bound(all("none", 0));
  EXPECT_GT(apart(skin(plain, true), skin(plain, false)), 0.002);  // a blend does something,
  // and none where it is painted away: the union, as far as no contact is let in that the blend would have filled.
  EXPECT_LT(apart(skin(none, true), skin(none, false)), 0.1 * apart(skin(plain, true), skin(plain, false)));
  const test::TemporaryFolder folder;
  save_rig(*none, folder.file("none.rig"));
  EXPECT_EQ(apart(skin(load_rig(folder.file("none.rig")), true), skin(none, true)), 0);
}

TEST_F(PaintedBlend, is_refused_out_of_range) {
  EXPECT_THAT(error_of([&] { (void)bound(all("x", 2)); }), HasSubstr("blend"));
}

}  // namespace
}  // namespace cutis
