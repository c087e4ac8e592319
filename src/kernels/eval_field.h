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

#if !defined(__CUDACC__)
/// The four integers of two neighbouring nodes as numbers.
[[gnu::always_inline]] inline void node_numbers(const GridNode* nodes, Float4& first, Float4& second) {
  typedef std::int16_t Shorts __attribute__((vector_size(16)));  // NOLINT: the attribute needs a typedef
  typedef std::int32_t Ints __attribute__((vector_size(16)));    // NOLINT
  static_assert(sizeof(GridNode) == 8);
  Shorts n;
  std::memcpy(&n, nodes, sizeof n);
  // Each integer twice makes one of 32 bits with its value in the upper half.
  const Ints low = reinterpret_cast<Ints>(__builtin_shufflevector(n, n, 0, 0, 1, 1, 2, 2, 3, 3));
  const Ints high = reinterpret_cast<Ints>(__builtin_shufflevector(n, n, 4, 4, 5, 5, 6, 6, 7, 7));
  first = __builtin_convertvector(low >> 16, Float4::Lanes);
  second = __builtin_convertvector(high >> 16, Float4::Lanes);
}
#endif

/// Distance at a point given in node numbers and its slope per cell. The point must lie inside the grid.
///
/// Each corner c predicts d_c + g_c.(p - p_c)/2; the trilinear blend of these is exact for quadratic functions
/// (trilinear values are too high by what the blended tangent planes are too low), continuous, third order, and its
/// own derivative is as cheap.
#if defined(__CUDACC__)
CUTIS_HD inline FieldSample<float> grid_distance(const GridView& grid, const Vec3f& p) {
  const auto cell = [](float x, int n) {
    return x <= 0 ? 0 : x >= static_cast<float>(n - 2) ? n - 2 : static_cast<int>(x);
  };
  const int i = cell(p.x, grid.nx), j = cell(p.y, grid.ny), k = cell(p.z, grid.nz);
  const float x = p.x - static_cast<float>(i), y = p.y - static_cast<float>(j), z = p.z - static_cast<float>(k);
  const float wx[2] = {1 - x, x}, wy[2] = {1 - y, y}, wz[2] = {1 - z, z};
  const float ox[2] = {x, x - 1}, oy[2] = {y, y - 1}, oz[2] = {z, z - 1};
  const GridNode* const base =
      grid.nodes + (static_cast<std::int64_t>(k) * grid.ny + j) * static_cast<std::int64_t>(grid.nx) + i;
  const std::int64_t row = grid.nx, slice = static_cast<std::int64_t>(grid.nx) * grid.ny;
  float value = 0;
  Vec3f slope;
  for (int c = 0; c < 2; ++c) {
    float value_z = 0, sx_z = 0, sy_z = 0;
    Vec3f own_z;
    for (int b = 0; b < 2; ++b) {
      const GridNode* const n = base + c * slice + b * row;
      const float rest = oy[b] * grid.slope_step, rise = oz[c] * grid.slope_step;
      const auto corner = [&](const GridNode& node, float along) {
        return grid.value_step * static_cast<float>(node.value) +
               along * grid.slope_step * static_cast<float>(node.dx) + rest * static_cast<float>(node.dy) +
               rise * static_cast<float>(node.dz);
      };
      const float v0 = corner(n[0], ox[0]), v1 = corner(n[1], ox[1]);
      const float v = wx[0] * v0 + wx[1] * v1;
      const float s = b == 0 ? -1.0F : 1.0F;
      value_z += wy[b] * v;
      sx_z += wy[b] * (v1 - v0);
      sy_z += s * v;
      own_z.x += wy[b] * (wx[0] * static_cast<float>(n[0].dx) + wx[1] * static_cast<float>(n[1].dx));
      own_z.y += wy[b] * (wx[0] * static_cast<float>(n[0].dy) + wx[1] * static_cast<float>(n[1].dy));
      own_z.z += wy[b] * (wx[0] * static_cast<float>(n[0].dz) + wx[1] * static_cast<float>(n[1].dz));
    }
    value += wz[c] * value_z;
    slope.x += wz[c] * (sx_z + grid.slope_step * own_z.x);
    slope.y += wz[c] * (sy_z + grid.slope_step * own_z.y);
    slope.z += (c == 0 ? -value_z : value_z) + wz[c] * grid.slope_step * own_z.z;
  }
  return {value, slope};
}
#else
/// Nodes per axis; what the last lane holds is of no meaning, here and below.
[[gnu::always_inline]] inline Float4 grid_sides(const GridView& grid) {
  typedef std::int32_t Ints __attribute__((vector_size(16)));  // NOLINT: the attribute needs a typedef
  Ints n;
  std::memcpy(&n, reinterpret_cast<const char*>(&grid) + offsetof(GridView, nx), sizeof n);
  return __builtin_convertvector(n, Float4::Lanes);
}

