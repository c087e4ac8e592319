// The compact map from distances to fields, and what a field is at a point.
//
// Tracking §3: a compact field f is 0 outside its support, 0.5 on the surface, 1 deep inside; its gradient points
// inward.
#pragma once

#include <cstdint>

#include "base/math.h"

namespace cutis {

enum class CompactMap : std::uint8_t {
  quintic,  ///< C2 at both ends: -3/16 x^5 + 5/8 x^3 - 15/16 x + 1/2
  cubic,    ///< C1 at both ends: x^3/4 - 3x/4 + 1/2
};

template <class T>
struct CompactSample {
  T value{}, slope{};  ///< f and df/dd (never positive)
};

/// f(d) for a support of radius r > 0: 1 for d <= -r, 0 for d >= r. A distance that is not a number gives 0.
template <class T>
[[gnu::always_inline]] CUTIS_HD inline CompactSample<T> compact(CompactMap map, T d, T r) {
  const T inverse = T(1) / r, x = d * inverse;  // the division need not wait for d
  if (x <= T(-1)) return {T(1), T(0)};
  if (!(x < T(1))) return {T(0), T(0)};
  const T x2 = x * x, rest = T(1) - x2;
  const bool cubic = map == CompactMap::cubic;
  const T f =
      cubic ? T(0.5) + x * (T(0.25) * x2 - T(0.75)) : T(0.5) + x * (T(-0.9375) + x2 * (T(0.625) - T(0.1875) * x2));
  // Rounding must not leave [0,1], and a field that is 0 has no gradient: it is not felt.
  if (!(f > T(0))) return {T(0), T(0)};
  if (f >= T(1)) return {T(1), T(0)};
  return {f, cubic ? T(-0.75) * rest * inverse : T(-0.9375) * rest * rest * inverse};
}

template <class T>
struct FieldSample {
  T value{};
  Vec3<T> gradient;
};

}  // namespace cutis
