// kernels/eval_field.h over packs of points in one grid, the same bits. Included once per instruction set.
#if defined(CUTIS_BACKENDS_SIMD_EVAL_FIELD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CUTIS_BACKENDS_SIMD_EVAL_FIELD_INL_H_
#undef CUTIS_BACKENDS_SIMD_EVAL_FIELD_INL_H_
#else
#define CUTIS_BACKENDS_SIMD_EVAL_FIELD_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "backends/simd/packs-inl.h"
#include "kernels/eval_field.h"

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

using IntTag = hn::RebindToSigned<PackTag>;
using Ints = hn::Vec<IntTag>;

struct PackSample {
  Pack value;
  Pack3 gradient;
};

#define CUTIS_RULE HWY_INLINE
#include "kernels/grid_cell-inl.h"
#undef CUTIS_RULE

// The cell along an axis of `n` nodes, and where in it.
HWY_INLINE void find_cell(Pack at, int n, Ints& cell, Pack& rest) {
  const Pack zero = hn::Zero(PackTag()), last = set(static_cast<float>(n) - 2);
  const Pack low = hn::IfThenElse(hn::Gt(at, zero), at, zero);
  cell = hn::ConvertTo(IntTag(), hn::IfThenElse(hn::Gt(low, last), last, low));
  rest = hn::Sub(at, hn::ConvertTo(PackTag(), cell));
}

// Two nodes side by side, per lane; a node is two words of 32 bits: value and dx, dy and dz.
struct NodePair {
  Ints first[2], second[2];
};
// Pairs of nodes from `from[c]` on, node[lane] further, for the four edges of a cell along x. Gather instructions take
// longer than loads of 16 bytes a lane, and a transposition.
#if HWY_TARGET == HWY_SCALAR  // a machine without vectors: packs of one
HWY_INLINE void load_node_pairs(const GridNode* const (&from)[4], const std::int32_t* node, NodePair (&pairs)[4]) {
  const IntTag d;
  for (int c = 0; c < 4; ++c) {
    std::int32_t words[4];
    std::memcpy(words, from[c] + *node, sizeof words);
    pairs[c] = {{hn::Set(d, words[0]), hn::Set(d, words[1])}, {hn::Set(d, words[2]), hn::Set(d, words[3])}};
  }
}
#else
HWY_INLINE void load_node_pairs(const GridNode* const (&from)[4], const std::int32_t* node, NodePair (&pairs)[4]) {
  const IntTag d;
  const hn::Repartition<std::int64_t, IntTag> wide;
  const hn::Repartition<std::int16_t, IntTag> shorts;
  Ints r[4][4];
  for (std::size_t lane = 0; lane < 4; ++lane)
    for (int c = 0; c < 4; ++c)
      r[c][lane] =
          hn::BitCast(d, load_rows(shorts, [&](std::size_t other) { return &(from[c] + node[lane + other])->value; }));
  for (int c = 0; c < 4; ++c) {
    const auto a01 = hn::BitCast(wide, hn::InterleaveLower(d, r[c][0], r[c][1])),
               a23 = hn::BitCast(wide, hn::InterleaveLower(d, r[c][2], r[c][3])),
               b01 = hn::BitCast(wide, hn::InterleaveUpper(d, r[c][0], r[c][1])),
               b23 = hn::BitCast(wide, hn::InterleaveUpper(d, r[c][2], r[c][3]));
    pairs[c] = {
        {hn::BitCast(d, hn::InterleaveLower(wide, a01, a23)), hn::BitCast(d, hn::InterleaveUpper(wide, a01, a23))},
        {hn::BitCast(d, hn::InterleaveLower(wide, b01, b23)), hn::BitCast(d, hn::InterleaveUpper(wide, b01, b23))}};
  }
}
#endif

HWY_INLINE PackSample grid_distance(const GridView& grid, const Pack3& at) {
  const IntTag di;
  const PackTag d;
  Ints i, j, k;
  Pack x, y, z;
  find_cell(at.x, grid.nx, i, x);
  find_cell(at.y, grid.ny, j, y);
  find_cell(at.z, grid.nz, k, z);
  const int row = grid.nx, slice = grid.nx * grid.ny;
  HWY_ALIGN std::int32_t node[hn::MaxLanes(di)];
  hn::Store(hn::Add(hn::Add(hn::Mul(k, hn::Set(di, slice)), hn::Mul(j, hn::Set(di, row))), i), di, node);
  keep_in_memory(node);
  const GridNode* const from[4] = {grid.nodes, grid.nodes + row, grid.nodes + slice, grid.nodes + slice + row};
  NodePair pairs[4];
  load_node_pairs(from, node, pairs);
  // Numbers stay in the upper half of their word: 65536 times as large, which the steps take back without rounding.
  constexpr float kBack = 1.0F / 65536;
  Pack value[8], hx[8], hy[8], hz[8];
  const auto numbers = [&](int c, Ints first, Ints second) HWY_ATTR {
    const Ints upper = hn::Set(di, static_cast<std::int32_t>(0xffff0000U));
    value[c] = hn::ConvertTo(d, hn::ShiftLeft<16>(first));
    hx[c] = hn::ConvertTo(d, hn::And(first, upper));
    hy[c] = hn::ConvertTo(d, hn::ShiftLeft<16>(second));
    hz[c] = hn::ConvertTo(d, hn::And(second, upper));
  };
  for (int c = 0; c < 4; ++c) {
    numbers(2 * c, pairs[c].first[0], pairs[c].first[1]);
    numbers(2 * c + 1, pairs[c].second[0], pairs[c].second[1]);
  }
  const CellSample<Pack> s =
      cell_sample(blend_cell(value, x, y, z), blend_cell(hx, x, y, z), blend_cell(hy, x, y, z), blend_cell(hz, x, y, z),
                  x, y, z, set(kBack * grid.value_step), set(kBack * grid.slope_step));
  return {s.value, {s.dx, s.dy, s.dz}};
}

