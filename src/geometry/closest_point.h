// The nearest point of a surface.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cutis/types.h"
#include "geometry/triangle_bvh.h"

namespace cutis {

/// Barycentric coordinates, in [0,1] and summing to 1, of the point of triangle abc nearest to q. Degenerate triangles
/// are the segments or points that they are.
[[nodiscard]] std::array<double, 3> closest_in_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& q);

class ClosestPoint {
 public:
  /// Of the triangles in `bvh`. All are kept by reference and must outlive this.
  ClosestPoint(const TriangleBvh& bvh, std::span<const Vec3f> positions, std::span<const Triangle> triangles)
      : bvh_(bvh), positions_(positions), triangles_(triangles) {}

  struct Hit {
    std::uint32_t triangle = 0;
    std::array<double, 3> barycentric{};
    double distance = 0;
  };
  /// The tree must not be empty. Of several equally near triangles, the one with the lowest number.
  [[nodiscard]] Hit nearest(const Vec3d& q) const;

 private:
  const TriangleBvh& bvh_;
  std::span<const Vec3f> positions_;
  std::span<const Triangle> triangles_;
};

}  // namespace cutis
