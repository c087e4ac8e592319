// Delaunay tetrahedra of points in space, by qhull.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/math.h"
#include "cutis/types.h"

namespace cutis {

using Tetrahedron = std::array<std::uint32_t, 4>;

/// Six times the signed volume; positive when d sees a, b, c counter-clockwise from behind their plane.
[[nodiscard]] inline double six_volumes(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  return dot(cross(b - a, c - a), d - a);
}

/// All positively oriented, none flat. Points that coincide with an earlier one are in no tetrahedron. Throws
/// Error(bad_character) when the points span no volume.
[[nodiscard]] std::vector<Tetrahedron> delaunay_tetrahedra(std::span<const Vec3d> points);

}  // namespace cutis
