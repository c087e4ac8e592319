// Polygons of a file into triangles.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cutis/types.h"

namespace cutis {

/// Appends `corners.size() - 2` triangles with the polygon's orientation (nothing for fewer than three corners).
/// Quads are split along the shorter diagonal that lies inside; larger polygons by clipping the inner ear with the
/// shortest diagonal, seen along the polygon's area vector, so that concave ones stay right. A polygon without area
/// or with crossing edges gives triangles too, over the same corners. Takes time quadratic in the corners: the
/// caller bounds them by kMaxPolygonCorners. Indices must be in range.
void triangulate_polygon(std::span<const Vec3f> positions, std::span<const std::uint32_t> corners,
                         std::vector<Triangle>& triangles);

inline constexpr std::size_t kMaxPolygonCorners = 10000;

}  // namespace cutis
