// Areas, normals, volume of triangle meshes.
#pragma once

#include <span>
#include <vector>

#include "cutis/types.h"

namespace cutis {

/// Angle-weighted vertex normals (independent of how faces are split). A vertex without a face of positive area
/// gets +Y. `group_of` (optional): vertices of one group share the normal, so that seams stay smooth.
[[nodiscard]] std::vector<Vec3f> vertex_normals(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                                                std::span<const std::uint32_t> group_of = {});

/// Half the cross product: points along the normal, its length is the area.
[[nodiscard]] Vec3d area_vector(const Vec3f& a, const Vec3f& b, const Vec3f& c);

/// Sum of signed tetrahedra against the box centre; positive when triangles face outward.
[[nodiscard]] double signed_volume(std::span<const Vec3f> positions, std::span<const Triangle> triangles);

}  // namespace cutis
