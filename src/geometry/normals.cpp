#include "geometry/normals.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace cutis {

Vec3d area_vector(const Vec3f& a, const Vec3f& b, const Vec3f& c) {
  const auto p = static_cast<Vec3d>(a);
  return cross(static_cast<Vec3d>(b) - p, static_cast<Vec3d>(c) - p) * 0.5;
}

namespace {

/// Radians at the three corners.
std::array<double, 3> corner_angles(const Vec3f& p, const Vec3f& q, const Vec3f& r) {
  const auto a = static_cast<Vec3d>(p), b = static_cast<Vec3d>(q), c = static_cast<Vec3d>(r);
  const Vec3d ab = normalized(b - a), bc = normalized(c - b), ca = normalized(a - c);
  const auto angle = [](double cosine) { return std::acos(std::clamp(cosine, -1.0, 1.0)); };
  return {angle(-dot(ab, ca)), angle(-dot(ab, bc)), angle(-dot(bc, ca))};
}

std::size_t count_groups(std::size_t vertices, std::span<const std::uint32_t> group_of) {
  return group_of.empty() ? vertices : *std::max_element(group_of.begin(), group_of.end()) + 1ULL;
}

}  // namespace

std::vector<Vec3f> vertex_normals(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                                  std::span<const std::uint32_t> group_of) {
  const auto group = [&](std::uint32_t v) { return group_of.empty() ? v : group_of[v]; };
  std::vector<Vec3d> sum(count_groups(positions.size(), group_of));
  for (const Triangle& t : triangles) {
    const Vec3d n = normalized(area_vector(positions[t[0]], positions[t[1]], positions[t[2]]));
    const std::array<double, 3> angles = corner_angles(positions[t[0]], positions[t[1]], positions[t[2]]);
    for (std::size_t k = 0; k < 3; ++k) sum[group(t[k])] += n * angles[k];
  }
  std::vector<Vec3f> normals(positions.size());
  for (std::uint32_t v = 0; v < positions.size(); ++v)
    normals[v] = static_cast<Vec3f>(normalized(sum[group(v)], Vec3d{0, 1, 0}));
  return normals;
}

DeformedNormals::DeformedNormals(std::span<const Vec3f> rest, std::span<const Triangle> triangles,
                                 std::span<const std::uint32_t> group_of)
    : triangles_(triangles.begin(), triangles.end()),
      group_of_(group_of.begin(), group_of.end()),
      sum_(count_groups(rest.size(), group_of)) {
  if (group_of_.empty())
    for (std::uint32_t v = 0; v < rest.size(); ++v) group_of_.push_back(v);
  for (const Triangle& t : triangles_) {
    angles_.push_back(corner_angles(rest[t[0]], rest[t[1]], rest[t[2]]));
    groups_.push_back({group_of_[t[0]], group_of_[t[1]], group_of_[t[2]]});
  }
}

void DeformedNormals::find(std::span<const Vec3f> positions, std::span<Vec3f> normals) {
  std::fill(sum_.begin(), sum_.end(), Vec3d{});
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    const Triangle& t = triangles_[i];
    const Vec3d n = normalized(area_vector(positions[t[0]], positions[t[1]], positions[t[2]]));
    for (std::size_t k = 0; k < 3; ++k) sum_[groups_[i][k]] += n * angles_[i][k];
  }
  for (Vec3d& n : sum_) n = normalized(n, Vec3d{0, 1, 0});
  for (std::size_t v = 0; v < positions.size(); ++v) normals[v] = static_cast<Vec3f>(sum_[group_of_[v]]);
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
