// Skeletons in a flat list hang together by the skin that their bones share.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "cutis/io.h"
#include "cutis/rig.h"
#include "rig/rig.h"
#include "rig/skin_links.h"
#include "support/odd_skeletons.h"
#include "support/support.h"

namespace cutis {
namespace {

// Of the bones that move skin, by name; "" at the top.
std::map<std::string, std::string> parents_of(const Rig& rig) {
  std::map<std::string, std::string> parents;
  const auto name = [&](int bone) {
    return bone < 0
               ? ""
               : rig.skeleton.joints[static_cast<std::size_t>(rig.bones[static_cast<std::size_t>(bone)].joint)].name;
  };
  for (const InfluenceBlock& block : rig.blocks)
    for (std::size_t k = 0; k < 4; ++k)
      if (block.weight[k] > 0) parents[name(static_cast<int>(block.bone[k]))] = name(rig.bones[block.bone[k]].parent);
  return parents;
}

// In the palm bones lie side by side, and which of them carries which the skin does not tell.
TEST(Nest, FindsTheFingersOfAFlatHandWhereTheNestedOneHasThem) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(2);
  const auto folder = test::shared_data() / "hand_webxr";
  const auto nested =
      bind(load_character((folder / "hand_left_poses.glb").string(), context), context, {.implicit_skin = false});
  const auto flat =
      bind(load_character((folder / "left_original.glb").string(), context), context, {.implicit_skin = false});
  const auto found = parents_of(*flat), given = parents_of(*nested);
  ASSERT_EQ(found.size(), given.size());
  std::size_t fingers = 0, tops = 0;
  for (const auto& [bone, parent] : found) {
    tops += parent.empty() ? 1U : 0U;
    if (bone.find("phalanx") == std::string::npos) continue;
    EXPECT_EQ(parent, given.at(bone)) << bone;
    ++fingers;
  }
  EXPECT_EQ(fingers, 14U);
  EXPECT_EQ(tops, 1U);
}

TEST(Nest, KeepsParentsBeforeChildrenAndWeightsWithTheirBones) {
  const Context context(1);
  const Character hand = load_character("builtin:hand", context);
  const auto nested = bind(hand, context, {.implicit_skin = false});
  const auto flat =
      bind(test::make_flat_copy(hand, test::ListOrder::backwards).character, context, {.implicit_skin = false});
  for (std::size_t b = 0; b < flat->bones.size(); ++b) EXPECT_LT(flat->bones[b].parent, static_cast<int>(b));
  ASSERT_EQ(flat->blocks.size(), nested->blocks.size());
  for (std::size_t i = 0; i < flat->blocks.size(); ++i)
    for (std::size_t k = 0; k < 4; ++k) {
      const auto name = [&](const Rig& rig) {
        return rig.skeleton.joints[static_cast<std::size_t>(rig.bones[rig.blocks[i].bone[k]].joint)].name;
      };
      ASSERT_EQ(name(*flat), name(*nested));
      ASSERT_EQ(flat->blocks[i].weight[k], nested->blocks[i].weight[k]);
    }
}

TEST(Nest, LeavesSkeletonsThatHangTogetherAlone) {
  const Context context(1);
  for (const char* name : {"builtin:hand", "builtin:human"}) {
    const Character c = load_character(name, context);
    const auto rig = bind(c, context, {.implicit_skin = false});
    for (const char loose : loose_bones(*rig)) EXPECT_EQ(loose, 0);
    for (std::size_t b = 1; b < rig->bones.size(); ++b) EXPECT_LT(rig->bones[b - 1].joint, rig->bones[b].joint);
  }
}

TEST(Nest, GivesAFlatSkeletonTheBoneSegmentsOfTheNestedOne) {
  const Context context(1);
  const Character hand = load_character("builtin:hand", context);
  const auto nested = bind(hand, context),
             flat = bind(test::make_flat_copy(hand, test::ListOrder::as_it_is).character, context);
  ASSERT_EQ(parents_of(*flat), parents_of(*nested));
  std::map<std::string, Vec3d> ends;
  for (const RigBone& bone : nested->bones)
    ends[nested->skeleton.joints[static_cast<std::size_t>(bone.joint)].name] = bone.rest_end;
  for (const RigBone& bone : flat->bones)
    EXPECT_EQ(bone.rest_end, ends[flat->skeleton.joints[static_cast<std::size_t>(bone.joint)].name]);
}

}  // namespace
}  // namespace cutis
