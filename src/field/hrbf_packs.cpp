#include "field/hrbf_packs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "field/hrbf_packs.cpp"
#include <hwy/foreach_target.h>  // first: compiles the rest of this file once per instruction set

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cutis::hrbf_packs {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_WASM
// Two doubles: Highway 1.0 has none for WebAssembly.
struct Pair {
  v128_t raw;
};
struct DoubleTag {};
HWY_INLINE std::size_t Lanes(DoubleTag) { return 2; }
HWY_INLINE Pair Set(DoubleTag, double a) { return {wasm_f64x2_splat(a)}; }
HWY_INLINE Pair Zero(DoubleTag d) { return Set(d, 0); }
HWY_INLINE Pair LoadU(DoubleTag, const double* from) { return {wasm_v128_load(from)}; }
HWY_INLINE void StoreU(Pair a, DoubleTag, double* to) { wasm_v128_store(to, a.raw); }
HWY_INLINE Pair Add(Pair a, Pair b) { return {wasm_f64x2_add(a.raw, b.raw)}; }
HWY_INLINE Pair Sub(Pair a, Pair b) { return {wasm_f64x2_sub(a.raw, b.raw)}; }
HWY_INLINE Pair Mul(Pair a, Pair b) { return {wasm_f64x2_mul(a.raw, b.raw)}; }
HWY_INLINE Pair Div(Pair a, Pair b) { return {wasm_f64x2_div(a.raw, b.raw)}; }
HWY_INLINE Pair Sqrt(Pair a) { return {wasm_f64x2_sqrt(a.raw)}; }
#else
using DoubleTag = hn::CappedTag<double, kHrbfPack>;
#endif

// Unqualified: of Highway, or of Pair.
template <class Tag, class T, class Body>
HWY_INLINE void for_packs(Tag d, std::size_t count, const T* in, T* out, std::size_t stride, const Body& body) {
  for (std::size_t i = 0; i < count; i += Lanes(d)) {
    const auto px = LoadU(d, in + i), py = LoadU(d, in + stride + i), pz = LoadU(d, in + 2 * stride + i);
    auto value = Zero(d), gx = value, gy = value, gz = value;
    body(d, px, py, pz, value, gx, gy, gz);
    StoreU(value, d, out + i);
    StoreU(gx, d, out + stride + i);
    StoreU(gy, d, out + 2 * stride + i);
    StoreU(gz, d, out + 3 * stride + i);
  }
}

void eval_float(std::span<const HrbfTerm<float>> terms, std::size_t count, const float* in, float* out,
                std::size_t stride, float tiny) {
  for_packs(hn::CappedTag<float, kHrbfPack>(), count, in, out, stride,
            [&](auto d, auto px, auto py, auto pz, auto& value, auto& gx, auto& gy, auto& gz) HWY_ATTR {
              const auto three = hn::Set(d, 3.0F), least = hn::Set(d, tiny);
              for (const HrbfTerm<float>& t : terms) {
                const auto dx = hn::Sub(px, hn::Set(d, t.x)), dy = hn::Sub(py, hn::Set(d, t.y)),
                           dz = hn::Sub(pz, hn::Set(d, t.z));
                const auto a = hn::Set(d, t.a), bx = hn::Set(d, t.bx), by = hn::Set(d, t.by), bz = hn::Set(d, t.bz);
                const auto x2 = hn::Add(hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz)), least);
                const auto x = hn::Sqrt(x2), q = hn::Mul(three, x);
                const auto bd = hn::Add(hn::Add(hn::Mul(bx, dx), hn::Mul(by, dy)), hn::Mul(bz, dz));
                const auto steep = hn::Mul(three, bd);
                value = hn::Add(value, hn::Mul(x, hn::Add(hn::Mul(a, x2), steep)));
                const auto along = hn::Add(hn::Mul(a, q), hn::Div(steep, x));
                gx = hn::Add(gx, hn::Add(hn::Mul(along, dx), hn::Mul(bx, q)));
                gy = hn::Add(gy, hn::Add(hn::Mul(along, dy), hn::Mul(by, q)));
                gz = hn::Add(gz, hn::Add(hn::Mul(along, dz), hn::Mul(bz, q)));
              }
            });
}

void eval_double(std::span<const HrbfTerm<double>> terms, std::size_t count, const double* in, double* out,
                 std::size_t stride, double tiny) {
  for_packs(DoubleTag(), count, in, out, stride,
            [&](auto d, auto px, auto py, auto pz, auto& value, auto& gx, auto& gy, auto& gz) HWY_ATTR {
              const auto three = Set(d, 3.0), least = Set(d, tiny);
              for (const HrbfTerm<double>& t : terms) {
                const auto dx = Sub(px, Set(d, t.x)), dy = Sub(py, Set(d, t.y)), dz = Sub(pz, Set(d, t.z));
                const auto a = Set(d, t.a), bx = Set(d, t.bx), by = Set(d, t.by), bz = Set(d, t.bz);
                const auto x2 = Add(Add(Add(Mul(dx, dx), Mul(dy, dy)), Mul(dz, dz)), least);
                const auto x = Sqrt(x2), q = Mul(three, x), s = Div(three, x);
                const auto bd = Add(Add(Mul(bx, dx), Mul(by, dy)), Mul(bz, dz));
                value = Add(value, Add(Mul(a, Mul(x2, x)), Mul(q, bd)));
                const auto along = Add(Mul(a, q), Mul(s, bd));
                gx = Add(gx, Add(Mul(dx, along), Mul(bx, q)));
                gy = Add(gy, Add(Mul(dy, along), Mul(by, q)));
                gz = Add(gz, Add(Mul(dz, along), Mul(bz, q)));
              }
            });
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::hrbf_packs
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cutis {
namespace hrbf_packs {
HWY_EXPORT(eval_float);
HWY_EXPORT(eval_double);
}  // namespace hrbf_packs

void eval_cubic(std::span<const HrbfTerm<float>> terms, std::size_t count, const float* in, float* out,
                std::size_t stride, float tiny) {
  using namespace hrbf_packs;
  HWY_DYNAMIC_DISPATCH(eval_float)(terms, count, in, out, stride, tiny);
}
void eval_cubic(std::span<const HrbfTerm<double>> terms, std::size_t count, const double* in, double* out,
                std::size_t stride, double tiny) {
  using namespace hrbf_packs;
  HWY_DYNAMIC_DISPATCH(eval_double)(terms, count, in, out, stride, tiny);
}
}  // namespace cutis
#endif
