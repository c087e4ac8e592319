// Where a part's field may be felt: most of its grid lies outside its support.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/eval_field.h"

namespace cutis {

/// A bit for every block of 2 x 2 x 2 cells of a grid: 0 where the field is 0 in all of them.
class FilledBlocks {
 public:
  FilledBlocks() = default;
  explicit FilledBlocks(const GridView& grid);

  [[nodiscard]] bool holds(const Int4& cell) const {
    const std::size_t block = static_cast<std::size_t>(cell[2] >> 1) * slice_ +
                              static_cast<std::size_t>(cell[1] >> 1) * row_ + static_cast<std::size_t>(cell[0] >> 1);
    return holds(block);
  }
  [[nodiscard]] bool holds(std::size_t block) const { return (bits_[block / 64] >> block % 64 & 1U) != 0; }
  /// Blocks along x; x and y.
  [[nodiscard]] std::size_t row() const { return row_; }
  [[nodiscard]] std::size_t slice() const { return slice_; }

 private:
  std::vector<std::uint64_t> bits_;
  std::size_t row_ = 0, slice_ = 0;  // blocks
};

/// part_value() of kernels/skin_residual.h, the same bits; `filled`: of the part.
[[gnu::always_inline]] inline float part_value(const GridView& part, const FilledBlocks& filled, const Vec3f& p_posed) {
  if (part.nodes == nullptr) return 0;
  const Float4 p = grid_place(part, p_posed);
  if (!inside_grid(part, p)) return 0;
  const Float4 last = grid_sides(part) - Float4(2);
  if (!filled.holds(truncated(select_greater(p, last, last, p)))) return 0;
  return compact(part.map, grid_distance(part, p).value, part.radius).value;
}

}  // namespace cutis
