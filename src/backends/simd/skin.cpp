// kernels/skin.h over packs of vertices; one text for all instruction sets, chosen at run time. Bit for bit the scalar
// back end.
//
// Gathering twelve numbers of four bones for every lane would cost more than all else. So bones are blended vertex by
// vertex, as many numbers of a bone at a time as a register holds, into a tile that stays in the first-level cache;
// packs are then cut across the tile's rows.
#include "backends/simd/skin.h"

#include <algorithm>
#include <cstring>

#include "base/parallel_for.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/simd/skin.cpp"
#include <hwy/foreach_target.h>  // first: compiles the rest of this file once per instruction set

#include "backends/simd/packs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

// Vertices a tile: 4 KB of matrices, and a multiple of every pack.
constexpr std::size_t kTile = 64;
constexpr std::size_t kMatrix = sizeof(SkinMatrix) / sizeof(float), kDualQuat = sizeof(SkinDualQuat) / sizeof(float);
static_assert(kTile % hn::MaxLanes(PackTag()) == 0 && sizeof(Vec3f) == 3 * sizeof(float));

const float* floats(const Vec3f* p) { return &p->x; }
float* floats(Vec3f* p) { return &p->x; }

// Vertices [first, last) of a tile.
struct Tile {
  std::size_t first, last;
};

template <std::size_t kRow>
HWY_INLINE void blend_row(const InfluenceBlock* first, const InfluenceBlock* last, const float* palette, float* row) {
  const hn::CappedTag<float, kRow> d;
  for (std::size_t j = 0; j < kRow; j += hn::Lanes(d)) {
    auto sum = hn::Zero(d);
    for (const InfluenceBlock* b = first; b != last; ++b)
      for (std::size_t k = 0; k < 4; ++k)
        sum = hn::Add(sum, hn::Mul(hn::Set(d, b->weight[k]), hn::Load(d, palette + b->bone[k] * kRow + j)));
    hn::Store(sum, d, row + j);
  }
}

// A row per vertex; the last pack is filled up with its last vertex.
template <std::size_t kRow>
void blend_tile(const Rig& rig, const Tile& tile, const float* palette, float* rows) {
  const std::size_t lanes = hn::Lanes(PackTag()), count = tile.last - tile.first;
  const InfluenceBlock* blocks = rig.blocks.data();
  if (rig.block_begin.empty()) {
    for (std::size_t i = 0; i < count; ++i) {
      const InfluenceBlock* block = blocks + tile.first + i;
      blend_row<kRow>(block, block + 1, palette, rows + i * kRow);
    }
  } else {
    const std::uint32_t* begin = rig.block_begin.data() + tile.first;
    for (std::size_t i = 0; i < count; ++i)
      blend_row<kRow>(blocks + begin[i], blocks + begin[i + 1], palette, rows + i * kRow);
  }
  for (std::size_t i = count; i % lanes != 0; ++i)
    std::memcpy(rows + i * kRow, rows + (count - 1) * kRow, kRow * sizeof(float));
}

// Vectors of vertices [v, v + count); lanes past the end repeat the last.
HWY_INLINE Pack3 load_vertices(const Vec3f* from, std::size_t count) {
  const std::size_t lanes = hn::Lanes(PackTag());
  if (count >= lanes) return load3(floats(from));
  Vec3f buffer[hn::MaxLanes(PackTag())];
  for (std::size_t i = 0; i < lanes; ++i) buffer[i] = from[std::min(i, count - 1)];
  return load3(floats(buffer));
}
HWY_INLINE void store_vertices(const Pack3& a, std::size_t count, Vec3f* to) {
  const std::size_t lanes = hn::Lanes(PackTag());
  if (count >= lanes) return store3(a, floats(to));
  Vec3f buffer[hn::MaxLanes(PackTag())];
  store3(a, floats(buffer));
  std::copy_n(buffer, count, to);
}

