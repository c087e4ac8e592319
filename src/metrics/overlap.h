// Vertices that lie inside the body.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cutis/context.h"
#include "geometry/triangle_bvh.h"
#include "metrics/posed_surface.h"

namespace cutis {

struct Overlap {
  std::vector<std::uint8_t> inside;  ///< per welded vertex
  std::size_t count = 0;             ///< of those inside
  std::size_t tested = 0;            ///< vertices of usable triangles: only they have a normal
};

/// A vertex is inside when its point, moved by `offset` metres along its (angle-weighted) normal, has a winding number
/// > 0.5 with respect to the usable triangles, all of which `bvh` holds.
[[nodiscard]] Overlap find_overlap(const PosedSurface& surface, std::span<const Triangle> triangles,
                                   const TriangleBvh& bvh, double offset, const Context& context);

}  // namespace cutis
