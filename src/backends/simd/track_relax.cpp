// Tangential relaxation over packs of vertices: every number is computed as the scalar one, sums in another order.
//
// Vertices are at their places (backends/track_places.h): packs go through the blocks that hold live ones, with the
// others of a block held at 0, and through rows of neighbours that are padded. Numbers of a neighbour are loaded by
// rows of four floats and transposed, which is faster than gather instructions. What does not change in a sub-step
// (edges as the target rotations want them) is computed once.
#include <algorithm>
#include <cmath>

#include "backends/lane_sums.h"
#include "backends/simd/track.h"
#include "backends/track_relaxation.h"
#include "base/conjugate_gradients.h"
#include "base/math.h"
#include "base/parallel_for.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/simd/track_relax.cpp"
#include <hwy/foreach_target.h>  // first: compiles the rest of this file once per instruction set

#include "backends/simd/field_rules-inl.h"
#include "backends/simd/lane_sums-inl.h"
#include "backends/simd/packs-inl.h"

#ifndef CUTIS_BACKENDS_SIMD_TRACK_RELAX_ONCE
#define CUTIS_BACKENDS_SIMD_TRACK_RELAX_ONCE
namespace cutis::simd {

/// What else draws the vertices of a block: their own bone, and targets.
struct alignas(64) Drawn {
  using Numbers = TrackRelaxed::Numbers;
  Numbers to[2][3] = {}, strength[2] = {};
};

}  // namespace cutis::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

using namespace relaxation;

constexpr std::size_t kBlock = TrackPlaces::kBlock;
const PackTag kTag;

// Of the places of a block from `lane` on.
HWY_INLINE PackMask mask_of(std::uint32_t bits, std::size_t lane) { return mask_of(bits >> lane); }

HWY_INLINE Pack3 preconditioned(const TrackRelaxed& block, std::size_t lane, const Pack3& n, const Pack3& r) {
  return precondition(n, hn::Load(kTag, block.bound + lane), hn::Load(kTag, block.diagonal + lane), r);
}

// The edges of a block as the target rotations want them.
void set_goals(const TrackPass& relax, std::size_t block) {
  const TrackPlaces& places = relax.rest.places;
  TrackSystem& sys = relax.step.system;
  const auto numbers = [](const std::vector<Float4>& rows) { return reinterpret_cast<const float*>(rows.data()); };
  const float *const rest = numbers(places.rest), *const turn_x = numbers(sys.turn[0]),
                     *const turn_y = numbers(sys.turn[1]), *const turn_z = numbers(sys.turn[2]);
  for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
    const std::size_t at = 4 * (block * kBlock + lane);
    const Pack3 p = xyz(load_transposed(rest + at, 4)), x = xyz(load_transposed(turn_x + at, 4)),
                y = xyz(load_transposed(turn_y + at, 4)), z = xyz(load_transposed(turn_z + at, 4));
    for (std::uint32_t row = places.rows[block]; row < places.rows[block + 1]; ++row) {
      const std::uint32_t* const link = places.link[row].v + lane;
      const Pack3 edge = sub(p, xyz(load_linked(rest, link)));
      const Pack3 own = add(add(mul(edge.x, x), mul(edge.y, y)), mul(edge.z, z));
      const Pack3 there =
          add(add(mul(edge.x, xyz(load_linked(turn_x, link))), mul(edge.y, xyz(load_linked(turn_y, link)))),
              mul(edge.z, xyz(load_linked(turn_z, link))));
      const Pack3 goal = mul(set(0.5F), add(own, there));
      hn::Store(goal.x, kTag, sys.goal[0][row].v + lane);
      hn::Store(goal.y, kTag, sys.goal[1][row].v + lane);
      hn::Store(goal.z, kTag, sys.goal[2][row].v + lane);
    }
  }
}

// Stretches of the edges of a block, and their means.
void measure_stretch(const TrackPass& relax, std::size_t block) {
  const TrackPlaces& places = relax.rest.places;
  TrackSystem& sys = relax.step.system;
  const float* const at = reinterpret_cast<const float*>(sys.at.data());
  for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
    const Pack3 p = xyz(load_transposed(at + 4 * (block * kBlock + lane), 4));
    Pack sum = zero();
    for (std::uint32_t row = places.rows[block]; row < places.rows[block + 1]; ++row) {
      const Pack3 way = sub(p, xyz(load_linked(at, places.link[row].v + lane)));
      const Pack squared = hn::Load(kTag, places.length_squared[row].v + lane);
      const Pack stretch = hn::IfThenElse(hn::Gt(squared, zero()), hn::Sqrt(hn::Div(dot(way, way), squared)), set(1));
      hn::Store(stretch, kTag, sys.stretch[row].v + lane);
      sum = hn::Add(sum, stretch);
    }
    const Pack degree = hn::Load(kTag, places.degree[block].v + lane);
    hn::Store(hn::IfThenElse(hn::Gt(degree, zero()), hn::Div(sum, degree), set(1)), kTag,
              sys.blocks[block].stretch + lane);
  }
}

