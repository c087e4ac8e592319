// Plain value types of the public interface: vectors, quaternions, 3x3 matrices, affine maps.
//
// Conventions: metres, radians, seconds; right-handed, +Y up, +Z forward (as glTF); column vectors;
// quaternions are x, y, z, w. Operations beyond + - * live in src/base/math.h.
#pragma once

#include <array>
#include <cstdint>

#if defined(__CUDACC__)
#define CUTIS_HD __host__ __device__
#else
#define CUTIS_HD
#endif

namespace cutis {

template <class T>
struct Vec2 {
  T x{}, y{};
};

template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  CUTIS_HD constexpr T& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  CUTIS_HD constexpr const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  CUTIS_HD constexpr Vec3& operator+=(const Vec3& b) {
    x += b.x;
    y += b.y;
    z += b.z;
    return *this;
  }
  CUTIS_HD constexpr Vec3& operator-=(const Vec3& b) {
    x -= b.x;
    y -= b.y;
    z -= b.z;
    return *this;
  }
  CUTIS_HD constexpr Vec3& operator*=(T s) {
    x *= s;
    y *= s;
    z *= s;
    return *this;
  }
  CUTIS_HD friend constexpr Vec3 operator+(Vec3 a, const Vec3& b) { return a += b; }
  CUTIS_HD friend constexpr Vec3 operator-(Vec3 a, const Vec3& b) { return a -= b; }
  CUTIS_HD friend constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  CUTIS_HD friend constexpr Vec3 operator*(Vec3 a, T s) { return a *= s; }
  CUTIS_HD friend constexpr Vec3 operator*(T s, Vec3 a) { return a *= s; }
  CUTIS_HD friend constexpr Vec3 operator/(const Vec3& a, T s) { return {a.x / s, a.y / s, a.z / s}; }
  CUTIS_HD friend constexpr bool operator==(const Vec3&, const Vec3&) = default;

  template <class U>
  CUTIS_HD constexpr explicit operator Vec3<U>() const {
    return {static_cast<U>(x), static_cast<U>(y), static_cast<U>(z)};
  }
};

/// Rotation; unit length unless a function says otherwise.
template <class T>
struct Quat {
  T x{}, y{}, z{}, w{1};
  CUTIS_HD friend constexpr bool operator==(const Quat&, const Quat&) = default;
};

/// 3x3 matrix as three columns.
template <class T>
struct Mat3 {
  std::array<Vec3<T>, 3> col{Vec3<T>{1, 0, 0}, Vec3<T>{0, 1, 0}, Vec3<T>{0, 0, 1}};
  CUTIS_HD friend constexpr bool operator==(const Mat3&, const Mat3&) = default;
};

/// p -> linear * p + translation. Named after both ends: `world_from_bone`.
template <class T>
struct Affine {
  Mat3<T> linear;
  Vec3<T> translation;
  CUTIS_HD friend constexpr bool operator==(const Affine&, const Affine&) = default;
};

/// Translation * rotation * scale, the form in which joints are animated.
template <class T>
struct Trs {
  Vec3<T> translation;
  Quat<T> rotation;
  Vec3<T> scale{1, 1, 1};
};

using Vec2f = Vec2<float>;
using Vec3f = Vec3<float>;
using Vec3d = Vec3<double>;
using Quatd = Quat<double>;
using Quatf = Quat<float>;
using Mat3d = Mat3<double>;
using Mat3f = Mat3<float>;
using Affine3d = Affine<double>;
using Affine3f = Affine<float>;
using Trsd = Trs<double>;

using Triangle = std::array<std::uint32_t, 3>;

/// Axis-aligned box; empty (lo > hi) until a point is added.
struct Box {
  Vec3d lo{1e300, 1e300, 1e300};
  Vec3d hi{-1e300, -1e300, -1e300};

  void add(const Vec3d& p) {
    for (int i = 0; i < 3; ++i) {
      if (p[i] < lo[i]) lo[i] = p[i];
      if (p[i] > hi[i]) hi[i] = p[i];
    }
  }
  [[nodiscard]] bool empty() const { return lo.x > hi.x; }
};

}  // namespace cutis
