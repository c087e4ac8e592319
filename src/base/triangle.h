// The point of a triangle that is nearest to a point.
#pragma once

#include "base/math.h"
#include "base/segment.h"

namespace cutis {

/// Its barycentric coordinates, in [0,1] and summing to 1. Degenerate triangles are the segments or points that they
/// are.
///
/// The plane's foot when it falls inside; else the nearest of the three edges. Slower than a walk over the Voronoi
/// regions and without its divisions by zero.
template <class T>
CUTIS_HD inline void closest_in_triangle(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c, const Vec3<T>& q,
                                         T (&weight)[3]) {
  const Vec3<T> n = cross(b - a, c - a);
  const T nn = dot(n, n);
  if (nn > 0) {
    const T u = dot(cross(c - b, q - b), n) / nn, v = dot(cross(a - c, q - c), n) / nn, w = 1 - u - v;
    if (u >= 0 && v >= 0 && w >= 0) {
      weight[0] = u;
      weight[1] = v;
      weight[2] = w;
      return;
    }
  }
  const Vec3<T> p[3] = {a, b, c};
  T nearest = 0;
  for (int k = 0; k < 3; ++k) {
    const int m = (k + 1) % 3;
    const T t = parameter_on_segment(q, p[k], p[m]);
    const Vec3<T> d = p[k] + (p[m] - p[k]) * t - q;
    if (k > 0 && !(dot(d, d) < nearest)) continue;
    nearest = dot(d, d);
    weight[0] = weight[1] = weight[2] = 0;
    weight[k] = 1 - t;
    weight[m] = t;
  }
}

}  // namespace cutis