HWY_INLINE Pack3 columns_times(const Mat3f& m, const Pack3& v) {
  const auto column = [&](int c, Pack s) HWY_ATTR {
    return Pack3{hn::Mul(set(m.col[static_cast<std::size_t>(c)].x), s),
                 hn::Mul(set(m.col[static_cast<std::size_t>(c)].y), s),
                 hn::Mul(set(m.col[static_cast<std::size_t>(c)].z), s)};
  };
  return add(add(column(0, v.x), column(1, v.y)), column(2, v.z));
}

HWY_INLINE PackMask inside_axis(Pack at, int n) {
  return hn::And(hn::Ge(at, hn::Zero(PackTag())), hn::Le(at, set(static_cast<float>(n) - 1)));
}

HWY_INLINE Pack3 transform(const Affine3f& m, const Pack3& p) {
  return add(columns_times(m.linear, p), {set(m.translation.x), set(m.translation.y), set(m.translation.z)});
}

// kernels/compact.h
HWY_INLINE void compact_pack(const GridView& grid, Pack distance, Pack& f, Pack& slope) {
  const Pack zero = hn::Zero(PackTag()), one = set(1);
  const float inverse = 1 / grid.radius;
  const Pack x = hn::Mul(distance, set(inverse)), x2 = hn::Mul(x, x), rest = hn::Sub(one, x2);
  if (grid.map == CompactMap::cubic) {
    f = hn::Add(set(0.5F), hn::Mul(x, hn::Sub(hn::Mul(set(0.25F), x2), set(0.75F))));
    slope = hn::Mul(hn::Mul(set(-0.75F), rest), set(inverse));
  } else {
    const Pack inner = hn::Sub(set(0.625F), hn::Mul(set(0.1875F), x2));
    f = hn::Add(set(0.5F), hn::Mul(x, hn::Add(set(-0.9375F), hn::Mul(x2, inner))));
    slope = hn::Mul(hn::Mul(hn::Mul(set(-0.9375F), rest), rest), set(inverse));
  }
  const PackMask deep = hn::Le(x, set(-1)), within = hn::AndNot(deep, hn::Lt(x, one));
  const PackMask full = hn::Or(deep, hn::And(within, hn::Ge(f, one)));
  const PackMask partial = hn::And(hn::And(within, hn::Gt(f, zero)), hn::Lt(f, one));
  f = hn::IfThenElse(full, one, hn::IfThenElseZero(partial, f));
  slope = hn::IfThenElseZero(partial, slope);
}

HWY_INLINE PackMask inside_grid(const GridView& grid, const Pack3& at) {
  return hn::And(hn::And(inside_axis(at.x, grid.nx), inside_axis(at.y, grid.ny)), inside_axis(at.z, grid.nz));
}

// Without muscles.
HWY_INLINE PackSample eval_grid(const GridView& grid, const Pack3& p) {
  const Pack zero = hn::Zero(PackTag());
  const Pack3 at = transform(grid.grid_from_rest, p);
  const PackMask inside = inside_grid(grid, at);
  if (hn::AllFalse(PackTag(), inside)) return {zero, {zero, zero, zero}};
  const PackSample s = grid_distance(grid, at);
  Pack f, slope;
  compact_pack(grid, s.value, f, slope);
  const Pack3 gradient = mul(slope, columns_times(grid.rest_from_slope, s.gradient));
  return {hn::IfThenElseZero(inside, f),
          {hn::IfThenElseZero(inside, gradient.x), hn::IfThenElseZero(inside, gradient.y),
           hn::IfThenElseZero(inside, gradient.z)}};
}

// The value alone, without muscles.
HWY_INLINE Pack eval_grid_value(const GridView& grid, const Pack3& p) {
  const Pack3 at = transform(grid.grid_from_rest, p);
  const PackMask inside = inside_grid(grid, at);
  if (hn::AllFalse(PackTag(), inside)) return hn::Zero(PackTag());
  Pack f, slope;
  compact_pack(grid, grid_distance(grid, at).value, f, slope);
  return hn::IfThenElseZero(inside, f);
}

// Lane by lane: a field with muscles.
HWY_INLINE PackSample eval_lanes(const GridView& grid, const Pack3& p) {
  const PackTag d;
  HWY_ALIGN float numbers[4][hn::MaxLanes(PackTag())];
  hn::Store(p.x, d, numbers[0]);
  hn::Store(p.y, d, numbers[1]);
  hn::Store(p.z, d, numbers[2]);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    const FieldSample<float> s = eval_field(grid, {numbers[0][i], numbers[1][i], numbers[2][i]});
    numbers[0][i] = s.gradient.x;
    numbers[1][i] = s.gradient.y;
    numbers[2][i] = s.gradient.z;
    numbers[3][i] = s.value;
  }
  return {hn::Load(d, numbers[3]), {hn::Load(d, numbers[0]), hn::Load(d, numbers[1]), hn::Load(d, numbers[2])}};
}
inline HWY_NOINLINE PackSample look_up(const GridView& grid, const Pack3& p) {
  return grid.muscle_count > 0 ? eval_lanes(grid, p) : eval_grid(grid, p);
}
inline HWY_NOINLINE Pack look_up_value(const GridView& grid, const Pack3& p) {
  return grid.muscle_count > 0 ? eval_lanes(grid, p).value : eval_grid_value(grid, p);
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#endif  // per instruction set
