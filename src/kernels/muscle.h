// ONE POINT of a muscle: a primitive in the field of a part (Tracking, figure 10).
//
// In a space of its own, q = L p, where its radius is 1 and x runs along it, a muscle is all that lies within 1 of a
// segment on x; for an ellipsoid the segment is a point and the space is squeezed along x. With q from the segment,
// s = |q| and w = L^T q, the distance to its surface is s (s - 1) / |w|: exact for the capsule, to first order for the
// ellipsoid.
#pragma once

#include <cmath>

#include "kernels/compact.h"

namespace cutis {

/// In one pose, at one thickness.
struct MuscleView {
  Affine3f unit_from_posed;
  float half = 0;  ///< of the segment's length, in units
};

/// `support`: of the part's field, metres.
CUTIS_HD inline FieldSample<float> eval_muscle(const MuscleView& muscle, CompactMap map, float support,
                                               const Vec3f& p) {
  Vec3f q = transform_point(muscle.unit_from_posed, p);
  q.x -= q.x < -muscle.half ? -muscle.half : q.x > muscle.half ? muscle.half : q.x;
  const Mat3f& l = muscle.unit_from_posed.linear;
  const Vec3f w = transpose(l) * q;
  const float s = length(q), k = length(w);
  if (!(k > 0)) return {s < 1 ? 1.0F : 0.0F, {}};  // its very middle; no thickness
  const float d = s * (s - 1) / k;
  const CompactSample<float> f = compact(map, d, support);
  if (f.slope == 0) return {f.value, {}};
  return {f.value, (w * ((2 * s - 1) / s) - transpose(l) * (l * w) * (d / k)) * (f.slope / k)};
}

/// (f^4 + g^4)^(1/4), at most 1: the union, without an edge, and 0 where both are.
CUTIS_HD inline FieldSample<float> soft_union(const FieldSample<float>& f, const FieldSample<float>& g) {
  if (!(g.value > 0)) return f;
  if (!(f.value > 0)) return g;
  const float f2 = f.value * f.value, g2 = g.value * g.value;
  const float square = std::sqrt(f2 * f2 + g2 * g2), value = std::sqrt(square);
  if (value >= 1) return {1, {}};
  const float scale = 1 / (square * value);
  return {value, f.gradient * (f2 * f.value * scale) + g.gradient * (g2 * g.value * scale)};
}

}  // namespace cutis
