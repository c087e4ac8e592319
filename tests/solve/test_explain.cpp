#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cutis/cutis.h"
#include "support/support.h"

namespace cutis {
namespace {

class ExplainTest : public testing::Test {
 protected:
  Context context{2};

  std::vector<PairGroup> explain(const Character& character, const Pose& pose) {
    const auto rig = bind(character, context);
    Solver solver(rig, {.method = Method::dqs}, context);
    const std::vector<Vec3f> positions = solver.solve(pose).positions;
    const Metrics metrics(character, context, {.overlap = false, .per_vertex = true});
    const FrameMetrics m = metrics.measure(positions);
    std::vector<PairGroup> groups = Explainer(character, rig).explain(pose, positions, m.pairs);
    std::size_t sum = 0;
    for (const PairGroup& g : groups) sum += g.pairs;
    EXPECT_EQ(sum, m.pairs.size());
    return groups;
  }
};

TEST_F(ExplainTest, NothingToExplainAtRest) {
  const Character character = test::make_two_bone_tube();
  EXPECT_TRUE(explain(character, default_pose(character.skeleton)).empty());
}

TEST_F(ExplainTest, AFoldAtAJointIsNamedByItsTwoBones) {
  const Character character = test::make_two_bone_tube();
  Pose pose = sample(character.skeleton, character.clips[0], 1);
  for (Trsd& local : pose.local)
    if (std::abs(local.rotation.z) > 0.1) local.rotation = {0, 0, 0.9962, 0.0872};  // 170 degrees
  const auto groups = explain(character, pose);
  ASSERT_FALSE(groups.empty());
  EXPECT_THAT(groups, testing::Contains(testing::Field(&PairGroup::cause, PairCause::joint)));
}

TEST_F(ExplainTest, AFistNamesTheBonesThatThePoseDrivesIntoTheHand) {
  CUTIS_NEEDS_SHARED_DATA();
  const Character character =
      load_character((test::shared_data() / "makehuman_male" / "makehuman_male.glb").string(), context);
  const Clip& clip = character.clip("fist_l");
  const auto groups = explain(character, sample(character.skeleton, clip, clip.end()));
  ASSERT_FALSE(groups.empty());
  bool found = false;
  for (const PairGroup& g : groups) {
    EXPECT_EQ(g.cause == PairCause::bone_inside, g.depth > 0);
    if (g.cause != PairCause::bone_inside) continue;
    found = true;
    EXPECT_LT(g.depth, 0.05);
    EXPECT_TRUE(g.inside == g.joint_a || g.inside == g.joint_b);
  }
  EXPECT_TRUE(found);
}

TEST_F(ExplainTest, ARigWithoutASkinAndWrongNumbersAreRefused) {
  const Character character = test::make_two_bone_tube();
  const auto bare = bind(character, context, {.implicit_skin = false});
  EXPECT_THAT(test::error_of([&] { Explainer(character, bare); }), testing::HasSubstr("implicit_skin"));
  const Explainer explainer(character, bind(character, context));
  const Pose pose = default_pose(character.skeleton);
  EXPECT_THAT(test::error_of([&] { (void)explainer.explain(pose, {}, {}); }), testing::HasSubstr("positions"));
  std::vector<Vec3f> positions(character.vertex_count());
  const std::vector<std::array<std::uint32_t, 2>> pairs{{0, 1000000}};
  EXPECT_THAT(test::error_of([&] { (void)explainer.explain(pose, positions, pairs); }), testing::HasSubstr("triangle"));
}

}  // namespace
}  // namespace cutis
