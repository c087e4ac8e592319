#include "backends/filled_blocks.h"

#include <algorithm>
#include <cstdlib>

namespace cutis {
namespace {

// Of the nodes of a block.
struct Extremes {
  int least = 32767, dx = 0, dy = 0, dz = 0;

  void add(const GridNode& n) {
    least = std::min(least, int{n.value});
    dx = std::max(dx, std::abs(int{n.dx}));
    dy = std::max(dy, std::abs(int{n.dy}));
    dz = std::max(dz, std::abs(int{n.dz}));
  }
};

}  // namespace

// In a cell the distance is no less than the least of its corners, less x(1-x) Dx(hx) along each axis
// (kernels/grid_cell-inl.h): at most half of the largest half slope there.
FilledBlocks::FilledBlocks(const GridView& grid) {
  constexpr float kRounding = 1 + 1e-4F;
  if (grid.nodes == nullptr) return;
  const auto blocks = [](int nodes) {
    return static_cast<std::size_t>(nodes) / 2;
  };  // two cells each, the last maybe one
  const std::size_t nz = blocks(grid.nz);
  row_ = blocks(grid.nx);
  slice_ = row_ * blocks(grid.ny);
  bits_.assign((slice_ * nz + 63) / 64, 0);
  std::size_t block = 0;
  for (int k = 0; k < grid.nz - 1; k += 2)
    for (int j = 0; j < grid.ny - 1; j += 2)
      for (int i = 0; i < grid.nx - 1; i += 2, ++block) {
        Extremes of;
        for (int z = k; z <= std::min(k + 2, grid.nz - 1); ++z)
          for (int y = j; y <= std::min(j + 2, grid.ny - 1); ++y) {
            const GridNode* const row = grid.nodes + (static_cast<std::ptrdiff_t>(z) * grid.ny + y) * grid.nx;
            for (int x = i; x <= std::min(i + 2, grid.nx - 1); ++x) of.add(row[x]);
          }
        const float least = grid.value_step * static_cast<float>(of.least) -
                            0.5F * grid.slope_step * static_cast<float>(of.dx + of.dy + of.dz);
        if (!(least > kRounding * grid.radius)) bits_[block / 64] |= std::uint64_t{1} << block % 64;
      }
}

}  // namespace cutis
