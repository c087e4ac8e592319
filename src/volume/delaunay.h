// Delaunay tetrahedra of points in space.
//
// Decided exactly on a grid, nearly as fine as single precision: no tetrahedron is turned over or missing there,
// whatever the points (symmetric, on lines, on common spheres). The same points give the same tetrahedra in the same
// order on every machine.
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

/// The grid's cells for points in a box of that longest side: a power of two, at most 2^-22 of it. Points on the grid
/// of a larger box are on that of a smaller one.
[[nodiscard]] double delaunay_grid(double side);

/// They fill the convex hull, face to face, all positively oriented on the grid: the thinnest, of points that are not
/// on it, may be flat to its precision. The corner of the least number is first, tetrahedra by their corners. Points
/// that coincide with an earlier one on the grid are in no tetrahedron. Throws Error(bad_character) when the points
/// span no volume.
[[nodiscard]] std::vector<Tetrahedron> delaunay_tetrahedra(std::span<const Vec3d> points);

}  // namespace cutis
