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

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway
namespace hn = hwy::HWY_NAMESPACE;

using PackTag = hn::CappedTag<float, 16>;
using Pack = hn::Vec<PackTag>;
using PackMask = hn::Mask<PackTag>;

inline Pack set(float s) { return hn::Set(PackTag(), s); }

struct Pack3 {
  Pack x, y, z;
};
struct Pack4 {
  Pack x, y, z, w;
};

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
HWY_INLINE Pack3 select(PackMask mask, const Pack3& yes, const Pack3& no) {
  return {hn::IfThenElse(mask, yes.x, no.x), hn::IfThenElse(mask, yes.y, no.y), hn::IfThenElse(mask, yes.z, no.z)};
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
// Four floats of every fourth row from `from` on, rows `stride` floats apart, one after the other in a vector.
template <class D>
HWY_INLINE hn::Vec<D> load_rows(D d, const float* from, std::size_t stride) {
  if constexpr (hn::MaxLanes(D()) > 4) {
    const hn::Half<D> half;
    return hn::Combine(d, load_rows(half, from + hn::Lanes(half) * stride, stride), load_rows(half, from, stride));
  } else {
    return hn::LoadU(d, from);
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
  const PackTag d;
  return transposed(load_rows(d, rows, stride), load_rows(d, rows + stride, stride),
                    load_rows(d, rows + 2 * stride, stride), load_rows(d, rows + 3 * stride, stride));
}

// Of every fourth lane from `link` on, the row that begins at `from + link[lane]`, one after the other in a vector.
template <class D>
HWY_INLINE hn::Vec<D> load_row_of(D d, const float* from, const std::uint32_t* link) {
  if constexpr (hn::MaxLanes(D()) > 4) {
    const hn::Half<D> half;
    return hn::Combine(d, load_row_of(half, from, link + hn::Lanes(half)), load_row_of(half, from, link));
  } else {
    return hn::LoadU(d, from + *link);
  }
}
/// Rows of four floats that begin at `from + link[lane]`.
HWY_INLINE Pack4 load_linked(const float* from, const std::uint32_t* link) {
  const PackTag d;
  return transposed(load_row_of(d, from, link), load_row_of(d, from, link + 1), load_row_of(d, from, link + 2),
                    load_row_of(d, from, link + 3));
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#endif  // per instruction set
