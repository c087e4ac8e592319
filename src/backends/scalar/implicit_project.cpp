// Projection of all vertices, and the normals of the surface that they make.
#include <cmath>
#include <numeric>

#include "backends/implicit_engine.h"
#include "backends/scalar/grain.h"
#include "base/parallel_for.h"
#include "kernels/project.h"

namespace cutis {
namespace {

VertexState state_of(ProjectEnd end) {
  switch (end) {
    case ProjectEnd::converged:
      return VertexState::converged;
    case ProjectEnd::contact:
      return VertexState::contact;
    case ProjectEnd::flat:
      return VertexState::flat;
    case ProjectEnd::outside:
      return VertexState::outside;
    case ProjectEnd::limit:
      break;
  }
  return VertexState::limit;
}

ResidualSample composed_residual(const PosedField& field, float iso, const Vec3f& p) {
  const SkinSample s = field.eval(p);
  return {s.value - iso, s.gradient, s.bone != SkinSample::kNoBone, s.contact()};
}

}  // namespace

std::size_t project_vertices(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, int steps,
                             float tolerance, ImplicitVertices& vertices, const Context& context) {
  const std::size_t n = vertices.active.size();
  vertices.evaluations.assign((n + kGrain - 1) / kGrain, 0);
  parallel_for(context, n, kGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t& evaluations = vertices.evaluations[begin / kGrain];
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = vertices.active[i];
      const bool coarse = vertices.state[v] == VertexState::converged && std::abs(vertices.residual[v]) > tolerance;
      if (vertices.moved[v] == 0 && !coarse) continue;
      vertices.moved[v] = 0;
      if (rest.track.tracked[v] == 0) {
        vertices.state[v] = VertexState::outside;
        vertices.normals[v] = {};
        continue;
      }
      ProjectLimits limits = rest.limits[v];
      limits.steps = steps;
      limits.tolerance = tolerance;
      limits.turn_cosine = pose.turn_cosine;
      const Vec3f start = vertices.positions[v];
      const VertexSkin skin = vertex_skin(rig, rest, pose, vertices, v);
      const auto project = [&](const auto& residual) {
        const ResidualSample first = vertices.started[v] != 0 ? vertices.start[v] : residual(start);
        vertices.start_residual[v] = first.value;
        return project_vertex(residual, start, first, limits);
      };
      const Projected found =
          pose.composed ? project([&](const Vec3f& p) { return composed_residual(*pose.field, rig.surface.iso[v], p); })
                        : project([&](const Vec3f& p) { return skin_residual(skin, p); });
      vertices.start[v] = {found.residual, found.gradient, found.end != ProjectEnd::outside, found.contact};
      vertices.started[v] = 1;
      evaluations += found.evaluations;
      vertices.state[v] = state_of(found.end);
      if (!is_finite(found.position)) continue;
      vertices.residual[v] = found.residual;
      vertices.touching[v] = found.contact ? 1 : 0;
      vertices.positions[v] = found.position;
      vertices.normals[v] = normalized(-found.gradient);
    }
  });
  return std::accumulate(vertices.evaluations.begin(), vertices.evaluations.end(), std::size_t{0});
}

void assess_smoothed(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, float tolerance,
                     ImplicitVertices& vertices, const Context& context) {
  parallel_for(context, vertices.active.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = vertices.active[i];
      if (vertices.moved[v] == 0 || rest.track.tracked[v] == 0) continue;
      const Vec3f& p = vertices.positions[v];
      const ResidualSample at = pose.composed ? composed_residual(*pose.field, rig.surface.iso[v], p)
                                              : skin_residual(vertex_skin(rig, rest, pose, vertices, v), p);
      vertices.residual[v] = at.value;
      if (std::abs(at.value) > tolerance && vertices.state[v] == VertexState::converged)
        vertices.state[v] = VertexState::contact;
    }
  });
}

void active_normals(const RigRows& corners, std::span<const Vec3f> positions, std::span<const std::uint32_t> active,
                    std::span<Vec3f> normals, const Context& context) {
  parallel_for(context, active.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = active[i];
      const auto row = corners.row(v);
      Vec3f sum;
      for (std::size_t c = 0; c + 1 < row.size(); c += 2)
        sum += cross(positions[row[c]] - positions[v], positions[row[c + 1]] - positions[v]);
      normals[v] = normalized(sum);
    }
  });
}

}  // namespace cutis
