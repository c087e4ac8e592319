// Faces and boundaries of sets of tetrahedra.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cutis/context.h"
#include "volume/delaunay.h"

namespace cutis {

/// visit(face) for the four faces of a positive tetrahedron, outward.
template <class Visit>
void for_each_face(const Tetrahedron& t, Visit&& visit) {
  visit(Triangle{t[0], t[2], t[1]});
  visit(Triangle{t[0], t[1], t[3]});
  visit(Triangle{t[1], t[2], t[3]});
  visit(Triangle{t[0], t[3], t[2]});
}

/// Quality in (0,1]: inscribed over circumscribed ball, times three.
[[nodiscard]] double tetrahedron_quality(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d);
[[nodiscard]] double tetrahedron_quality(std::span<const Vec3d> points, const Tetrahedron& t);

/// For every face of every tetrahedron (4 a tetrahedron, in the order of for_each_face): the tetrahedron on its other
/// side, -1: none.
[[nodiscard]] std::vector<std::int64_t> face_neighbours(std::span<const Tetrahedron> tetrahedra);

/// Faces with nothing on their other side, outward.
[[nodiscard]] std::vector<Triangle> boundary_of(std::span<const Tetrahedron> tetrahedra);

/// The largest set that hangs together by faces; `pieces`: how many sets there are.
[[nodiscard]] std::vector<Tetrahedron> largest_piece(std::span<const Tetrahedron> tetrahedra, std::size_t& pieces);

/// Pairs of triangles that have a point in common and no vertex; decided exactly, in single precision. By their places
/// in the list, the smaller first, in order.
[[nodiscard]] std::vector<std::array<std::uint32_t, 2>> find_intersecting_pairs(std::span<const Vec3d> points,
                                                                                std::span<const Triangle> triangles);
[[nodiscard]] std::size_t intersecting_pairs(std::span<const Vec3d> points, std::span<const Triangle> triangles);

struct Outside {
  double by = 0;  ///< how far it is outside the closed surface, 0 inside
  Vec3d away;     ///< the direction from the surface to it, unit; 0 inside and on the surface
};
[[nodiscard]] std::vector<Outside> find_outside(std::span<const Vec3d> points, std::span<const Triangle> triangles,
                                                std::span<const Vec3d> queries, const Context& context);

}  // namespace cutis
