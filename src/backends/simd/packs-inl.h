// Packs: one number of as many vertices as a vector of the instruction set holds. Included once per instruction set.
//
// Formulas over packs round each product and each sum by itself, in the order of their scalar twins in kernels/: no
// fused multiply-add. So every instruction set gives the bits of the scalar back end.
#if defined(CUTIS_BACKENDS_SIMD_PACKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CUTIS_BACKENDS_SIMD_PACKS_INL_H_
#undef CUTIS_BACKENDS_SIMD_PACKS_INL_H_
#else
#define CUTIS_BACKENDS_SIMD_PACKS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <hwy/highway.h>

#include "base/float4.h"

#include <bit>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway
namespace hn = hwy::HWY_NAMESPACE;

using PackTag = hn::CappedTag<float, 16>;
using Pack = hn::Vec<PackTag>;
using PackMask = hn::Mask<PackTag>;

constexpr std::size_t kMostLanes = hn::MaxLanes(PackTag());

HWY_INLINE std::size_t lanes() { return hn::Lanes(PackTag()); }
inline Pack set(float s) { return hn::Set(PackTag(), s); }
HWY_INLINE Pack zero() { return hn::Zero(PackTag()); }

// Compilers would take numbers out of vectors one by one instead of loading them from where they were stored.
template <class T>
HWY_INLINE void keep_in_memory(T& numbers) {
  __asm__("" : "+m"(numbers));
}

struct Pack3 {
  Pack x, y, z;
};
struct Pack4 {
  Pack x, y, z, w;
};

HWY_INLINE Pack3 xyz(const Pack4& a) { return {a.x, a.y, a.z}; }
/// Of three rows of numbers, a coordinate each, from `lane` on.
template <std::size_t kNumbers>
HWY_INLINE Pack3 load(const float (&from)[3][kNumbers], std::size_t lane) {
  const PackTag d;
  return {hn::Load(d, from[0] + lane), hn::Load(d, from[1] + lane), hn::Load(d, from[2] + lane)};
}
template <std::size_t kNumbers>
HWY_INLINE void store(const Pack3& a, float (&to)[3][kNumbers], std::size_t lane) {
  const PackTag d;
  hn::Store(a.x, d, to[0] + lane);
  hn::Store(a.y, d, to[1] + lane);
  hn::Store(a.z, d, to[2] + lane);
}
/// 0 where `mask` is not.
HWY_INLINE Pack3 keep(PackMask mask, const Pack3& a) {
  return {hn::IfThenElseZero(mask, a.x), hn::IfThenElseZero(mask, a.y), hn::IfThenElseZero(mask, a.z)};
}
HWY_INLINE Pack3 add(const Pack3& a, const Pack3& b) {
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}
HWY_INLINE Pack3 sub(const Pack3& a, const Pack3& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE Pack3 mul(Pack s, const Pack3& a) { return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)}; }
HWY_INLINE Pack dot(const Pack3& a, const Pack3& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE Pack3 cross(const Pack3& a, const Pack3& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
HWY_INLINE Pack3 rotate(const Pack4& q, const Pack3& v) {
  const Pack3 u{q.x, q.y, q.z}, t = mul(set(2), cross(u, v));
  return add(add(v, mul(q.w, t)), cross(u, t));
}
HWY_INLINE Pack3 select(PackMask mask, const Pack3& yes, const Pack3& no) {
  return {hn::IfThenElse(mask, yes.x, no.x), hn::IfThenElse(mask, yes.y, no.y), hn::IfThenElse(mask, yes.z, no.z)};
}

// The lowest bit is the first lane.
HWY_INLINE std::uint32_t bits_of(PackMask mask) {
  std::uint32_t bits[2] = {};
  hn::StoreMaskBits(PackTag(), mask, reinterpret_cast<std::uint8_t*>(bits));
  return bits[0];
}
HWY_INLINE PackMask mask_of(std::uint32_t bits) {
  const std::uint64_t loaded = bits;
  return hn::LoadMaskBits(PackTag(), reinterpret_cast<const std::uint8_t*>(&loaded));
}
/// Of as many flags as a pack has lanes, 0 or 1 each.
HWY_INLINE std::uint32_t bits_of_flags(const char* flags) {
  std::uint32_t bits = 0;
  std::size_t i = 0;
  for (; i + 8 <= lanes(); i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, flags + i, sizeof eight);
    bits |= static_cast<std::uint32_t>(eight * 0x0102040810204080U >> 56) << i;  // flag k times bit 56 - 7 k
  }
  for (; i < lanes(); ++i) bits |= static_cast<std::uint32_t>(flags[i]) << i;
  return bits;
}
/// body(lane) of all that are set.
template <class Body>
HWY_INLINE void each_bit(std::uint32_t bits, const Body& body) {
  for (; bits != 0; bits &= bits - 1) body(static_cast<std::size_t>(std::countr_zero(bits)));
}

// Vectors in memory, x y z one after the other.
HWY_INLINE Pack3 load3(const float* from) {
  Pack3 a;
  hn::LoadInterleaved3(PackTag(), from, a.x, a.y, a.z);
  return a;
}
HWY_INLINE void store3(const Pack3& a, float* to) { hn::StoreInterleaved3(a.x, a.y, a.z, PackTag(), to); }

#if HWY_TARGET == HWY_SCALAR  // a machine without vectors: packs of one
// Rows of at least four floats, `stride` apart, one per vertex: their first four numbers as packs.
HWY_INLINE Pack4 load_transposed(const float* rows, std::size_t) {
  return {set(rows[0]), set(rows[1]), set(rows[2]), set(rows[3])};
}
// Rows of four floats that begin at `from + link[lane]`.
HWY_INLINE Pack4 load_linked(const float* from, const std::uint32_t* link) { return load_transposed(from + *link, 4); }
#else
// 16 bytes of every fourth lane, one after the other in a vector: from row(0), row(4), …
template <class D, class Row>
HWY_INLINE hn::Vec<D> load_rows(D d, const Row& row) {
  if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) > 16) {
    const hn::Half<D> half;
    constexpr std::size_t kLanes = hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) / 8;  // of four bytes, in a half
    return hn::Combine(d, load_rows(half, [&](std::size_t lane) { return row(kLanes + lane); }), load_rows(half, row));
  } else {
    return hn::LoadU(d, row(0));
  }
}

