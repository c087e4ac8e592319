// Where active vertices should go, over packs of vertices, bit for bit the scalar one.
#include <bit>

#include "backends/simd/implicit.h"
#include "kernels/turn.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/simd/implicit_control.cpp"
#include <hwy/foreach_target.h>  // first: compiles the rest of this file once per instruction set

#include "backends/simd/implicit_residual-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

constexpr std::size_t kBlock = TrackPlaces::kBlock;

HWY_INLINE const float* numbers(const std::vector<Float4>& rows) { return reinterpret_cast<const float*>(rows.data()); }
HWY_INLINE void store_places(const Pack4& a, std::vector<Float4>& rows, std::size_t place) {
  hn::StoreInterleaved4(a.x, a.y, a.z, a.w, PackTag(), reinterpret_cast<float*>(&rows[place]));
}

// blend_turn() of a pack.
HWY_INLINE void turn_pack(const ImplicitPass& pass, std::size_t place, std::uint32_t who) {
  const RigSurface& s = pass.rig.surface;
  const std::uint32_t* const vertex = &pass.rest.places().vertex[place];
  Float4 real[kMostLanes];
  const SkinDualQuat* const rigid = pass.pose.rigid.data();
  for (std::size_t i = 0; i < lanes(); ++i) real[i] = {0, 0, 0, 1};
  each_bit(who, [&](std::size_t i) {
    const std::uint32_t first = s.turn.begin[vertex[i]], count = s.turn.begin[vertex[i] + 1] - first;
    if (count == 0) return;
    Float4 sum;
    for (std::uint32_t j = first; j < first + count; ++j) sum += rigid[s.turn.items[j]].real * Float4(s.turn_weight[j]);
    real[i] = sum;
  });
  const auto load = [&]() HWY_ATTR { return load_transposed(reinterpret_cast<const float*>(real), 4); };
  Pack4 q = load();
  Pack size = hn::Sqrt(hn::Add(dot(xyz(q), xyz(q)), hn::Mul(q.w, q.w)));
  const PackMask cancels = hn::Not(hn::Gt(size, set(kOpposite)));
  if (!hn::AllFalse(PackTag(), cancels)) {  // opposite rotations: the heaviest bone's
    each_bit(bits_of(cancels) & who,
             [&](std::size_t i) { real[i] = rigid[s.turn.items[s.turn.begin[vertex[i]]]].real; });
    q = load();
    size = hn::IfThenElse(cancels, set(1), size);
  }
  const Pack4 r{hn::Div(q.x, size), hn::Div(q.y, size), hn::Div(q.z, size), hn::Div(q.w, size)};
  store_places(r, pass.vertices.turn[0], place);
}

// edges_of() of a pack: pull, and the strain.
HWY_INLINE Pack pull_pack(const ImplicitPass& pass, std::size_t block, std::size_t lane, const Pack3& p) {
  const PackTag d;
  const ImplicitRest& rest = pass.rest;
  const TrackPlaces& places = rest.places();
  ImplicitVertices& vertices = pass.vertices;
  const std::size_t place = block * kBlock + lane;
  const float *const x = numbers(vertices.turn[0]), *const y = numbers(vertices.turn[1]),
                     *const z = numbers(vertices.turn[2]), *const initial = numbers(vertices.initial);
  const bool stretched = pass.pose.stretched();
  const auto turned = [&](const std::uint32_t* link, const Pack3& e) HWY_ATTR {
    const Pack4 q = load_linked(x, link);
    if (!stretched) return rotate(q, e);
    return add(add(mul(e.x, xyz(q)), mul(e.y, xyz(load_linked(y, link)))), mul(e.z, xyz(load_linked(z, link))));
  };
  HWY_ALIGN std::uint32_t here[kMostLanes];
  for (std::size_t i = 0; i < lanes(); ++i) here[i] = static_cast<std::uint32_t>(4 * (place + i));
  Pack3 pull = turned(here, xyz(load_places(rest.pull, place)));
  Pack longest = zero(), shortest = set(1e30F);
  for (std::uint32_t row = places.rows[block]; row < places.rows[block + 1]; ++row) {
    const std::uint32_t* const link = places.link[row].v + lane;
    pull = add(pull, turned(link, {hn::Load(d, rest.edges[0][row].v + lane), hn::Load(d, rest.edges[1][row].v + lane),
                                   hn::Load(d, rest.edges[2][row].v + lane)}));
    const Pack per_squared = hn::Load(d, rest.per_squared[row].v + lane);
    const PackMask is_edge = hn::Gt(per_squared, zero());
    const Pack3 now = sub(p, xyz(load_linked(initial, link)));
    const Pack ratio = hn::Mul(dot(now, now), per_squared);
    longest = hn::IfThenElse(is_edge, larger(longest, ratio), longest);
    shortest = hn::IfThenElse(is_edge, smaller(shortest, ratio), shortest);
  }
  store_places({pull.x, pull.y, pull.z, zero()}, vertices.pull, place);
  return larger(hn::Sqrt(longest) - 1.0F, 1.0F - hn::Sqrt(shortest));
}

