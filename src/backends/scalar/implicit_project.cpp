// Projection, vertex by vertex, and what the frame shows of them.
#include <cmath>

#include "backends/scalar/implicit.h"

namespace cutis {

std::uint32_t scalar::implicit_project(const ImplicitPass& pass, int steps, float tolerance, const BlockRun& run) {
  ImplicitVertices& vertices = pass.vertices;
  const TrackRest& track = pass.rest.track;
  std::uint32_t evaluations = 0;
  for (std::size_t block = run.begin; block < run.end; ++block) {
    const std::uint32_t lanes = to_project(pass, block, tolerance);
    if (lanes == 0) continue;
    const ProjectLimits limits = limits_of_part(pass.rig, pass.pose, track.places.owner[block], steps, tolerance);
    each_place(block, lanes, [&](std::size_t place) { evaluations += project_place(pass, limits, place); });
    vertices.moved[block] = 0;
  }
  return evaluations;
}

void scalar::implicit_assess(const ImplicitPass& pass, const BlockRun& run) {
  ImplicitVertices& vertices = pass.vertices;
  for (std::size_t block = run.begin; block < run.end; ++block)
    each_place(block, vertices.flags[block], [&](std::size_t place) {
      const std::uint32_t v = pass.rest.places().vertex[place];
      const Vec3f p = narrow(vertices.positions[place]);
      const float residual = pass.pose.composed
                                 ? composed_residual(*pass.pose.field, pass.rig.surface.iso[v], p).value
                                 : skin_residual(vertex_skin(pass.rest, pass.pose, vertices, place), p).value;
      vertices.sample[place].v[0] = residual;
      if (std::abs(residual) > kSmoothTolerance && vertices.state[place] == VertexState::converged)
        vertices.state[place] = VertexState::contact;
    });
}

void scalar::implicit_normals(const ImplicitPass& pass, const BlockRun& run) {
  const ImplicitRest& rest = pass.rest;
  ImplicitVertices& vertices = pass.vertices;
  for (std::size_t block = run.begin; block < run.end; ++block)
    each_place(block, vertices.active[block], [&](std::size_t place) {
      const std::size_t lane = place % TrackPlaces::kBlock;
      const Vec3f p = narrow(vertices.positions[place]);
      const auto edge = [&](const TrackLanes<std::uint32_t>& row) {
        return narrow(vertices.positions[row.v[lane] / 4]) - p;
      };
      Vec3f sum;
      for (std::uint32_t row = rest.corner_rows[block]; row < rest.corner_rows[block + 1]; ++row)
        sum += cross(edge(rest.corners[0][row]), edge(rest.corners[1][row]));
      vertices.normals[place] = wide(normalized(sum));
    });
}

}  // namespace cutis
