// Small vector mathematics, usable on host and device. Nothing here allocates or throws.
#pragma once

#include <cmath>

#include "cutis/types.h"

namespace cutis {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kDegree = kPi / 180;

// What is not constexpr says inline: GCC looks at the word when it weighs a call of a few operations.

// ---- vectors ----

template <class T>
CUTIS_HD constexpr T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
CUTIS_HD constexpr Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
CUTIS_HD constexpr Vec3<T> multiply(const Vec3<T>& a, const Vec3<T>& b) {  // component by component
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
template <class T>
CUTIS_HD inline T length(const Vec3<T>& a) {
  return std::sqrt(dot(a, a));
}
template <class T>
CUTIS_HD inline T distance(const Vec3<T>& a, const Vec3<T>& b) {
  return length(a - b);
}
/// Unit vector along `a`, or `fallback` when `a` has no direction.
template <class T>
CUTIS_HD inline Vec3<T> normalized(const Vec3<T>& a, const Vec3<T>& fallback = {}) {
  const T n = length(a);
  return n > T(0) && std::isfinite(n) ? a / n : fallback;
}
template <class T>
CUTIS_HD constexpr Vec3<T> lerp(const Vec3<T>& a, const Vec3<T>& b, T t) {
  return a * (T(1) - t) + b * t;
}
template <class T>
CUTIS_HD inline bool is_finite(const Vec3<T>& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}
/// Some unit vector at right angles to the unit vector `n`.
template <class T>
CUTIS_HD Vec3<T> any_perpendicular(const Vec3<T>& n) {
  const Vec3<T> axis = std::abs(n.x) < T(0.6) ? Vec3<T>{1, 0, 0} : Vec3<T>{0, 1, 0};
  return normalized(cross(n, axis));
}
inline double diagonal(const Box& box) { return box.empty() ? 0.0 : length(box.hi - box.lo); }
inline Vec3d center(const Box& box) { return box.empty() ? Vec3d{} : (box.lo + box.hi) * 0.5; }

// ---- quaternions ----

template <class T>
CUTIS_HD constexpr T dot(const Quat<T>& a, const Quat<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
template <class T>
CUTIS_HD constexpr Quat<T> operator*(const Quat<T>& a, const Quat<T>& b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
template <class T>
CUTIS_HD constexpr Quat<T> conjugate(const Quat<T>& q) {
  return {-q.x, -q.y, -q.z, q.w};
}
template <class T>
CUTIS_HD constexpr Quat<T> negated(const Quat<T>& q) {
  return {-q.x, -q.y, -q.z, -q.w};
}
/// Unit quaternion, or the identity when `q` has no length.
template <class T>
CUTIS_HD inline Quat<T> normalized(const Quat<T>& q) {
  const T n = std::sqrt(dot(q, q));
  if (!(n > T(0)) || !std::isfinite(n)) return {};
  return {q.x / n, q.y / n, q.z / n, q.w / n};
}
template <class T>
CUTIS_HD constexpr Vec3<T> rotate(const Quat<T>& q, const Vec3<T>& v) {
  const Vec3<T> u{q.x, q.y, q.z};
  const Vec3<T> t = T(2) * cross(u, v);
  return v + q.w * t + cross(u, t);
}
/// Rotation by `angle` about the unit vector `axis`.
template <class T>
CUTIS_HD Quat<T> axis_angle(const Vec3<T>& axis, T angle) {
  const T s = std::sin(angle / 2);
  return {axis.x * s, axis.y * s, axis.z * s, std::cos(angle / 2)};
}
/// The shortest rotation that turns unit vector `a` into unit vector `b`.
template <class T>
CUTIS_HD inline Quat<T> rotation_between(const Vec3<T>& a, const Vec3<T>& b) {
  const T c = dot(a, b);
  if (c < T(-1) + T(1e-9)) {
    const Vec3<T> n = any_perpendicular(a);
    return {n.x, n.y, n.z, T(0)};
  }
  const Vec3<T> n = cross(a, b);
  return normalized(Quat<T>{n.x, n.y, n.z, T(1) + c});
}
/// Along the shorter arc; both inputs of unit length.
template <class T>
CUTIS_HD Quat<T> slerp(const Quat<T>& a, Quat<T> b, T t) {
  T c = dot(a, b);
  if (c < T(0)) {
    b = negated(b);
    c = -c;
  }
  T u = T(1) - t, v = t;
  if (c < T(1) - T(1e-7)) {
    const T angle = std::acos(c);
    const T s = std::sin(angle);
    u = std::sin(u * angle) / s;
    v = std::sin(v * angle) / s;
  }
  return normalized(Quat<T>{u * a.x + v * b.x, u * a.y + v * b.y, u * a.z + v * b.z, u * a.w + v * b.w});
}

// ---- 3x3 matrices ----

template <class T>
CUTIS_HD constexpr Vec3<T> operator*(const Mat3<T>& m, const Vec3<T>& v) {
  return m.col[0] * v.x + m.col[1] * v.y + m.col[2] * v.z;
}
template <class T>
CUTIS_HD constexpr Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) {
  return {{a * b.col[0], a * b.col[1], a * b.col[2]}};
}
template <class T>
CUTIS_HD constexpr Mat3<T> operator*(const Mat3<T>& a, T s) {
  return {{a.col[0] * s, a.col[1] * s, a.col[2] * s}};
}
template <class T>
CUTIS_HD constexpr Mat3<T> operator+(const Mat3<T>& a, const Mat3<T>& b) {
  return {{a.col[0] + b.col[0], a.col[1] + b.col[1], a.col[2] + b.col[2]}};
}
template <class T>
CUTIS_HD constexpr Mat3<T> transpose(const Mat3<T>& m) {
  return {{Vec3<T>{m.col[0].x, m.col[1].x, m.col[2].x}, Vec3<T>{m.col[0].y, m.col[1].y, m.col[2].y},
           Vec3<T>{m.col[0].z, m.col[1].z, m.col[2].z}}};
}
template <class T>
CUTIS_HD constexpr T determinant(const Mat3<T>& m) {
  return dot(m.col[0], cross(m.col[1], m.col[2]));
}
/// det(m) * inverse(m)^T: transforms normals, and exists for singular matrices too.
template <class T>
CUTIS_HD constexpr Mat3<T> cofactor(const Mat3<T>& m) {
  return {{cross(m.col[1], m.col[2]), cross(m.col[2], m.col[0]), cross(m.col[0], m.col[1])}};
}
/// The caller makes sure that the determinant is not 0.
template <class T>
CUTIS_HD constexpr Mat3<T> inverse(const Mat3<T>& m) {
  return transpose(cofactor(m)) * (T(1) / determinant(m));
}
template <class T>
CUTIS_HD constexpr Mat3<T> diagonal_matrix(const Vec3<T>& d) {
  return {{Vec3<T>{d.x, 0, 0}, Vec3<T>{0, d.y, 0}, Vec3<T>{0, 0, d.z}}};
}
template <class T>
CUTIS_HD constexpr Mat3<T> to_matrix(const Quat<T>& q) {
  // rotate() of the axes, to the bit.
  const Vec3<T> twice{2 * q.x, 2 * q.y, 2 * q.z};
  const T xx = q.x * twice.x, yy = q.y * twice.y, zz = q.z * twice.z, xy = q.x * twice.y, xz = q.x * twice.z,
          yz = q.y * twice.z, wx = q.w * twice.x, wy = q.w * twice.y, wz = q.w * twice.z;
  return {{Vec3<T>{1 - (yy + zz), wz + xy, xz - wy}, Vec3<T>{xy - wz, 1 - (zz + xx), wx + yz},
           Vec3<T>{wy + xz, yz - wx, 1 - (xx + yy)}}};
}
/// Of a rotation matrix (Shepperd's method: the largest component first).
template <class T>
CUTIS_HD Quat<T> to_quaternion(const Mat3<T>& r) {
  const T m00 = r.col[0].x, m11 = r.col[1].y, m22 = r.col[2].z;
  const T trace = m00 + m11 + m22;
  Quat<T> q;
  if (trace >= m00 && trace >= m11 && trace >= m22) {
    q = {r.col[1].z - r.col[2].y, r.col[2].x - r.col[0].z, r.col[0].y - r.col[1].x, T(1) + trace};
  } else if (m00 >= m11 && m00 >= m22) {
    q = {T(1) + m00 - m11 - m22, r.col[0].y + r.col[1].x, r.col[0].z + r.col[2].x, r.col[1].z - r.col[2].y};
  } else if (m11 >= m22) {
    q = {r.col[0].y + r.col[1].x, T(1) - m00 + m11 - m22, r.col[1].z + r.col[2].y, r.col[2].x - r.col[0].z};
  } else {
    q = {r.col[0].z + r.col[2].x, r.col[1].z + r.col[2].y, T(1) - m00 - m11 + m22, r.col[0].y - r.col[1].x};
  }
  return normalized(q);
}
template <class T>
CUTIS_HD T frobenius(const Mat3<T>& m) {
  return std::sqrt(dot(m.col[0], m.col[0]) + dot(m.col[1], m.col[1]) + dot(m.col[2], m.col[2]));
}

// ---- affine maps ----

template <class T>
CUTIS_HD constexpr Vec3<T> transform_point(const Affine<T>& a, const Vec3<T>& p) {
  return a.linear * p + a.translation;
}
template <class T>
CUTIS_HD constexpr Affine<T> operator*(const Affine<T>& a, const Affine<T>& b) {
  return {a.linear * b.linear, a.linear * b.translation + a.translation};
}
/// The caller makes sure that the linear part is regular.
template <class T>
CUTIS_HD constexpr Affine<T> inverse(const Affine<T>& a) {
  const Mat3<T> m = inverse(a.linear);
  return {m, -(m * a.translation)};
}
template <class T>
CUTIS_HD constexpr Affine<T> to_affine(const Trs<T>& t) {
  return {to_matrix(t.rotation) * diagonal_matrix(t.scale), t.translation};
}
template <class T>
CUTIS_HD inline bool is_finite(const Affine<T>& a) {
  return is_finite(a.linear.col[0]) && is_finite(a.linear.col[1]) && is_finite(a.linear.col[2]) &&
         is_finite(a.translation);
}

// ---- between precisions ----

template <class To, class From>
CUTIS_HD constexpr Mat3<To> convert(const Mat3<From>& m) {
  return {{static_cast<Vec3<To>>(m.col[0]), static_cast<Vec3<To>>(m.col[1]), static_cast<Vec3<To>>(m.col[2])}};
}
template <class To, class From>
CUTIS_HD constexpr Affine<To> convert(const Affine<From>& a) {
  return {convert<To>(a.linear), static_cast<Vec3<To>>(a.translation)};
}

// ---- curves ----

/// 0 below `from`, 1 above `to`, C1 in between.
template <class T>
CUTIS_HD constexpr T smooth_step(T x, T from, T to) {
  const T t = x <= from ? T(0) : x >= to ? T(1) : (x - from) / (to - from);
  return t * t * (3 - 2 * t);
}

// ---- boxes ----

/// Corner c in [0,8): bit i set takes the upper end of axis i.
inline Vec3d corner(const Box& box, unsigned c) {
  return {(c & 1U) != 0 ? box.hi.x : box.lo.x, (c & 2U) != 0 ? box.hi.y : box.lo.y,
          (c & 4U) != 0 ? box.hi.z : box.lo.z};
}
/// Around a box that moves.
inline Box moved_box(const Box& box, const Affine3d& motion) {
  Box moved;
  for (unsigned c = 0; c < 8; ++c) moved.add(transform_point(motion, corner(box, c)));
  return moved;
}
inline bool overlap(const Box& a, const Box& b) {
  return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y && a.lo.z <= b.hi.z &&
         b.lo.z <= a.hi.z;
}
/// Whether the point is in the box or within `margin` of it along every axis.
inline bool holds(const Box& box, const Vec3f& p, float margin) {
  const double m = static_cast<double>(margin);
  return p.x >= box.lo.x - m && p.y >= box.lo.y - m && p.z >= box.lo.z - m && p.x <= box.hi.x + m &&
         p.y <= box.hi.y + m && p.z <= box.hi.z + m;
}

}  // namespace cutis
