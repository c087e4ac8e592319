// Tangential relaxation over packs of vertices: every number is computed as the scalar one, sums in another order.
//
// Vertices are at their places (backends/track_places.h): packs go through the blocks that hold live ones, with the
// others of a block held at 0, and through rows of neighbours that are padded. Numbers of a neighbour are loaded by
// rows of four floats and transposed, which is faster than gather instructions. What does not change in a sub-step
// (edges as the target rotations want them) is computed once.
#include <algorithm>
#include <cmath>

#include "backends/simd/lane_sums.h"
#include "backends/simd/live_blocks.h"
#include "backends/simd/track.h"
#include "backends/track_relaxation.h"
#include "base/math.h"
#include "base/parallel_for.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/simd/track_relax.cpp"
#include <hwy/foreach_target.h>  // first: compiles the rest of this file once per instruction set

#include "backends/simd/packs-inl.h"

#ifndef CUTIS_BACKENDS_SIMD_TRACK_RELAX_ONCE
#define CUTIS_BACKENDS_SIMD_TRACK_RELAX_ONCE
namespace cutis::simd {

/// What a pass over live blocks gets.
struct Relaxing {
  const Rig& rig;
  const TrackRest& rest;
  TrackStep& step;
};

/// What draws the vertices of a block beside their neighbours, and what they are bound by.
struct alignas(64) Drawn {
  using Numbers = TrackRelaxed::Numbers;
  Numbers gradient[3] = {}, bound = {};
  Numbers to[3][3] = {}, strength[3] = {};  // smooth skinning, the own bone, a target
  int draws = 1;                            // of these, that any vertex has
};

}  // namespace cutis::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

using namespace relaxation;

constexpr std::size_t kBlock = TrackPlaces::kBlock;
const PackTag kTag;

HWY_INLINE std::size_t lanes() { return hn::Lanes(kTag); }
HWY_INLINE Pack zero() { return hn::Zero(kTag); }
HWY_INLINE Pack3 load(const TrackRelaxed::Numbers (&from)[3], std::size_t lane) {
  return {hn::Load(kTag, from[0] + lane), hn::Load(kTag, from[1] + lane), hn::Load(kTag, from[2] + lane)};
}
HWY_INLINE void store(const Pack3& a, TrackRelaxed::Numbers (&to)[3], std::size_t lane) {
  hn::Store(a.x, kTag, to[0] + lane);
  hn::Store(a.y, kTag, to[1] + lane);
  hn::Store(a.z, kTag, to[2] + lane);
}
// Of the places of a block from `lane` on.
HWY_INLINE PackMask mask_of(std::uint32_t bits, std::size_t lane) {
  const std::uint64_t rest = bits >> lane;
  return hn::LoadMaskBits(kTag, reinterpret_cast<const std::uint8_t*>(&rest));  // x86 and ARM: the lowest bits first
}
HWY_INLINE Pack3 keep(PackMask mask, const Pack3& a) {
  return {hn::IfThenElseZero(mask, a.x), hn::IfThenElseZero(mask, a.y), hn::IfThenElseZero(mask, a.z)};
}
HWY_INLINE Pack3 xyz(const Pack4& a) { return {a.x, a.y, a.z}; }

// sums.part[lane...] += x
HWY_INLINE void add_lanes(Pack x, std::size_t lane, LaneSums& sums) {
#if HWY_TARGET == HWY_SCALAR
  sums.part[lane] += static_cast<double>(hn::GetLane(x));
#else
  const hn::Half<PackTag> half;
  const hn::Rebind<double, decltype(half)> wide;
  double* const low = sums.part + lane;
  hn::StoreU(hn::Add(hn::LoadU(wide, low), hn::PromoteTo(wide, hn::LowerHalf(half, x))), wide, low);
  double* const high = low + hn::Lanes(half);
  hn::StoreU(hn::Add(hn::LoadU(wide, high), hn::PromoteTo(wide, hn::UpperHalf(half, x))), wide, high);
#endif
}

HWY_INLINE Pack3 precondition(const TrackRelaxed& block, std::size_t lane, const Pack3& n, const Pack3& r) {
  const Pack given = hn::Load(kTag, block.bound + lane);
  const Pack bound = hn::IfThenElse(hn::Gt(given, set(kBound)), set(1), given);
  const Pack3 across = sub(r, mul(hn::Mul(bound, dot(n, r)), n));
  const Pack diagonal = hn::Load(kTag, block.diagonal + lane);
  return {hn::Div(across.x, diagonal), hn::Div(across.y, diagonal), hn::Div(across.z, diagonal)};
}

