// A cotangent Laplacian that is safe on any triangles: no negative weights, no infinite ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cutis/types.h"

namespace cutis {

struct EdgeWeight {
  std::uint32_t a = 0, b = 0;  ///< a < b
  double weight = 0;           ///< half the sum of the cotangents opposite; >= 0, finite
};

/// The energy of a function u is sum over edges of weight * (u_a - u_b)^2 / 2. Edges are intrinsic: most are edges of
/// the mesh, some are not.
struct CotangentLaplacian {
  std::vector<EdgeWeight> edges;   ///< sorted, each pair once
  std::vector<double> mass;        ///< per vertex: a third of the areas at it, square metres; 0 without triangles
  std::size_t flips = 0;           ///< edges that the intrinsic Delaunay triangulation replaced
  std::size_t thin_triangles = 0;  ///< triangles that had to be thickened: collinear or nearly so
};

/// Triangles must not repeat a vertex; they may share edges in any number and direction. Each connected component is
/// treated independently of the others.
[[nodiscard]] CotangentLaplacian cotangent_laplacian(std::span<const Vec3d> positions,
                                                     std::span<const Triangle> triangles);

}  // namespace cutis
