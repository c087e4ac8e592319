// ONE VERTEX: linear blend skinning and dual quaternion skinning (Kavan et al. 2007).
//
// Scale in bones, for dual quaternions: at each vertex a bone's motion M p = R S p + t is taken for the rigid motion
// that turns as the bone does, by R, and carries the vertex where the bone does; these are blended. That is linear in
// the vertex: the blend of the rigid motions (R, t), after a stretch that follows from the blends of q and of q (S -
// 1). Exact for one influence; plain dual quaternion skinning when no bone scales; scaled by s when all bones are;
// linear blending when no bone turns. docs/algorithms/skinning.md has the derivation.
//
// Formulas after the blend are written for a number type T: float is one vertex, Float4 is four at once, bit for bit
// the same.
#pragma once

#include <cmath>
#include <span>

#include "base/float4.h"
#include "base/math.h"

namespace cutis {

/// Columns of a 3x4 matrix; the fourth lane is not used, but by stretches. One line of the cache.
struct alignas(64) SkinMatrix {
  Float4 col[4];
};

/// x y z w of the real and of the dual part.
struct alignas(32) SkinDualQuat {
  Float4 real, dual;
};

template <class Block>
CUTIS_HD inline void accumulate(SkinMatrix& sum, const Block& block, const SkinMatrix* palette) {
  for (unsigned k = 0; k < 4; ++k) {
    const Float4 w(block.weight[k]);
    const SkinMatrix& m = palette[block.bone[k]];
    for (int j = 0; j < 4; ++j) sum.col[j] += w * m.col[j];
  }
}

template <class Block>
CUTIS_HD inline void accumulate(SkinDualQuat& sum, const Block& block, const SkinDualQuat* palette) {
  for (unsigned k = 0; k < 4; ++k) {
    const Float4 w(block.weight[k]);
    const SkinDualQuat& q = palette[block.bone[k]];
    sum.real += w * q.real;
    sum.dual += w * q.dual;
  }
}

/// What happens to a vertex before the blended rigid motion M p = R S p + t moves it, per bone.
struct SkinStretches {
  std::span<const SkinMatrix> bones;
  /// Rows are columns q S, quaternions, as stretch_of() takes them; the rigid motions are (R, t). Otherwise S is
  /// but the rounding of a file, rows are p -> S (p - c) + c about the bone's joint c, and the rigid motions fit that.
  bool turned = false;
  /// They are those of the bind matrices, in every such frame: bound_stretches().
  bool bound = false;

  [[nodiscard]] CUTIS_HD bool empty() const { return bones.empty(); }
};

/// Columns q S of a bone.
CUTIS_HD inline SkinMatrix skin_stretch(const Quatd& q, const Mat3d& stretch) {
  SkinMatrix m{};
  for (int c = 0; c < 3; ++c) {
    const Vec3d& column = stretch.col[c];
    const Quatd e = q * Quatd{column.x, column.y, column.z, 0};
    m.col[c] =
        Float4(static_cast<float>(e.x), static_cast<float>(e.y), static_cast<float>(e.z), static_cast<float>(e.w));
  }
  return m;
}

/// p -> S (p - c) + c.
inline SkinMatrix skin_stretch_about(const Mat3d& stretch, const Vec3d& c) {
  const auto four = [](const Vec3d& v) {
    return Float4(static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z), 0);
  };
  return {{four(stretch.col[0]), four(stretch.col[1]), four(stretch.col[2]), four(c - stretch * c)}};
}

/// A column of a vertex's stretch: vec(conj(q) e) / |q|^2, where q is the blend of the bones' quaternions and e that of
/// the column of q S.
template <class T>
CUTIS_HD inline Vec3<T> stretch_column(const Quat<T>& q, const Quat<T>& e, T per_squared) {
  return {((q.w * e.x - e.w * q.x) - (q.y * e.z - q.z * e.y)) * per_squared,
          ((q.w * e.y - e.w * q.y) - (q.z * e.x - q.x * e.z)) * per_squared,
          ((q.w * e.z - e.w * q.z) - (q.x * e.y - q.y * e.x)) * per_squared};
}

/// The stretch of a vertex; `bent`: the blend of its bones' columns.
CUTIS_HD inline SkinMatrix stretch_of(const Float4& real, const SkinMatrix& bent) {
  const auto quat = [](const Float4& q) { return Quatf{q[0], q[1], q[2], q[3]}; };
  const Quatf q = quat(real);
  const float per_squared = 1.0F / dot(q, q);
  SkinMatrix m{};
  for (int c = 0; c < 3; ++c) {
    const Vec3f column = stretch_column(q, quat(bent.col[c]), per_squared);
    m.col[c] = Float4(column.x, column.y, column.z, 0);
  }
  return m;
}

CUTIS_HD inline Vec3f apply_point(const SkinMatrix& m, const Vec3f& p) {
  const Float4 r = m.col[0] * p.x + m.col[1] * p.y + m.col[2] * p.z + m.col[3];
  return {r[0], r[1], r[2]};
}

/// Normals go by the cofactor matrix: the inverse transpose up to a factor, also for maps that flatten. A map that
/// mirrors turns the surface inside out, and its normals with it. `n` itself where nothing of the surface is left.
CUTIS_HD inline Vec3f apply_normal(const SkinMatrix& m, const Vec3f& n) {
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
CUTIS_HD inline RigidMotion<T> rigid_motion(const Quat<T>& real, const Quat<T>& dual) {
  using std::sqrt;
  const T s = T(1.0F) / sqrt(dot(real, real));
  const Vec3<T> rv{real.x * s, real.y * s, real.z * s}, dv{dual.x * s, dual.y * s, dual.z * s};
  const T rw = real.w * s, dw = dual.w * s;
  const Vec3<T> t = T(2.0F) * (rw * dv - dw * rv + cross(rv, dv));
  return {{rv.x, rv.y, rv.z, rw}, t};
}

template <class T>
CUTIS_HD inline Vec3<T> apply_point(const RigidMotion<T>& m, const Vec3<T>& p) {
  return rotate(m.rotation, p) + m.translation;
}

}  // namespace cutis