// Target rotations that begin at `turn + at[lane]`, times edges.
HWY_INLINE Pack3 turned(const float* turn, const std::uint32_t* at, const Pack3& edge) {
  const Pack3 x = xyz(load_linked(turn, at)), y = xyz(load_linked(turn + 3, at)), z = xyz(load_linked(turn + 6, at));
  return add(add(mul(edge.x, x), mul(edge.y, y)), mul(edge.z, z));
}

// The edges of a block as the target rotations want them.
void set_goals(const Relaxing& relax, std::size_t block) {
  const TrackPlaces& places = relax.rest.places;
  TrackSystem& sys = relax.step.system;
  const float* const rest = reinterpret_cast<const float*>(places.rest.data());
  const float* const turn = &relax.step.turn.front().col[0].x;
  std::uint32_t at[kBlock], there[kBlock];
  const auto turn_of = [&](std::size_t place) {
    const std::uint32_t v = places.vertex[place];
    return v == TrackPlaces::kNone ? 0U : 9 * v;
  };
  for (std::size_t i = 0; i < kBlock; ++i) at[i] = turn_of(block * kBlock + i);
  for (std::uint32_t row = places.rows[block]; row < places.rows[block + 1]; ++row) {
    const std::uint32_t* const link = places.link[row].v;
    for (std::size_t i = 0; i < kBlock; ++i) there[i] = turn_of(link[i] / 4);
    for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
      const Pack3 edge =
          sub(xyz(load_transposed(rest + 4 * (block * kBlock + lane), 4)), xyz(load_linked(rest, link + lane)));
      const Pack3 goal = mul(set(0.5F), add(turned(turn, at + lane, edge), turned(turn, there + lane, edge)));
      hn::Store(goal.x, kTag, sys.goal[0][row].v + lane);
      hn::Store(goal.y, kTag, sys.goal[1][row].v + lane);
      hn::Store(goal.z, kTag, sys.goal[2][row].v + lane);
    }
  }
}

// Stretches of the edges of a block, and their means.
void measure_stretch(const Relaxing& relax, std::size_t block) {
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
void set_up(const Relaxing& relax, const TrackLive& live, const Drawn& drawn, LaneSums& sums) {
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
      if (!hn::AllFalse(kTag, hn::Gt(stretch, hn::Mul(set(0.999F * kUneven), least)))) {  // hardly ever
        const Pack over = hn::Sub(hn::Div(stretch, least), set(kUneven));
        const Pack beyond = hn::IfThenElseZero(hn::Gt(over, zero()), over);
        weight = hn::Mul(weight, hn::Add(set(1), hn::Mul(hn::Mul(set(kStiffening), beyond), beyond)));
      }
      hn::Store(weight, kTag, sys.weight[row].v + lane);
      const Pack3 goal{hn::Load(kTag, sys.goal[0][row].v + lane), hn::Load(kTag, sys.goal[1][row].v + lane),
                       hn::Load(kTag, sys.goal[2][row].v + lane)};
      pull = add(pull, mul(weight, add(sub(xyz(u), p), goal)));
      sum = hn::Add(sum, weight);
    }
    const Pack links = sum;
    for (int i = 0; i < drawn.draws; ++i) {
      const Pack strength = hn::Mul(hn::Load(kTag, drawn.strength[i] + lane), links);
      pull = add(pull, mul(strength, sub(load(drawn.to[i], lane), p)));
      sum = hn::Add(sum, strength);
    }
    const Pack diagonal = hn::IfThenElse(hn::Lt(sum, set(1e-12F)), set(1e-12F), sum);
    const Pack bound = hn::Load(kTag, drawn.bound + lane);
    hn::Store(diagonal, kTag, block.diagonal + lane);
    hn::Store(bound, kTag, block.bound + lane);
    hn::Store(hn::Div(hn::Mul(diagonal, bound), hn::Sub(set(1), bound)), kTag, block.spring + lane);
    const Pack3 gradient = load(drawn.gradient, lane);
    const Pack size = hn::Sqrt(dot(gradient, gradient));
    const Pack3 n = keep(hn::And(hn::Gt(size, zero()), hn::IsFinite(size)),
                         {hn::Div(gradient.x, size), hn::Div(gradient.y, size), hn::Div(gradient.z, size)});
    store(n, block.n, lane);
    pull = select(hn::Gt(bound, set(kBound)), sub(pull, mul(dot(n, pull), n)), pull);
    const PackMask moves = mask_of(sys.moves[live.block], lane);
    const Pack3 r = keep(moves, pull), d = keep(moves, precondition(block, lane, n, r));
    store(r, block.r, lane);
    store({zero(), zero(), zero()}, block.x, lane);
    hn::StoreInterleaved4(d.x, d.y, d.z, zero(), kTag, reinterpret_cast<float*>(&sys.d[place]));
    add_lanes(dot(r, d), lane, sums);
  }
}

