#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using test::make_two_bone_tube;
using testing::AllOf;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// The sentence for a tube that `spoil` has spoilt.
std::string sentence(const std::function<void(Character&)>& spoil) {
  Character c = make_two_bone_tube();
  spoil(c);
  return error_of([&] { validate(c); });
}

TEST(Validate, AcceptsTheTube) { EXPECT_NO_THROW(validate(make_two_bone_tube())); }

TEST(Validate, NamesFileMeshAndVertexOfAPositionThatIsNoNumber) {
  EXPECT_THAT(sentence([](Character& c) { c.meshes[0].positions[7].y = kNan; }),
              AllOf(HasSubstr("two-bone tube"), HasSubstr("mesh 'tube'"), HasSubstr("vertex 7")));
}
TEST(Validate, RefusesCoordinatesThatWouldOverflow) {
  EXPECT_THAT(sentence([](Character& c) { c.meshes[0].positions[7].y = 1e30F; }), HasSubstr("scale"));
  EXPECT_THAT(sentence([](Character& c) { c.skeleton.joints[1].local.translation.x = 1e16; }),
              AllOf(HasSubstr("bone 'upper'"), HasSubstr("scale the character down")));
  EXPECT_THAT(sentence([](Character& c) { c.skeleton.joints[1].local.scale.y = -1e300; }), HasSubstr("bone 'upper'"));
  EXPECT_THAT(sentence([](Character& c) { c.skeleton.joints[1].world_from_rest.translation.z = 1e16; }),
              HasSubstr("bone 'upper'"));
  const auto with_key = [](ChannelPath path, float value) {
    return [=](Character& c) {
      c.clips[0].channels.push_back({1, path, Interpolation::linear, {0}, {value, 1, 1}});
      if (path == ChannelPath::rotation) c.clips[0].channels.back().values.push_back(0);
    };
  };
  EXPECT_THAT(sentence(with_key(ChannelPath::translation, -1e16F)), HasSubstr("clip 'bend' › bone 'upper'"));
  EXPECT_THAT(sentence(with_key(ChannelPath::scale, 1e30F)), HasSubstr("clip 'bend' › bone 'upper'"));
  Character turned = make_two_bone_tube();
  with_key(ChannelPath::rotation, 1e30F)(turned);  // only its direction counts
  EXPECT_NO_THROW(validate(turned));
}
TEST(Validate, RefusesMeshesWithoutVerticesAndCharactersWithoutMeshes) {
  EXPECT_THAT(sentence([](Character& c) { c.meshes[0] = {}; }), HasSubstr("no vertices"));
  EXPECT_THAT(sentence([](Character& c) { c.meshes.clear(); }), HasSubstr("no mesh"));
}
TEST(Validate, NamesTheTriangleThatPointsNowhere) {
  EXPECT_THAT(sentence([](Character& c) { c.meshes[0].triangles[3][1] = 99999; }), HasSubstr("triangle 3"));
}
TEST(Validate, NamesTheVertexWhoseWeightsSumToZero) {
  EXPECT_THAT(sentence([](Character& c) {
                for (std::uint32_t i = c.meshes[0].weights.row_begin[5]; i < c.meshes[0].weights.row_begin[6]; ++i)
                  c.meshes[0].weights.weight[i] = 0;
              }),
              AllOf(HasSubstr("vertex 5"), HasSubstr("sum to 0")));
}
TEST(Validate, RefusesWeightsThatAreNegativeUnnormalisedOrBoundToNoBone) {
  EXPECT_THAT(sentence([](Character& c) { c.meshes[0].weights.weight[2] = -1; }), HasSubstr("negative"));
  EXPECT_THAT(sentence([](Character& c) { c.meshes[0].weights.weight[2] = 3; }), HasSubstr("instead of 1"));
  EXPECT_THAT(sentence([](Character& c) { c.meshes[0].weights.joint[2] = 77; }), HasSubstr("bone 77"));
  EXPECT_THAT(sentence([](Character& c) { c.meshes[0].weights.row_begin.pop_back(); }), HasSubstr("weights for"));
}
TEST(Validate, NamesTheBoneWithABadTransformOrOrder) {
  EXPECT_THAT(sentence([](Character& c) { c.skeleton.joints[1].local.scale.x = kNan; }), HasSubstr("bone 'upper'"));
  EXPECT_THAT(sentence([](Character& c) { c.skeleton.joints[1].parent = 1; }), HasSubstr("bone 'upper'"));
  EXPECT_THAT(sentence([](Character& c) { c.skeleton.joints[1].world_from_rest.linear.col[0] = {}; }),
              HasSubstr("scaled to nothing"));
}
TEST(Validate, NamesClipAndBoneOfBadKeys) {
  EXPECT_THAT(sentence([](Character& c) { c.clips[0].channels[0].times[1] = 0; }),
              AllOf(HasSubstr("clip 'bend'"), HasSubstr("bone 'upper'"), HasSubstr("key 1")));
  EXPECT_THAT(sentence([](Character& c) { c.clips[0].channels[0].values.pop_back(); }), HasSubstr("numbers for"));
  EXPECT_THAT(sentence([](Character& c) { c.clips[0].channels[0].values[0] = kNan; }), HasSubstr("finite"));
  EXPECT_THAT(sentence([](Character& c) { c.clips[0].channels[0].joint = 5; }), HasSubstr("bone 5"));
}

}  // namespace
}  // namespace cutis
