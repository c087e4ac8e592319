// Poses of a clip, and how far two skins are apart.
#pragma once

#include <algorithm>
#include <span>

#include "base/math.h"
#include "cutis/character.h"

namespace cutis::test {

/// At this share of the clip, 0 to 1.
inline Pose pose_at(const Character& c, const char* clip, double share) {
  const Clip& found = c.clip(clip);
  return sample(c.skeleton, found, found.start() + share * (found.end() - found.start()));
}

inline double largest_distance(std::span<const Vec3f> a, std::span<const Vec3f> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, static_cast<double>(distance(a[i], b[i])));
  return largest;
}

}  // namespace cutis::test
