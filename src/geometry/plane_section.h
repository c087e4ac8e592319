// Where a plane cuts a triangle mesh: curves traced from triangle to triangle.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cutis/types.h"
#include "geometry/topology.h"

namespace cutis {

struct Plane {
  Vec3d point, normal;  ///< unit normal
};

/// A crossed edge. A vertex in the plane counts as above it, so a curve never runs along an edge and never branches at
/// a vertex.
struct SectionPoint {
  std::uint32_t edge = 0;
  Vec3d position;
};

/// points[i] and points[i + 1] lie on the border of faces[i]; a closed curve comes back to points[0], an open one ends
/// at borders of the mesh and has one face less than points.
struct SectionCurve {
  std::vector<SectionPoint> points;
  std::vector<std::uint32_t> faces;
  bool closed = false;
  double length = 0;  ///< along the mesh
  double gap = 0;     ///< between the ends of an open curve

  /// All the way round; the gap of an open curve is bridged by a straight line.
  [[nodiscard]] double perimeter() const { return length + gap; }
};

struct RayHit {
  std::uint32_t face = 0;
  double t = 0;  ///< along the direction; of either sign
};

class PlaneSections {
 public:
  /// Both are kept by reference.
  PlaneSections(std::span<const Vec3d> positions, const Topology& topology);

  struct Scratch {
    std::vector<std::uint32_t> stamp;  // per face: the last trace that came by
    std::uint32_t now = 0;
  };

  /// The curve through `face`, into `curve`. False when the plane misses the face, or when the curve gets longer than
  /// `max_length`.
  bool trace(const Plane& plane, std::uint32_t face, double max_length, Scratch& scratch, SectionCurve& curve) const;

  /// All curves of a plane; looks at every triangle.
  [[nodiscard]] std::vector<SectionCurve> all(const Plane& plane, Scratch& scratch) const;

  /// Triangles that the whole line origin + t direction meets, nearest to the origin first; looks at every triangle. A
  /// line through an edge meets both its triangles.
  [[nodiscard]] std::vector<RayHit> line_hits(const Vec3d& origin, const Vec3d& direction) const;

  [[nodiscard]] const std::array<std::uint32_t, 3>& edges_of(std::uint32_t face) const { return face_edges_[face]; }
  [[nodiscard]] const Topology& topology() const { return *topology_; }
  [[nodiscard]] std::span<const Vec3d> positions() const { return positions_; }

 private:
  [[nodiscard]] double height(const Plane& plane, std::uint32_t vertex) const;

  std::span<const Vec3d> positions_;
  const Topology* topology_;
  std::vector<std::array<std::uint32_t, 3>> face_edges_;  // edge k joins corners k and k + 1
  double tolerance_ = 0;                                  // heights below it are 0
};

/// How often the curve (an open one closed by a straight line) goes around `point`, seen along `normal`; 0: outside.
[[nodiscard]] int winding(const SectionCurve& curve, const Vec3d& point, const Vec3d& normal);

/// Centre of gravity of the curve as a wire.
[[nodiscard]] Vec3d centroid(const SectionCurve& curve);

}  // namespace cutis
