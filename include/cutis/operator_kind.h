// What a composition operator is and gives: plain data, also for kernels.
#pragma once

namespace cutis {

/// A composed field's value and how it follows each of its two fields: grad = d1 grad(f1) + d2 grad(f2).
struct Composed {
  float value = 0, d1 = 0, d2 = 0;
};

enum class OperatorKind {
  unite,        ///< max(f1, f2)
  clean_union,  ///< the union's skin in a field that is smooth around it
  blend,        ///< diamond opening of 2013; parameter: tangent of the opening angle, 1 is the union, 0 fully open
  contact,      ///< g_dc; parameter d: 0 clean union, 1 contact surface of full depth
  bulge,        ///< g_db; parameter d: 0 clean union, 1 full contact and largest bulge
  profile,      ///< free form; parameter d: 0 clean union, 1 the given profile
};

}  // namespace cutis
