// The point of a segment that is nearest to a point.
#pragma once

#include "base/math.h"

namespace cutis {

/// Where along the segment (0 to 1, clamped) the point nearest to p is; 0 for a segment without length.
template <class T>
CUTIS_HD inline T parameter_on_segment(const Vec3<T>& p, const Vec3<T>& from, const Vec3<T>& to) {
  const Vec3<T> along = to - from;
  const T squared = dot(along, along);
  if (!(squared > 0)) return 0;
  const T t = dot(p - from, along) / squared;
  return t < 0 ? T(0) : 1 < t ? T(1) : t;
}

inline Vec3d nearest_on_segment(const Vec3d& p, const Vec3d& from, const Vec3d& to) {
  return from + (to - from) * parameter_on_segment(p, from, to);
}

/// Beyond an end exactly the distance to it.
inline double distance_to_segment(const Vec3d& p, const Vec3d& from, const Vec3d& to) {
  return distance(p, lerp(from, to, parameter_on_segment(p, from, to)));
}

}  // namespace cutis
