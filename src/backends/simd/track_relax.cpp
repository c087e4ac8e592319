// Tangential relaxation with a vector of four floats per vertex, bit for bit the scalar one.
//
// Packs of vertices would have to gather every number of every neighbour, which takes longer than loading a neighbour's
// vector at once; so the lanes are the coordinates. Live vertices are numbered through, so that conjugate gradients run
// over arrays without gaps, and neighbours that do not live are one vertex more, which never moves.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "backends/simd/track.h"
#include "backends/track_relaxation.h"
#include "base/float4.h"
#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis::simd {
namespace {

using namespace relaxation;

constexpr std::size_t kGrain = 256;

Float4 load3(const Vec3f& v) { return {v.x, v.y, v.z, 0}; }
Vec3f store3(const Float4& v) { return {v[0], v[1], v[2]}; }

// In all lanes; the last lanes are 0. Rounds as dot() of two Vec3f does.
Float4 dot4(const Float4& a, const Float4& b) {
  const Float4 m = a * b;
  const Float4 pairs = m + Float4(__builtin_shufflevector(m.v, m.v, 1, 0, 3, 2));
  return pairs + Float4(__builtin_shufflevector(pairs.v, pairs.v, 2, 3, 0, 1));
}

Float4 times(const Mat3f& m, const Float4& v) {
  return load3(m.col[0]) * Float4(v[0]) + load3(m.col[1]) * Float4(v[1]) + load3(m.col[2]) * Float4(v[2]);
}

struct RelaxationLoop {
  const Rig& rig;
  const TrackRest& rest;
  TrackStep& step;
  TrackSystem& sys;

  [[nodiscard]] std::uint32_t vertex(std::size_t l) const { return step.active[step.live[l]]; }
  [[nodiscard]] bool is_bound(std::size_t l) const { return sys.bound[l] > kBound; }
  [[nodiscard]] Float4 precondition(std::size_t l, const Float4& r) const {
    const float bound = is_bound(l) ? 1.0F : sys.bound[l];
    return (r - sys.n[l] * (Float4(bound) * dot4(sys.n[l], r))) / Float4(sys.diagonal[l]);
  }

  void number();
  void measure_stretch(std::size_t l);
  void set_up(std::size_t l);
  float apply(std::size_t l);
};

void RelaxationLoop::number() {
  const std::size_t count = step.live.size(), all = step.active.size();
  for (auto* v : {&sys.x, &sys.r, &sys.z, &sys.d, &sys.q, &sys.n}) v->resize(count + 1);
  sys.d[count] = {};
  sys.row.resize(2 * count);
  sys.diagonal.resize(count);
  sys.bound.resize(count);
  sys.link.resize(rig.surface.neighbours.items.size());
  sys.stretch.resize(rig.surface.neighbours.items.size());
  step.weight.resize(rig.surface.neighbours.items.size());
  sys.slot.assign(all, static_cast<std::uint32_t>(count));
  for (std::size_t l = 0; l < count; ++l) sys.slot[step.live[l]] = static_cast<std::uint32_t>(l);
}

// Of the edges of a vertex, and their mean.
void RelaxationLoop::measure_stretch(std::size_t l) {
  const RigSurface& s = rig.surface;
  const std::uint32_t v = vertex(l), begin = s.neighbours.begin[v], end = s.neighbours.begin[v + 1];
  const Vec3f p = step.p[v];
  float sum = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    const Vec3f way = p - step.p[s.neighbours.items[i]];
    const float stretch = rest.edge_squared[i] > 0 ? std::sqrt(dot(way, way) / rest.edge_squared[i]) : 1.0F;
    sys.stretch[i] = stretch;
    sum += stretch;
  }
  step.stretch[v] = begin == end ? 1.0F : sum / static_cast<float>(end - begin);
}

