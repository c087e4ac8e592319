// Projection, vertex by vertex.
#include "backends/scalar/implicit.h"

namespace cutis {

std::uint32_t scalar::implicit_project(const ImplicitPass& pass, int steps, float tolerance, const BlockRun& run) {
  ImplicitVertices& vertices = pass.vertices;
  const TrackRest& track = pass.rest.track;
  std::uint32_t evaluations = 0;
  for (std::size_t block = run.begin; block < run.end; ++block) {
    const std::uint32_t lanes = vertices.active[block] & track.tracked_lanes[block];
    if (lanes == 0) continue;
    const ProjectLimits limits = limits_of_part(pass.rig, pass.pose, track.places.owner[block], steps, tolerance);
    each_place(block, lanes, [&](std::size_t place) {
      if (wants_projection(pass, place, tolerance)) evaluations += project_place(pass, limits, place);
    });
  }
  return evaluations;
}

}  // namespace cutis
