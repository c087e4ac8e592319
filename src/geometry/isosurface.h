// From an implicit shape to a triangle mesh.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cutis/types.h"

namespace cutis {

struct SurfaceMesh {
  std::vector<Vec3d> positions;
  std::vector<Triangle> triangles;
};

/// Negative inside.
using ScalarField = std::function<double(const Vec3d&)>;

/// Grid lines, increasing, at least two per axis; the spacing may vary, so that one box holds coarse and fine parts.
struct GridAxes {
  std::vector<double> x, y, z;
};

/// The component of the surface f = 0 that a ray from `inside` along +z meets first, triangles outward. Only cells at
/// the surface are visited, so the field need only be right near its zero set. Where the surface leaves the grid it is
/// cut: the mesh ends with border vertices exactly on the outer grid plane. Empty when `inside` is not inside or the
/// ray meets no surface.
[[nodiscard]] SurfaceMesh trace_isosurface(const ScalarField& field, const GridAxes& axes, const Vec3d& inside);

/// All components of the surface where `values` change sign, triangles outward. One value per node, x fastest, negative
/// inside; as many as the axes have nodes.
[[nodiscard]] SurfaceMesh extract_isosurface(std::span<const float> values, const GridAxes& axes);

}  // namespace cutis
