// The point of a segment that is nearest to a point.
#pragma once

#include <algorithm>

#include "base/math.h"

namespace cutis {

/// Where along the segment (0 to 1, clamped) the point nearest to p is; 0 for a segment without length.
inline double parameter_on_segment(const Vec3d& p, const Vec3d& from, const Vec3d& to) {
  const Vec3d along = to - from;
  const double squared = dot(along, along);
  return squared > 0 ? std::clamp(dot(p - from, along) / squared, 0.0, 1.0) : 0.0;
}

inline Vec3d nearest_on_segment(const Vec3d& p, const Vec3d& from, const Vec3d& to) {
  return from + (to - from) * parameter_on_segment(p, from, to);
}

/// Beyond an end exactly the distance to it.
inline double distance_to_segment(const Vec3d& p, const Vec3d& from, const Vec3d& to) {
  return distance(p, lerp(from, to, parameter_on_segment(p, from, to)));
}

}  // namespace cutis
