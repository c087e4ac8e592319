#include "metrics/folds.h"

#include "base/math.h"
#include "geometry/normals.h"

namespace cutis {

std::vector<std::uint8_t> sharp_edges(const PosedSurface& surface, const Topology& topology) {
  constexpr double kSharp = -0.5;  // 120 degrees between the normals
  std::vector<Vec3d> normals(topology.triangles.size());
  for (const std::uint32_t t : surface.usable) {
    const auto& [a, b, c] = topology.triangles[t];
    normals[t] = normalized(area_vector(surface.positions[a], surface.positions[b], surface.positions[c]));
  }
  std::vector<std::uint8_t> sharp(topology.edges.size(), 0);
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    if (topology.edges[e].faces != 2) continue;
    const auto faces = topology.edge_faces.row(e);
    const double agreement = dot(normals[faces[0]], normals[faces[1]]);
    sharp[e] = (topology.edges[e].forward == 1 ? agreement : -agreement) < kSharp;
  }
  return sharp;
}

}  // namespace cutis
