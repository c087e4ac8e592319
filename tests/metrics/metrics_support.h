// Small characters for the metrics' tests.
#pragma once

#include <cmath>
#include <vector>

#include "cutis/character.h"
#include "support/support.h"

namespace cutis::test {

/// Without skeleton and weights.
inline Character character_of(const Surface& s) {
  Character c;
  Mesh mesh;
  mesh.name = "surface";
  mesh.positions = s.positions;
  mesh.triangles = s.triangles;
  c.meshes.push_back(std::move(mesh));
  return c;
}

inline Surface both(Surface a, const Surface& b) {
  const auto n = static_cast<std::uint32_t>(a.positions.size());
  a.positions.insert(a.positions.end(), b.positions.begin(), b.positions.end());
  for (const Triangle& t : b.triangles) a.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  return a;
}

inline Surface moved(Surface s, const Vec3f& by) {
  for (Vec3f& p : s.positions) p += by;
  return s;
}

inline std::vector<Vec3f> scaled(std::vector<Vec3f> points, const Vec3f& by) {
  for (Vec3f& p : points) p = {p.x * by.x, p.y * by.y, p.z * by.z};
  return points;
}

/// Turns what lies beyond x = `at` by `angle` about the line x = `at`, y = 0.
inline std::vector<Vec3f> bent(std::vector<Vec3f> points, float at, double angle) {
  for (Vec3f& p : points) {
    if (p.x <= at) continue;
    const double x = p.x - at, y = p.y;
    p.x = static_cast<float>(at + x * std::cos(angle) - y * std::sin(angle));
    p.y = static_cast<float>(x * std::sin(angle) + y * std::cos(angle));
  }
  return points;
}

}  // namespace cutis::test
