// Areas, normals, volume of triangle meshes.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/math.h"
#include "cutis/types.h"

namespace cutis {

/// Angle-weighted vertex normals (independent of how faces are split). A vertex without a face of positive area
/// gets +Y. `group_of` (optional): vertices of one group share the normal, so that seams stay smooth.
[[nodiscard]] std::vector<Vec3f> vertex_normals(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                                                std::span<const std::uint32_t> group_of = {});

/// The same for a mesh that deforms: faces count by the angles that they have at rest, which are found once.
class DeformedNormals {
 public:
  DeformedNormals(std::span<const Vec3f> rest, std::span<const Triangle> triangles,
                  std::span<const std::uint32_t> group_of = {});
  /// One normal a position.
  void find(std::span<const Vec3f> positions, std::span<Vec3f> normals);

 private:
  std::vector<Triangle> triangles_, groups_;   // of its three vertices
  std::vector<std::array<double, 3>> angles_;  // radians
  std::vector<std::uint32_t> group_of_;
  std::vector<Vec3d> sum_;  // per group
};

/// Across the triangle, as long as twice its area. Sides are subtracted as the positions are given, multiplied in T.
template <class T, class Positions>
[[nodiscard]] CUTIS_HD inline Vec3<T> face_normal(const Positions& at, const Triangle& t) {
  return cross(static_cast<Vec3<T>>(at[t[1]] - at[t[0]]), static_cast<Vec3<T>>(at[t[2]] - at[t[0]]));
}

/// Adds the normals of faces, as long as twice their areas, to the sums of their vertices: in the order of the faces,
/// and only of those that `counts` takes.
template <class Positions, class Counts>
void add_face_normals(const Positions& at, std::span<const Triangle> triangles, const Counts& counts,
                      std::span<Vec3d> sum) {
  for (const Triangle& t : triangles) {
    if (!counts(t)) continue;
    const Vec3d n = face_normal<double>(at, t);
    for (const std::uint32_t v : t) sum[v] += n;
  }
}

/// The sum of the normals of faces at vertex v; `corners`: the two others of each, in its order.
template <class Positions>
[[nodiscard]] Vec3f sum_of_corners(const Positions& at, std::uint32_t v, std::span<const std::uint32_t> corners) {
  Vec3f sum;
  for (std::size_t c = 0; c + 1 < corners.size(); c += 2)
    sum += cross(at[corners[c]] - at[v], at[corners[c + 1]] - at[v]);
  return sum;
}

/// Area-weighted vertex normals of unit length; 0 without a face of positive area.
[[nodiscard]] std::vector<Vec3d> area_weighted_normals(std::span<const Vec3f> positions,
                                                       std::span<const Triangle> triangles);

/// Half the cross product: points along the normal, its length is the area.
[[nodiscard]] Vec3d area_vector(const Vec3f& a, const Vec3f& b, const Vec3f& c);

/// Sum of signed tetrahedra against the box centre; positive when triangles face outward.
[[nodiscard]] double signed_volume(std::span<const Vec3f> positions, std::span<const Triangle> triangles);

}  // namespace cutis