/// Columns of blocks of four by four, r0 to r3 being their rows.
HWY_INLINE Pack4 transposed(Pack r0, Pack r1, Pack r2, Pack r3) {
  const PackTag d;
  const hn::Repartition<double, PackTag> wide;
  const auto xy01 = hn::BitCast(wide, hn::InterleaveLower(d, r0, r1)),
             xy23 = hn::BitCast(wide, hn::InterleaveLower(d, r2, r3)),
             zw01 = hn::BitCast(wide, hn::InterleaveUpper(d, r0, r1)),
             zw23 = hn::BitCast(wide, hn::InterleaveUpper(d, r2, r3));
  return {hn::BitCast(d, hn::InterleaveLower(wide, xy01, xy23)), hn::BitCast(d, hn::InterleaveUpper(wide, xy01, xy23)),
          hn::BitCast(d, hn::InterleaveLower(wide, zw01, zw23)), hn::BitCast(d, hn::InterleaveUpper(wide, zw01, zw23))};
}

/// Rows of at least four floats, `stride` apart, one per vertex: their first four numbers as packs.
HWY_INLINE Pack4 load_transposed(const float* rows, std::size_t stride) {
  const auto every_fourth = [&](std::size_t first) HWY_ATTR {
    return load_rows(PackTag(), [&](std::size_t lane) { return rows + (first + lane) * stride; });
  };
  return transposed(every_fourth(0), every_fourth(1), every_fourth(2), every_fourth(3));
}
/// Rows of four floats that begin at `from + link[lane]`.
HWY_INLINE Pack4 load_linked(const float* from, const std::uint32_t* link) {
  const auto every_fourth = [&](std::size_t first) HWY_ATTR {
    return load_rows(PackTag(), [&](std::size_t lane) { return from + link[first + lane]; });
  };
  return transposed(every_fourth(0), every_fourth(1), every_fourth(2), every_fourth(3));
}
#endif
HWY_INLINE Pack4 load_places(const std::vector<Float4>& rows, std::size_t place) {
  return load_transposed(reinterpret_cast<const float*>(&rows[place]), 4);
}

// As the texts of kernels/ write it.
HWY_INLINE Pack operator*(float a, Pack b) { return hn::Mul(set(a), b); }
HWY_INLINE Pack operator+(float a, Pack b) { return hn::Add(set(a), b); }
HWY_INLINE Pack operator+(Pack a, float b) { return hn::Add(a, set(b)); }
HWY_INLINE Pack operator-(float a, Pack b) { return hn::Sub(set(a), b); }
HWY_INLINE Pack operator-(Pack a, float b) { return hn::Sub(a, set(b)); }
HWY_INLINE Pack operator*(Pack a, float b) { return hn::Mul(a, set(b)); }
HWY_INLINE Pack3 operator+(const Pack3& a, const Pack3& b) { return add(a, b); }
HWY_INLINE Pack3 operator-(const Pack3& a, const Pack3& b) { return sub(a, b); }
HWY_INLINE Pack3 operator*(const Pack3& a, Pack b) { return mul(b, a); }
HWY_INLINE Pack3 operator/(const Pack3& a, Pack b) { return {hn::Div(a.x, b), hn::Div(a.y, b), hn::Div(a.z, b)}; }

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#endif  // per instruction set