// The weights of the edges of a block, what draws its vertices, and their normals: conjugate gradients begin.
void set_up(const TrackPass& relax, const TrackLive& live, const Drawn* drawn, LaneSums& sums) {
  const TrackPlaces& places = relax.rest.places;
  TrackSystem& sys = relax.step.system;
  TrackRelaxed& block = sys.blocks[live.block];
  const float* const at = reinterpret_cast<const float*>(sys.at.data());
  for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
    const std::size_t place = live.block * kBlock + lane;
    const Pack3 p = xyz(load_transposed(at + 4 * place, 4));
    const Pack own_stretch = hn::Load(kTag, block.stretch + lane);
    Pack3 pull{zero(), zero(), zero()};
    Pack sum = zero();
    for (std::uint32_t row = places.rows[live.block]; row < places.rows[live.block + 1]; ++row) {
      const Pack4 u = load_linked(at, places.link[row].v + lane);
      const Pack around = hn::Mul(set(0.5F), hn::Add(own_stretch, u.w));
      const Pack least = hn::IfThenElse(hn::Lt(around, set(1e-6F)), set(1e-6F), around);
      const Pack stretch = hn::Load(kTag, sys.stretch[row].v + lane);
      Pack weight = hn::Load(kTag, places.weight[row].v + lane);
      if (!hn::AllFalse(kTag, hn::Gt(stretch, hn::Mul(set(0.999F * kUneven), least))))  // hardly ever
        weight = weight_of_edge(weight, stretch, around);
      hn::Store(weight, kTag, sys.weight[row].v + lane);
      const Pack3 goal{hn::Load(kTag, sys.goal[0][row].v + lane), hn::Load(kTag, sys.goal[1][row].v + lane),
                       hn::Load(kTag, sys.goal[2][row].v + lane)};
      pull = add(pull, mul(weight, add(sub(xyz(u), p), goal)));
      sum = hn::Add(sum, weight);
    }
    const Pack links = sum;
    const auto draw = [&](const Pack3& to, Pack share) HWY_ATTR {
      const Pack strength = hn::Mul(share, links);
      pull = add(pull, mul(strength, sub(to, p)));
      sum = hn::Add(sum, strength);
    };
    const Pack4 smooth = load_transposed(reinterpret_cast<const float*>(&sys.blended[place]), 4);
    draw(xyz(smooth), smooth.w);
    for (int i = 0; drawn != nullptr && i < 2; ++i)
      draw(load(drawn->to[i], lane), hn::Load(kTag, drawn->strength[i] + lane));
    const Pack diagonal = hn::IfThenElse(hn::Lt(sum, set(1e-12F)), set(1e-12F), sum);
    const Pack bound = hn::LoadU(kTag, &sys.bound[place]);
    hn::Store(diagonal, kTag, block.diagonal + lane);
    hn::Store(bound, kTag, block.bound + lane);
    hn::Store(spring_of(bound, diagonal), kTag, block.spring + lane);
    const Pack4 sample = load_transposed(reinterpret_cast<const float*>(&sys.sample[place]), 4);
    const Pack3 gradient = keep(mask_of(relax.rest.tracked_lanes[live.block], lane), {sample.y, sample.z, sample.w});
    const Pack size = hn::Sqrt(dot(gradient, gradient));
    const Pack3 n = keep(hn::And(hn::Gt(size, zero()), hn::IsFinite(size)),
                         {hn::Div(gradient.x, size), hn::Div(gradient.y, size), hn::Div(gradient.z, size)});
    store(n, block.n, lane);
    pull = select(hn::Gt(bound, set(kBound)), tangent(n, pull), pull);
    const PackMask moves = mask_of(live.lanes & ~relax.rest.rigid_lanes[live.block], lane);
    const Pack3 r = keep(moves, pull), d = keep(moves, preconditioned(block, lane, n, r));
    store(r, block.r, lane);
    store({zero(), zero(), zero()}, block.x, lane);
    hn::StoreInterleaved4(d.x, d.y, d.z, zero(), kTag, reinterpret_cast<float*>(&sys.d[place]));
    add_lanes(dot(r, d), lane, sums);
  }
}

