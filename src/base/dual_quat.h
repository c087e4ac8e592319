// Dual quaternions for rigid motions (Kavan et al. 2007).
#pragma once

#include "base/math.h"

namespace cutis {

/// real + eps * dual; a unit dual quaternion is a rotation `real` followed by a translation 2 * dual * conj(real).
template <class T>
struct DualQuat {
  Quat<T> real;
  Quat<T> dual{0, 0, 0, 0};
};

template <class T>
CUTIS_HD constexpr DualQuat<T> make_dual_quat(const Quat<T>& rotation, const Vec3<T>& translation) {
  const Quat<T> t{translation.x, translation.y, translation.z, T(0)};
  const Quat<T> d = t * rotation;
  return {rotation, {d.x / 2, d.y / 2, d.z / 2, d.w / 2}};
}
template <class T>
CUTIS_HD constexpr DualQuat<T> negated(const DualQuat<T>& q) {
  return {negated(q.real), negated(q.dual)};
}
/// Of a dual quaternion whose real part has unit length.
template <class T>
CUTIS_HD constexpr Vec3<T> translation_of(const DualQuat<T>& q) {
  const Quat<T> t = q.dual * conjugate(q.real);
  return {2 * t.x, 2 * t.y, 2 * t.z};
}
template <class T>
CUTIS_HD constexpr Vec3<T> transform_point(const DualQuat<T>& q, const Vec3<T>& p) {
  return rotate(q.real, p) + translation_of(q);
}

}  // namespace cutis
