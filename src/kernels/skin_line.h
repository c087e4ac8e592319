// ONE POINT: where an operator puts the skin of a part, as a value of that part's own field.
//
// g(f1, f2) = 0.5 is a line in the half f1 >= f2 of the unit square: from (0.5, 0) to its crossing with the diagonal,
// where the skins of both parts meet (Tracking 4.2, the profile). Tracking on the own side needs no more of an operator
// than this line: beside another part of value f2 the skin is at f1 = skin_line(f2) instead of 0.5. Contact, clean
// union and union leave it at 0.5; a bulge or a blend has less, farther out; a profile has what it says.
#pragma once

#include "kernels/compose.h"

namespace cutis {

/// f1; beyond the crossing, where there is no free skin, that of the crossing.
CUTIS_HD inline float skin_line(const OperatorView& op, float f2, float parameter) {
  constexpr int kHalvings = 20;            // a millionth
  constexpr float kOnLine = 0.5F - 4e-6F;  // contact lines are 0.5 up to the exactness of tables
  const auto meet = [&](float f) { return compose_fields(op, f, f, parameter).value >= kOnLine; };
  if (!(f2 > 0)) return 0.5F;
  if (meet(f2)) {  // the diagonal rises to 0.5 once, and stays there along a contact line
    float lo = 0, hi = f2;
    for (int i = 0; i < kHalvings; ++i) {
      const float middle = 0.5F * (lo + hi);
      (meet(middle) ? hi : lo) = middle;
    }
    return hi;
  }
  float lo = f2, hi = 1;  // g rises with f1 off the diagonal
  for (int i = 0; i < kHalvings; ++i) {
    const float middle = 0.5F * (lo + hi);
    (compose_fields(op, middle, f2, parameter).value < 0.5F ? lo : hi) = middle;
  }
  return hi;
}

}  // namespace cutis
