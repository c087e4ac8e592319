// The reference: kernels of the implicit skin over all vertices, in parallel chunks.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "backends/implicit_engine.h"
#include "base/parallel_for.h"
#include "kernels/mean_value.h"
#include "kernels/project.h"
#include "kernels/skin_residual.h"

namespace cutis {
namespace {

constexpr std::size_t kGrain = 256;

// How much another part's field must have risen over its rest value at the rigidly carried vertex, or at the initial
// guess, for contact to begin and to be full (PROTOTYPE: later lets skins cross, earlier draws seams in).
constexpr float kContactBegins = 0.02F, kContactFull = 0.08F;
// Shares of the iso-value: a guess that geometric skinning has put where the field is weaker than the first is in a gap
// between the parts (behind a knuckle) and stays; from the second on it is projected.
constexpr float kGap = 0.1F, kFelt = 0.6F;
// A field that has changed less than this does not move a vertex.
constexpr float kChanged = 0.002F;
// Parts weaker than this share of the iso-value stay out of a vertex's list: not even a blend feels them.
constexpr float kWeak = 0.3F;
// Of the mean edge: a shorter move of a relaxation is none.
constexpr float kNoMove = 2e-3F;
// Of the mean edge: an initial guess nearer than this to the rigidly carried vertex is the same point.
constexpr float kSamePlace = 1e-4F;

// Implicit's blending weight: 1 on the inner side of the bend, 0 on the outer, by the direction from the bone's axis.
float blending_weight(const RigBone& bone, const Vec3f& p_rest, const Vec3f& origin, const Vec3f& inside) {
  const auto axis = static_cast<Vec3f>(normalized(bone.rest_end - bone.rest_origin));
  const Vec3f from = p_rest - origin;
  const Vec3f radial = normalized(from - axis * dot(axis, from));
  return std::clamp(dot(radial, inside), 0.0F, 1.0F);
}

// How much of the union a blend of that opening still is: 1 closed, 0 at 18 degrees (Implicit, figure 10) and below.
float closed_share(const JointOperator& joint) {
  if (joint.view.form != OperatorForm::blend) return 0;
  constexpr float kOpen = 0.3249197F;  // tan(pi/10)
  return std::clamp((joint.parameter - kOpen) / (1 - kOpen), 0.0F, 1.0F);
}

VertexSkin skin_of(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, const ImplicitVertices& vertices,
                   std::uint32_t v) {
  return {pose.parts.data(), pose.joints.data(), vertices.near[v].data(), vertices.near_count[v], rig.surface.owner[v],
          rest.iso[v],       rest.gap[v]};
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

// From where on a part counts as in contact: when it is wholly, or at all.
constexpr float kFullContact = 1, kAnyContact = 1e-6F;

// Notes the residual at the start.
template <class Residual>
Projected project(const Residual& residual, const Vec3f& start, const ProjectLimits& limits, float& first) {
  bool begun = false;
  return project_vertex(
      [&](const Vec3f& p) {
        const ResidualSample r = residual(p);
        if (!begun) first = r.value;
        begun = true;
        return r;
      },
      start, limits);
}

ResidualSample composed_residual(const PosedField& field, float iso, const Vec3f& p) {
  const SkinSample s = field.eval(p);
  return {s.value - iso, s.gradient, s.bone != SkinSample::kNoBone, s.contact()};
}

// Calls see(bone) for the parts whose grids may hold one of the two points.
template <class See>
void parts_at(const TreeView& tree, const Vec3f& p, const Vec3f& q, const See& see) {
  const std::uint64_t *first = leaves_at(tree.index, p), *second = leaves_at(tree.index, q);
  for (int word = 0; word < tree.index.words; ++word) {
    std::uint64_t mask = (first != nullptr ? first[word] : 0) | (second != nullptr ? second[word] : 0);
    for (; mask != 0; mask &= mask - 1) see(tree.leaf_bone[64 * word + __builtin_ctzll(mask)]);
  }
}

// Fills the vertex's list; returns whether it has to be solved for.
bool find_near(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, std::uint32_t v,
               ImplicitVertices& vertices) {
  const std::uint32_t own = rig.surface.owner[v];
  const std::size_t bones = pose.parts.size();
  const Vec3f& p_rest = rig.surface.positions[v];
  const Vec3f& guess = vertices.initial[v];
  const Vec3f carried = transform_point(pose.motions[own], p_rest);
  const bool moved = !(distance(guess, carried) <= kSamePlace * rig.surface.edge[v]);
  const bool solid = pose.parts[own].nodes != nullptr;
  const auto near_rest = rest.near.row(v);
  const float* const near_value = rest.near_value.data() + rest.near.begin[v];
  std::size_t kept_from_rest = 0;  // parts that reached the vertex at rest and still do
  bool changed = moved;
  auto& list = vertices.near[v];
  std::array<float, kMostNearParts> strength{};
  std::size_t count = 0;
  parts_at(pose.field->view(), carried, guess, [&](std::uint32_t k) {
    if (k == own) return;
    const float at_carried = eval_part(pose.parts[k], carried).value;
    const auto found = static_cast<std::size_t>(std::find(near_rest.begin(), near_rest.end(), k) - near_rest.begin());
    const float at_rest = found < near_rest.size() ? near_value[found] : 0;
    kept_from_rest += found < near_rest.size() ? 1 : 0;
    changed = changed || std::abs(at_carried - at_rest) > kChanged;
    // The guess is asked where the carried vertex does not decide: a thick part may have passed it already.
    const bool decided = !moved || at_carried - at_rest >= kContactFull;
    const float most = decided ? at_carried : std::max(at_carried, eval_part(pose.parts[k], guess).value);
    if (most < kWeak * rest.iso[v]) return;
    NearPart near;
    near.bone = static_cast<std::uint16_t>(k);
    near.joint = pose.joint_of[own * bones + k];
    near.margin = rest.own[v] - at_rest;
    if (near.joint >= 0) {
      const auto j = static_cast<std::size_t>(near.joint);
      near.weight = blending_weight(rig.bones[own], p_rest, pose.joint_origin[j], pose.joint_inside[j]);
    }
    if (!pose.composed && solid) {
      near.control = pose.gate[own * bones + k] * smooth_step(most - at_rest, kContactBegins, kContactFull);
      if (near.joint >= 0)
        near.control *= 1 - near.weight * (1 - closed_share(pose.joints[static_cast<std::size_t>(near.joint)]));
    }
    std::size_t at = count;
    if (count == kMostNearParts) {  // the weakest gives way
      at = static_cast<std::size_t>(std::min_element(strength.begin(), strength.end()) - strength.begin());
      if (strength[at] >= most) return;
    } else {
      ++count;
    }
    list[at] = near;
    strength[at] = most;
  });
  vertices.near_count[v] = static_cast<std::uint8_t>(count);
  float half = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (list[i].control >= kAnyContact && list[i].control < kFullContact) half = std::max(half, list[i].control);
  vertices.half_contact[v] = half;
  vertices.reach[v] = rest.reach[v];
  if (moved) {
    const float at_guess =
        pose.composed ? pose.field->eval(guess).value
                      : skin_residual(skin_of(rig, rest, pose, vertices, v), kNoContact, guess).value + rest.iso[v];
    vertices.reach[v] *= smooth_step(at_guess, kGap * rest.iso[v], kFelt * rest.iso[v]);
  }
  return changed || kept_from_rest < near_rest.size();
}

void take_scratch(ImplicitVertices& vertices, const Context& context) {
  parallel_for(context, vertices.active.size(), 4 * kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      vertices.positions[vertices.active[i]] = vertices.scratch[vertices.active[i]];
  });
}

}  // namespace

void find_near_parts(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, ImplicitVertices& vertices,
                     const Context& context) {
  const RigSurface& surface = rig.surface;
  parallel_for(context, surface.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (auto v = static_cast<std::uint32_t>(begin); v < end; ++v) {
      vertices.positions[v] = vertices.initial[v];
      vertices.residual[v] = vertices.start_residual[v] = 0;
      vertices.beta[v] = vertices.beta_scratch[v] = 0;
      vertices.near_count[v] = 0;
      const bool reached = surface.owner[v] != RigSurface::kNoBone && rest.reach[v] > 0;
      vertices.state[v] = reached ? VertexState::rigid : VertexState::outside;
      vertices.moved[v] = reached && find_near(rig, rest, pose, v, vertices) ? 1 : 0;
    }
  });
  vertices.active.clear();
  for (std::uint32_t v = 0; v < surface.size(); ++v)
    if (vertices.moved[v] != 0) vertices.active.push_back(v);
}

