// kernels/skin.h over packs of vertices; one text for all instruction sets, chosen at run time. Bit for bit the scalar
// back end.
//
// Gathering twelve numbers of four bones for every lane would cost more than all else. So bones are blended vertex by
// vertex, as many numbers of a bone at a time as a register holds, into a tile that stays in the first-level cache;
// packs are then cut across the tile's rows. Vertices come in groups (skin_groups.h): with as many bones each, so that
// nothing is multiplied by 0; those of one bone need no blend.
#include "backends/simd/skin.h"

#include <algorithm>
#include <cstring>

#include "backends/simd/skin_groups.h"
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

// Places [first, last) of a run.
struct Tile {
  const SkinGroups::Run& run;
  std::size_t first, last;
};

template <std::size_t kRow, std::size_t kBones>
HWY_INLINE void blend_rows(const InfluenceBlock* blocks, std::size_t count, const float* palette, float* rows) {
  const hn::CappedTag<float, kRow> d;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < kRow; j += hn::Lanes(d)) {
      auto sum = hn::Zero(d);
      for (std::size_t k = 0; k < kBones; ++k)
        sum =
            hn::Add(sum, hn::Mul(hn::Set(d, blocks[i].weight[k]), hn::Load(d, palette + blocks[i].bone[k] * kRow + j)));
      hn::Store(sum, d, rows + i * kRow + j);
    }
}

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

// A row per place; the last pack is filled up with its last one.
template <std::size_t kRow>
void blend_tile(const Skinned& skin, const Tile& tile, const float* palette, float* rows) {
  const std::size_t lanes = hn::Lanes(PackTag()), count = tile.last - tile.first;
  const InfluenceBlock* blocks = skin.groups.blocks.data() + tile.first;
  switch (tile.run.bones) {
    case 1:
      blend_rows<kRow, 1>(blocks, count, palette, rows);
      break;
    case 2:
      blend_rows<kRow, 2>(blocks, count, palette, rows);
      break;
    case 3:
      blend_rows<kRow, 3>(blocks, count, palette, rows);
      break;
    case 4:
      blend_rows<kRow, 4>(blocks, count, palette, rows);
      break;
    default: {
      const Rig& rig = skin.rig;
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t v = skin.groups.vertex[tile.first + i];
        blend_row<kRow>(rig.blocks.data() + rig.block_begin[v], rig.blocks.data() + rig.block_begin[v + 1], palette,
                        rows + i * kRow);
      }
    }
  }
  for (std::size_t i = count; i % lanes != 0; ++i)
    std::memcpy(rows + i * kRow, rows + (count - 1) * kRow, kRow * sizeof(float));
}

HWY_INLINE Pack3 load_places(const std::vector<Vec3f>& from, std::size_t place) { return load3(floats(&from[place])); }

