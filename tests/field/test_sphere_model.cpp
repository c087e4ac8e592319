// Which balls make a block, and models fitted to surfaces that are known.
#include "field/sphere_model.h"

#include <gtest/gtest.h>

#include "base/math.h"
#include "support/support.h"

namespace cutis {
namespace {

// A slab, or two bars with a gap between them: x across, y along, z thick.
struct Boxes {
  std::vector<Vec3f> positions;
  std::vector<Triangle> triangles;
  void add(const Vec3f& lo, const Vec3f& hi) {
    const auto first = static_cast<std::uint32_t>(positions.size());
    for (unsigned c = 0; c < 8; ++c)
      positions.push_back({(c & 1U) != 0 ? hi.x : lo.x, (c & 2U) != 0 ? hi.y : lo.y, (c & 4U) != 0 ? hi.z : lo.z});
    for (const Triangle& t : {Triangle{0, 2, 1}, Triangle{1, 2, 3}, Triangle{4, 5, 6}, Triangle{5, 7, 6},
                              Triangle{0, 1, 4}, Triangle{1, 5, 4}, Triangle{2, 6, 3}, Triangle{3, 6, 7},
                              Triangle{0, 4, 2}, Triangle{2, 4, 6}, Triangle{1, 3, 5}, Triangle{3, 7, 5}})
      triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
};

SphereModel fork_of_two() {
  SphereModel model;
  model.balls = {{"root", "root", "", {0, 0, 0}, 0.4},
                 {"a", "a", "root", {-1, 2, 0}, 0.4},
                 {"b", "b", "root", {1, 2, 0}, 0.4},
                 {"a end", "a", "a", {-1, 4, 0}, 0.4},
                 {"b end", "b", "b", {1, 4, 0}, 0.4}};
  return model;
}

TEST(connect_balls, fills_what_is_flesh_with_triangles) {
  Boxes slab;
  slab.add({-1.5F, -0.5F, -0.5F}, {1.5F, 4.5F, 0.5F});
  const Flesh flesh(slab.positions, slab.triangles);
  EXPECT_NEAR(flesh.depth({0, 2, 0.2}), 0.3, 1e-6);
  EXPECT_NEAR(flesh.depth({0, 2, 0.9}), -0.4, 1e-6);
  SphereModel model = fork_of_two();
  const auto halfway = connect_balls(model, &flesh);
  ASSERT_EQ(halfway.size(), 2U);
  EXPECT_EQ(model.balls.size(), 7U);
  // The palm, whole: everywhere between the bones, at half the thickness.
  for (double x = -1; x <= 1; x += 0.1)
    for (double y = 2; y <= 4; y += 0.1) {
      const double d =
          std::min(sphere_set(model, "a").eval({x, y, 0.3}).value, sphere_set(model, "b").eval({x, y, 0.3}).value);
      EXPECT_LT(d, -0.09) << x << " " << y;
    }
  EXPECT_EQ(sphere_set(model, "root").blocks.size(), 1U);
  EXPECT_EQ(sphere_set(model, "root").blocks[0].spheres.size(), 3U);
}

TEST(connect_balls, leaves_gaps_between_fingers_open) {
  Boxes bars;
  bars.add({-1.5F, -0.5F, -0.5F}, {1.5F, 2.2F, 0.5F});
  bars.add({-1.5F, 2.2F, -0.5F}, {-0.5F, 4.5F, 0.5F});
  bars.add({0.5F, 2.2F, -0.5F}, {1.5F, 4.5F, 0.5F});
  const Flesh flesh(bars.positions, bars.triangles);
  SphereModel model = fork_of_two();
  EXPECT_TRUE(connect_balls(model, &flesh).empty());
  const double between =
      std::min(sphere_set(model, "a").eval({0, 3.5, 0}).value, sphere_set(model, "b").eval({0, 3.5, 0}).value);
  EXPECT_NEAR(between, 0.6, 1e-9);
  EXPECT_EQ(sphere_set(model, "root").blocks[0].spheres.size(), 3U);  // the hand itself is whole
}

// Points and faces of an iso-surface.
PartPatch patch_of(const std::string& name, const SphereSet& set, const Vec3d& from, const Vec3d& to) {
  PartPatch patch;
  patch.name = name;
  patch.bone_from = from;
  patch.bone_to = to;
  patch.character_size = 6;
  for (double x = -2.2; x <= 2.2; x += 0.12)
    for (double y = -0.8; y <= 5; y += 0.12)
      for (const double z : {-1.0, 1.0}) {
        Vec3d p{x, y, z};
        for (int i = 0; i < 30; ++i) {
          const DistanceSample d = set.eval(p);
          p -= d.gradient * d.value;
        }
        if (std::abs(set.eval(p).value) > 1e-9 || distance(p, {x, y, z}) > 1.2) continue;
        patch.points.push_back(p);
        patch.normals.push_back(set.eval(p).gradient);
      }
  patch.own_points = patch.points.size();
  return patch;
}

TEST(sphere_model_fit, finds_the_balls_that_a_surface_was_made_of) {
  const Sphere wrist{{0, 0, 0}, 0.6}, knuckle{{0, 2, 0}, 0.45}, tip{{0, 4, 0}, 0.3};
  const SphereSet lower{{{{wrist, knuckle}}}}, upper{{{{knuckle, tip}}}};
  // The flesh that both lie in: fine enough for depths.
  Boxes box;
  box.add({-0.7F, -0.7F, -0.7F}, {0.7F, 4.5F, 0.7F});
  const Flesh flesh(box.positions, box.triangles);
  const PartPatch patches[2] = {patch_of("lower", lower, wrist.center, knuckle.center),
                                patch_of("upper", upper, knuckle.center, tip.center)};
  const std::vector<SpherePart> parts{{&patches[0], -1}, {&patches[1], 0}};
  const SphereModel model = fit_sphere_model(parts, flesh);
  const SphereSet a = sphere_set(model, "lower"), b = sphere_set(model, "upper");
  for (const auto& [patch, set] : {std::pair{&patches[0], &a}, std::pair{&patches[1], &b}}) {
    double worst = 0;
    for (const Vec3d& p : patch->points) worst = std::max(worst, std::abs(set->eval(p).value));
    EXPECT_LT(worst, 0.04) << patch->name;  // a tenth of the radius: what a fit asks of itself
  }
  // One ball at the joint, in both.
  const auto joint = std::ranges::find(model.balls, "upper", &SphereModel::Ball::name);
  ASSERT_NE(joint, model.balls.end());
  EXPECT_NEAR(joint->radius, 0.45, 0.02);
  const auto index = static_cast<std::uint32_t>(joint - model.balls.begin());
  std::size_t shared = 0;
  for (const SphereModel::Block& block : model.blocks)
    shared += std::ranges::find(block.balls, index) != block.balls.end() ? 1 : 0;
  EXPECT_GE(shared, 2U);
}

TEST(sphere_model_fit, survives_parts_without_extent) {
  Boxes box;
  box.add({-1, -1, -1}, {1, 1, 1});
  const Flesh flesh(box.positions, box.triangles);
  PartPatch point;
  point.name = "p";
  point.points = {{0.2, 0, 0}};
  point.normals = {{1, 0, 0}};
  point.own_points = 1;
  point.character_size = 2;
  const std::vector<SpherePart> parts{{&point, -1}};
  const SphereModel model = fit_sphere_model(parts, flesh);
  const SphereSet set = sphere_set(model, "p");
  ASSERT_EQ(set.blocks.size(), 1U);
  EXPECT_TRUE(is_finite(set.blocks[0].spheres[0].center));
  EXPECT_GT(set.blocks[0].spheres[0].radius, 0);
  EXPECT_TRUE(fit_sphere_model({}, flesh).empty());
}

}  // namespace
}  // namespace cutis