std::size_t project_vertices(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, int steps,
                             float tolerance, ImplicitVertices& vertices, const Context& context) {
  const std::size_t n = vertices.active.size();
  vertices.evaluations.assign((n + kGrain - 1) / kGrain, 0);
  parallel_for(context, n, kGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t& evaluations = vertices.evaluations[begin / kGrain];
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = vertices.active[i];
      if (vertices.moved[v] == 0) continue;
      vertices.moved[v] = 0;
      if (!(vertices.reach[v] > 0)) {
        vertices.state[v] = VertexState::outside;
        continue;
      }
      const VertexSkin skin = skin_of(rig, rest, pose, vertices, v);
      ProjectLimits limits = rest.limits[v];
      limits.steps = steps;
      limits.tolerance = tolerance;
      const float half = vertices.half_contact[v];
      const Vec3f start = vertices.positions[v];
      float& first = vertices.start_residual[v];
      const auto toward = [&](float contact_from) {
        return project([&](const Vec3f& p) { return skin_residual(skin, contact_from, p); }, start, limits, first);
      };
      const Projected end_point =
          !pose.composed ? toward(kFullContact)
                         : project([&](const Vec3f& p) { return composed_residual(*pose.field, rest.iso[v], p); },
                                   start, limits, first);
      evaluations += end_point.evaluations;
      vertices.residual[v] = end_point.residual;
      vertices.state[v] = state_of(end_point.end);
      Vec3f position = end_point.position;
      if (half > 0) {
        // Part of the way into contact.
        const Projected held = toward(kAnyContact);
        evaluations += held.evaluations;
        position = lerp(position, held.position, half);
        if (half > 0.5F) {
          vertices.residual[v] = held.residual;
          vertices.state[v] = state_of(held.end);
        }
      }
      if (!is_finite(position)) continue;
      vertices.positions[v] = position;
      vertices.normals[v] = normalized(-end_point.gradient);
    }
  });
  return std::accumulate(vertices.evaluations.begin(), vertices.evaluations.end(), std::size_t{0});
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