// The weights of the edges of a vertex, what draws it, and its normal.
void RelaxationLoop::set_up(std::size_t l) {
  const RigSurface& s = rig.surface;
  const std::uint32_t a = step.live[l], v = step.active[a];
  sys.n[l] = rest.tracked[v] != 0 ? load3(normalized(step.samples[a].gradient)) : Float4();
  sys.bound[l] = step.bound[a];
  sys.row[2 * l] = s.neighbours.begin[v];
  sys.row[2 * l + 1] = s.neighbours.begin[v + 1];
  const Float4 p = load3(step.p[v]), p_rest = load3(s.positions[v]);
  const Float4 turn[3] = {load3(step.turn[v].col[0]), load3(step.turn[v].col[1]), load3(step.turn[v].col[2])};
  const float own_stretch = step.stretch[v];
  Float4 pull;
  float sum = 0;
  for (std::uint32_t i = s.neighbours.begin[v]; i < s.neighbours.begin[v + 1]; ++i) {
    const std::uint32_t u = s.neighbours.items[i];
    const Float4 edge = p_rest - load3(s.positions[u]);
    const Float4 turned = turn[0] * Float4(edge[0]) + turn[1] * Float4(edge[1]) + turn[2] * Float4(edge[2]);
    const float around = 0.5F * (own_stretch + step.stretch[u]);
    const float beyond = std::max(0.0F, sys.stretch[i] / std::max(around, 1e-6F) - kUneven);
    const float weight = step.weight[i] = s.neighbour_weight[i] * (1 + kStiffening * beyond * beyond);
    pull += (load3(step.p[u]) - p + (turned + times(step.turn[u], edge)) * Float4(0.5F)) * Float4(weight);
    sum += weight;
    const std::int32_t slot = step.slot[u];
    sys.link[i] = slot >= 0 ? sys.slot[static_cast<std::size_t>(slot)] : static_cast<std::uint32_t>(step.live.size());
  }
  const float links = sum;
  const auto draw = [&](const Vec3f& to, float strength) {
    pull += (load3(to) - p) * Float4(strength * links);
    sum += strength * links;
  };
  const float stiffness = rest.stiffness.empty() ? 0.0F : rest.stiffness[v];
  draw(step.blended[v], step.hold[a] * (1 - stiffness));
  if (stiffness > 0) draw(transform_point(step.motion[s.owner[v]], s.positions[v]), odds(stiffness));
  if (!step.pin.empty() && step.pin[v] > 0) draw(step.pin_at[v], odds(step.pin[v]));
  sys.diagonal[l] = std::max(sum, 1e-12F);
  if (is_bound(l)) pull = pull - sys.n[l] * dot4(sys.n[l], pull);
  sys.r[l] = rest.is_rigid(v) ? Float4() : pull;
  sys.x[l] = {};
  sys.d[l] = precondition(l, sys.r[l]);
}

// q = A d; returns d q.
float RelaxationLoop::apply(std::size_t l) {
  const Float4 d = sys.d[l], n = sys.n[l];
  Float4 y = d * Float4(sys.diagonal[l]);
  for (std::uint32_t i = sys.row[2 * l]; i < sys.row[2 * l + 1]; ++i) y -= sys.d[sys.link[i]] * Float4(step.weight[i]);
  if (is_bound(l)) {
    y = y - n * dot4(n, y);
  } else {
    const float spring = sys.diagonal[l] * sys.bound[l] / (1 - sys.bound[l]);
    y += n * (Float4(spring) * dot4(n, d));
  }
  if (!rest.stiffness.empty() && rest.is_rigid(vertex(l))) y = {};
  sys.q[l] = y;
  return dot4(d, y)[0];
}

}  // namespace

void track_relax(const Rig& rig, const TrackRest& rest, const TrackingOptions& options, TrackStep& step,
                 const Context& context) {
  const std::size_t count = step.live.size();
  TrackSystem& sys = step.system;
  RelaxationLoop relax{rig, rest, step, sys};
  relax.number();
  // A loop over live vertices; what body(l) returns is summed up.
  const auto each = [&](auto&& body) {
    parallel_for(context, count, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t l = begin; l < end; ++l) body(l);
    });
  };
  const auto sum = [&](auto&& body) {
    return ordered_sum(context, count, kGrain, 0.0, [&](std::size_t begin, std::size_t end) {
      FourSums sums;
      for (std::size_t l = begin; l < end; ++l) sums.add(l, body(l));
      return sums.total();
    });
  };
  each([&](std::size_t l) { relax.measure_stretch(l); });
  double rz = sum([&](std::size_t l) {
    relax.set_up(l);
    return dot4(sys.r[l], sys.d[l])[0];
  });
  const double enough = kReduction * rz;
  for (int it = 0; it < options.inner && rz > enough && rz > 0; ++it) {
    const double dq = sum([&](std::size_t l) { return relax.apply(l); });
    step.gradient_steps += count;
    if (!(dq > 0)) break;
    const Float4 alpha(static_cast<float>(rz / dq));
    const double next = sum([&](std::size_t l) {
      sys.x[l] += sys.d[l] * alpha;
      sys.r[l] -= sys.q[l] * alpha;
      sys.z[l] = relax.precondition(l, sys.r[l]);
      return dot4(sys.r[l], sys.z[l])[0];
    });
    const Float4 beta(static_cast<float>(next / rz));
    rz = next;
    each([&](std::size_t l) { sys.d[l] = sys.z[l] + sys.d[l] * beta; });
  }
  each([&](std::size_t l) {
    const std::uint32_t a = step.live[l], v = step.active[a];
    const Vec3f x = store3(sys.x[l]);
    const float way = length(x), limit = kLongestSlide * rig.surface.edge[v];
    step.moved[a] = 0;
    if (!std::isfinite(way)) return;
    step.p[v] += way > limit ? x * (limit / way) : x;
    step.moved[a] = std::min(way, limit) / rig.surface.edge[v];
  });
}

}  // namespace cutis::simd