/// transform_point(grid.grid_from_rest, p), the same bits.
[[gnu::always_inline]] inline Float4 grid_place(const GridView& grid, const Vec3f& p) {
  const char* const columns = reinterpret_cast<const char*>(&grid) + offsetof(GridView, grid_from_rest);
  Float4 c[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&c[i].v, columns + i * sizeof(Vec3f), sizeof c[i].v);
  return (c[0] * Float4(p.x) + c[1] * Float4(p.y) + c[2] * Float4(p.z)) + c[3];
}

[[gnu::always_inline]] inline bool inside_grid(const GridView& grid, const Float4& at) {
  return (mask_less_equal(Float4(), at) & mask_less_equal(at, grid_sides(grid) - Float4(1)) & 7U) == 7U;
}

[[gnu::always_inline]] inline FieldSample<float> grid_distance(const GridView& grid, const Float4& at) {
  typedef std::int32_t Ints __attribute__((vector_size(16)));  // NOLINT
  const Float4 zero, last = grid_sides(grid) - Float4(2), low = select_greater(at, zero, at, zero);
  const Ints cell = __builtin_convertvector(select_greater(low, last, last, low).v, Ints);
  const Float4 rest = at - Float4(__builtin_convertvector(cell, Float4::Lanes));
  const float x = rest[0], y = rest[1], z = rest[2];
  const std::int64_t i = cell[0], j = cell[1], k = cell[2];
  const std::int64_t row = grid.nx, slice = row * grid.ny;
  const GridNode* const base = grid.nodes + k * slice + j * row + i;
  // With L the trilinear blend of the nodes' numbers (v and half slopes h) and D its differences along the axes, the
  // sum over the corners is L(v) - x(1-x) Dx(hx) - y(1-y) Dy(hy) - z(1-z) Dz(hz): all four numbers of a node at once.
  Float4 n[8];  // x fastest
  node_numbers(base, n[0], n[1]);
  node_numbers(base + row, n[2], n[3]);
  node_numbers(base + slice, n[4], n[5]);
  node_numbers(base + slice + row, n[6], n[7]);
  const Float4 x4 = __builtin_shufflevector(rest.v, rest.v, 0, 0, 0, 0);
  const Float4 y4 = __builtin_shufflevector(rest.v, rest.v, 1, 1, 1, 1);
  const Float4 z4 = __builtin_shufflevector(rest.v, rest.v, 2, 2, 2, 2);
  // Along z at the four corners of the cell's side, then along y at two; written out, not in loops, which -O2 keeps.
  const Float4 za = n[4] - n[0], zb = n[5] - n[1], zc = n[6] - n[2], zd = n[7] - n[3];
  const Float4 a = n[0] + z4 * za, b = n[1] + z4 * zb, c = n[2] + z4 * zc, d = n[3] + z4 * zd;
  const Float4 y0 = c - a, y1 = d - b, yz0 = zc - za, yz1 = zd - zb;
  const Float4 at0 = a + y4 * y0, at1 = b + y4 * y1, z0 = za + y4 * yz0, z1 = zb + y4 * yz1;
  const Float4 dx = at1 - at0, all = at0 + x4 * dx;
  const Float4 dxy = y1 - y0, dy = y0 + x4 * dxy;
  const Float4 dxz = z1 - z0, dz = z0 + x4 * dxz;
  const Float4 dyz = yz0 + x4 * (yz1 - yz0);
  const float xx = x * (1 - x), yy = y * (1 - y), zz = z * (1 - z), v = grid.value_step, h = grid.slope_step;
  return {v * all[0] - h * (xx * dx[1] + yy * dy[2] + zz * dz[3]),
          {v * dx[0] - h * ((1 - 2 * x) * dx[1] + yy * dxy[2] + zz * dxz[3]),
           v * dy[0] - h * ((1 - 2 * y) * dy[2] + xx * dxy[1] + zz * dyz[3]),
           v * dz[0] - h * ((1 - 2 * z) * dz[3] + xx * dxz[1] + yy * dyz[2])}};
}
inline FieldSample<float> grid_distance(const GridView& grid, const Vec3f& p) {
  return grid_distance(grid, Float4(p.x, p.y, p.z, 0));
}
#endif

CUTIS_HD inline bool inside_grid(const GridView& grid, const Vec3f& p) {
  return p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x <= static_cast<float>(grid.nx - 1) &&
         p.y <= static_cast<float>(grid.ny - 1) && p.z <= static_cast<float>(grid.nz - 1);
}

#if defined(__CUDACC__)
CUTIS_HD inline Vec3f grid_place(const GridView& grid, const Vec3f& p) {
  return transform_point(grid.grid_from_rest, p);
}
#endif

/// f and its gradient at a point of rest space; both 0 outside the grid.
CUTIS_HD inline FieldSample<float> eval_field(const GridView& grid, const Vec3f& p_rest) {
  const auto p = grid_place(grid, p_rest);
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