void relax_vertices(const Rig& rig, const ImplicitRest& rest, float strength, ImplicitVertices& vertices,
                    const Context& context) {
  const RigRows& ring = rig.surface.neighbours;
  const std::size_t n = vertices.active.size();
  parallel_for(context, n, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = vertices.active[i];
      const std::uint32_t first = ring.begin[v], count = ring.begin[v + 1] - first;
      // A ring without weights (border, needles) does not pull.
      const bool held = count == 0 || rest.mean_value[first] == 0;
      const float mu = held ? 0 : strength * relaxation_strength(vertices.start_residual[v]);
      const Vec3f& p = vertices.positions[v];
      vertices.scratch[v] = p;
      if (!(mu > 0)) continue;
      const Vec3f q = relax_towards_ring(p, vertices.normals[v], vertices.positions.data(), ring.items.data() + first,
                                         rest.mean_value.data() + first, count, mu);
      if (!(distance(p, q) > kNoMove * rig.surface.edge[v])) continue;
      vertices.scratch[v] = q;
      vertices.moved[v] = 1;
    }
  });
  take_scratch(vertices, context);
}

void diffuse_contact(const Rig& rig, int passes, ImplicitVertices& vertices, const Context& context) {
  const RigRows& ring = rig.surface.neighbours;
  const std::size_t n = vertices.active.size();
  for (const std::uint32_t v : vertices.active)
    vertices.beta[v] = vertices.state[v] == VertexState::contact ? 1.0F : 0.0F;
  for (int pass = 0; pass < passes; ++pass) {
    parallel_for(context, n, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t v = vertices.active[i];
        float sum = vertices.beta[v];
        const auto row = ring.row(v);
        for (const std::uint32_t w : row) sum += vertices.beta[w];
        vertices.beta_scratch[v] = sum / static_cast<float>(row.size() + 1);
      }
    });
    std::swap(vertices.beta, vertices.beta_scratch);
  }
}

void smooth_vertices(const Rig& rig, float strength, ImplicitVertices& vertices, const Context& context) {
  const RigRows& ring = rig.surface.neighbours;
  parallel_for(context, vertices.active.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = vertices.active[i];
      const auto row = ring.row(v);
      vertices.scratch[v] = vertices.positions[v];
      if (!(vertices.beta[v] > 0)) continue;
      vertices.scratch[v] = smooth_towards_ring(vertices.positions[v], vertices.positions.data(), row.data(),
                                                row.size(), strength * vertices.beta[v]);
      vertices.moved[v] = 1;
    }
  });
  take_scratch(vertices, context);
}

}  // namespace cutis
