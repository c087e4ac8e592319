// Which points are inside a body, cavities included that nothing gets into (a closed mouth).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cutis/types.h"
#include "geometry/closest_point.h"
#include "geometry/triangle_bvh.h"
#include "geometry/winding_number.h"

namespace cutis {

class Solid {
 public:
  /// `positions` and `triangles` are welded; any soup. Triangles that enclose little (eyes, lashes) do not count.
  Solid(std::span<const Vec3f> positions, std::span<const Triangle> triangles);
  Solid(const Solid&) = delete;
  Solid& operator=(const Solid&) = delete;

  [[nodiscard]] bool contains(const Vec3d& p) const { return winding_.exceeds(p, 0.5) || enclosed(p); }
  /// From p, hardly any direction leads out within a short way.
  [[nodiscard]] bool enclosed(const Vec3d& p) const;
  /// The same for a point of the surface, seen along its outward normal.
  [[nodiscard]] bool buried(const Vec3d& p, const Vec3d& normal) const;
  /// How far p can go that way before it meets the surface; at most `most`.
  [[nodiscard]] double room(const Vec3d& p, const Vec3d& direction, double least, double most) const;

  [[nodiscard]] const ClosestPoint& closest() const { return closest_; }
  [[nodiscard]] std::span<const Vec3f> positions() const { return positions_; }
  [[nodiscard]] std::span<const Triangle> triangles() const { return triangles_; }
  [[nodiscard]] double size() const { return size_; }

 private:
  std::vector<Vec3f> positions_;
  std::vector<Triangle> triangles_;
  TriangleBvh bvh_;
  WindingNumber winding_;
  ClosestPoint closest_;
  double size_ = 0;
};

}  // namespace cutis
