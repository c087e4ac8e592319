// Seams that files have rounded apart.
#include "character/welded_character.h"

#include <gtest/gtest.h>

#include "support/dressed_tube.h"
#include "support/support.h"

namespace cutis {
namespace {

TEST(WeldedCharacter, ClosesSeamsThatRoundingHasParted) {
  const WeldedCharacter whole = weld_character(test::make_two_bone_tube());
  for (const float by : {0.0F, 1e-6F, 2e-4F}) {
    const WeldedCharacter cut = weld_character(test::make_cut_tube(by));
    EXPECT_EQ(cut.positions.size(), whole.positions.size()) << by;
    EXPECT_EQ(cut.topology.component_count, 1U) << by;
    EXPECT_EQ(cut.topology.boundary_edges, whole.topology.boundary_edges) << by;
    EXPECT_EQ(cut.topology.inconsistent_edges, 0U) << by;
    for (std::size_t v = 0; v < cut.weld.first_of.size(); ++v)
      EXPECT_EQ(cut.weld.welded_of[cut.weld.first_of[v]], v) << by;
  }
  EXPECT_EQ(weld_character(test::make_cut_tube(0.01F)).topology.component_count, 2U);  // a gap that is meant
}

TEST(WeldedCharacter, LeavesApartWhatMovesApart) {
  Character c = test::make_cut_tube(1e-6F);
  for (float& weight : c.meshes[1].weights.weight) weight = 1;  // sums do not matter here: others than below
  EXPECT_EQ(weld_character(c).topology.component_count, 2U);
  // Cards that lie on each other, facing alike, are no seam.
  Character cards;
  const test::Surface grid = test::make_grid(3, 3, 1);
  for (const float height : {0.0F, 1e-5F}) {
    Mesh& mesh = cards.meshes.emplace_back();
    mesh.positions = grid.positions;
    for (Vec3f& p : mesh.positions) p += Vec3f{0, height, 0};
    mesh.triangles = grid.triangles;
  }
  EXPECT_EQ(weld_character(cards).topology.component_count, 2U);
}

}  // namespace
}  // namespace cutis
