// Sliding within the surface over packs of vertices, bit for bit the scalar one (backends/scalar/implicit_relax.cpp).
#include "backends/lane_sums.h"
#include "backends/simd/implicit.h"
#include "base/conjugate_gradients.h"
#include "base/parallel_for.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/simd/implicit_slide.cpp"
#include <hwy/foreach_target.h>  // first: compiles the rest of this file once per instruction set

#include "backends/simd/field_rules-inl.h"
#include "backends/simd/lane_sums-inl.h"
#include "backends/simd/packs-inl.h"

#ifndef CUTIS_BACKENDS_SIMD_IMPLICIT_SLIDE_ONCE
#define CUTIS_BACKENDS_SIMD_IMPLICIT_SLIDE_ONCE
namespace cutis::simd {

struct Sliding {
  const ImplicitRest& rest;
  ImplicitVertices& vertices;
};

}  // namespace cutis::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

constexpr std::size_t kBlock = TrackPlaces::kBlock;
const PackTag kTag;


void set_up(const Sliding& sliding, const TrackLive& live, LaneSums& sums) {
  const TrackPlaces& places = sliding.rest.places();
  ImplicitVertices& vertices = sliding.vertices;
  ImplicitRelaxed& relaxed = vertices.blocks[live.block];
  const float* const positions = reinterpret_cast<const float*>(vertices.positions.data());
  for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
    const std::size_t place = live.block * kBlock + lane;
    const Pack3 p = xyz(load_places(vertices.positions, place));
    Pack3 pull = xyz(load_places(vertices.pull, place));
    for (std::uint32_t row = places.rows[live.block]; row < places.rows[live.block + 1]; ++row)
      pull = add(pull, mul(hn::Load(kTag, places.weight[row].v + lane),
                           sub(xyz(load_linked(positions, places.link[row].v + lane)), p)));
    const Pack links = load_places(sliding.rest.lengths, place).w;
    const Pack hold = hn::Mul(hn::LoadU(kTag, &vertices.hold[place]), links);
    pull = add(pull, mul(hold, sub(xyz(load_places(vertices.initial, place)), p)));
    const Pack diagonal = larger(hn::Add(links, hold), set(1e-12F)), inverse = hn::Div(set(1), diagonal);
    const Pack4 sample = load_places(vertices.sample, place);
    const Pack3 gradient{sample.y, sample.z, sample.w};
    const Pack size = hn::Sqrt(dot(gradient, gradient));
    const Pack3 n = keep(hn::And(hn::Gt(size, zero()), hn::IsFinite(size)), gradient / size);
    const PackMask moves = mask_of(live.lanes >> lane);
    const Pack3 r = keep(moves, tangent(n, pull)), d = mul(inverse, r);
    hn::Store(diagonal, kTag, relaxed.diagonal + lane);
    hn::Store(inverse, kTag, relaxed.inverse_diagonal + lane);
    store(n, relaxed.n, lane);
    store({zero(), zero(), zero()}, relaxed.x, lane);
    store(r, relaxed.r, lane);
    hn::StoreInterleaved4(d.x, d.y, d.z, zero(), kTag, reinterpret_cast<float*>(&vertices.d[place]));
    add_lanes(dot(r, d), lane, sums);
  }
}

void apply(const Sliding& sliding, const TrackLive& live, LaneSums& sums) {
  const TrackPlaces& places = sliding.rest.places();
  ImplicitVertices& vertices = sliding.vertices;
  ImplicitRelaxed& relaxed = vertices.blocks[live.block];
  const float* const direction = reinterpret_cast<const float*>(vertices.d.data());
  for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
    const Pack3 d = xyz(load_places(vertices.d, live.block * kBlock + lane));
    Pack3 y = mul(hn::Load(kTag, relaxed.diagonal + lane), d);
    for (std::uint32_t row = places.rows[live.block]; row < places.rows[live.block + 1]; ++row)
      y = sub(y,
              mul(hn::Load(kTag, places.weight[row].v + lane), xyz(load_linked(direction, places.link[row].v + lane))));
    const Pack3 q = keep(mask_of(live.lanes >> lane), tangent(load(relaxed.n, lane), y));
    store(q, relaxed.q, lane);
    add_lanes(dot(d, q), lane, sums);
  }
}

void reduce(const Sliding& sliding, const TrackLive& live, float alpha, LaneSums& sums) {
  ImplicitRelaxed& relaxed = sliding.vertices.blocks[live.block];
  const Pack a = set(alpha);
  for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
    const Pack3 d = xyz(load_places(sliding.vertices.d, live.block * kBlock + lane));
    const Pack3 r = sub(load(relaxed.r, lane), mul(a, load(relaxed.q, lane)));
    store(add(load(relaxed.x, lane), mul(a, d)), relaxed.x, lane);
    store(r, relaxed.r, lane);
    add_lanes(hn::Mul(dot(r, r), hn::Load(kTag, relaxed.inverse_diagonal + lane)), lane, sums);
  }
}