// Columns of an affine map.
struct PackMatrix {
  Pack3 a, b, c, t;
};
HWY_INLINE Pack3 first_three(const Pack4& p) { return {p.x, p.y, p.z}; }
HWY_INLINE PackMatrix load_matrices(const float* rows) {
  return {first_three(load_transposed(rows, kMatrix)), first_three(load_transposed(rows + 4, kMatrix)),
          first_three(load_transposed(rows + 8, kMatrix)), first_three(load_transposed(rows + 12, kMatrix))};
}
HWY_INLINE Pack3 apply_point(const PackMatrix& m, const Pack3& p) {
  return add(add(add(mul(p.x, m.a), mul(p.y, m.b)), mul(p.z, m.c)), m.t);
}
HWY_INLINE Pack3 apply_normal(const PackMatrix& m, const Pack3& n) {
  const Pack3 v = add(add(mul(n.x, cross(m.b, m.c)), mul(n.y, cross(m.c, m.a))), mul(n.z, cross(m.a, m.b)));
  const Pack length = hn::Sqrt(dot(v, v));
  // NaN is not above zero.
  const PackMask usable = hn::And(hn::Gt(length, set(0)), hn::Lt(length, set(std::numeric_limits<float>::infinity())));
  return select(usable, {hn::Div(v.x, length), hn::Div(v.y, length), hn::Div(v.z, length)}, n);
}

void linear(const Rig& rig, const BonePalette& palette, std::size_t begin, std::size_t end, Vec3f* positions,
            Vec3f* normals) {
  HWY_ALIGN float rows[kTile * kMatrix];
  const std::size_t lanes = hn::Lanes(PackTag());
  const auto* matrices = reinterpret_cast<const float*>(palette.matrices.data());
  for (Tile tile{begin, 0}; tile.first < end; tile.first = tile.last) {
    tile.last = std::min(end, tile.first + kTile);
    blend_tile<kMatrix>(rig, tile, matrices, rows);
    for (std::size_t v = tile.first; v < tile.last; v += lanes) {
      const std::size_t count = tile.last - v;
      const PackMatrix m = load_matrices(rows + (v - tile.first) * kMatrix);
      store_vertices(apply_point(m, load_vertices(&rig.rest_positions[v], count)), count, positions + v);
      if (normals != nullptr)
        store_vertices(apply_normal(m, load_vertices(&rig.rest_normals[v], count)), count, normals + v);
    }
  }
}

// The heaviest bone's motion, and stretch where there is one, where the blend cancels.
void replace_cancelled(const Rig& rig, const Tile& tile, const BonePalette& palette, float* rows, float* stretch_rows) {
  for (std::size_t v = tile.first; v < tile.last; ++v) {
    float* q = rows + (v - tile.first) * kDualQuat;
    if (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > kCancelled) continue;
    const std::uint32_t bone = rig.blocks[rig.block_begin.empty() ? v : rig.block_begin[v]].bone[0];
    std::memcpy(q, &palette.rigid[bone], kDualQuat * sizeof(float));
    if (palette.stretches.turned)
      std::memcpy(stretch_rows + (v - tile.first) * kMatrix, &palette.stretches.bones[bone], kMatrix * sizeof(float));
  }
}

HWY_INLINE Pack squared(const Pack4& q) {
  return hn::Add(hn::Add(hn::Add(hn::Mul(q.x, q.x), hn::Mul(q.y, q.y)), hn::Mul(q.z, q.z)), hn::Mul(q.w, q.w));
}

struct PackMotion {
  Pack3 axis;  // of the rotation, w beside it
  Pack w;
  Pack3 translation;
};
HWY_INLINE PackMotion rigid_motion(const Pack4& real, const Pack4& dual) {
  const Pack s = hn::Div(set(1), hn::Sqrt(squared(real)));
  const Pack3 rv = {hn::Mul(real.x, s), hn::Mul(real.y, s), hn::Mul(real.z, s)};
  const Pack3 dv = {hn::Mul(dual.x, s), hn::Mul(dual.y, s), hn::Mul(dual.z, s)};
  const Pack rw = hn::Mul(real.w, s), dw = hn::Mul(dual.w, s);
  return {rv, rw, mul(set(2), add(sub(mul(rw, dv), mul(dw, rv)), cross(rv, dv)))};
}
HWY_INLINE Pack3 rotate(const PackMotion& m, const Pack3& p) {
  const Pack3 t = mul(set(2), cross(m.axis, p));
  return add(add(p, mul(m.w, t)), cross(m.axis, t));
}

