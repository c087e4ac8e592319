#include "geometry/normals.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace cutis {

Vec3d area_vector(const Vec3f& a, const Vec3f& b, const Vec3f& c) {
  const auto p = static_cast<Vec3d>(a);
  return cross(static_cast<Vec3d>(b) - p, static_cast<Vec3d>(c) - p) * 0.5;
}

std::vector<Vec3f> vertex_normals(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                                  std::span<const std::uint32_t> group_of) {
  const auto group = [&](std::uint32_t v) { return group_of.empty() ? v : group_of[v]; };
  std::size_t groups = positions.size();
  if (!group_of.empty()) groups = group_of.empty() ? 0 : *std::max_element(group_of.begin(), group_of.end()) + 1ULL;
  std::vector<Vec3d> sum(groups);
  for (const Triangle& t : triangles) {
    const Vec3d n = normalized(area_vector(positions[t[0]], positions[t[1]], positions[t[2]]));
    const auto a = static_cast<Vec3d>(positions[t[0]]), b = static_cast<Vec3d>(positions[t[1]]),
               c = static_cast<Vec3d>(positions[t[2]]);
    const Vec3d ab = normalized(b - a), bc = normalized(c - b), ca = normalized(a - c);
    const auto add = [&](std::uint32_t v, double cosine) {
      sum[group(v)] += n * std::acos(std::clamp(cosine, -1.0, 1.0));
    };
    add(t[0], -dot(ab, ca));
    add(t[1], -dot(ab, bc));
    add(t[2], -dot(bc, ca));
  }
  std::vector<Vec3f> normals(positions.size());
  for (std::uint32_t v = 0; v < positions.size(); ++v)
    normals[v] = static_cast<Vec3f>(normalized(sum[group(v)], Vec3d{0, 1, 0}));
  return normals;
}

std::vector<Vec3d> area_weighted_normals(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  std::vector<Vec3d> normals(positions.size());
  add_face_normals(positions, triangles, [](const Triangle&) { return true; }, normals);
  for (Vec3d& n : normals) n = normalized(n);
  return normals;
}

double signed_volume(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  Box box;
  for (const Vec3f& p : positions) box.add(static_cast<Vec3d>(p));
  const Vec3d origin = center(box);
  double six_volumes = 0;
  for (const Triangle& t : triangles) {
    const Vec3d a = static_cast<Vec3d>(positions[t[0]]) - origin;
    const Vec3d b = static_cast<Vec3d>(positions[t[1]]) - origin;
    const Vec3d c = static_cast<Vec3d>(positions[t[2]]) - origin;
    six_volumes += dot(a, cross(b, c));
  }
  return six_volumes / 6;
}

}  // namespace cutis