// q = A d; sums up d q.
void apply(const TrackPass& relax, const TrackLive& live, LaneSums& sums) {
  const TrackPlaces& places = relax.rest.places;
  TrackSystem& sys = relax.step.system;
  TrackRelaxed& block = sys.blocks[live.block];
  const float* const direction = reinterpret_cast<const float*>(sys.d.data());
  for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
    const Pack3 d = xyz(load_transposed(direction + 4 * (live.block * kBlock + lane), 4));
    Pack3 y = mul(hn::Load(kTag, block.diagonal + lane), d);
    for (std::uint32_t row = places.rows[live.block]; row < places.rows[live.block + 1]; ++row)
      y = sub(y, mul(hn::Load(kTag, sys.weight[row].v + lane), xyz(load_linked(direction, places.link[row].v + lane))));
    const Pack3 n = load(block.n, lane);
    y = with_spring(n, hn::Load(kTag, block.bound + lane), hn::Load(kTag, block.spring + lane), d, y);
    y = keep(mask_of(live.lanes & ~relax.rest.rigid_lanes[live.block], lane), y);
    store(y, block.q, lane);
    add_lanes(dot(d, y), lane, sums);
  }
}

// r -= alpha q, z = r preconditioned; sums up r z.
void reduce(TrackRelaxed& block, float alpha, LaneSums& sums) {
  const Pack a = set(alpha);
  for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
    const Pack3 r = sub(load(block.r, lane), mul(a, load(block.q, lane)));
    const Pack3 z = preconditioned(block, lane, load(block.n, lane), r);
    store(r, block.r, lane);
    store(z, block.z, lane);
    add_lanes(dot(r, z), lane, sums);
  }
}

// x += alpha d, d = z + beta d.
void go_on(TrackRelaxed& block, float alpha, float beta, Float4* direction) {
  const Pack a = set(alpha), b = set(beta);
  for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
    float* const at = reinterpret_cast<float*>(direction + lane);
    const Pack3 d = xyz(load_transposed(at, 4));
    store(add(load(block.x, lane), mul(a, d)), block.x, lane);
    const Pack3 next = add(load(block.z, lane), mul(b, d));
    hn::StoreInterleaved4(next.x, next.y, next.z, zero(), kTag, at);
  }
}

// What lives has the mean stretch of its edges beside its position.
void set_stretch(TrackSystem& sys, const TrackLive& live) {
  for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
    float* const at = reinterpret_cast<float*>(&sys.at[live.block * kBlock + lane]);
    const Pack4 p = load_transposed(at, 4);
    const Pack stretch =
        hn::IfThenElse(mask_of(live.lanes, lane), hn::Load(kTag, sys.blocks[live.block].stretch + lane), p.w);
    hn::StoreInterleaved4(p.x, p.y, p.z, stretch, kTag, at);
  }
}

// The vertices of a block go where conjugate gradients have led them.
void slide(TrackSystem& sys, const TrackLive& live) {
  for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
    const std::size_t place = live.block * kBlock + lane;
    float* const at = reinterpret_cast<float*>(&sys.at[place]);
    const Pack4 p = load_transposed(at, 4);
    const Pack edge = load_transposed(reinterpret_cast<const float*>(&sys.given[place]), 4).w;
    const Pack3 x = load(sys.blocks[live.block].x, lane);
    const Pack way = hn::Sqrt(dot(x, x)), limit = hn::Mul(set(kLongestSlide), edge);
    const PackMask far = hn::Gt(way, limit), slides = hn::And(mask_of(live.lanes, lane), hn::IsFinite(way));
    const Pack3 to = add(xyz(p), select(far, mul(hn::Div(limit, way), x), x));
    const Pack3 next = select(slides, to, xyz(p));
    hn::StoreInterleaved4(next.x, next.y, next.z, p.w, kTag, at);
    const Pack moved = hn::Div(hn::IfThenElse(hn::Lt(limit, way), limit, way), edge);
    hn::StoreU(hn::IfThenElseZero(slides, moved), kTag, &sys.moved[place]);
    hn::StoreInterleaved4(zero(), zero(), zero(), zero(), kTag, reinterpret_cast<float*>(&sys.d[place]));
  }
}

