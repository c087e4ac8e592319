#include "field/hrbf_packs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "field/hrbf_packs.cpp"
#include <hwy/foreach_target.h>  // first: compiles the rest of this file once per instruction set

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cutis::hrbf_packs {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

namespace hn = hwy::HWY_NAMESPACE;

template <class T, class Body>
HWY_INLINE void for_packs(std::size_t count, const T* in, T* out, std::size_t stride, const Body& body) {
  const hn::CappedTag<T, kHrbfPack> d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto px = hn::LoadU(d, in + i), py = hn::LoadU(d, in + stride + i), pz = hn::LoadU(d, in + 2 * stride + i);
    auto value = hn::Zero(d), gx = value, gy = value, gz = value;
    body(d, px, py, pz, value, gx, gy, gz);
    hn::StoreU(value, d, out + i);
    hn::StoreU(gx, d, out + stride + i);
    hn::StoreU(gy, d, out + 2 * stride + i);
    hn::StoreU(gz, d, out + 3 * stride + i);
  }
}

void eval_float(std::span<const HrbfTerm<float>> terms, std::size_t count, const float* in, float* out,
                std::size_t stride, float tiny) {
  for_packs(count, in, out, stride,
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
  for_packs(count, in, out, stride,
            [&](auto d, auto px, auto py, auto pz, auto& value, auto& gx, auto& gy, auto& gz) HWY_ATTR {
              const auto three = hn::Set(d, 3.0), least = hn::Set(d, tiny);
              for (const HrbfTerm<double>& t : terms) {
                const auto dx = hn::Sub(px, hn::Set(d, t.x)), dy = hn::Sub(py, hn::Set(d, t.y)),
                           dz = hn::Sub(pz, hn::Set(d, t.z));
                const auto a = hn::Set(d, t.a), bx = hn::Set(d, t.bx), by = hn::Set(d, t.by), bz = hn::Set(d, t.bz);
                const auto x2 = hn::Add(hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz)), least);
                const auto x = hn::Sqrt(x2), q = hn::Mul(three, x), s = hn::Div(three, x);
                const auto bd = hn::Add(hn::Add(hn::Mul(bx, dx), hn::Mul(by, dy)), hn::Mul(bz, dz));
                value = hn::Add(value, hn::Add(hn::Mul(a, hn::Mul(x2, x)), hn::Mul(q, bd)));
                const auto along = hn::Add(hn::Mul(a, q), hn::Mul(s, bd));
                gx = hn::Add(gx, hn::Add(hn::Mul(dx, along), hn::Mul(bx, q)));
                gy = hn::Add(gy, hn::Add(hn::Mul(dy, along), hn::Mul(by, q)));
                gz = hn::Add(gz, hn::Add(hn::Mul(dz, along), hn::Mul(bz, q)));
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
