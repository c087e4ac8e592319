#include "field/lattice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace cutis {
namespace {

Lattice lattice_of(int nx, int ny, int nz, const std::function<float(int, int, int)>& value) {
  Lattice l;
  l.box.axes = Mat3d{{Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}};
  l.cell = 1;
  l.nx = nx;
  l.ny = ny;
  l.nz = nz;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) l.values.push_back(value(i, j, k));
  return l;
}

TEST(lattice, pieces_touch_across_corners_and_the_largest_is_the_part) {
  // Three nodes in a row, a fourth across a corner of the third; two more far away.
  const auto inside = [](int i, int j, int k) {
    return (j == 2 && k == 2 && i >= 1 && i <= 3) || (i == 4 && j == 3 && k == 3) || (i >= 7 && j == 7 && k == 7);
  };
  const Pieces pieces =
      find_pieces(lattice_of(9, 9, 9, [&](int i, int j, int k) { return inside(i, j, k) ? -1.0F : 2.0F; }), 1);
  EXPECT_EQ(pieces.inside_nodes, 4U);
  EXPECT_EQ(pieces.stray_nodes, 2U);
  EXPECT_EQ(pieces.stray_pieces, 1U);
  EXPECT_EQ(pieces.voids, 0U);
  EXPECT_EQ(std::count(pieces.in_support.begin(), pieces.in_support.end(), 1), 4);
}

TEST(lattice, support_is_what_is_connected_to_the_part_below_the_radius) {
  // A row inside, a bridge of 0.5 to its right, a gap, and more of 0.5.
  const Pieces pieces = find_pieces(lattice_of(12, 3, 3,
                                               [](int i, int j, int k) {
                                                 if (j != 1 || k != 1) return 2.0F;
                                                 return i < 3 ? -1.0F : i < 6 ? 0.5F : i < 9 ? 2.0F : 0.5F;
                                               }),
                                    1);
  std::size_t at = 0, count = 0;
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 12; ++i, ++at) {
        EXPECT_EQ(pieces.in_support[at] != 0, j == 1 && k == 1 && i < 6) << i << " " << j << " " << k;
        count += pieces.in_support[at];
      }
  EXPECT_EQ(count, 6U);
}

TEST(lattice, hole_that_only_a_corner_leads_out_of_is_a_void_with_its_middle_where_it_is_widest) {
  // A block of 7^3 inside, hollow in its middle: 3^3, deepest at one node off the centre; a way out across a corner.
  const auto value = [](int i, int j, int k) {
    const auto within = [&](int lo, int hi) { return i >= lo && i <= hi && j >= lo && j <= hi && k >= lo && k <= hi; };
    if (!within(1, 7)) return 2.0F;
    if (i == 2 && j == 2 && k == 2) return 1.0F;
    if (i == 1 && j == 1 && k == 1) return 1.0F;
    if (!within(3, 5)) return -1.0F;
    return i == 5 && j == 4 && k == 3 ? 0.75F : 0.25F;
  };
  const Pieces pieces = find_pieces(lattice_of(9, 9, 9, value), 1);
  EXPECT_EQ(pieces.voids, 2U) << "the corner (2, 2, 2) is one by itself";
  EXPECT_EQ(pieces.void_nodes, 28U);
  ASSERT_EQ(pieces.void_centers.size(), 2U);
  EXPECT_EQ(pieces.void_centers[0].x, 2);
  EXPECT_EQ(pieces.void_centers[1].x, 5);
  EXPECT_EQ(pieces.void_centers[1].y, 4);
  EXPECT_EQ(pieces.void_centers[1].z, 3);
  EXPECT_EQ(pieces.stray_pieces, 0U);
}

TEST(lattice, nothing_inside_has_no_pieces) {
  const Pieces pieces = find_pieces(lattice_of(3, 3, 3, [](int, int, int) { return 1.0F; }), 2);
  EXPECT_EQ(pieces.inside_nodes, 0U);
  EXPECT_EQ(pieces.stray_pieces, 0U);
  EXPECT_EQ(pieces.voids, 0U);
}

}  // namespace
}  // namespace cutis