// The passes over runs of live blocks.
void set_all_goals(const TrackPass& relax, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) set_goals(relax, relax.step.system.live[i].block);
}
void measure_all(const TrackPass& relax, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) measure_stretch(relax, relax.step.system.live[i].block);
}
void set_all_stretches(const TrackPass& relax, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) set_stretch(relax.step.system, relax.step.system.live[i]);
}
double apply_all(const TrackPass& relax, std::size_t begin, std::size_t end) {
  LaneSums sums;
  for (std::size_t i = begin; i < end; ++i) apply(relax, relax.step.system.live[i], sums);
  return sums.total();
}
double reduce_all(const TrackPass& relax, float alpha, std::size_t begin, std::size_t end) {
  LaneSums sums;
  TrackSystem& sys = relax.step.system;
  for (std::size_t i = begin; i < end; ++i) reduce(sys.blocks[sys.live[i].block], alpha, sums);
  return sums.total();
}
void go_on_all(const TrackPass& relax, float alpha, float beta, std::size_t begin, std::size_t end) {
  TrackSystem& sys = relax.step.system;
  for (std::size_t i = begin; i < end; ++i)
    go_on(sys.blocks[sys.live[i].block], alpha, beta, &sys.d[sys.live[i].block * kBlock]);
}
void slide_all(const TrackPass& relax, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) slide(relax.step.system, relax.step.system.live[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cutis::simd {
namespace {

using namespace relaxation;

HWY_EXPORT(set_all_goals);
HWY_EXPORT(measure_all);
HWY_EXPORT(set_all_stretches);
HWY_EXPORT(set_up);
HWY_EXPORT(apply_all);
HWY_EXPORT(reduce_all);
HWY_EXPORT(go_on_all);
HWY_EXPORT(slide_all);

// What else draws the live vertices of a block, lane by lane.
void fetch(const TrackPass& relax, const TrackLive& live, Drawn& drawn) {
  const RigSurface& s = relax.rig.surface;
  const TrackRest& rest = relax.rest;
  const Step& step = relax.step;
  drawn = {};
  for (std::size_t lane = 0; lane < TrackPlaces::kBlock; ++lane) {
    if ((live.lanes >> lane & 1U) == 0) continue;
    const std::uint32_t v = rest.places.vertex[live.block * TrackPlaces::kBlock + lane];
    const auto draw = [&](int i, const Vec3f& to, float strength) {
      drawn.to[i][0][lane] = to.x;
      drawn.to[i][1][lane] = to.y;
      drawn.to[i][2][lane] = to.z;
      drawn.strength[i][lane] = strength;
    };
    const float stiffness = rest.stiffness.empty() ? 0.0F : rest.stiffness[v];
    if (stiffness > 0) draw(0, transform_point(step.motion[s.owner[v]], s.positions[v]), odds(stiffness));
    if (!step.pin.empty() && step.pin[v] > 0) draw(1, step.pin_at[v], odds(step.pin[v]));
  }
}

}  // namespace

void track_relax(const Rig& rig, const TrackRest& rest, int inner, Step& step, const Context& context) {
  const TrackPass relax{rig, rest, step};
  TrackSystem& sys = step.system;
  const auto each = [&](auto&& body) { parallel_for(context, sys.live.size(), kBlocksAtOnce, body); };
  const auto sum = [&](auto&& body) { return ordered_sum(context, sys.live.size(), kBlocksAtOnce, 0.0, body); };
  if (sys.fresh)
    each([&](std::size_t begin, std::size_t end) { HWY_DYNAMIC_DISPATCH(set_all_goals)(relax, begin, end); });
  sys.fresh = false;
  each([&](std::size_t begin, std::size_t end) { HWY_DYNAMIC_DISPATCH(measure_all)(relax, begin, end); });
  each([&](std::size_t begin, std::size_t end) { HWY_DYNAMIC_DISPATCH(set_all_stretches)(relax, begin, end); });
  const bool drawn_elsewhere = !rest.stiffness.empty() || !step.pin.empty();
  const auto begin_all = [&] {
    return sum([&](std::size_t begin, std::size_t end) {
      LaneSums sums;
      Drawn drawn;
      for (std::size_t i = begin; i < end; ++i) {
        if (drawn_elsewhere) fetch(relax, sys.live[i], drawn);
        HWY_DYNAMIC_DISPATCH(set_up)(relax, sys.live[i], drawn_elsewhere ? &drawn : nullptr, sums);
      }
      return sums.total();
    });
  };
  const auto apply = [&] {
    return sum([&](std::size_t begin, std::size_t end) { return HWY_DYNAMIC_DISPATCH(apply_all)(relax, begin, end); });
  };
  const auto reduce = [&](float alpha) {
    return sum(
        [&](std::size_t begin, std::size_t end) { return HWY_DYNAMIC_DISPATCH(reduce_all)(relax, alpha, begin, end); });
  };
  const auto go_on = [&](float alpha, float beta) {
    each([&](std::size_t begin, std::size_t end) { HWY_DYNAMIC_DISPATCH(go_on_all)(relax, alpha, beta, begin, end); });
  };
  const int steps = conjugate_gradients<float>(inner, field_constants::reduced_enough, begin_all, apply, reduce, go_on);
  step.gradient_steps += step.live_count * static_cast<std::size_t>(steps);
  each([&](std::size_t begin, std::size_t end) { HWY_DYNAMIC_DISPATCH(slide_all)(relax, begin, end); });
}

}  // namespace cutis::simd
#endif  // HWY_ONCE
