// Tracking §5.2: the skin slides along the iso-surface towards as-rigid-as-possible edges, with target rotations given
// by the bones: minimise sum w_ij |(p_i - p_j) - (R_i + R_j)/2 (p_i0 - p_j0)|^2 over displacements in the tangent
// planes. Conjugate gradients instead of the paper's Jacobi steps: no field is evaluated inside, and about twenty steps
// do what hundreds do there.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "backends/scalar/grain.h"
#include "backends/scalar/track.h"
#include "backends/track_relaxation.h"
#include "base/conjugate_gradients.h"
#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

using namespace field_rules;
using namespace relaxation;

constexpr float kJacobiDamping = 0.7F;

// Of item i of vertex v's neighbours.
float stretch(const RigSurface& s, const TrackRest& rest, const scalar::Step& step, std::uint32_t v, std::uint32_t i) {
  const Vec3f now = step.p[v] - step.p[s.neighbours.items[i]];
  return rest.edge_squared[i] > 0 ? std::sqrt(dot(now, now) / rest.edge_squared[i]) : 1.0F;
}

float mean_stretch(const RigSurface& s, const TrackRest& rest, const scalar::Step& step, std::uint32_t v) {
  float sum = 0;
  const std::uint32_t begin = s.neighbours.begin[v], end = s.neighbours.begin[v + 1];
  for (std::uint32_t i = begin; i < end; ++i) sum += stretch(s, rest, step, v, i);
  return begin == end ? 1.0F : sum / static_cast<float>(end - begin);
}

}  // namespace

