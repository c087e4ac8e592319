// Four floats that are computed together. Each lane rounds exactly as a float does, so a formula written once for a
// type T gives the same bits with T = float and T = Float4. The compiler's own vector type: SSE on x86, NEON on ARM,
// no intrinsics but for the square root; four plain floats on a device.
#pragma once

#include <cmath>
#include <cstdint>

#include "cutis/types.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace cutis {

#if defined(__CUDACC__)

struct alignas(16) Float4 {
  float v[4] = {0, 0, 0, 0};

  Float4() = default;
  CUTIS_HD Float4(float s) : v{s, s, s, s} {}  // NOLINT: implicit on purpose
  CUTIS_HD Float4(float a, float b, float c, float d) : v{a, b, c, d} {}
  CUTIS_HD explicit Float4(const float* p) : v{p[0], p[1], p[2], p[3]} {}

  CUTIS_HD float operator[](int i) const { return v[i]; }
  CUTIS_HD Float4& operator+=(const Float4& b) { return *this = *this + b; }
  CUTIS_HD Float4& operator-=(const Float4& b) { return *this = *this - b; }
  CUTIS_HD Float4& operator*=(const Float4& b) { return *this = *this * b; }
  CUTIS_HD friend Float4 operator+(const Float4& a, const Float4& b) {
    return {a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3]};
  }
  CUTIS_HD friend Float4 operator-(const Float4& a, const Float4& b) {
    return {a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2], a.v[3] - b.v[3]};
  }
  CUTIS_HD friend Float4 operator-(const Float4& a) { return {-a.v[0], -a.v[1], -a.v[2], -a.v[3]}; }
  CUTIS_HD friend Float4 operator*(const Float4& a, const Float4& b) {
    return {a.v[0] * b.v[0], a.v[1] * b.v[1], a.v[2] * b.v[2], a.v[3] * b.v[3]};
  }
  CUTIS_HD friend Float4 operator/(const Float4& a, const Float4& b) {
    return {a.v[0] / b.v[0], a.v[1] / b.v[1], a.v[2] / b.v[2], a.v[3] / b.v[3]};
  }
};

CUTIS_HD inline float dot(const Float4& a, const Float4& b) {
  const Float4 p = a * b;
  return p[0] + p[1] + p[2] + p[3];
}
CUTIS_HD inline Float4 sqrt(const Float4& a) {
  return {std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
}
CUTIS_HD inline float select_greater(float a, float b, float yes, float no) { return a > b ? yes : no; }
CUTIS_HD inline Float4 select_greater(const Float4& a, const Float4& b, const Float4& yes, const Float4& no) {
  return {select_greater(a[0], b[0], yes[0], no[0]), select_greater(a[1], b[1], yes[1], no[1]),
          select_greater(a[2], b[2], yes[2], no[2]), select_greater(a[3], b[3], yes[3], no[3])};
}
CUTIS_HD inline unsigned mask_less_equal(const Float4& a, const Float4& b) {
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) result |= (a[i] <= b[i] ? 1U : 0U) << i;
  return result;
}
template <int I>
CUTIS_HD inline Float4 broadcast(const Float4& a) {
  return a[I];
}
struct Int4 {
  std::int32_t v[4];
  CUTIS_HD std::int32_t operator[](int i) const { return v[i]; }
};
CUTIS_HD inline Int4 truncated(const Float4& a) {
  return {{static_cast<std::int32_t>(a[0]), static_cast<std::int32_t>(a[1]), static_cast<std::int32_t>(a[2]),
           static_cast<std::int32_t>(a[3])}};
}
CUTIS_HD inline Float4 to_float(const Int4& a) {
  return {static_cast<float>(a[0]), static_cast<float>(a[1]), static_cast<float>(a[2]), static_cast<float>(a[3])};
}

#else

struct Float4 {
  typedef float Lanes __attribute__((vector_size(16)));  // NOLINT: the attribute needs a typedef
  Lanes v{0, 0, 0, 0};

  Float4() = default;
  Float4(Lanes lanes) : v(lanes) {}   // NOLINT: implicit on purpose
  Float4(float s) : v{s, s, s, s} {}  // NOLINT: implicit on purpose
  Float4(float a, float b, float c, float d) : v{a, b, c, d} {}
  explicit Float4(const float* p) : v{p[0], p[1], p[2], p[3]} {}

