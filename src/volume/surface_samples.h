// Points spread over the outside of a body, closer together where it is thin: the vertices of the cage.
//
// Le Naour 2018, section IV-D, simplifies the mesh and scales it up. Here the surface is sampled anew, evenly for edge
// lengths that follow the distance to the bones, so that fingers keep round sections where a trunk gets few points.
#pragma once

#include <span>
#include <vector>

#include "cutis/context.h"
#include "volume/driven_skeleton.h"
#include "volume/solid.h"

namespace cutis {

struct SurfaceSamples {
  std::vector<Vec3d> positions, normals;
  std::vector<double> spacing;  ///< wanted edge length at each
};

/// About `count` of them; more when thin parts need them.
[[nodiscard]] SurfaceSamples sample_surface(const Solid& solid, std::span<const DrivenSegment> segments,
                                            std::size_t count, const Context& context);

/// The vertices of the surface itself.
[[nodiscard]] SurfaceSamples surface_vertices(const Solid& solid);

/// Nearest distance from p to any segment.
[[nodiscard]] double distance_to_segments(std::span<const DrivenSegment> segments, const Vec3d& p);

}  // namespace cutis