HWY_INLINE Pack3 stretch_column(const Pack4& q, const Pack4& e, Pack per_squared) {
  const auto crossed = [](Pack a, Pack b, Pack c, Pack d) HWY_ATTR { return hn::Sub(hn::Mul(a, b), hn::Mul(c, d)); };
  const auto number = [&](Pack along, Pack across) HWY_ATTR { return hn::Mul(hn::Sub(along, across), per_squared); };
  return {number(crossed(q.w, e.x, e.w, q.x), crossed(q.y, e.z, q.z, e.y)),
          number(crossed(q.w, e.y, e.w, q.y), crossed(q.z, e.x, q.x, e.z)),
          number(crossed(q.w, e.z, e.w, q.z), crossed(q.x, e.y, q.y, e.x))};
}
HWY_INLINE PackMatrix stretch_of(const Pack4& real, const float* rows) {
  const Pack per_squared = hn::Div(set(1), squared(real));
  return {stretch_column(real, load_transposed(rows, kMatrix), per_squared),
          stretch_column(real, load_transposed(rows + 4, kMatrix), per_squared),
          stretch_column(real, load_transposed(rows + 8, kMatrix), per_squared),
          {set(0), set(0), set(0)}};
}

void dual_quaternion(const Rig& rig, const BonePalette& palette, std::size_t begin, std::size_t end, Vec3f* positions,
                     Vec3f* normals) {
  HWY_ALIGN float rows[kTile * kDualQuat];
  HWY_ALIGN float stretch_rows[kTile * kMatrix];
  const std::size_t lanes = hn::Lanes(PackTag());
  const auto* rigid = reinterpret_cast<const float*>(palette.rigid.data());
  const bool stretched = !palette.stretches.empty();
  for (Tile tile{begin, 0}; tile.first < end; tile.first = tile.last) {
    tile.last = std::min(end, tile.first + kTile);
    blend_tile<kDualQuat>(rig, tile, rigid, rows);
    if (stretched)
      blend_tile<kMatrix>(rig, tile, reinterpret_cast<const float*>(palette.stretches.bones.data()), stretch_rows);
    for (std::size_t v = tile.first; v < tile.last; v += lanes) {
      const std::size_t count = tile.last - v;
      const float* row = rows + (v - tile.first) * kDualQuat;
      Pack4 real = load_transposed(row, kDualQuat);
      if (HWY_UNLIKELY(!hn::AllFalse(PackTag(), hn::Le(squared(real), set(kCancelled))))) {
        replace_cancelled(rig, tile, palette, rows, stretch_rows);
        real = load_transposed(row, kDualQuat);
      }
      const PackMotion m = rigid_motion(real, load_transposed(row + 4, kDualQuat));
      Pack3 p = load_vertices(&rig.rest_positions[v], count);
      PackMatrix stretch{};
      if (stretched) {
        const float* stretch_row = stretch_rows + (v - tile.first) * kMatrix;
        stretch = palette.stretches.turned ? stretch_of(real, stretch_row) : load_matrices(stretch_row);
        p = apply_point(stretch, p);
      }
      store_vertices(add(rotate(m, p), m.translation), count, positions + v);
      if (normals == nullptr) continue;
      Pack3 n = load_vertices(&rig.rest_normals[v], count);
      if (stretched) n = apply_normal(stretch, n);
      store_vertices(rotate(m, n), count, normals + v);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cutis::simd {
namespace {

// Vertices a chunk, as in the scalar back end; a multiple of the tile.
constexpr std::size_t kGrain = 1024;

HWY_EXPORT(linear);
HWY_EXPORT(dual_quaternion);

}  // namespace

void skin_linear(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions, std::span<Vec3f> normals,
                 const Context& context) {
  parallel_for(context, rig.vertex_count(), kGrain, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(linear)
    (rig, palette, begin, end, positions.data(), normals.empty() ? nullptr : normals.data());
  });
}

void skin_dual_quaternion(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions,
                          std::span<Vec3f> normals, const Context& context) {
  parallel_for(context, rig.vertex_count(), kGrain, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(dual_quaternion)
    (rig, palette, begin, end, positions.data(), normals.empty() ? nullptr : normals.data());
  });
}

}  // namespace cutis::simd
#endif  // HWY_ONCE
