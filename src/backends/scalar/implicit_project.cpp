// Projection of all vertices, and what a frame shows of them.
#include <cmath>
#include <limits>
#include <numeric>

#include "backends/engine.h"
#include "backends/implicit_engine.h"
#include "backends/scalar/grain.h"
#include "base/parallel_for.h"
#include "geometry/normals.h"
#include "kernels/project.h"

namespace cutis {
namespace {

// A residual beyond means that smoothing has taken the vertex off its surface.
constexpr float kSmoothTolerance = 1e-3F;

// Not where no field reaches, and not where smoothing around contact has taken the vertex off its surface.
bool has_residual(const ImplicitVertices& vertices, std::size_t v) {
  const VertexState state = vertices.state[v];
  return state != VertexState::outside &&
         (state != VertexState::contact || std::abs(vertices.residual[v]) <= kSmoothTolerance);
}

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
  return {s.value - iso, s.gradient, s.bone != SkinSample::kNoBone, s.contact(), s.value - iso};
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
      vertices.start[v] = found.at;
      vertices.started[v] = 1;
      evaluations += found.evaluations;
      vertices.state[v] = state_of(found.end);
      if (!is_finite(found.position)) continue;
      vertices.residual[v] = found.at.value;
      vertices.touching[v] = found.at.contact ? 1 : 0;
      vertices.positions[v] = found.position;
      vertices.normals[v] = normalized(-found.at.gradient);
    }
  });
  return std::accumulate(vertices.evaluations.begin(), vertices.evaluations.end(), std::size_t{0});
}

void assess_smoothed(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, ImplicitVertices& vertices,
                     const Context& context) {
  parallel_for(context, vertices.active.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = vertices.active[i];
      if (vertices.moved[v] == 0 || rest.track.tracked[v] == 0) continue;
      const Vec3f& p = vertices.positions[v];
      const ResidualSample at = pose.composed ? composed_residual(*pose.field, rig.surface.iso[v], p)
                                              : skin_residual(vertex_skin(rig, rest, pose, vertices, v), p);
      vertices.residual[v] = at.value;
      if (std::abs(at.value) > kSmoothTolerance && vertices.state[v] == VertexState::converged)
        vertices.state[v] = VertexState::contact;
    }
  });
}

void start_vertices(const Rig& rig, std::span<const Affine3f> motions, std::span<const Vec3f> guess,
                    ImplicitVertices& vertices, std::span<float> ways) {
  const RigSurface& surface = rig.surface;
  std::fill(ways.begin(), ways.end(), 0.0F);
  for (std::size_t v = 0; v < surface.size(); ++v) {
    const std::uint32_t b = surface.owner[v];
    const Vec3f& at = vertices.initial[v] = guess[surface.first_of[v]];
    if (b == RigSurface::kNoBone) continue;
    const Vec3f off = at - (vertices.carried[v] = transform_point(motions[b], surface.positions[v]));
    ways[b] = std::max(ways[b], dot(off, off));
  }
  for (float& way : ways) way = std::sqrt(way);
}

// Normals: the surface's, plus what the file's normal differed by at rest (hard edges, painted normals), carried by the
// bone.
void finish_vertices(const Rig& rig, const ImplicitRest& rest, std::span<const Quatd> rotations,
                     ImplicitVertices& vertices, std::span<Vec3f> positions, Frame& frame, const Context& context) {
  parallel_for(context, vertices.active.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      const std::uint32_t v = vertices.active[a];
      vertices.surface_normals[v] = normalized(sum_of_corners(vertices.positions, v, rest.corners.row(v)));
      vertices.is_active[v] = 1;
    }
  });
  parallel_for(context, rig.vertex_count(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = rig.surface.welded_of[i];
      frame.states[i] = vertices.state[v];
      frame.residuals[i] = has_residual(vertices, v) ? vertices.residual[v] : std::numeric_limits<float>::quiet_NaN();
      if (vertices.is_active[v] == 0) continue;
      positions[i] = vertices.positions[v];
      const Vec3f differs = rig.rest_normals[i] - rest.normals[v];
      const auto turned = static_cast<Vec3f>(rotate(rotations[rig.surface.owner[v]], static_cast<Vec3d>(differs)));
      frame.normals[i] = normalized(vertices.surface_normals[v] + turned, frame.normals[i]);
    }
  });
  for (const std::uint32_t v : vertices.active) vertices.is_active[v] = 0;
}

void report_vertices(ImplicitVertices& vertices, FrameReport& report) {
  report.states.fill(0);
  for (const VertexState state : vertices.state) ++report.states[static_cast<std::size_t>(state)];
  vertices.sizes.clear();
  for (std::size_t v = 0; v < vertices.state.size(); ++v)
    if (has_residual(vertices, v)) vertices.sizes.push_back(std::abs(vertices.residual[v]));
  report_residuals(vertices.sizes, report);
}

}  // namespace cutis
