// ONE VERTEX: tangential relaxation by mean value coordinates (Implicit §3.5.2).
//
// The coordinates write a vertex as a weighted mean of its ring, all projected on its rest tangent plane:
//   Phi_j ~ (tan(a_{j-1}/2) + tan(a_j/2)) / r_j,
// a_j the angle at the vertex in triangle j, r_j the distance. The sum is gathered triangle by triangle, which needs no
// order of the ring; tan(a/2) = sin a / (1 + cos a) is signed, so a triangle that lies upside down in the plane counts
// against the others.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/math.h"

namespace cutis {

/// tan(a/2) between two vectors of the plane with unit normal `n`, counted from `a` to `b`; 0 when one is short of
/// nothing, bounded for angles near a half turn.
CUTIS_HD inline double half_angle_tangent(const Vec3d& a, const Vec3d& b, const Vec3d& n) {
  const double lengths = length(a) * length(b);
  if (!(lengths > 0)) return 0;
  const double sine = dot(cross(a, b), n) / lengths, rest = 1 + dot(a, b) / lengths;
  constexpr double kLargest = 1e3;
  if (rest * kLargest > std::abs(sine)) return sine / rest;
  return sine < 0 ? -kLargest : kLargest;
}

/// Implicit's mu: how strongly a vertex is relaxed, from the distance of its field to its iso-value.
CUTIS_HD inline float relaxation_strength(float residual) {
  const float d = std::abs(residual) - 1;
  const float mu = 1 - d * d * d * d;
  return mu > 0 ? mu : 0;
}

/// Towards the weighted mean of the neighbours by `strength`, within the plane of unit normal `n`.
CUTIS_HD inline Vec3f relax_towards_ring(const Vec3f& p, const Vec3f& n, const Vec3f* positions,
                                         const std::uint32_t* ring, const float* weights, std::size_t count,
                                         float strength) {
  Vec3f mean;
  for (std::size_t j = 0; j < count; ++j) mean += weights[j] * (positions[ring[j]] - p);
  return p + strength * (mean - n * dot(n, mean));
}

}  // namespace cutis
