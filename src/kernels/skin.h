// ONE VERTEX: linear blend skinning and dual quaternion skinning (Kavan et al. 2007).
//
// Scale in bones, for dual quaternions: each bone's motion relative to rest is split by polar decomposition about the
// bone's own joint c into a stretch S and a rigid motion, M p = rigid(S (p - c) + c). A vertex is first stretched by
// the blended stretches, then moved by the blended rigid motions: exact for one influence, and equal to plain dual
// quaternion skinning when no bone scales.
#pragma once

#include <cmath>

#include "base/math.h"

namespace cutis {

/// Three rows of a 3x4 matrix; 16-byte rows, so that compilers blend four numbers at a time.
struct alignas(16) SkinMatrix {
  float row[3][4];
};

/// Dual quaternion as two rows of four floats (x y z w).
struct alignas(16) SkinDualQuat {
  float real[4];
  float dual[4];
};

template <class Block>
CUTIS_HD inline void accumulate(SkinMatrix& sum, const Block& block, const SkinMatrix* palette) {
  for (unsigned k = 0; k < 4; ++k) {
    const float w = block.weight[k];
    const SkinMatrix& m = palette[block.bone[k]];
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 4; ++c) sum.row[r][c] += w * m.row[r][c];
  }
}

CUTIS_HD inline Vec3f apply_point(const SkinMatrix& m, const Vec3f& p) {
  return {m.row[0][0] * p.x + m.row[0][1] * p.y + m.row[0][2] * p.z + m.row[0][3],
          m.row[1][0] * p.x + m.row[1][1] * p.y + m.row[1][2] * p.z + m.row[1][3],
          m.row[2][0] * p.x + m.row[2][1] * p.y + m.row[2][2] * p.z + m.row[2][3]};
}

/// Normals go by the cofactor matrix: the inverse transpose up to a factor, also for maps that flatten. A map that
/// mirrors turns the surface inside out, and its normals with it. `n` itself where nothing of the surface is left.
CUTIS_HD inline Vec3f apply_normal(const SkinMatrix& m, const Vec3f& n) {
  const Vec3f a{m.row[0][0], m.row[0][1], m.row[0][2]};
  const Vec3f b{m.row[1][0], m.row[1][1], m.row[1][2]};
  const Vec3f c{m.row[2][0], m.row[2][1], m.row[2][2]};
  const Vec3f bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);  // rows of the cofactor matrix
  return normalized(Vec3f{dot(bc, n), dot(ca, n), dot(ab, n)}, n);
}

template <class Block>
CUTIS_HD inline void accumulate(SkinDualQuat& sum, const Block& block, const SkinDualQuat* palette) {
  for (unsigned k = 0; k < 4; ++k) {
    const float w = block.weight[k];
    const SkinDualQuat& q = palette[block.bone[k]];
    for (int c = 0; c < 4; ++c) sum.real[c] += w * q.real[c];
    for (int c = 0; c < 4; ++c) sum.dual[c] += w * q.dual[c];
  }
}

/// p goes to rotate(rotation, p) + translation.
struct RigidMotion {
  Quatf rotation;
  Vec3f translation;
};

/// Below this squared length the bones' rotations cancel (motions a full turn apart in equal shares), and the blend
/// means nothing: the first, heaviest bone then moves the vertex alone.
inline constexpr float kCancelled = 1e-8F;

CUTIS_HD inline RigidMotion rigid_motion(const SkinDualQuat& blended, const SkinDualQuat& heaviest) {
  const float squared = blended.real[0] * blended.real[0] + blended.real[1] * blended.real[1] +
                        blended.real[2] * blended.real[2] + blended.real[3] * blended.real[3];
  const SkinDualQuat& q = squared > kCancelled ? blended : heaviest;
  const float s = squared > kCancelled ? 1.0F / std::sqrt(squared) : 1.0F;
  const Vec3f rv{q.real[0] * s, q.real[1] * s, q.real[2] * s}, dv{q.dual[0] * s, q.dual[1] * s, q.dual[2] * s};
  const float rw = q.real[3] * s, dw = q.dual[3] * s;
  // 2 * dual * conj(real); the part of the dual along the real quaternion drops out.
  const Vec3f t = 2.0F * (rw * dv - dw * rv + cross(rv, dv));
  return {{rv.x, rv.y, rv.z, rw}, t};
}

CUTIS_HD inline Vec3f apply_point(const RigidMotion& m, const Vec3f& p) {
  return rotate(m.rotation, p) + m.translation;
}

}  // namespace cutis
