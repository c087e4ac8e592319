// The front door under misuse: a sentence, never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "cutis/cutis.h"
#include "solve/poses.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using testing::AllOf;
using testing::HasSubstr;

const std::shared_ptr<const Rig> kNoRig;

TEST(Misuse, OfSolversIsToldInASentence) {
  const Context context(1);
  const Character c = test::make_two_bone_tube();
  const auto bare = bind(c, context, {.implicit_skin = false});
  EXPECT_THAT(error_of([&] { Solver(kNoRig, {}, context); }), HasSubstr("there is no rig"));
  EXPECT_THAT(error_of([&] { Solver(bare, {}, context); }), HasSubstr("without its implicit skin"));
  EXPECT_THAT(error_of([&] { Solver(bare, {.contact_pass = false}, context); }), HasSubstr("tracking: the rig"));
  EXPECT_THAT(error_of([&] { Solver(bare, {.method = Method::dqs, .contact_pass = true}, context); }),
              HasSubstr("dqs with contact"));
  EXPECT_NO_THROW(Solver(bare, {.method = Method::dqs}, context));
  const auto refused = [&](const SolveOptions& options) { return error_of([&] { Solver(bare, options, context); }); };
  EXPECT_THAT(refused({.tracking = {.step = 0}}), HasSubstr("tracking: step is 0; it must be more than 0"));
  EXPECT_THAT(refused({.tracking = {.inner = -5}}), HasSubstr("inner is -5"));
  EXPECT_THAT(refused({.implicit = {.tolerance = std::numeric_limits<double>::quiet_NaN()}}), HasSubstr("is nan"));
  EXPECT_THAT(refused({.method = static_cast<Method>(9)}), HasSubstr("one of: lbs, dqs"));
  EXPECT_THAT(refused({.relief_cap = 99}), HasSubstr("relief_cap is 99; it must be between 0 and 0.2"));
}

TEST(Misuse, OfWhatWasMovedFromIsToldInASentence) {
  const Context context(1);
  const Character c = test::make_two_bone_tube();
  const auto rig = bind(c, context);
  const Pose pose = default_pose(c.skeleton);
  Solver solver(rig, {.method = Method::dqs}, context);
  const Solver solver_taken = std::move(solver);
  for (const std::function<void()>& use :
       {std::function<void()>([&] { (void)solver.solve(pose); }), std::function<void()>([&] { solver.reset(); }),
        std::function<void()>([&] { (void)solver.seek(pose); }), std::function<void()>([&] { solver.foresee({}); }),
        std::function<void()>([&] { (void)solver.save_state(); }),
        std::function<void()>([&] { solver.restore_state({}); })})
    EXPECT_THAT(error_of(use), HasSubstr("solver: was moved from"));
  Metrics metrics(c, context);
  const Metrics metrics_taken = std::move(metrics);
  EXPECT_THAT(error_of([&] { (void)metrics.measure(c.meshes[0].positions); }), HasSubstr("metrics: was moved from"));
  EXPECT_THAT(error_of([&] { (void)metrics.rest(); }), HasSubstr("was moved from"));
  SkinField field(rig);
  const SkinField field_taken = std::move(field);
  EXPECT_THAT(error_of([&] { field.set_pose(pose); }), HasSubstr("skin field: was moved from"));
  EXPECT_THAT(error_of([&] { (void)field.surface(0.1, 0.5, context); }), HasSubstr("was moved from"));
  EXPECT_THAT(error_of([&] { (void)field.slice({}, 8, context); }), HasSubstr("was moved from"));
  Explainer explainer(c, rig);
  const Explainer explainer_taken = std::move(explainer);
  EXPECT_THAT(error_of([&] { (void)explainer.explain(pose, c.meshes[0].positions, {}); }), HasSubstr("was moved from"));
}

TEST(Misuse, OfRigsThatAreNotThereIsToldInASentence) {
  const Character c = test::make_two_bone_tube();
  EXPECT_THAT(error_of([&] { const SkinField field(kNoRig); }), HasSubstr("there is no rig"));
  EXPECT_THAT(error_of([&] { const Explainer explainer(c, kNoRig); }), HasSubstr("needs the character's own rig"));
}