// start_back() of a pack; `own`: its field at the guess.
HWY_INLINE Pack start_back(const ImplicitPass& pass, std::size_t place, std::uint32_t bone, Pack level,
                           const PackSample& own, PackMask who) {
  const Pack4 inward_and_core = load_places(pass.rest.inward, place);
  const Pack depth = hn::Sub(inward_and_core.w, level), deep = hn::Sub(own.value, level);
  who = hn::And(who, hn::And(hn::Gt(depth, zero()), hn::Gt(deep, hn::Mul(set(kDeepFrom), depth))));
  if (hn::AllFalse(PackTag(), who)) return zero();
  const Pack3 inward = columns_times(pass.pose.parts.motion[bone].linear, xyz(inward_and_core));
  const Pack scale = hn::Sqrt(hn::Mul(dot(own.gradient, own.gradient), dot(inward, inward)));
  const Pack turned = hn::IfThenElse(hn::Gt(scale, zero()), hn::Div(dot(own.gradient, inward), scale), set(-1));
  return hn::IfThenElseZero(who, way_back(deep, depth, turned));
}

// set_level() and what follows, of a pack.
HWY_INLINE void target_pack(const ImplicitPass& pass, std::size_t block, std::size_t lane, std::uint32_t who) {
  const PackTag d;
  const IntTag di;
  const ImplicitRest& rest = pass.rest;
  const TrackRest& track = rest.track;
  ImplicitVertices& vertices = pass.vertices;
  const std::size_t place = block * kBlock + lane;
  const std::uint32_t bone = track.places.owner[block], tracked_bits = who & track.tracked_lanes[block] >> lane;
  const PackMask tracked = mask_of(tracked_bits);
  const Pack4 given = load_places(vertices.given, place), kept = load_places(track.kept, place),
              met = load_places(vertices.met, place);
  const Pack3 guess = xyz(load_places(vertices.initial, place));
  const Pack strain = pull_pack(pass, block, lane, guess);
  const Pack touch = met.x;
  const Pack4 rows{kept.x, given.y, given.z, given.w};  // the level is that at rest
  store_places(rows, vertices.given, place);
  hn::StoreU(set(1), d, &vertices.hold[place]);
  if (tracked_bits == 0) return;
  const std::uint32_t blends = bits_of_flags(&vertices.blends[place]);
  PackSample own{};
  PackMask is_deep = tracked;  // maybe
  if (pass.pose.trusted) {
    const auto none_near = hn::RebindMask(di, tracked);
    const PackSkin skin{pass.pose, vertices.near[place / kImplicitChunk].data(),
                        bone,      kept.x,
                        given.y,   hn::IfThenElseZero(none_near, hn::BitCast(di, given.z)),
                        guess};
    const SkinResiduals at = residual_of(skin, guess);
    own = at.own;
    const Pack3 wanted = xyz(load_places(vertices.wanted, place));
    const PackMask bulges = hn::And(
        tracked,
        hn::Not(hn::And(hn::And(hn::Eq(wanted.x, guess.x), hn::Eq(wanted.y, guess.y)), hn::Eq(wanted.z, guess.z))));
    Pack off = at.free;
    if (!hn::AllFalse(d, bulges)) off = hn::IfThenElse(bulges, residual_of(skin, wanted).free, off);
    const Pack shift = level_shift(off, kTrust * (1.0F - met.y));
    store_places({hn::IfThenElse(tracked, hn::Add(kept.x, shift), kept.x), given.y, given.z, given.w}, vertices.given,
                 place);
    // Without contact the levels differ by the shift, and nothing else.
    const PackMask plain = hn::AndNot(hn::Or(hn::Gt(touch, zero()), mask_of(blends)), tracked);
    HWY_ALIGN float samples[4 * kMostLanes], shifts[kMostLanes], free[kMostLanes];
    hn::StoreInterleaved4(hn::Sub(at.residual, shift), at.gradient.x, at.gradient.y, at.gradient.z, d, samples);
    hn::Store(shift, d, shifts);
    hn::Store(at.free, d, free);
    keep_in_memory(samples);
    const std::uint32_t reached = bits_of(at.reached);
    each_bit(tracked_bits, [&](std::size_t i) {
      const std::size_t first = std::bit_cast<std::uint32_t>(vertices.given[place + i][2]);
      for (std::size_t n = 0; n < vertices.near_count[place + i]; ++n)
        vertices.near[place / kImplicitChunk][first + n].other.level += shifts[i];
    });
    each_bit(bits_of(plain), [&](std::size_t i) {
      vertices.sample[place + i] = Float4(samples + 4 * i);
      vertices.free[place + i] = free[i];
      vertices.reached[place + i] = static_cast<char>(reached >> i & 1U);
      vertices.touching[place + i] = 0;
      vertices.started[place + i] = 1;
    });
    const Pack depth = hn::Sub(load_places(rest.inward, place).w, kept.x);
    is_deep = hn::AndNot(hn::And(plain, hn::Le(at.free, hn::Mul(set(kDeepFrom), depth))), tracked);
  } else {
    own = pass.pose.parts.fields[bone].nodes != nullptr ? look_up(pass.pose.parts.fields[bone], guess)
                                                        : PackSample{zero(), {zero(), zero(), zero()}};
  }
  is_deep = hn::And(is_deep, hn::Lt(touch, set(1)));
  const Pack back = hn::Mul(start_back(pass, place, bone, kept.x, own, is_deep), 1.0F - touch);
  const Pack hold = hn::Mul(hold_of_guess(kept.z, touch, soundness(strain)), 1.0F - back);
  hn::StoreU(hn::IfThenElse(tracked, hold, set(1)), d, &vertices.hold[place]);
  const PackMask goes_back = hn::And(tracked, hn::Gt(back, zero()));
  if (hn::AllFalse(d, goes_back)) return;
  const Pack3 at = xyz(load_places(vertices.positions, place));
  const Pack3 to = add(at, mul(back, sub(xyz(load_places(vertices.carried, place)), guess)));
  const Pack3 next = select(goes_back, to, at);
  store_places({next.x, next.y, next.z, zero()}, vertices.positions, place);
  each_bit(bits_of(goes_back), [&](std::size_t i) { vertices.started[place + i] = 0; });
}