// q = A d; sums up d q.
void apply(const Relaxing& relax, const TrackLive& live, LaneSums& sums) {
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
    const PackMask bound = hn::Gt(hn::Load(kTag, block.bound + lane), set(kBound));
    y = select(bound, sub(y, mul(dot(n, y), n)),
               add(y, mul(hn::Mul(hn::Load(kTag, block.spring + lane), dot(n, d)), n)));
    y = keep(mask_of(sys.moves[live.block], lane), y);
    store(y, block.q, lane);
    add_lanes(dot(d, y), lane, sums);
  }
}

// r -= alpha q, z = r preconditioned; sums up r z.
void reduce(TrackRelaxed& block, float alpha, LaneSums& sums) {
  const Pack a = set(alpha);
  for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
    const Pack3 r = sub(load(block.r, lane), mul(a, load(block.q, lane)));
    const Pack3 z = precondition(block, lane, load(block.n, lane), r);
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

// The passes over runs of live blocks.
void set_all_goals(const Relaxing& relax, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) set_goals(relax, relax.step.live_blocks[i].block);
}
void measure_all(const Relaxing& relax, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) measure_stretch(relax, relax.step.live_blocks[i].block);
}
double apply_all(const Relaxing& relax, std::size_t begin, std::size_t end) {
  LaneSums sums;
  for (std::size_t i = begin; i < end; ++i) apply(relax, relax.step.live_blocks[i], sums);
  return sums.total();
}
double reduce_all(const Relaxing& relax, float alpha, std::size_t begin, std::size_t end) {
  LaneSums sums;
  TrackStep& step = relax.step;
  for (std::size_t i = begin; i < end; ++i) reduce(step.system.blocks[step.live_blocks[i].block], alpha, sums);
  return sums.total();
}
void go_on_all(const Relaxing& relax, float alpha, float beta, std::size_t begin, std::size_t end) {
  TrackStep& step = relax.step;
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t block = step.live_blocks[i].block;
    go_on(step.system.blocks[block], alpha, beta, &step.system.d[block * kBlock]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cutis::simd {
namespace {

using namespace relaxation;

constexpr std::size_t kBlock = TrackPlaces::kBlock;

HWY_EXPORT(set_all_goals);
HWY_EXPORT(measure_all);
HWY_EXPORT(set_up);
HWY_EXPORT(apply_all);
HWY_EXPORT(reduce_all);
HWY_EXPORT(go_on_all);

// Memory, and where the vertices are.
void prepare(const Relaxing& relax) {
  const TrackPlaces& places = relax.rest.places;
  TrackStep& step = relax.step;
  TrackSystem& sys = step.system;
  if (sys.blocks.size() != places.blocks()) {
    sys.at.assign(places.vertex.size(), {});
    sys.d.assign(places.vertex.size(), {});
    sys.blocks.assign(places.blocks(), {});
    sys.moves.assign(places.blocks(), 0);
    for (auto* rows : {&sys.goal[0], &sys.goal[1], &sys.goal[2], &sys.stretch, &sys.weight})
      rows->assign(places.link.size(), {});
  }
  const auto put = [&](std::uint32_t v) {
    Float4& at = sys.at[places.place[v]];
    const float stretch = sys.fresh ? 1.0F : at[3];
    at = {step.p[v].x, step.p[v].y, step.p[v].z, stretch};
  };
  for (const std::uint32_t v : sys.fresh ? step.wanted : sys.touched) put(v);
}

// What set_up() needs of the live vertices of a block, lane by lane; that of others does not count.
void fetch(const Relaxing& relax, const TrackLive& live, Drawn& drawn) {
  const RigSurface& s = relax.rig.surface;
  const TrackRest& rest = relax.rest;
  TrackStep& step = relax.step;
  const bool stiff = !rest.stiffness.empty(), pinned = !step.pin.empty();
  drawn.draws = pinned ? 3 : stiff ? 2 : 1;
  std::uint32_t moves = live.lanes;
  each_live(relax.rest, step, live, [&](std::size_t lane, std::uint32_t v, std::uint32_t a) {
    const auto draw = [&](int i, const Vec3f& to, float strength) {
      drawn.to[i][0][lane] = to.x;
      drawn.to[i][1][lane] = to.y;
      drawn.to[i][2][lane] = to.z;
      drawn.strength[i][lane] = strength;
    };
    const Vec3f g = rest.tracked[v] != 0 ? step.samples[a].gradient : Vec3f{};
    drawn.gradient[0][lane] = g.x;
    drawn.gradient[1][lane] = g.y;
    drawn.gradient[2][lane] = g.z;
    drawn.bound[lane] = step.bound[a];
    const float stiffness = stiff ? rest.stiffness[v] : 0.0F;
    draw(0, step.blended[v], step.hold[a] * (1 - stiffness));
    drawn.strength[1][lane] = drawn.strength[2][lane] = 0;
    if (stiffness > 0) draw(1, transform_point(step.motion[s.owner[v]], s.positions[v]), odds(stiffness));
    if (pinned && step.pin[v] > 0) draw(2, step.pin_at[v], odds(step.pin[v]));
    if (rest.is_rigid(v)) moves &= ~(1U << lane);
  });
  step.system.moves[live.block] = moves;
}

// The vertices of a block go where conjugate gradients have led them.
void slide(const Relaxing& relax, const TrackLive& live) {
  TrackStep& step = relax.step;
  TrackSystem& sys = step.system;
  const TrackRelaxed& block = sys.blocks[live.block];
  each_live(relax.rest, step, live, [&](std::size_t lane, std::uint32_t v, std::uint32_t a) {
    const Vec3f x{block.x[0][lane], block.x[1][lane], block.x[2][lane]};
    const float way = length(x), limit = kLongestSlide * relax.rig.surface.edge[v];
    step.moved[a] = 0;
    if (!std::isfinite(way)) return;
    step.p[v] += way > limit ? x * (limit / way) : x;
    step.moved[a] = std::min(way, limit) / relax.rig.surface.edge[v];
  });
  std::fill_n(sys.d.begin() + static_cast<std::ptrdiff_t>(live.block * kBlock), kBlock, Float4());
}

}  // namespace

void track_relax(const Rig& rig, const TrackRest& rest, const TrackingOptions& options, TrackStep& step,
                 const Context& context) {
  const Relaxing relax{rig, rest, step};
  TrackSystem& sys = step.system;
  list_live_blocks(rest, step);
  const std::size_t count = step.live_blocks.size();
  prepare(relax);
  const auto each = [&](auto&& body) {
    parallel_for(context, count, kBlocksAtOnce, [&](std::size_t begin, std::size_t end) { body(begin, end); });
  };
  const auto sum = [&](auto&& body) {
    return ordered_sum(context, count, kBlocksAtOnce, 0.0,
                       [&](std::size_t begin, std::size_t end) { return body(begin, end); });
  };
  if (sys.fresh)
    each([&](std::size_t begin, std::size_t end) { HWY_DYNAMIC_DISPATCH(set_all_goals)(relax, begin, end); });
  sys.fresh = false;
  each([&](std::size_t begin, std::size_t end) { HWY_DYNAMIC_DISPATCH(measure_all)(relax, begin, end); });
  each([&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const TrackLive& live = step.live_blocks[i];
      for (std::size_t lane = 0; lane < kBlock; ++lane)
        if ((live.lanes >> lane & 1U) != 0)
          sys.at[live.block * kBlock + lane].v[3] = sys.blocks[live.block].stretch[lane];
    }
  });
  double rz = sum([&](std::size_t begin, std::size_t end) {
    LaneSums sums;
    Drawn drawn;
    for (std::size_t i = begin; i < end; ++i) {
      fetch(relax, step.live_blocks[i], drawn);
      HWY_DYNAMIC_DISPATCH(set_up)(relax, step.live_blocks[i], drawn, sums);
    }
    return sums.total();
  });
  const double enough = kReduction * rz;
  for (int it = 0; it < options.inner && rz > enough && rz > 0; ++it) {
    const double dq =
        sum([&](std::size_t begin, std::size_t end) { return HWY_DYNAMIC_DISPATCH(apply_all)(relax, begin, end); });
    step.gradient_steps += step.live.size();
    if (!(dq > 0)) break;
    const auto alpha = static_cast<float>(rz / dq);
    const double next = sum(
        [&](std::size_t begin, std::size_t end) { return HWY_DYNAMIC_DISPATCH(reduce_all)(relax, alpha, begin, end); });
    const auto beta = static_cast<float>(next / rz);
    rz = next;
    each([&](std::size_t begin, std::size_t end) { HWY_DYNAMIC_DISPATCH(go_on_all)(relax, alpha, beta, begin, end); });
  }
  each([&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) slide(relax, step.live_blocks[i]);
  });
  sys.touched.clear();
  for (const std::uint32_t a : step.live) sys.touched.push_back(step.active[a]);
}

}  // namespace cutis::simd
#endif  // HWY_ONCE
