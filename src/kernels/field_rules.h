// ONE VERTEX of the field engine (iso-surface tracking, implicit skinning): who touches it, which levels it keeps, what
// holds it, and the steps of projection and relaxation. docs/algorithms/tracking.md.
//
// Vertex i belongs to bone b; k are the other parts near it, c_k in [0,1] how much they are in contact.
//   U = f_b + max over joined k of (1 - c_k) max(0, (f_k - l_k) - (f_b - l))   the union of what is not in contact
//   C = l + max_k c_k max(0, f_k + o_k + gap - l)                              what contact asks of the own field
//   residual = U - C
// l and l_k are the levels at which the vertex rides the own and the other field. Without contact it is on the union;
// in full contact the residual is f_b - max(l, f_k + o_k + gap): the vertex rides its own surface, and where the other
// part is stronger it stays on f_b = f_k, a gap apart. The residual has a sign, so a vertex that has crossed comes
// back; and its gradient is the difference of opposed gradients, largest where the composed field of Tracking has none.
#pragma once

#include <cmath>

#include "base/math.h"
#include "kernels/field_constants.h"

namespace cutis::field_rules {

using namespace field_constants;

CUTIS_HD inline float larger(float a, float b) { return a < b ? b : a; }
CUTIS_HD inline float smaller(float a, float b) { return b < a ? b : a; }
CUTIS_HD inline float magnitude(float a) { return std::fabs(a); }
CUTIS_HD inline float root(float a) { return std::sqrt(a); }
CUTIS_HD inline float number_like(float, float x) { return x; }
CUTIS_HD inline bool above(float a, float b) { return a > b; }
CUTIS_HD inline bool equals(float a, float b) { return a == b; }
CUTIS_HD inline bool both(bool a, bool b) { return a && b; }
CUTIS_HD inline bool none(bool a) { return !a; }
template <class T>
CUTIS_HD inline T select(bool which, const T& yes, const T& no) {
  return which ? yes : no;
}

#define CUTIS_RULE CUTIS_HD inline
#include "kernels/field_rules-inl.h"
#undef CUTIS_RULE

}  // namespace cutis::field_rules