  float operator[](int i) const { return v[i]; }
  Float4& operator+=(const Float4& b) { return *this = Float4(v + b.v); }
  Float4& operator-=(const Float4& b) { return *this = Float4(v - b.v); }
  Float4& operator*=(const Float4& b) { return *this = Float4(v * b.v); }
  friend Float4 operator+(const Float4& a, const Float4& b) { return a.v + b.v; }
  friend Float4 operator-(const Float4& a, const Float4& b) { return a.v - b.v; }
  friend Float4 operator-(const Float4& a) { return -a.v; }
  friend Float4 operator*(const Float4& a, const Float4& b) { return a.v * b.v; }
  friend Float4 operator/(const Float4& a, const Float4& b) { return a.v / b.v; }
};

/// Over all four lanes, in their order.
inline float dot(const Float4& a, const Float4& b) {
  const Float4 p = a * b;
  return p[0] + p[1] + p[2] + p[3];
}
inline Float4 sqrt(const Float4& a) {
#if defined(__SSE__)
  return Float4::Lanes(_mm_sqrt_ps(a.v));
#else
  return {std::sqrt(a.v[0]), std::sqrt(a.v[1]), std::sqrt(a.v[2]), std::sqrt(a.v[3])};
#endif
}
/// Lane by lane: a > b ? yes : no.
inline Float4 select_greater(const Float4& a, const Float4& b, const Float4& yes, const Float4& no) {
  return a.v > b.v ? yes.v : no.v;
}
inline float select_greater(float a, float b, float yes, float no) { return a > b ? yes : no; }

/// Lane by lane; no lane may be a NaN.
inline Float4 least(const Float4& a, const Float4& b) {
#if defined(__SSE__)
  return Float4::Lanes(_mm_min_ps(a.v, b.v));
#else
  return select_greater(a, b, b, a);
#endif
}
inline Float4 greatest(const Float4& a, const Float4& b) {
#if defined(__SSE__)
  return Float4::Lanes(_mm_max_ps(a.v, b.v));
#else
  return select_greater(a, b, a, b);
#endif
}

/// Between 0 and 1, lane by lane.
inline Float4 unit_clamp(const Float4& a) {
  const Float4 zero, one(1);
  const Float4 low = select_greater(a, zero, a, zero);
  return select_greater(low, one, one, low);
}

/// What a comparison gives: all bits of a lane, or none.
struct Mask4 {
  typedef int Lanes __attribute__((vector_size(16)));  // NOLINT: the attribute needs a typedef
  Lanes v;
  friend Mask4 operator&(const Mask4& a, const Mask4& b) { return {a.v & b.v}; }
};
inline Mask4 less_equal(const Float4& a, const Float4& b) { return {a.v <= b.v}; }
/// Bit i is set for lane i.
inline unsigned bits(const Mask4& mask) {
#if defined(__SSE__)
  return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<__m128>(mask.v)));
#else
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) result |= (mask.v[i] != 0 ? 1U : 0U) << i;
  return result;
#endif
}
/// Bit i is set where a <= b in lane i.
inline unsigned mask_less_equal(const Float4& a, const Float4& b) { return bits(less_equal(a, b)); }

/// Lane I in all lanes.
template <int I>
inline Float4 broadcast(const Float4& a) {
  return __builtin_shufflevector(a.v, a.v, I, I, I, I);
}

struct Int4 {
  typedef std::int32_t Lanes __attribute__((vector_size(16)));  // NOLINT: the attribute needs a typedef
  Lanes v;
  std::int32_t operator[](int i) const { return v[i]; }
};
/// Towards 0; every lane must fit.
inline Int4 truncated(const Float4& a) { return {__builtin_convertvector(a.v, Int4::Lanes)}; }
inline Float4 to_float(const Int4& a) { return __builtin_convertvector(a.v, Float4::Lanes); }

/// Rows become columns: afterwards r0 holds the first lanes of all four.
inline void transpose(Float4& r0, Float4& r1, Float4& r2, Float4& r3) {
  const Float4::Lanes a = __builtin_shufflevector(r0.v, r1.v, 0, 4, 1, 5),
                      b = __builtin_shufflevector(r0.v, r1.v, 2, 6, 3, 7);
  const Float4::Lanes c = __builtin_shufflevector(r2.v, r3.v, 0, 4, 1, 5),
                      d = __builtin_shufflevector(r2.v, r3.v, 2, 6, 3, 7);
  r0 = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  r1 = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  r2 = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  r3 = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

#endif

/// A point, and 0.
CUTIS_HD inline Float4 wide(const Vec3f& p) { return {p.x, p.y, p.z, 0}; }
CUTIS_HD inline Vec3f narrow(const Float4& p) { return {p[0], p[1], p[2]}; }

}  // namespace cutis
