// Poses of a clip, and how far two skins are apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "base/math.h"
#include "cutis/character.h"
#include "geometry/normals.h"
#include "geometry/weld.h"

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

/// Largest and mean angle, degrees, between normals and those of the triangles of a posed character of one mesh. Copies
/// of a vertex at seams share theirs. `skip(v)`: leaves vertices out.
struct NormalError {
  double largest = 0, mean = 0;
};
template <class Skip>
NormalError normal_error(const Character& c, std::span<const Vec3f> positions, std::span<const Vec3f> normals,
                         Skip skip) {
  const Weld seams = weld(c.meshes[0].positions);
  // At a crease the two disagree: how faces are weighted is a matter of taste.
  const std::vector<Vec3f> there = vertex_normals(positions, c.meshes[0].triangles, seams.welded_of);
  const std::vector<Vec3d> by_area = area_weighted_normals(positions, c.meshes[0].triangles);
  NormalError error;
  std::size_t count = 0;
  for (std::size_t v = 0; v < normals.size(); ++v) {
    if (skip(v)) continue;
    const double agreement =
        std::max<double>(dot(normals[v], there[v]), dot(static_cast<Vec3d>(normals[v]), by_area[v]));
    const double angle = std::acos(std::clamp(agreement, -1.0, 1.0)) * 180 / kPi;
    error.largest = std::max(error.largest, angle);
    error.mean += angle;
    ++count;
  }
  if (count > 0) error.mean /= static_cast<double>(count);
  return error;
}
inline NormalError normal_error(const Character& c, std::span<const Vec3f> positions, std::span<const Vec3f> normals) {
  return normal_error(c, positions, normals, [](std::size_t) { return false; });
}

}  // namespace cutis::test