// The vertices of a block go where conjugate gradients have led them.
void take(const Sliding& sliding, const TrackLive& live) {
  ImplicitVertices& vertices = sliding.vertices;
  std::uint32_t moved = 0, far = 0;
  for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
    const std::size_t place = live.block * kBlock + lane;
    const Pack3 p = xyz(load_places(vertices.positions, place)), x = load(vertices.blocks[live.block].x, lane);
    const Pack edge = load_places(sliding.rest.lengths, place).z, limit = hn::Mul(set(kLongestSlide), edge);
    const Pack way = hn::Sqrt(dot(x, x));
    const PackMask moves =
        hn::And(hn::And(mask_of(live.lanes >> lane), hn::IsFinite(way)), hn::Gt(way, hn::Mul(set(kNoMove), edge)));
    const Pack3 to = add(p, select(hn::Gt(way, limit), mul(hn::Div(limit, way), x), x));
    const Pack3 next = select(moves, to, p);
    hn::StoreInterleaved4(next.x, next.y, next.z, zero(), kTag, reinterpret_cast<float*>(&vertices.positions[place]));
    hn::StoreInterleaved4(zero(), zero(), zero(), zero(), kTag, reinterpret_cast<float*>(&vertices.d[place]));
    moved |= bits_of(moves) << lane;
    far |= bits_of(hn::And(moves, hn::Gt(way, hn::Mul(set(kSettled), edge)))) << lane;
  }
  vertices.moved[live.block] |= moved;
  vertices.around[live.block] = far;
  each_bit(moved, [&](std::size_t i) { vertices.started[live.block * kBlock + i] = 0; });
}

void take_all(const Sliding& sliding, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) take(sliding, sliding.vertices.sliding[i]);
}
double set_up_all(const Sliding& sliding, std::size_t begin, std::size_t end) {
  LaneSums sums;
  for (std::size_t i = begin; i < end; ++i) set_up(sliding, sliding.vertices.sliding[i], sums);
  return sums.total();
}
double apply_all(const Sliding& sliding, std::size_t begin, std::size_t end) {
  LaneSums sums;
  for (std::size_t i = begin; i < end; ++i) apply(sliding, sliding.vertices.sliding[i], sums);
  return sums.total();
}
double reduce_all(const Sliding& sliding, float alpha, std::size_t begin, std::size_t end) {
  LaneSums sums;
  for (std::size_t i = begin; i < end; ++i) reduce(sliding, sliding.vertices.sliding[i], alpha, sums);
  return sums.total();
}
void go_on_all(const Sliding& sliding, float beta, std::size_t begin, std::size_t end) {
  ImplicitVertices& vertices = sliding.vertices;
  const Pack b = set(beta);
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t block = vertices.sliding[i].block;
    const ImplicitRelaxed& relaxed = vertices.blocks[block];
    for (std::size_t lane = 0; lane < kBlock; lane += lanes()) {
      float* const at = reinterpret_cast<float*>(&vertices.d[block * kBlock + lane]);
      const Pack3 z = mul(hn::Load(kTag, relaxed.inverse_diagonal + lane), load(relaxed.r, lane));
      const Pack3 next = add(z, mul(b, xyz(load_transposed(at, 4))));
      hn::StoreInterleaved4(next.x, next.y, next.z, zero(), kTag, at);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cutis::simd {
namespace {

HWY_EXPORT(set_up_all);
HWY_EXPORT(take_all);
HWY_EXPORT(apply_all);
HWY_EXPORT(reduce_all);
HWY_EXPORT(go_on_all);

}  // namespace

void implicit_take(const ImplicitRest& rest, ImplicitVertices& vertices, std::size_t begin, std::size_t end) {
  HWY_DYNAMIC_DISPATCH(take_all)({rest, vertices}, begin, end);
}

void implicit_slide(const ImplicitRest& rest, int steps, ImplicitVertices& vertices, const Context& context) {
  const Sliding sliding{rest, vertices};
  const auto sum = [&](auto&& body) { return ordered_sum(context, vertices.sliding.size(), kBlocksAtOnce, 0.0, body); };
  const auto set_up = [&] {
    return sum(
        [&](std::size_t begin, std::size_t end) { return HWY_DYNAMIC_DISPATCH(set_up_all)(sliding, begin, end); });
  };
  const auto apply = [&] {
    return sum(
        [&](std::size_t begin, std::size_t end) { return HWY_DYNAMIC_DISPATCH(apply_all)(sliding, begin, end); });
  };
  const auto reduce = [&](float alpha) {
    return sum([&](std::size_t begin, std::size_t end) {
      return HWY_DYNAMIC_DISPATCH(reduce_all)(sliding, alpha, begin, end);
    });
  };
  const auto go_on = [&](float, float beta) {
    parallel_for(context, vertices.sliding.size(), kBlocksAtOnce, [&](std::size_t begin, std::size_t end) {
      HWY_DYNAMIC_DISPATCH(go_on_all)(sliding, beta, begin, end);
    });
  };
  conjugate_gradients<float>(steps, field_constants::reduced_for_a_round, set_up, apply, reduce, go_on);
}

}  // namespace cutis::simd
#endif  // HWY_ONCE
