// Relaxation within the surface, and smoothing around contact.
//
// Sliding minimises Tracking's equation 3 with target rotations given by the bones,
//   sum w_ij |(p_i - p_j) - (R_i + R_j)/2 (p_i0 - p_j0)|^2 + sum a_i |p_i - g_i|^2
// over displacements in the tangent planes; g is the initial guess. No field is evaluated inside.
#include <algorithm>
#include <cmath>

#include "backends/implicit_engine.h"
#include "backends/scalar/grain.h"
#include "backends/smooth_contact.h"
#include "base/conjugate_gradients.h"
#include "base/parallel_for.h"
#include "kernels/mean_value.h"

namespace cutis {
namespace {

using namespace field_constants;

// Of the local edge: a shorter move of a relaxation is none.
constexpr float kNoMove = 2e-2F;
// Of the local edge: a vertex that slid less has found its place.
constexpr float kSettled = 0.15F;

Float4 wide(const Vec3f& p) { return {p.x, p.y, p.z, 0}; }
Vec3f narrow(const Float4& p) { return {p[0], p[1], p[2]}; }
float total(const Float4& p) { return p[0] + p[1] + p[2] + p[3]; }

void take_scratch(ImplicitVertices& vertices, const Context& context) {
  parallel_for(context, vertices.active.size(), 4 * kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      vertices.positions[vertices.active[i]] = vertices.scratch[vertices.active[i]];
  });
}

// Sums body(vertex) -> Float4 over the vertices that slide.
template <class Body>
double sum_over(const ImplicitVertices& vertices, const Context& context, const Body& body) {
  return ordered_sum(context, vertices.sliding.size(), kGrain, 0.0, [&](std::size_t begin, std::size_t end) {
    Float4 sum;
    for (std::size_t a = begin; a < end; ++a) sum += body(vertices.sliding[a]);
    return static_cast<double>(total(sum));
  });
}

}  // namespace

void slide_vertices(const Rig& rig, const ImplicitRest& rest, int steps, ImplicitVertices& vertices,
                    const Context& context) {
  const RigSurface& surface = rig.surface;
  const std::uint32_t* const begin_of = surface.neighbours.begin.data();
  const std::uint32_t* const items = surface.neighbours.items.data();
  const float* const weights = surface.neighbour_weight.data();
  Float4* const d = vertices.d.data();
  std::fill(vertices.d.begin(), vertices.d.end(), Float4());  // all others do not move
  const auto set_up = [&] {
    return sum_over(vertices, context, [&](std::uint32_t v) {
      const Vec3f& p = vertices.positions[v];
      Vec3f sum;
      for (std::uint32_t i = begin_of[v]; i < begin_of[v + 1]; ++i)
        sum += (vertices.positions[items[i]] - p) * weights[i];
      const float hold = vertices.hold[v] * rest.diagonal[v];
      const Float4 pull = vertices.pull[v] + wide(sum + (vertices.initial[v] - p) * hold);
      const float inverse = 1 / std::max(rest.diagonal[v] + hold, 1e-12F);
      vertices.inverse_diagonal[v] = inverse;
      vertices.n[v] = wide(vertices.normals[v]);
      vertices.x[v] = Float4();
      vertices.r[v] = field_rules::tangent(vertices.n[v], pull);
      d[v] = vertices.r[v] * Float4(inverse);
      return vertices.r[v] * d[v];
    });
  };
  const auto apply = [&] {
    return sum_over(vertices, context, [&](std::uint32_t v) {
      Float4 y;
      for (std::uint32_t i = begin_of[v]; i < begin_of[v + 1]; ++i) y += d[items[i]] * Float4(weights[i]);
      vertices.q[v] = field_rules::tangent(vertices.n[v], d[v] * Float4(1 / vertices.inverse_diagonal[v]) - y);
      return vertices.q[v] * d[v];
    });
  };
  const auto reduce = [&](float alpha) {
    return sum_over(vertices, context, [&](std::uint32_t v) {
      vertices.x[v] += d[v] * Float4(alpha);
      vertices.r[v] -= vertices.q[v] * Float4(alpha);
      return vertices.r[v] * vertices.r[v] * Float4(vertices.inverse_diagonal[v]);
    });
  };
  const auto go_on = [&](float, float beta) {
    parallel_for(context, vertices.sliding.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t a = begin; a < end; ++a) {
        const std::uint32_t v = vertices.sliding[a];
        d[v] = vertices.r[v] * Float4(vertices.inverse_diagonal[v]) + d[v] * Float4(beta);
      }
    });
  };
  conjugate_gradients<float>(steps, reduced_for_a_round, set_up, apply, reduce, go_on);
  std::fill(vertices.flags.begin(), vertices.flags.end(), 0);
  for (const std::uint32_t v : vertices.sliding) {
    const Vec3f move = narrow(vertices.x[v]);
    const float way = length(move), limit = kLongestSlide * surface.edge[v];
    if (!std::isfinite(way) || !(way > kNoMove * surface.edge[v])) continue;
    vertices.positions[v] += way > limit ? move * (limit / way) : move;
    vertices.moved[v] = 1;
    vertices.started[v] = 0;
    if (!(way > kSettled * surface.edge[v])) continue;
    vertices.flags[v] = 1;
    for (std::uint32_t i = begin_of[v]; i < begin_of[v + 1]; ++i) vertices.flags[items[i]] = 1;
  }
  std::erase_if(vertices.sliding, [&](std::uint32_t v) { return vertices.flags[v] == 0; });
}

void relax_vertices(const Rig& rig, const ImplicitRest& rest, ImplicitVertices& vertices, const Context& context) {
  const RigRows& ring = rig.surface.neighbours;
  parallel_for(context, vertices.active.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = vertices.active[i];
      const std::uint32_t first = ring.begin[v], count = ring.begin[v + 1] - first;
      // A ring without weights (border, needles) does not pull.
      const bool held = count == 0 || rest.mean_value[first] == 0;
      const float mu = held ? 0 : relaxation_strength(vertices.start_residual[v]);
      const Vec3f& p = vertices.positions[v];
      vertices.scratch[v] = p;
      if (!(mu > 0)) continue;
      const Vec3f q = relax_towards_ring(p, vertices.normals[v], vertices.positions.data(), ring.items.data() + first,
                                         rest.mean_value.data() + first, count, mu);
      if (!(distance(p, q) > kNoMove * rig.surface.edge[v])) continue;
      vertices.scratch[v] = q;
      vertices.moved[v] = 1;
      vertices.started[v] = 0;
    }
  });
  take_scratch(vertices, context);
}

void smooth_vertices(const Rig& rig, const ImplicitRest& rest, int passes, ImplicitVertices& vertices,
                     const Context& context) {
  std::fill(vertices.beta.begin(), vertices.beta.end(), 0.0F);
  bool any = false;
  for (const std::uint32_t v : vertices.active) {
    if (vertices.touching[v] == 0) continue;
    vertices.beta[v] = 1;
    any = true;
  }
  if (!any || passes <= 0) return;
  smooth_contact(rig, rest.track, vertices.active, passes,
                 {vertices.beta, vertices.beta_scratch, vertices.positions, vertices.scratch}, context);
  for (const std::uint32_t v : vertices.active) {
    if (!(vertices.beta[v] > 0)) continue;
    vertices.moved[v] = 1;
    vertices.started[v] = 0;
  }
}

}  // namespace cutis
