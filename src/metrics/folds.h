// Edges whose two faces turn against each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/topology.h"
#include "metrics/posed_surface.h"

namespace cutis {

/// Per edge: 1 when it has exactly two faces and their unit normals have a dot product < -0.5. Two faces that run along
/// the edge in the same direction are compared as if one of them were turned over. Faces without area and vertices
/// that are not finite make no fold.
[[nodiscard]] std::vector<std::uint8_t> sharp_edges(const PosedSurface& surface, const Topology& topology);

}  // namespace cutis
