// ONE VERTEX: linear blend skinning and dual quaternion skinning (Kavan et al. 2007).
//
// Scale in bones, for dual quaternions: each bone's motion relative to rest is split by polar decomposition about the
// bone's own joint c into a stretch S and a rigid motion, M p = rigid(S (p - c) + c). A vertex is first stretched by
// the blended stretches, then moved by the blended rigid motions: exact for one influence, and equal to plain dual
// quaternion skinning when no bone scales.
//
// Formulas after the blend are written for a number type T: float is one vertex, Float4 is four at once, bit for bit
// the same.
#pragma once

#include <cmath>

#include "base/float4.h"
#include "base/math.h"

namespace cutis {

/// Columns of a 3x4 matrix; the fourth lane is not used. One line of the cache.
struct alignas(64) SkinMatrix {
  Float4 col[4];
};

/// x y z w of the real and of the dual part.
struct alignas(32) SkinDualQuat {
  Float4 real, dual;
};

template <class Block>
inline void accumulate(SkinMatrix& sum, const Block& block, const SkinMatrix* palette) {
  for (unsigned k = 0; k < 4; ++k) {
    const Float4 w(block.weight[k]);
    const SkinMatrix& m = palette[block.bone[k]];
    for (int j = 0; j < 4; ++j) sum.col[j] += w * m.col[j];
  }
}

template <class Block>
inline void accumulate(SkinDualQuat& sum, const Block& block, const SkinDualQuat* palette) {
  for (unsigned k = 0; k < 4; ++k) {
    const Float4 w(block.weight[k]);
    const SkinDualQuat& q = palette[block.bone[k]];
    sum.real += w * q.real;
    sum.dual += w * q.dual;
  }
}

inline Vec3f apply_point(const SkinMatrix& m, const Vec3f& p) {
  const Float4 r = m.col[0] * p.x + m.col[1] * p.y + m.col[2] * p.z + m.col[3];
  return {r[0], r[1], r[2]};
}

/// Normals go by the cofactor matrix: the inverse transpose up to a factor, also for maps that flatten. A map that
/// mirrors turns the surface inside out, and its normals with it. `n` itself where nothing of the surface is left.
inline Vec3f apply_normal(const SkinMatrix& m, const Vec3f& n) {
  const Vec3f a{m.col[0][0], m.col[0][1], m.col[0][2]};
  const Vec3f b{m.col[1][0], m.col[1][1], m.col[1][2]};
  const Vec3f c{m.col[2][0], m.col[2][1], m.col[2][2]};
  return normalized(n.x * cross(b, c) + n.y * cross(c, a) + n.z * cross(a, b), n);
}

/// p goes to rotate(rotation, p) + translation.
template <class T>
struct RigidMotion {
  Quat<T> rotation;
  Vec3<T> translation;
};

/// Below this squared length the bones' rotations cancel (motions a full turn apart in equal shares), and the blend
/// means nothing: the first, heaviest bone then moves the vertex alone.
inline constexpr float kCancelled = 1e-8F;

/// Of a blend of unit dual quaternions: divides by the real part's length; the translation is 2 * dual * conj(real),
/// in which the part of the dual along the real quaternion drops out.
template <class T>
inline RigidMotion<T> rigid_motion(const Quat<T>& real, const Quat<T>& dual) {
  using std::sqrt;
  const T s = T(1.0F) / sqrt(dot(real, real));
  const Vec3<T> rv{real.x * s, real.y * s, real.z * s}, dv{dual.x * s, dual.y * s, dual.z * s};
  const T rw = real.w * s, dw = dual.w * s;
  const Vec3<T> t = T(2.0F) * (rw * dv - dw * rv + cross(rv, dv));
  return {{rv.x, rv.y, rv.z, rw}, t};
}

template <class T>
inline Vec3<T> apply_point(const RigidMotion<T>& m, const Vec3<T>& p) {
  return rotate(m.rotation, p) + m.translation;
}

}  // namespace cutis
