// One part's field at one point: the lookup in a grid of distances with gradients, and its muscles.
//
// The grid stores the distance, negative inside, not f: the distance is far smoother, and the compact map costs a few
// multiplications.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/float4.h"
#include "base/math.h"
#include "kernels/compact.h"
#include "kernels/muscle.h"

namespace cutis {

/// Distance and gradient at a node, as integers: value * value_step, and per axis the change over half a cell in the
/// same unit.
struct GridNode {
  std::int16_t value = 0, dx = 0, dy = 0, dz = 0;
};

/// A grid without its memory. Cells are cubes; x runs fastest.
struct GridView {
  const GridNode* nodes = nullptr;
  int nx = 0, ny = 0, nz = 0;  ///< nodes per axis, at least 2
  Affine3f grid_from_rest;     ///< rest space to node numbers
  Mat3f rest_from_slope;       ///< a slope per cell to a gradient in rest space
  float value_step = 0;        ///< metres
  float slope_step = 0;        ///< metres per half cell
  float radius = 1;
  CompactMap map = CompactMap::quintic;
  const MuscleView* muscles = nullptr;  ///< of the part, in the same space; their support lies within the grid
  int muscle_count = 0;
};

#if defined(__CUDACC__)
/// The four integers of two neighbouring nodes as numbers.
CUTIS_HD inline void node_numbers(const GridNode* nodes, Float4& first, Float4& second) {
  const auto numbers = [](const GridNode& n) {
    return Float4(static_cast<float>(n.value), static_cast<float>(n.dx), static_cast<float>(n.dy),
                  static_cast<float>(n.dz));
  };
  first = numbers(nodes[0]);
  second = numbers(nodes[1]);
}

/// Nodes per axis; what the last lane holds is of no meaning, here and below.
CUTIS_HD inline Float4 grid_sides(const GridView& grid) {
  return {static_cast<float>(grid.nx), static_cast<float>(grid.ny), static_cast<float>(grid.nz), 0};
}

/// A column of grid_from_rest, the translation for 3.
CUTIS_HD inline Float4 grid_column(const GridView& grid, int i) {
  const Vec3f& c = i < 3 ? grid.grid_from_rest.linear.col[i] : grid.grid_from_rest.translation;
  return {c.x, c.y, c.z, 0};
}
#else
[[gnu::always_inline]] inline void node_numbers(const GridNode* nodes, Float4& first, Float4& second) {
  typedef std::int16_t Shorts __attribute__((vector_size(16)));  // NOLINT: the attribute needs a typedef
  using Ints = Int4::Lanes;
  static_assert(sizeof(GridNode) == 8);
  Shorts n;
  std::memcpy(&n, nodes, sizeof n);
  // Each integer twice makes one of 32 bits with its value in the upper half.
  const Ints low = reinterpret_cast<Ints>(__builtin_shufflevector(n, n, 0, 0, 1, 1, 2, 2, 3, 3));
  const Ints high = reinterpret_cast<Ints>(__builtin_shufflevector(n, n, 4, 4, 5, 5, 6, 6, 7, 7));
  first = to_float({low >> 16});
  second = to_float({high >> 16});
}

[[gnu::always_inline]] inline Float4 grid_sides(const GridView& grid) {
  Int4 n;
  std::memcpy(&n.v, reinterpret_cast<const char*>(&grid) + offsetof(GridView, nx), sizeof n.v);
  return to_float(n);
}

[[gnu::always_inline]] inline Float4 grid_column(const GridView& grid, int i) {
  Float4 c;
  std::memcpy(&c.v, reinterpret_cast<const char*>(&grid) + offsetof(GridView, grid_from_rest) + i * sizeof(Vec3f),
              sizeof c.v);
  return c;
}
#endif

/// transform_point(grid.grid_from_rest, p), the same bits.
CUTIS_HD [[gnu::always_inline]] inline Float4 grid_place(const GridView& grid, const Vec3f& p) {
  return (grid_column(grid, 0) * Float4(p.x) + grid_column(grid, 1) * Float4(p.y) +
          grid_column(grid, 2) * Float4(p.z)) +
         grid_column(grid, 3);
}

CUTIS_HD [[gnu::always_inline]] inline bool inside_grid(const GridView& grid, const Float4& at) {
  return (mask_less_equal(Float4(), at) & mask_less_equal(at, grid_sides(grid) - Float4(1)) & 7U) == 7U;
}

#define CUTIS_RULE CUTIS_HD [[gnu::always_inline]] inline
#include "kernels/grid_cell-inl.h"
#undef CUTIS_RULE

/// Distance at a point given in node numbers and its slope per cell. The point must lie inside the grid.
CUTIS_HD [[gnu::always_inline]] inline FieldSample<float> grid_distance(const GridView& grid, const Float4& at) {
  const Float4 zero, last = grid_sides(grid) - Float4(2), low = select_greater(at, zero, at, zero);
  const Int4 cell = truncated(select_greater(low, last, last, low));
  const Float4 rest = at - to_float(cell);
  const std::int64_t row = grid.nx, slice = row * grid.ny;
  const GridNode* const base = grid.nodes + cell[2] * slice + cell[1] * row + cell[0];
  Float4 n[8];  // x fastest
  node_numbers(base, n[0], n[1]);
  node_numbers(base + row, n[2], n[3]);
  node_numbers(base + slice, n[4], n[5]);
  node_numbers(base + slice + row, n[6], n[7]);
  // All four numbers of a node at once.
  const CellBlend<Float4> all = blend_cell(n, broadcast<0>(rest), broadcast<1>(rest), broadcast<2>(rest));
  const auto number = [&](int i) {
    return CellBlend<float>{all.all[i], all.dx[i], all.dy[i], all.dz[i], all.dxy[i], all.dxz[i], all.dyz[i]};
  };
  const CellSample<float> s = cell_sample(number(0), number(1), number(2), number(3), rest[0], rest[1], rest[2],
                                          grid.value_step, grid.slope_step);
  return {s.value, {s.dx, s.dy, s.dz}};
}
CUTIS_HD inline FieldSample<float> grid_distance(const GridView& grid, const Vec3f& p) {
  return grid_distance(grid, Float4(p.x, p.y, p.z, 0));
}

CUTIS_HD inline bool inside_grid(const GridView& grid, const Vec3f& p) {
  return p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x <= static_cast<float>(grid.nx - 1) &&
         p.y <= static_cast<float>(grid.ny - 1) && p.z <= static_cast<float>(grid.nz - 1);
}

/// f and its gradient at a point of rest space; both 0 outside the grid.
CUTIS_HD inline FieldSample<float> eval_field(const GridView& grid, const Vec3f& p_rest) {
  const Float4 p = grid_place(grid, p_rest);
  if (!inside_grid(grid, p)) return {};
  const FieldSample<float> d = grid_distance(grid, p);
  const CompactSample<float> f = compact(grid.map, d.value, grid.radius);
  FieldSample<float> sample{f.value, grid.rest_from_slope * d.gradient * f.slope};
  for (int i = 0; i < grid.muscle_count; ++i)
    sample = soft_union(sample, eval_muscle(grid.muscles[i], grid.map, grid.radius, p_rest));
  return sample;
}

/// The grid of a part that moves: looked up in the space that `posed_from_rest` leads to. The motion must be
/// invertible. Without muscles: they have a pose of their own (rig/muscles.h).
inline GridView posed(const GridView& grid, const Affine3d& posed_from_rest) {
  GridView view = grid;
  view.muscles = nullptr;
  view.muscle_count = 0;
  const Affine3d rest_from_posed = inverse(posed_from_rest);
  const Affine3d grid_from_posed = convert<double>(grid.grid_from_rest) * rest_from_posed;
  view.grid_from_rest = convert<float>(grid_from_posed);
  view.rest_from_slope = convert<float>(transpose(rest_from_posed.linear) * convert<double>(grid.rest_from_slope));
  return view;
}

}  // namespace cutis
