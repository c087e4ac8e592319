#include <algorithm>

#include <gtest/gtest.h>

#include "cutis/io.h"
#include "register/body_model.h"
#include "register/model_fit.h"
#include "register/register_support.h"
#include "support/support.h"

namespace cutis {
namespace {

// How far the model's skin is from that of a state, on average.
double apart(const BodyModel& model, const ModelState& a, const ModelState& b) {
  const PlacedBones x = place_bones(model, a), y = place_bones(model, b);
  double sum = 0;
  for (const ModelSample& s : model.samples) sum += distance(place_of(s, x), place_of(s, y));
  return sum / static_cast<double>(model.samples.size());
}

TEST(BodyModel, AtRestIsTheCharacter) {
  const Context context(1);
  const BodyModel model = make_body_model(test::make_two_bone_tube(), context);
  const PlacedBones bones = place_bones(model, rest_state(model));
  for (const ModelSample& s : model.samples) EXPECT_LT(distance(place_of(s, bones), s.position), 1e-6);
}

TEST(BodyModel, ReshapedKeepsRigAndWeightsAndItsClipsPlay) {
  const Context context(1);
  const Character tube = test::make_two_bone_tube();
  const BodyModel model = make_body_model(tube, context);
  ModelState state = rest_state(model);
  const Character same = reshaped(tube, model, state);
  for (std::size_t v = 0; v < tube.meshes[0].positions.size(); ++v)
    EXPECT_LT(
        distance(static_cast<Vec3d>(same.meshes[0].positions[v]), static_cast<Vec3d>(tube.meshes[0].positions[v])),
        1e-6);
  state.size = std::log(2.0);
  state.shape[0] = {std::log(1.5), 0, 0, std::log(1.5)};
  const Character longer = reshaped(tube, model, state);
  validate(longer);
  EXPECT_EQ(longer.meshes[0].weights.joint, tube.meshes[0].weights.joint);
  EXPECT_EQ(longer.meshes[0].weights.weight, tube.meshes[0].weights.weight);
  const auto at = [](const Character& c, std::size_t j) { return c.skeleton.joints[j].world_from_rest.translation; };
  EXPECT_NEAR(distance(at(longer, 0), at(longer, 1)), 3 * distance(at(tube, 0), at(tube, 1)), 1e-9);
  // In its default pose and in its clip the joint is as far from its parent as at rest.
  for (const double time : {0.0, 1.0}) {
    const auto world = world_from_joint(longer.skeleton, sample(longer.skeleton, longer.clip("bend"), time));
    EXPECT_NEAR(distance(world[0].translation, world[1].translation), 3 * distance(at(tube, 0), at(tube, 1)), 1e-6);
  }
}

TEST(ModelFit, FindsBendSizeLengthAndThickness) {
  const Context context(1);
  const Character tube = test::make_two_bone_tube();
  const BodyModel model = make_body_model(tube, context);
  ModelState truth = rest_state(model);
  truth.root += Vec3d{0.1, -0.05, 0.02};
  truth.turn[0] = axis_angle(Vec3d{1, 0, 0}, 0.2);
  truth.turn[1] = truth.turn[0] * axis_angle(Vec3d{0, 0, 1}, 0.6);
  truth.size = std::log(1.1);
  truth.shape[1] = {0.15, -0.1, -0.1, 0};
  const PlacedBones bones = place_bones(model, truth);
  std::vector<Vec3d> points, normals;
  for (std::size_t i = 0; i < 3000; ++i) {
    points.push_back(place_of(model.samples[i], bones));
    normals.push_back(normal_of(model.samples[i], truth));
  }
  const FitTarget target = make_target(points, normals);
  ModelState state = rest_state(model);
  const double before = apart(model, state, truth);
  fit_model(model, target, {}, {{.shape = true}, 25, 0.1, 0.005, 2000, 0.02}, state, context);
  EXPECT_GT(before, 0.1);
  EXPECT_LT(misfit(model, target, state, 0.05, 3000), 0.02 * before);
  EXPECT_NEAR(dot(rotate(state.turn[1], Vec3d{0, 1, 0}), rotate(truth.turn[1], Vec3d{0, 1, 0})), 1, 0.002);
  // Thinner above than below, by what is true but for what is usual.
  const auto thickness = [](const ModelState& s, std::size_t b) {
    return s.size + 0.5 * (s.shape[b][1] + s.shape[b][2]);
  };
  EXPECT_NEAR(thickness(state, 1), thickness(truth, 1), 0.02);
  EXPECT_NEAR(thickness(state, 0), thickness(truth, 0), 0.02);
}

TEST(ModelFit, StartsFromPoints) {
  const Context context(1);
  const Character tube = test::make_two_bone_tube();
  const BodyModel model = make_body_model(tube, context);
  ModelState truth = rest_state(model);
  const Quatd whole = axis_angle(normalized(Vec3d{1, 2, 0.5}), 2.0);
  truth.turn = {whole, whole * axis_angle(Vec3d{0, 0, 1}, 0.9)};
  truth.size = std::log(0.7);
  const PlacedBones bones = place_bones(model, truth);
  std::vector<KnownPoint> known;
  for (std::size_t i = 0; i < 12; ++i) known.push_back({model.samples[i], place_of(model.samples[i], bones)});
  EXPECT_LT(apart(model, fit_to_points(model, known, rest_state(model), 60), truth), 0.05);
}

TEST(BodyModel, DoesNotSampleWhatNoScannerSees) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(1);
  const Character body =
      load_character((test::shared_data() / "makehuman_male" / "makehuman_male.glb").string(), context);
  const BodyModel model = make_body_model(body, context);
  const auto hidden = std::ranges::count(model.outer, 0);
  EXPECT_GT(hidden, 200);  // mouth and eye sockets
  EXPECT_LT(hidden, static_cast<std::ptrdiff_t>(body.vertex_count() / 5));
}

}  // namespace
}  // namespace cutis
