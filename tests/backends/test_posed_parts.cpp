// Which parts are near a point, where their fields are felt, and how a vertex turns with its bones.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "backends/filled_blocks.h"
#include "backends/posed_parts.h"
#include "kernels/skin_residual.h"
#include "kernels/turn.h"

namespace cutis {
namespace {

TEST(PosedParts, FourBoxesAtOnceHoldWhatEachHolds) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> at(-1, 1), size(0.4F, 1.4F);
  std::vector<PartBox> boxes(11);
  BoxRows rows;
  for (std::uint32_t k = 0; k < boxes.size(); ++k) {
    const Float4 lo(at(random), at(random), at(random), 0);
    boxes[k] = {lo, lo + Float4(size(random), size(random), size(random), 0)};
    rows.add(k, boxes[k]);
    if (k == 4) rows.end_row();
  }
  rows.end_row();
  ASSERT_EQ(rows.row(0).size(), 2U);
  ASSERT_EQ(rows.row(1).size(), 2U);
  std::size_t found = 0;
  for (int i = 0; i < 500; ++i) {
    const Vec3f p{at(random), at(random), at(random)}, q{at(random), at(random), at(random)};
    const float margin = i % 2 == 0 ? 0 : 0.1F;
    std::vector<std::uint32_t> expected, seen;
    for (std::uint32_t k = 5; k < boxes.size(); ++k)
      if (boxes[k].holds(p, margin) || boxes[k].holds(q, margin)) expected.push_back(k);
    each_near_part(rows.row(1), q, &p, margin, [&](std::uint32_t k, bool near_q) {
      seen.push_back(k);
      EXPECT_EQ(near_q, boxes[k].holds(q, margin));
    });
    EXPECT_EQ(seen, expected);
    found += seen.size();
    each_near_part(rows.row(0), q, nullptr, margin,
                   [&](std::uint32_t k, bool near_q) { EXPECT_TRUE(near_q && k < 5 && boxes[k].holds(q, margin)); });
  }
  EXPECT_GT(found, 100U);
}

TEST(PosedParts, ABoxThatIsNotSetHoldsNothing) {
  EXPECT_FALSE(PartBox{}.holds({0, 0, 0}, 1));
  EXPECT_EQ(BoxBlock{}.holds({0, 0, 0}, 1), 0U);
}

// A field of noise that is 0 in much of its grid: what the blocks leave out must be 0, wherever it is asked for.
TEST(FilledBlocks, LeaveOutNothingThatIsFelt) {
  std::mt19937 random(3);
  for (const int sides : {2, 5, 8}) {
    const int nx = sides, ny = sides + 1, nz = 2 * sides;
    std::vector<GridNode> nodes;
    std::uniform_int_distribution<int> noise(-4000, 4000);
    const auto number = [&] { return static_cast<std::int16_t>(noise(random)); };
    for (int k = 0; k < nz; ++k)
      for (int i = 0; i < nx * ny; ++i)
        nodes.push_back({static_cast<std::int16_t>(3500 * std::abs(k - sides) + noise(random) - 3000), number(),
                         number(), number()});
    GridView grid;
    grid.nodes = nodes.data();
    grid.nx = nx, grid.ny = ny, grid.nz = nz;
    grid.grid_from_rest = Affine3f{};
    grid.rest_from_slope = Mat3f{};
    grid.value_step = grid.slope_step = 1e-3F;
    grid.radius = 2;
    const FilledBlocks filled(grid);
    std::size_t felt = 0, left_out = 0;
    std::uniform_real_distribution<float> at(0, 1);
    for (int i = 0; i < 20000; ++i) {
      // Some on the last nodes, some outside.
      const auto place = [&](int n) {
        return i % 7 == 0 ? static_cast<float>(n - 1) : at(random) * static_cast<float>(n);
      };
      const Vec3f p{place(nx), place(ny), place(nz)};
      const float value = part_value(grid, p);
      ASSERT_EQ(part_value(grid, filled, p), value) << p.x << ' ' << p.y << ' ' << p.z;
      const Float4 in(p.x, p.y, p.z, 0);
      if (!inside_grid(grid, in)) continue;
      const Float4 last = grid_sides(grid) - Float4(2);
      (filled.holds(truncated(select_greater(in, last, last, in))) ? felt : left_out) += 1;
    }
    EXPECT_GT(felt, 1000U);
    if (sides > 5) {
      EXPECT_GT(left_out, 1000U) << sides;
    }
  }
}

TEST(VertexTurn, IsHalfWayBetweenItsBonesOrThatOfTheHeaviest) {
  const float s = std::sqrt(0.5F);
  const SkinDualQuat bones[] = {{{0, 0, 0, 1}, {}}, {{0, 0, s, s}, {}}, {{0, 0, 0, -1}, {}}};
  const std::uint32_t about_z[] = {0, 1}, opposite[] = {0, 2};
  const float half[] = {0.5F, 0.5F};
  const Vec3f turned = blend_turn(bones, {}, about_z, half, 2).linear() * Vec3f{1, 0, 0};
  EXPECT_NEAR(turned.x, s, 1e-6F);  // 45 degrees
  EXPECT_NEAR(turned.y, s, 1e-6F);
  const Vec3f alone = blend_turn(bones, {}, opposite, half, 2).linear() * Vec3f{1, 2, 3};
  EXPECT_EQ(alone, (Vec3f{1, 2, 3}));
  EXPECT_EQ(blend_turn(bones, {}, nullptr, nullptr, 0).linear() * Vec3f(1, 2, 3), (Vec3f{1, 2, 3}));
}

TEST(VertexTurn, StretchesWithItsBones) {
  const Quatd q{0, 0, std::sqrt(0.5), std::sqrt(0.5)};
  const SkinDualQuat bones[] = {{{0, 0, static_cast<float>(q.z), static_cast<float>(q.w)}, {}}};
  const SkinMatrix stretch[] = {skin_stretch(q, diagonal_matrix(Vec3d{2, 1, 1}))};
  const std::uint32_t item[] = {0};
  const float weight[] = {1};
  const Vec3f x = blend_turn(bones, {stretch, true}, item, weight, 1).linear() * Vec3f{1, 0, 0};
  EXPECT_NEAR(x.x, 0, 1e-6F);
  EXPECT_NEAR(x.y, 2, 1e-6F);
}

}  // namespace
}  // namespace cutis
