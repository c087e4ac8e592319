// Skin that lies against other skin, found from the shape alone: the same for every method.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cutis/context.h"
#include "geometry/topology.h"
#include "geometry/triangle_bvh.h"
#include "metrics/posed_surface.h"

namespace cutis {

/// Per welded vertex 1: the way out along its normal meets the outer side of other skin within `reach` metres. `bvh`
/// holds the usable triangles; `place_of` gives each vertex a number, and a triangle with an equal number is no other
/// skin.
[[nodiscard]] std::vector<std::uint8_t> find_touching(const PosedSurface& surface, const Topology& topology,
                                                      const TriangleBvh& bvh, std::span<const std::uint32_t> place_of,
                                                      double reach, const Context& context);

/// Marks the neighbours of what is marked, `rings` times.
void grow_by_rings(std::vector<std::uint8_t>& marked, const Topology& topology, int rings);

}  // namespace cutis
