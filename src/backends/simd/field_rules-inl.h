// kernels/field_rules.h over packs of vertices: the same text. Included once per instruction set.
#if defined(CUTIS_BACKENDS_SIMD_FIELD_RULES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CUTIS_BACKENDS_SIMD_FIELD_RULES_INL_H_
#undef CUTIS_BACKENDS_SIMD_FIELD_RULES_INL_H_
#else
#define CUTIS_BACKENDS_SIMD_FIELD_RULES_INL_H_
#endif

#include "backends/simd/packs-inl.h"
#include "kernels/field_constants.h"

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

using namespace field_constants;

// std::max(a, b) and std::min(a, b), also where one is not a number.
HWY_INLINE Pack larger(Pack a, Pack b) { return hn::IfThenElse(hn::Lt(a, b), b, a); }
HWY_INLINE Pack smaller(Pack a, Pack b) { return hn::IfThenElse(hn::Lt(b, a), b, a); }
HWY_INLINE Pack magnitude(Pack a) { return hn::Abs(a); }
HWY_INLINE Pack root(Pack a) { return hn::Sqrt(a); }
HWY_INLINE Pack number_like(Pack, float x) { return set(x); }
HWY_INLINE PackMask above(Pack a, Pack b) { return hn::Gt(a, b); }
HWY_INLINE PackMask equals(Pack a, Pack b) { return hn::Eq(a, b); }
HWY_INLINE PackMask both(PackMask a, PackMask b) { return hn::And(a, b); }
HWY_INLINE bool none(PackMask a) { return hn::AllFalse(PackTag(), a); }
HWY_INLINE Pack select(PackMask which, Pack yes, Pack no) { return hn::IfThenElse(which, yes, no); }
HWY_INLINE Pack smooth_step(Pack x, float from, float to) {
  const Pack between = hn::Div(hn::Sub(x, set(from)), set(to - from));
  const Pack t = hn::IfThenElse(hn::Le(x, set(from)), zero(), hn::IfThenElse(hn::Ge(x, set(to)), set(1), between));
  return hn::Mul(hn::Mul(t, t), hn::Sub(set(3), hn::Mul(set(2), t)));
}

#define CUTIS_RULE HWY_INLINE
#include "kernels/field_rules-inl.h"
#undef CUTIS_RULE

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#endif  // per instruction set