// body(block, lane, bits) of the packs of a run that hold any of `which`.
template <class Body>
HWY_INLINE void each_pack_of(const std::vector<std::uint32_t>& which, const BlockRun& run, const Body& body) {
  const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << lanes()) - 1);
  for (std::size_t block = run.begin; block < run.end; ++block)
    for (std::size_t lane = 0; lane < kBlock; lane += lanes())
      if (const std::uint32_t who = which[block] >> lane & all; who != 0) body(block, lane, who);
}

void turn_run(const ImplicitPass& pass, const BlockRun& run) {
  each_pack_of(pass.vertices.around, run, [&](std::size_t block, std::size_t lane, std::uint32_t who) HWY_ATTR {
    turn_pack(pass, block * kBlock + lane, who);
  });
}
void target_run(const ImplicitPass& pass, const BlockRun& run) {
  each_pack_of(pass.vertices.active, run, [&](std::size_t block, std::size_t lane, std::uint32_t who) HWY_ATTR {
    target_pack(pass, block, lane, who);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cutis::simd {
namespace {

HWY_EXPORT(turn_run);
HWY_EXPORT(target_run);

}  // namespace

void implicit_turns(const ImplicitPass& pass, const BlockRun& run) { HWY_DYNAMIC_DISPATCH(turn_run)(pass, run); }
void implicit_targets(const ImplicitPass& pass, const BlockRun& run) { HWY_DYNAMIC_DISPATCH(target_run)(pass, run); }

}  // namespace cutis::simd
#endif  // HWY_ONCE
