// Skin that touches other skin or lies inside the body, found from the shape alone: the same for every method.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cutis/context.h"
#include "geometry/topology.h"
#include "geometry/triangle_bvh.h"
#include "metrics/posed_surface.h"

namespace cutis {

/// Per welded vertex 1: at a triangle of `pairs` (those that intersect), or other skin within `reach` metres out along
/// the vertex normal, or in a piece of skin, cut off by intersecting triangles, that is inside. `bvh` holds the usable
/// triangles; `place_of` gives each vertex a number, and a triangle with an equal number is no other skin.
[[nodiscard]] std::vector<std::uint8_t> find_touching(const PosedSurface& surface, const Topology& topology,
                                                      const TriangleBvh& bvh,
                                                      std::span<const std::array<std::uint32_t, 2>> pairs,
                                                      std::span<const std::uint32_t> place_of, double reach,
                                                      const Context& context);

/// Marks the neighbours of what is marked, `rings` times.
void grow_by_rings(std::vector<std::uint8_t>& marked, const Topology& topology, int rings);

}  // namespace cutis
