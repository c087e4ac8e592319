#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cutis/rig.h"
#include "cutis/solve.h"
#include "rig/rig.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using test::make_two_bone_tube;

TEST(Bind, PacksOneBlockAVertexForUpToFourInfluences) {
  const auto rig = bind(make_two_bone_tube(), Context(1));
  EXPECT_TRUE(rig->block_begin.empty());
  EXPECT_EQ(rig->blocks.size(), rig->vertex_count());
  EXPECT_EQ(rig->bones.size(), 2U);
  EXPECT_EQ(rig->bones[1].parent, 0);
}

TEST(Bind, KeepsEveryInfluenceOfAVertexThatHasMany) {
  Character c = make_two_bone_tube();
  for (int i = 0; i < 4; ++i) {
    c.skeleton.joints.push_back(c.skeleton.joints[1]);
    c.skeleton.joints.back().name += std::to_string(i);
  }
  Weights& w = c.meshes[0].weights;
  w.joint.insert(w.joint.begin() + w.row_begin[1], {1, 2, 3, 4, 5});
  w.weight.insert(w.weight.begin() + w.row_begin[1], {0.1F, 0.1F, 0.1F, 0.1F, 0.1F});
  w.weight[0] = 0.5F;
  for (std::size_t v = 1; v < w.row_begin.size(); ++v) w.row_begin[v] += 5;
  const auto rig = bind(c, Context(1));
  ASSERT_FALSE(rig->block_begin.empty());
  EXPECT_EQ(rig->block_begin[1], 2U);
  float sum = 0;
  for (int b = 0; b < 2; ++b)
    for (const float x : rig->blocks[static_cast<std::size_t>(b)].weight) sum += x;
  EXPECT_NEAR(sum, 1.0F, 1e-6F);
}

TEST(Bind, GivesSeamCopiesTheSameInfluences) {
  Character c = make_two_bone_tube();
  Mesh copy = c.meshes[0];
  for (float& w : copy.weights.weight) w = w < 1 ? w + (w > 0.5F ? 2e-6F : -2e-6F) : w;
  c.meshes.push_back(copy);
  const auto rig = bind(c, Context(1));
  const std::size_t n = copy.positions.size();
  for (std::size_t v = 0; v < n; ++v) EXPECT_EQ(rig->blocks[v].weight, rig->blocks[v + n].weight);
}

TEST(Bind, HoldsAThingWithoutASkeletonStillAndSaysSo) {
  Character c = make_two_bone_tube();
  c.skeleton = {};
  c.clips.clear();
  c.meshes[0].weights = {};
  Context context(1);
  std::string warning;
  context.on_warning = [&](std::string_view text) { warning = text; };
  Solver solver(bind(c, context), {Method::lbs}, context);
  EXPECT_THAT(warning, testing::HasSubstr("no skeleton"));
  EXPECT_EQ(solver.solve(default_pose(c.skeleton)).positions, c.meshes[0].positions);
}

TEST(Bind, RefusesAMeshWithoutWeightsByName) {
  Character c = make_two_bone_tube();
  c.meshes[0].weights = {};
  EXPECT_THAT(error_of([&] { (void)bind(c, Context(1)); }),
              testing::AllOf(testing::HasSubstr("mesh 'tube'"), testing::HasSubstr("weights")));
}

}  // namespace
}  // namespace cutis
