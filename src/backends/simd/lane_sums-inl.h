// backends/lane_sums.h over packs. Included once per instruction set.
#if defined(CUTIS_BACKENDS_SIMD_LANE_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CUTIS_BACKENDS_SIMD_LANE_SUMS_INL_H_
#undef CUTIS_BACKENDS_SIMD_LANE_SUMS_INL_H_
#else
#define CUTIS_BACKENDS_SIMD_LANE_SUMS_INL_H_
#endif

#include <cstddef>

#include "backends/lane_sums.h"
#include "backends/simd/packs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

// sums.part[lane...] += x
HWY_INLINE void add_lanes(Pack x, std::size_t lane, LaneSums& sums) {
#if HWY_TARGET == HWY_SCALAR
  sums.part[lane] += static_cast<double>(hn::GetLane(x));
#elif HWY_TARGET == HWY_WASM  // Highway 1.0 has no doubles there
  double *const low = sums.part + lane, *const high = low + 2;
  const v128_t upper = wasm_i32x4_shuffle(x.raw, x.raw, 2, 3, 2, 3);
  wasm_v128_store(low, wasm_f64x2_add(wasm_v128_load(low), wasm_f64x2_promote_low_f32x4(x.raw)));
  wasm_v128_store(high, wasm_f64x2_add(wasm_v128_load(high), wasm_f64x2_promote_low_f32x4(upper)));
#else
  const hn::Half<PackTag> half;
  const hn::Rebind<double, decltype(half)> wide;
  double* const low = sums.part + lane;
  hn::StoreU(hn::Add(hn::LoadU(wide, low), hn::PromoteTo(wide, hn::LowerHalf(half, x))), wide, low);
  double* const high = low + hn::Lanes(half);
  hn::StoreU(hn::Add(hn::LoadU(wide, high), hn::PromoteTo(wide, hn::UpperHalf(half, x))), wide, high);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#endif  // per instruction set
