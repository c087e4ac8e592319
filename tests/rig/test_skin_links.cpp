// The forest along which bones agree on the signs of their rotations.
#include <gtest/gtest.h>

#include "cutis/io.h"
#include "cutis/rig.h"
#include "rig/rig_file.h"
#include "rig/skin_links.h"

namespace cutis {
namespace {

// A vertex a row: pairs of bone and weight.
Rig rig_with(std::size_t bones, const std::vector<InfluenceBlock>& rows) {
  Rig rig;
  rig.bones.resize(bones);
  rig.blocks = rows;
  rig.rest_positions.resize(rows.size());
  return rig;
}

TEST(SkinLinks, TakeTheMostSharedSkin) {
  // 0 - 1 share 0.25 and 0.09, 1 - 2 share 0.21, 0 - 2 share 0.16: the last is left out. 3 is alone.
  const Rig rig = rig_with(4, {{{0, 1, 0, 0}, {0.5F, 0.5F, 0, 0}},
                               {{0, 1, 0, 0}, {0.1F, 0.9F, 0, 0}},
                               {{2, 1, 2, 2}, {0.3F, 0.7F, 0, 0}},
                               {{2, 0, 2, 2}, {0.8F, 0.2F, 0, 0}},
                               {{3, 3, 3, 3}, {1, 0, 0, 0}}});
  const std::vector<SharedSkin> shared = shared_skin(rig);
  ASSERT_EQ(shared.size(), 3U);
  EXPECT_NEAR(shared[0].amount, 0.34, 1e-6);
  const std::vector<SkinLink> links = link_bones(rig);
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[0].bone, 1U);
  EXPECT_EQ(links[0].to, 0U);
  EXPECT_EQ(links[1].bone, 2U);
  EXPECT_EQ(links[1].to, 1U);
}

TEST(SkinLinks, GoThroughTheSmoothWeightsWhereNoSkinIsShared) {
  Rig rig = rig_with(2, {{{0, 0, 0, 0}, {1, 0, 0, 0}}, {{1, 1, 1, 1}, {1, 0, 0, 0}}});
  EXPECT_TRUE(link_bones(rig).empty());
  rig.surface.turn.begin = {0, 2};
  rig.surface.turn.items = {0, 1};
  rig.surface.turn_weight = {0.6F, 0.4F};
  ASSERT_EQ(link_bones(rig).size(), 1U);
}

TEST(SkinLinks, AreTheSameWhetherARigIsBoundOrLoaded) {
  const Context context(1);
  const auto bound = bind(load_character("builtin:hand", context), context);
  const auto loaded = rig_from_bytes(rig_to_bytes(*bound), "memory");
  ASSERT_FALSE(bound->links.empty());
  ASSERT_EQ(bound->links.size(), loaded->links.size());
  for (std::size_t i = 0; i < bound->links.size(); ++i) {
    EXPECT_EQ(bound->links[i].bone, loaded->links[i].bone);
    EXPECT_EQ(bound->links[i].to, loaded->links[i].to);
  }
}

}  // namespace
}  // namespace cutis
