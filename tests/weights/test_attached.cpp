// Meshes that hang on bones keep their weights when others get new ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cutis/io.h"
#include "cutis/weights.h"
#include "support/support.h"

namespace cutis {
namespace {

using testing::Each;
using testing::Eq;

TEST(MakeWeights, LeavesMeshesThatHangOnBonesWithTheirBones) {
  const Context context(1);
  Character character = test::make_two_bone_tube();
  const Mesh tube = character.meshes[0];
  Mesh hat = tube;  // weights of its own that no method would make
  hat.name = "hat";
  hat.attached = true;
  hat.weights.row_begin.resize(tube.positions.size() + 1);
  for (std::size_t v = 0; v <= tube.positions.size(); ++v) hat.weights.row_begin[v] = static_cast<std::uint32_t>(v);
  hat.weights.joint.assign(tube.positions.size(), 1);
  hat.weights.weight.assign(tube.positions.size(), 1.0F);
  character.meshes.insert(character.meshes.begin(), hat);
  Character alone = test::make_two_bone_tube();
  const WeightOptions options{.method = WeightMethod::atlas};
  const WeightReport report = make_weights(character, options, context), plain = make_weights(alone, options, context);
  EXPECT_THAT(character.meshes[0].weights.joint, Each(Eq(1U)));
  EXPECT_EQ(character.meshes[1].weights.weight, alone.meshes[0].weights.weight);
  EXPECT_NE(character.meshes[1].weights.weight, tube.weights.weight);
  ASSERT_EQ(report.regions.size(), 2 * tube.positions.size());
  EXPECT_EQ(report.regions[0], 1);
  EXPECT_EQ(std::vector<int>(report.regions.begin() + static_cast<std::ptrdiff_t>(tube.positions.size()),
                             report.regions.end()),
            plain.regions);
}

}  // namespace
}  // namespace cutis