// To the vertices of the places; `count` may be more than a pack.
HWY_INLINE void store_places(const Pack3& a, const std::uint32_t* vertex, std::size_t count, Vec3f* to) {
  const std::size_t lanes = hn::Lanes(PackTag());
  if (count >= lanes && vertex[lanes - 1] - vertex[0] == lanes - 1) return store3(a, floats(to + vertex[0]));
  Vec3f buffer[hn::MaxLanes(PackTag())];
  store3(a, floats(buffer));
  for (std::size_t i = 0; i < std::min(count, lanes); ++i) to[vertex[i]] = buffer[i];
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

// body(tile) for all of the places [begin, end).
template <class Body>
HWY_INLINE void each_tile(const SkinGroups& groups, std::size_t begin, std::size_t end, const Body& body) {
  auto run = std::upper_bound(groups.runs.begin(), groups.runs.end(), begin,
                              [](std::size_t place, const SkinGroups::Run& r) { return place < r.end; });
  for (std::size_t first = begin; first < end; ++run) {
    const std::size_t stop = std::min<std::size_t>(end, run->end);
    const std::size_t most = run->alone >= 0 ? stop - first : kTile;
    for (; first < stop; first = std::min(stop, first + most)) body(Tile{*run, first, std::min(stop, first + most)});
  }
}

// 0 + m, as a blend has it.
HWY_INLINE Pack3 spread3(const Float4& v) {
  return {hn::Add(zero(), set(v[0])), hn::Add(zero(), set(v[1])), hn::Add(zero(), set(v[2]))};
}
HWY_INLINE Pack4 spread4(const Float4& v) {
  const Pack3 a = spread3(v);
  return {a.x, a.y, a.z, hn::Add(zero(), set(v[3]))};
}

HWY_INLINE void move_linearly(const Skinned& skin, std::size_t place, std::size_t count, const PackMatrix& m) {
  const std::uint32_t* vertex = skin.groups.vertex.data() + place;
  store_places(apply_point(m, load_places(skin.groups.positions, place)), vertex, count, skin.positions);
  if (skin.normals != nullptr)
    store_places(apply_normal(m, load_places(skin.groups.normals, place)), vertex, count, skin.normals);
}

void linear(const Skinned& skin, std::size_t begin, std::size_t end) {
  HWY_ALIGN float rows[kTile * kMatrix];
  const std::size_t lanes = hn::Lanes(PackTag());
  const auto* matrices = reinterpret_cast<const float*>(skin.palette.matrices.data());
  each_tile(skin.groups, begin, end, [&](const Tile& tile) HWY_ATTR {
    if (tile.run.alone >= 0) {
      const SkinMatrix& bone = skin.palette.matrices[static_cast<std::size_t>(tile.run.alone)];
      const PackMatrix m{spread3(bone.col[0]), spread3(bone.col[1]), spread3(bone.col[2]), spread3(bone.col[3])};
      for (std::size_t i = tile.first; i < tile.last; i += lanes) move_linearly(skin, i, tile.last - i, m);
      return;
    }
    blend_tile<kMatrix>(skin, tile, matrices, rows);
    for (std::size_t i = tile.first; i < tile.last; i += lanes)
      move_linearly(skin, i, tile.last - i, load_matrices(rows + (i - tile.first) * kMatrix));
  });
}

// The heaviest bone's motion, and stretch where there is one, where the blend cancels.
void replace_cancelled(const Skinned& skin, const Tile& tile, float* rows, float* stretch_rows) {
  const BonePalette& palette = skin.palette;
  for (std::size_t i = tile.first; i < tile.last; ++i) {
    float* q = rows + (i - tile.first) * kDualQuat;
    if (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > kCancelled) continue;
    const std::uint32_t bone = skin.groups.blocks[i].bone[0];
    std::memcpy(q, &palette.rigid[bone], kDualQuat * sizeof(float));
    if (palette.stretches.turned)
      std::memcpy(stretch_rows + (i - tile.first) * kMatrix, &palette.stretches.bones[bone], kMatrix * sizeof(float));
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

// Rest places and normals of a skin that dual quaternions move, in the order of its groups.
struct RigidRest {
  const std::vector<Vec3f>&positions, &normals;
};
template <bool kStretched>
HWY_INLINE void move_rigidly(const Skinned& skin, const RigidRest& rest, std::size_t place, std::size_t count,
                             const PackMotion& m, const PackMatrix& stretch) {
  const std::uint32_t* vertex = skin.groups.vertex.data() + place;
  Pack3 p = load_places(rest.positions, place);
  if constexpr (kStretched) p = apply_point(stretch, p);
  store_places(add(rotate(m, p), m.translation), vertex, count, skin.positions);
  if (skin.normals == nullptr) return;
  Pack3 n = load_places(rest.normals, place);
  if constexpr (kStretched) n = apply_normal(stretch, n);
  store_places(rotate(m, n), vertex, count, skin.normals);
}

void dual_quaternion(const Skinned& skin, std::size_t begin, std::size_t end) {
  HWY_ALIGN float rows[kTile * kDualQuat];
  HWY_ALIGN float stretch_rows[kTile * kMatrix];
  const std::size_t lanes = hn::Lanes(PackTag());
  const SkinGroups& groups = skin.groups;
  const SkinStretches& stretches = skin.palette.stretches;
  const auto* rigid = reinterpret_cast<const float*>(skin.palette.rigid.data());
  const bool bound = stretches.bound, stretched = !stretches.empty() && !bound;
  const RigidRest rest{bound ? groups.bound : groups.positions, bound ? groups.bound_normals : groups.normals};
  const PackMatrix none{};
  const auto cancels = [](const Pack4& real)
                           HWY_ATTR { return !hn::AllFalse(PackTag(), hn::Le(squared(real), set(kCancelled))); };
  each_tile(groups, begin, end, [&](const Tile& whole) HWY_ATTR {
    if (whole.run.alone >= 0 && !stretched) {
      const SkinDualQuat& bone = skin.palette.rigid[static_cast<std::size_t>(whole.run.alone)];
      const PackMotion m = rigid_motion(spread4(bone.real), spread4(bone.dual));
      for (std::size_t i = whole.first; i < whole.last; i += lanes)
        move_rigidly<false>(skin, rest, i, whole.last - i, m, none);
      return;
    }
    for (Tile tile{whole.run, whole.first, 0}; tile.first < whole.last; tile.first = tile.last) {
      tile.last = std::min(whole.last, tile.first + kTile);
      blend_tile<kDualQuat>(skin, tile, rigid, rows);
      if (stretched)
        blend_tile<kMatrix>(skin, tile, reinterpret_cast<const float*>(stretches.bones.data()), stretch_rows);
      for (std::size_t i = tile.first; i < tile.last; i += lanes) {
        const float* row = rows + (i - tile.first) * kDualQuat;
        Pack4 real = load_transposed(row, kDualQuat);
        if (HWY_UNLIKELY(cancels(real))) {
          replace_cancelled(skin, tile, rows, stretch_rows);
          real = load_transposed(row, kDualQuat);
        }
        const PackMotion m = rigid_motion(real, load_transposed(row + 4, kDualQuat));
        if (!stretched) {
          move_rigidly<false>(skin, rest, i, tile.last - i, m, none);
          continue;
        }
        const float* stretch_row = stretch_rows + (i - tile.first) * kMatrix;
        const PackMatrix stretch = stretches.turned ? stretch_of(real, stretch_row) : load_matrices(stretch_row);
        move_rigidly<true>(skin, rest, i, tile.last - i, m, stretch);
      }
    }
  });
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
  const auto groups = skin_groups(rig);
  parallel_for(context, rig.vertex_count(), kGrain, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(linear)
    ({rig, *groups, palette, positions.data(), normals.empty() ? nullptr : normals.data()}, begin, end);
  });
}

void skin_dual_quaternion(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions,
                          std::span<Vec3f> normals, const Context& context) {
  const auto groups = skin_groups(rig);
  parallel_for(context, rig.vertex_count(), kGrain, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(dual_quaternion)
    ({rig, *groups, palette, positions.data(), normals.empty() ? nullptr : normals.data()}, begin, end);
  });
}

}  // namespace cutis::simd
#endif  // HWY_ONCE