TEST(Misuse, OfClipsAndPosesIsToldInASentence) {
  const Context context(1);
  Character c = test::make_two_bone_tube();
  const Character other = load_character("builtin:hand", context);
  EXPECT_THAT(error_of([&] { (void)sample(c.skeleton, other.clip("fist"), 0); }),
              AllOf(HasSubstr("clip 'fist'"), HasSubstr("but the skeleton has 2")));
  for (const int joint : {-1, 2, 1 << 30}) {
    Clip clip = c.clips[0];
    clip.channels[0].joint = joint;
    EXPECT_THAT(error_of([&] { (void)sample(c.skeleton, clip, 0); }), HasSubstr(std::to_string(joint)));
    EXPECT_THAT(
        error_of([&] { play(c, bind(c, context), {clip, {0.0}}, {}, context, [](std::size_t, const Frame&) {}); }),
        HasSubstr(std::to_string(joint)));
  }
  Clip torn = c.clips[0];
  torn.channels[0].values.pop_back();
  EXPECT_THAT(error_of([&] { (void)sample(c.skeleton, torn, 0); }), HasSubstr("numbers for"));
  Pose pose = default_pose(c.skeleton);
  pose.local.pop_back();
  EXPECT_THAT(error_of([&] { (void)world_from_joint(c.skeleton, pose); }), HasSubstr("pose: has 1 joints"));
  EXPECT_THAT(error_of([&] {
                play(c, bind(c, context), {c.clips[0], {std::numeric_limits<double>::quiet_NaN()}}, {}, context,
                     [](std::size_t, const Frame&) {});
              }),
              HasSubstr("times have to be finite"));
}

TEST(Misuse, OfDamagedCharactersIsToldInASentence) {
  const Context context(1);
  const Character sound = test::make_two_bone_tube();
  const auto damaged = [&](const std::function<void(Character&)>& damage) {
    Character c = sound;
    damage(c);
    const std::string error = error_of([&] { const Metrics metrics(c, context); });
    EXPECT_EQ(error_of([&] { (void)bind(c, context); }), error);
    EXPECT_EQ(error_of([&] { (void)inspect(c); }), error);
    return error;
  };
  EXPECT_THAT(damaged([](Character& c) { c.meshes[0].triangles[3][1] = 1'000'000; }), HasSubstr("uses vertex 1000000"));
  EXPECT_THAT(damaged([](Character& c) { c.meshes[0].weights.joint[5] = 77; }), HasSubstr("bound to bone 77"));
  EXPECT_THAT(damaged([](Character& c) { c.meshes[0].weights.row_begin.pop_back(); }), HasSubstr("has weights for"));
  EXPECT_THAT(damaged([](Character& c) { c.meshes[0].weights.row_begin[4] = 1u << 30; }), HasSubstr("out of order"));
  EXPECT_THAT(damaged([](Character& c) { c.skeleton.joints[1].parent = 1; }), HasSubstr("comes before its parent"));
  for (const int alias : {-2, 1, 2, 1 << 30})
    EXPECT_THAT(damaged([&](Character& c) { c.skeleton.joints[1].alias_of = alias; }), HasSubstr("stands in for"));
}

TEST(Misuse, OfNamesOfNothingIsAnswered) {
  EXPECT_EQ(to_string(static_cast<VertexState>(200)), "?");
  EXPECT_EQ(to_string(static_cast<PairCause>(200)), "?");
  EXPECT_EQ(to_string(static_cast<Method>(200)), "?");
}

TEST(Solver, OutlivesTheContextThatItWasGiven) {
  const Character c = test::make_two_bone_tube();
  auto context = std::make_unique<Context>(2);
  Solver solver(bind(c, *context), {}, *context);
  const Metrics metrics(c, *context);
  context.reset();
  EXPECT_EQ(metrics.measure(solver.solve(test::pose_at(c, "bend", 0.2)).positions).nonfinite, 0U);
}

}  // namespace
}  // namespace cutis