void scalar::track_relax(const Rig& rig, const TrackRest& rest, const TrackingOptions& options, scalar::Step& step,
                         const Context& context) {
  const RigSurface& s = rig.surface;
  const std::size_t all = step.active.size(), count = step.live.size();
  step.x.assign(all, {});
  step.d.assign(all, {});  // those that do not live stay where they are
  step.r.resize(all);
  step.q.resize(all);
  step.n.resize(all);
  step.diagonal.resize(all);
  step.weight.resize(s.neighbours.items.size());
  parallel_for(context, count, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = step.active[step.live[i]];
      step.stretch[v] = mean_stretch(s, rest, step, v);
    }
  });
  const auto preconditioned = [&](std::size_t a) {
    return precondition(step.n[a], step.bound[a], step.diagonal[a], step.r[a]);
  };

  const auto gradient = [&](std::size_t a) {
    const std::uint32_t v = step.active[a];
    step.n[a] = rest.tracked[v] != 0 ? normalized(step.samples[a].gradient) : Vec3f{};
    Vec3f pull;
    float sum = 0;
    for (std::uint32_t i = s.neighbours.begin[v]; i < s.neighbours.begin[v + 1]; ++i) {
      const std::uint32_t u = s.neighbours.items[i];
      const Vec3f edge = s.positions[v] - s.positions[u];
      const float around = 0.5F * (step.stretch[v] + step.stretch[u]);
      const float weight = step.weight[i] = weight_of_edge(s.neighbour_weight[i], stretch(s, rest, step, v, i), around);
      pull += (step.p[u] - step.p[v] + (step.turn[v] * edge + step.turn[u] * edge) * 0.5F) * weight;
      sum += weight;
    }
    const float links = sum;
    const auto draw = [&](const Vec3f& to, float strength) {
      pull += (to - step.p[v]) * (strength * links);
      sum += strength * links;
    };
    const float stiffness = rest.stiffness.empty() ? 0.0F : rest.stiffness[v];
    draw(step.blended[v], step.hold[a] * (1 - stiffness));
    if (stiffness > 0) draw(transform_point(step.motion[s.owner[v]], s.positions[v]), odds(stiffness));
    if (!step.pin.empty() && step.pin[v] > 0) draw(step.pin_at[v], odds(step.pin[v]));
    step.diagonal[a] = std::max(sum, 1e-12F);
    step.r[a] = rest.is_rigid(v) ? Vec3f{} : step.bound[a] > kBound ? tangent(step.n[a], pull) : pull;
  };

  if (options.relaxation == Relaxation::jacobi) {
    parallel_for(context, count, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t l = begin; l < end; ++l) {
        const std::uint32_t a = step.live[l];
        gradient(a);
        step.x[a] = preconditioned(a) * kJacobiDamping;
      }
    });
  } else {
    const auto sum_over = [&](const auto& body) {
      return ordered_sum(context, count, kGrain, 0.0, [&](std::size_t begin, std::size_t end) {
        FourSums sum;
        for (std::size_t l = begin; l < end; ++l) sum.add(l, body(step.live[l]));
        return sum.total();
      });
    };
    const auto set_up = [&] {
      return sum_over([&](std::uint32_t a) {
        gradient(a);
        step.d[a] = preconditioned(a);
        return dot(step.r[a], step.d[a]);
      });
    };
    const auto apply = [&] {
      return sum_over([&](std::uint32_t a) {
        const std::uint32_t v = step.active[a];
        Vec3f y = step.d[a] * step.diagonal[a];
        for (std::uint32_t i = s.neighbours.begin[v]; i < s.neighbours.begin[v + 1]; ++i)
          if (const std::int32_t u = step.slot[s.neighbours.items[i]]; u >= 0)
            y -= step.d[static_cast<std::size_t>(u)] * step.weight[i];
        y = with_spring(step.n[a], step.bound[a], spring_of(step.bound[a], step.diagonal[a]), step.d[a], y);
        step.q[a] = rest.is_rigid(v) ? Vec3f{} : y;
        return dot(step.d[a], step.q[a]);
      });
    };
    const auto reduce = [&](float alpha) {
      return sum_over([&](std::uint32_t a) {
        step.x[a] += step.d[a] * alpha;
        step.r[a] -= step.q[a] * alpha;
        return dot(step.r[a], preconditioned(a));
      });
    };
    const auto go_on = [&](float, float beta) {
      parallel_for(context, count, kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t l = begin; l < end; ++l) {
          const std::uint32_t a = step.live[l];
          step.d[a] = preconditioned(a) + step.d[a] * beta;
        }
      });
    };
    const int steps = conjugate_gradients<float>(options.inner, reduced_enough, set_up, apply, reduce, go_on);
    step.gradient_steps += count * static_cast<std::size_t>(steps);
  }

  for (const std::uint32_t a : step.live) {
    const std::uint32_t v = step.active[a];
    const float way = length(step.x[a]), limit = kLongestSlide * s.edge[v];
    step.moved[a] = 0;
    if (!std::isfinite(way)) continue;
    step.p[v] += way > limit ? step.x[a] * (limit / way) : step.x[a];
    step.moved[a] = std::min(way, limit) / s.edge[v];
  }
}

void scalar::track_awake(scalar::Step& step) {
  step.stretch.assign(step.p.size(), 1.0F);
  step.live.resize(step.active.size());
  std::iota(step.live.begin(), step.live.end(), 0U);
  step.moved.assign(step.active.size(), 0.0F);
}

void scalar::track_narrow(const Rig& rig, float least, scalar::Step& step) {
  const RigSurface& s = rig.surface;
  step.awake.assign(step.active.size(), 0);
  for (const std::uint32_t a : step.live) {
    if (!(step.moved[a] >= least)) continue;
    step.awake[a] = 1;
    for (const std::uint32_t w : s.neighbours.row(step.active[a]))
      if (step.slot[w] >= 0) step.awake[static_cast<std::size_t>(step.slot[w])] = 1;
  }
  step.live.clear();
  for (std::uint32_t a = 0; a < step.active.size(); ++a) {
    step.moved[a] = 0;
    if (step.awake[a] != 0) step.live.push_back(a);
  }
}

}  // namespace cutis
