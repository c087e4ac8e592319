// Do two triangles share a point? Decided exactly.
#pragma once

#include "cutis/types.h"

namespace cutis {

using TriangleCorners = std::array<Vec3f, 3>;

/// Whether two closed triangles have a point in common: crossing, touching (vertex on face, edge on edge, vertex on
/// vertex) and coplanar overlap all count, gaps of one unit in the last place do not. Exact for all finite floats.
/// Precondition: both have a positive area (has_zero_area() is false).
[[nodiscard]] bool triangles_intersect(const TriangleCorners& a, const TriangleCorners& b);

/// Whether they come within `reach` of each other, to rounding. Corners must be finite.
[[nodiscard]] bool triangles_within(const TriangleCorners& a, const TriangleCorners& b, double reach);

}  // namespace cutis
