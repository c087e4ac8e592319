// Rotations as an axis times an angle in [0, pi].
#pragma once

#include <cmath>

#include "base/math.h"

namespace cutis {

inline Vec3d rotation_vector(Quatd q) {
  if (q.w < 0) q = negated(q);
  const Vec3d v{q.x, q.y, q.z};
  const double s = length(v);
  return s < 1e-12 ? v * 2.0 : v * (2 * std::atan2(s, q.w) / s);  // of small angles to rounding the same
}

inline Quatd from_rotation_vector(const Vec3d& v) {
  const double angle = length(v);
  return angle > 0 ? axis_angle(v / angle, angle) : Quatd{};
}

}  // namespace cutis
