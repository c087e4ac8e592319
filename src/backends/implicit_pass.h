// What a pass of implicit skinning over blocks of places gets, and what the back ends share of one vertex.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "backends/implicit_engine.h"
#include "kernels/project.h"

namespace cutis {

struct ImplicitPass {
  const Rig& rig;
  const ImplicitRest& rest;
  const ImplicitPose& pose;
  ImplicitVertices& vertices;
};

/// A run of blocks; within a chunk of near parts.
struct BlockRun {
  std::size_t begin = 0, end = 0;
};

/// body(place) of the lanes of a block whose bits are set.
template <class Body>
void each_place(std::size_t block, std::uint32_t lanes, const Body& body) {
  for (; lanes != 0; lanes &= lanes - 1)
    body(block * TrackPlaces::kBlock + static_cast<std::size_t>(std::countr_zero(lanes)));
}

/// Of the vertices of a bone; the longest step is each one's own.
[[nodiscard]] inline ProjectLimits limits_of_part(const Rig& rig, const ImplicitPose& pose, std::uint32_t bone,
                                                  int steps, float tolerance) {
  const float radius = rig.fields[bone].grid.radius;
  ProjectLimits limits;
  limits.tolerance = tolerance;
  limits.steps = steps;
  limits.slope = field_constants::kSurfaceSlope / radius;
  limits.turn_cosine = pose.turn_cosine;
  limits.move = 2 * radius;
  limits.flat = 0.02F * limits.slope;
  return limits;
}

/// More parts than that are not near one vertex.
inline constexpr std::size_t kMostNearParts = 255;

/// How much of the union a blend of that opening still is: 1 closed, 0 at 18 degrees (Implicit, figure 10) and below.
[[nodiscard]] inline float closed_share(const JointOperator& joint) {
  if (joint.view.form != OperatorForm::blend) return 0;
  constexpr float kOpen = 0.3249197F;  // tan(pi/10)
  return std::clamp((joint.parameter - kOpen) / (1 - kOpen), 0.0F, 1.0F);
}

/// How far the back of the bend of two parts is swept around their joint, by their thickness: not at all where one is
/// much thicker (a finger at a palm, a thigh at a pelvis).
[[nodiscard]] inline float sweeps(const Rig& rig, std::uint32_t a, std::uint32_t b) {
  constexpr float kAlike = 1.2F, kUnlike = 1.8F;  // the larger over the smaller
  const float thick = rig.fields[a].grid.radius, other = rig.fields[b].grid.radius;
  return 1 - smooth_step(std::max(thick, other) / std::min(thick, other), kAlike, kUnlike);
}

[[nodiscard]] inline ResidualSample sample_of(const ImplicitVertices& vertices, std::size_t place) {
  const Float4& s = vertices.sample[place];
  return {s[0], {s[1], s[2], s[3]}, vertices.reached[place] != 0, vertices.touching[place] != 0, vertices.free[place]};
}
inline void set_sample(const ResidualSample& s, std::size_t place, ImplicitVertices& vertices) {
  vertices.sample[place] = {s.value, s.gradient.x, s.gradient.y, s.gradient.z};
  vertices.reached[place] = s.reached ? 1 : 0;
  vertices.touching[place] = s.contact ? 1 : 0;
  vertices.free[place] = s.free;
  vertices.started[place] = 1;
}

/// A residual beyond means that smoothing has taken the vertex off its surface.
inline constexpr float kSmoothTolerance = 1e-3F;

/// Of the local edge: a shorter move of a relaxation is none; a vertex that slid less has found its place.
inline constexpr float kNoMove = 2e-2F, kSettled = 0.15F;

[[nodiscard]] inline ResidualSample composed_residual(const PosedField& field, float iso, const Vec3f& p) {
  const SkinSample s = field.eval(p);
  return {s.value - iso, s.gradient, s.bone != SkinSample::kNoBone, s.contact(), s.value - iso};
}

[[nodiscard]] inline VertexState state_of(ProjectEnd end) {
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

/// Bits of the vertices of a block that have to be projected.
[[nodiscard]] inline std::uint32_t to_project(const ImplicitPass& pass, std::size_t block, float tolerance) {
  const ImplicitVertices& vertices = pass.vertices;
  const std::uint32_t all = vertices.active[block] & pass.rest.track.tracked_lanes[block];
  std::uint32_t lanes = all & vertices.moved[block];
  if (!(tolerance < vertices.tolerance)) return lanes;
  each_place(block, all & ~lanes, [&](std::size_t place) {  // that are not near enough yet
    if (vertices.state[place] == VertexState::converged && std::abs(vertices.sample[place][0]) > tolerance)
      lanes |= 1U << place % TrackPlaces::kBlock;
  });
  return lanes;
}

/// Projects one vertex that has a field. Returns field evaluations.
inline std::uint32_t project_place(const ImplicitPass& pass, ProjectLimits limits, std::size_t place) {
  ImplicitVertices& vertices = pass.vertices;
  const ImplicitPose& pose = pass.pose;
  limits.step = vertices.given[place][3];
  const Vec3f start = narrow(vertices.positions[place]);
  const auto project = [&](const auto& residual) {
    const ResidualSample first = vertices.started[place] != 0 ? sample_of(vertices, place) : residual(start);
    vertices.start_residual[place] = first.value;
    return project_vertex(residual, start, first, limits);
  };
  Projected found;
  if (pose.composed) {
    const float iso = pass.rig.surface.iso[pass.rest.places().vertex[place]];
    found = project([&](const Vec3f& p) { return composed_residual(*pose.field, iso, p); });
  } else {
    const VertexSkin skin = vertex_skin(pass.rest, pose, vertices, place);
    found = project([&](const Vec3f& p) { return skin_residual(skin, p); });
  }
  vertices.state[place] = state_of(found.end);
  vertices.positions[place] = wide(found.position);
  set_sample(found.at, place, vertices);
  return found.evaluations;
}

}  // namespace cutis
