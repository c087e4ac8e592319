// Control over packs of vertices, bit for bit the scalar one.
//
// A pack holds vertices of one part, near each other in space (backends/track_places.h): parts that are far from all of
// them are left out at once, and the others are looked up for all lanes together.
#include <algorithm>
#include <cmath>

#include "backends/simd/track.h"
#include "backends/track_control.h"
#include "base/parallel_for.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/simd/track_control.cpp"
#include <hwy/foreach_target.h>  // first: compiles the rest of this file once per instruction set

#include "backends/simd/eval_field-inl.h"
#include "backends/simd/field_rules-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

constexpr std::size_t kBlock = TrackPlaces::kBlock;

HWY_INLINE Pack one_minus(Pack a) { return hn::Sub(set(1), a); }
HWY_INLINE Pack size_of(const Pack3& a) { return hn::Sqrt(dot(a, a)); }

// What control knows of the active vertices of a pack.
struct ControlPack {
  std::size_t place;
  std::uint32_t active;  // bits
  bool any_held;         // in the last sub-step
  Pack3 at_rest, p, q;   // q: where the bone carries it
  Pack own, edge, hold, stiffness, margin, away;
  Float4 lo, hi;  // around all p and q
  float widest;   // margin
};

HWY_INLINE ControlPack load_pack(const TrackPass& control, std::uint32_t b, std::size_t place, std::uint32_t active) {
  const PackTag d;
  const Step& step = control.step;
  const std::uint32_t* const vertex = &control.rest.places.vertex[place];
  HWY_ALIGN float away[kMostLanes];
  Float4 at[kMostLanes];
  ControlPack pack{place, active, false, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, 0};
  const auto any = static_cast<std::size_t>(std::countr_zero(active));
  for (std::size_t i = 0; i < lanes(); ++i) {
    const std::uint32_t v = vertex[(active >> i & 1U) != 0 ? i : any];
    at[i] = {step.p[v].x, step.p[v].y, step.p[v].z, 0};
    away[i] = step.away[v];
    pack.any_held = pack.any_held || step.held_begin[v] < step.held_begin[v + 1];
  }
  const PackMask mask = mask_of(active);
  const Pack4 kept = load_places(control.rest.kept, place);
  pack.own = kept.x;
  pack.edge = kept.y;
  pack.hold = kept.z;
  pack.stiffness = kept.w;
  pack.margin = hn::IfThenElseZero(mask, hn::Mul(set(kNear), pack.edge));
  pack.away = hn::Load(d, away);
  pack.at_rest = xyz(load_places(control.rest.places.rest, place));
  pack.p = xyz(load_transposed(reinterpret_cast<const float*>(at), 4));
  pack.q = select(mask, transform(step.motion[b], pack.at_rest), pack.p);
  const auto least = [&](Pack x, Pack y) HWY_ATTR { return hn::GetLane(hn::MinOfLanes(d, hn::Min(x, y))); };
  const auto most = [&](Pack x, Pack y) HWY_ATTR { return hn::GetLane(hn::MaxOfLanes(d, hn::Max(x, y))); };
  pack.lo = {least(pack.p.x, pack.q.x), least(pack.p.y, pack.q.y), least(pack.p.z, pack.q.z), 0};
  pack.hi = {most(pack.p.x, pack.q.x), most(pack.p.y, pack.q.y), most(pack.p.z, pack.q.z), 0};
  pack.widest = most(pack.margin, pack.margin);
  return pack;
}

// PartBox::holds()
HWY_INLINE PackMask holds(const PartBox& box, const Pack3& p, Pack margin) {
  const auto along = [&](Pack x, float lo, float hi) HWY_ATTR {
    return hn::And(hn::Le(hn::Sub(set(lo), margin), x), hn::Le(x, hn::Add(set(hi), margin)));
  };
  return hn::And(hn::And(along(p.x, box.lo[0], box.hi[0]), along(p.y, box.lo[1], box.hi[1])),
                 along(p.z, box.lo[2], box.hi[2]));
}

// By how much part k held each vertex of a pack in the last sub-step; -1: not.
HWY_INLINE Pack held_by(const TrackPass& control, const ControlPack& pack, std::uint32_t k) {
  const PackTag d;
  const Step& step = control.step;
  HWY_ALIGN float held[kMostLanes];
  hn::Store(set(-1), d, held);
  each_bit(pack.active, [&](std::size_t i) {
    const std::uint32_t v = control.rest.places.vertex[pack.place + i];
    for (std::uint32_t h = step.held_begin[v]; h < step.held_begin[v + 1]; ++h)
      if (step.held[h].bone == k) held[i] = step.held[h].contact;
  });
  return hn::Load(d, held);
}

// inner_side() of the fold at each vertex of a pack.
HWY_INLINE Pack inner_side_of(const Fold& fold, const Pack3& at_rest) {
  const auto everywhere = [](const Vec3f& a) HWY_ATTR { return Pack3{set(a.x), set(a.y), set(a.z)}; };
  return inner_side(
      side_of_bend(sub(at_rest, everywhere(fold.origin)), everywhere(fold.axis), everywhere(fold.inside)));
}

// find_near() of a pack.
HWY_INLINE void find_near(const TrackPass& control, std::uint32_t b, const ControlPack& pack,
                          std::vector<TrackBlockNear>& near) {
  const PackTag d;
  const TrackRest& rest = control.rest;
  const Step& step = control.step;
  const std::size_t bones = step.fields.size(), lane = pack.place % kBlock, block = pack.place / kBlock;
  const PackMask active = mask_of(pack.active);
  const bool has_own = step.fields[b].nodes != nullptr;
  bool has_core = false;
  Pack3 core{};
  Pack own_at_core = zero();
  std::uint32_t reach = rest.reach_begin[block];
  for (std::uint32_t k = 0; k < bones; ++k) {
    const PartBox& box = step.boxes[k];
    if ((mask_less_equal(box.lo - Float4(pack.widest), pack.hi) &
         mask_less_equal(pack.lo, box.hi + Float4(pack.widest)) & 7U) != 7U)
      continue;
    const float gate = step.gate[b * bones + k];
    const bool joined = rest.joined[b * bones + k] != 0;
    if (k == b || (!joined && !(gate > 0))) continue;
    const PackMask is_near = hn::And(active, hn::Or(holds(box, pack.p, pack.margin), holds(box, pack.q, pack.margin)));
    if (hn::AllFalse(d, is_near)) continue;
    while (reach < rest.reach_begin[block + 1] && rest.reach[reach].bone < k) ++reach;
    const bool reaches = reach < rest.reach_begin[block + 1] && rest.reach[reach].bone == k;
    const Pack at_rest = reaches ? hn::Load(d, rest.reach[reach].value.v + lane) : zero();
    const auto risen_carried = [&]() HWY_ATTR { return hn::Sub(look_up_value(step.fields[k], pack.q), at_rest); };
    const auto risen_here = [&]() HWY_ATTR { return hn::Sub(look_up_value(step.fields[k], pack.p), at_rest); };
    const auto lead = [&]() HWY_ATTR {
      if (!has_own) return zero();
      if (!has_core) {
        core = transform(step.motion[b], xyz(load_places(rest.core_at, pack.place)));
        own_at_core = look_up_value(step.fields[b], core);
        has_core = true;
      }
      const Pack now = hn::Sub(look_up_value(step.fields[k], core), own_at_core);
      return hn::Sub(now, reaches ? hn::Load(d, rest.reach[reach].lead.v + lane) : zero());
    };
    Pack contact = zero();
    if (gate > 0) {
      const Pack held = pack.any_held ? held_by(control, pack, k) : set(-1);
      const std::int32_t fold = rest.fold[b * bones + k];
      const Pack open =
          fold >= 0 ? hn::Mul(set(gate), inner_side_of(step.folds[static_cast<std::size_t>(fold)], pack.at_rest))
                    : set(gate);
      contact = contact_with(is_near, open, held, risen_carried, risen_here, lead);
    }
    const PackMask felt = joined ? is_near : hn::Gt(contact, zero());
    if (hn::AllFalse(d, felt)) continue;
    TrackBlockNear& found = near.emplace_back();
    found.bone = k;
    found.joined = joined;
    found.lanes = found.matters = bits_of(felt);
    hn::Store(contact, d, found.contact);
    hn::Store(level_of_other(pack.own, at_rest), d, found.level);
    hn::Store(offset_of_other(pack.own, at_rest), d, found.offset);
    hn::Store(joined ? look_up_value(step.fields[k], pack.p) : zero(), d, found.value);
  }
}

// How far smooth skinning strains the edges at each vertex of a pack.
HWY_INLINE Pack strain_of(const TrackPass& control, const ControlPack& pack, const Pack3& goal) {
  const PackTag d;
  const TrackPlaces& places = control.rest.places;
  const std::size_t block = pack.place / kBlock, lane = pack.place % kBlock;
  const float* const blended = reinterpret_cast<const float*>(control.step.system.blended.data());
  const Pack degree = hn::Load(d, places.degree[block].v + lane);
  Pack strain = zero();
  for (std::uint32_t row = places.rows[block]; row < places.rows[block + 1]; ++row) {
    const Pack3 there = xyz(load_linked(blended, places.link[row].v + lane));
    const Pack length = hn::Sqrt(hn::Load(d, places.length_squared[row].v + lane));
    const Pack strained = strain_of_edge(size_of(sub(goal, there)), length);
    const PackMask is_edge =
        hn::And(hn::Lt(set(static_cast<float>(row - places.rows[block])), degree), hn::Gt(length, zero()));
    strain = hn::IfThenElse(is_edge, larger(strain, strained), strain);
  }
  return strain;
}

// settle_vertex() of a pack, and what comes out.
HWY_INLINE void settle_pack(const TrackPass& control, std::uint32_t b, const ControlPack& pack, TrackChunk& chunk) {
  const PackTag d;
  const TrackRest& rest = control.rest;
  Step& step = control.step;
  const std::size_t bones = step.fields.size(), block = pack.place / kBlock, lane = pack.place % kBlock;
  const GridView* const calm = step.calm.empty() ? step.fields.data() : step.calm.data();  // smooth skin has no muscles
  const Pack3 goal = xyz(load_places(step.system.blended, pack.place));
  Pack bent = zero(), touch = zero();
  bool any_joined = false;
  for (const TrackBlockNear& n : chunk.block_near) {
    const PackMask felt = mask_of(n.lanes);
    touch = hn::IfThenElse(felt, larger(touch, hn::Load(d, n.contact)), touch);
    if (!n.joined) continue;
    any_joined = true;
    const PackMask bends = hn::And(felt, hn::Gt(hn::Load(d, n.value), set(kRiseFrom)));
    bent = hn::IfThenElse(bends, larger(bent, set(step.gate[b * bones + n.bone])), bent);
  }
  const Pack strain = strain_of(control, pack, goal);
  const Pack sound = soundness(strain);
  Pack trusted = zero(), level = pack.own;
  if (step.fields[b].nodes != nullptr) {
    const Pack own = any_joined ? look_up_value(step.fields[b], pack.p) : zero();
    const Pack own_there = look_up_value(calm[b], goal);
    const Pack way = size_of(sub(pack.p, goal)), reach = hn::Add(way, pack.margin);
    Pack rise = zero();
    for (TrackBlockNear& n : chunk.block_near) {
      if (!n.joined) continue;
      const Pack contact = hn::Load(d, n.contact), its_level = hn::Load(d, n.level);
      const Pack slope = set(step.steepest[b] + step.steepest[n.bone]);
      const Pack lead = lead_of_other(hn::Load(d, n.value), its_level, own, pack.own);
      const bool plain = step.fields[b].muscle_count == 0 && step.fields[n.bone].muscle_count == 0;
      PackMask rises = mask_of(n.lanes);
      if (plain) {
        const PackMask may = hn::Gt(hn::Add(lead, hn::Mul(slope, reach)), zero());
        n.matters = n.lanes & bits_of(hn::Or(hn::Gt(contact, zero()), may));
        rises = hn::AndNot(hn::Le(hn::Add(lead, hn::Mul(slope, way)), zero()), rises);
        if (hn::AllFalse(d, rises)) continue;
      }
      const Pack there = look_up_value(calm[n.bone], goal);
      const Pack over = lead_of_other(there, its_level, own_there, pack.own);
      rise = hn::IfThenElse(rises, larger(rise, hn::Mul(one_minus(contact), over)), rise);
    }
    const Pack off = hn::Sub(hn::Add(own_there, rise), pack.own), soft = one_minus(pack.stiffness);
    const Pack straight = one_minus(bent);
    if (step.fields[b].muscle_count == 0) trusted = hn::Mul(hn::Mul(hn::Mul(soft, straight), sound), one_minus(touch));
    const Pack shift = hn::Mul(soft, level_shift(off, trust_of(bent, sound, touch)));
    level = hn::Add(level, shift);
    for (TrackBlockNear& n : chunk.block_near) hn::Store(hn::Add(hn::Load(d, n.level), shift), d, n.level);
  }
  Pack loose = set(step.pin.empty() ? 0.0F : 1.0F);  // a target draws along what is around it
  for (const TrackBend& bend : step.bends[b]) {
    const Pack distance = size_of(sub(pack.at_rest, {set(bend.at.x), set(bend.at.y), set(bend.at.z)}));
    loose = larger(loose, looseness(bend.gate, distance, bend.near, bend.far));
  }
  const PackMask tracked = mask_of(rest.tracked_lanes[block] >> lane);
  Pack hold = hn::IfThenElse(tracked, hold_of(pack.hold, loose, strain, pack.stiffness, touch, sound), set(1));
  if (step.pin.empty() && !control.rig.fields[b].empty()) {
    const Pack away = hn::Div(pack.away, set(control.rig.fields[b].grid.radius));
    hold = larger(hold, hold_far_away(away, touch));
  }
  const Pack bound = hn::IfThenElseZero(tracked, one_minus(hn::Mul(trusted, one_minus(loose))));
  HWY_ALIGN float levels[kMostLanes], holds_by[kMostLanes], bounds[kMostLanes];
  hn::Store(level, d, levels);
  hn::Store(hold, d, holds_by);
  hn::Store(bound, d, bounds);
  each_bit(pack.active, [&](std::size_t i) {
    const auto a = static_cast<std::size_t>(step.slot[rest.places.vertex[pack.place + i]]);
    step.level[a] = levels[i];
    step.hold[a] = holds_by[i];
    step.bound[a] = bounds[i];
    step.other_begin[a] = static_cast<std::uint32_t>(chunk.others.size());
    step.holds[a] = 0;
    for (const TrackBlockNear& n : chunk.block_near) {
      if ((n.matters >> i & 1U) == 0) continue;
      chunk.others.push_back({n.contact[i], n.level[i], n.offset[i], 2 * n.bone + (n.joined ? 1U : 0U)});
      if (n.contact[i] > kHeld) step.holds[a] = 1;
    }
    step.other_count[a] = static_cast<std::uint32_t>(chunk.others.size()) - step.other_begin[a];
    chunk.others.push_back({.part = TrackOther::kNoPart});
  });
}

void control_blocks(const TrackPass& control, std::size_t begin, std::size_t end, TrackChunk& chunk) {
  const TrackPlaces& places = control.rest.places;
  chunk.others.clear();
  for (std::size_t place = begin * kBlock; place < end * kBlock; place += lanes()) {
    std::uint32_t active = 0;
    for (std::size_t i = 0; i < lanes(); ++i) {
      const std::uint32_t v = places.vertex[place + i];
      if (v != TrackPlaces::kNone && control.step.slot[v] >= 0) active |= 1U << i;
    }
    if (active == 0) continue;
    const std::uint32_t b = places.owner[place / kBlock];
    const ControlPack pack = load_pack(control, b, place, active);
    chunk.block_near.clear();
    find_near(control, b, pack, chunk.block_near);
    settle_pack(control, b, pack, chunk);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cutis::simd {
namespace {

constexpr std::size_t kBlock = TrackPlaces::kBlock;
constexpr std::size_t kGrain = 16;  // blocks

HWY_EXPORT(control_blocks);

}  // namespace

void track_control(const Rig& rig, const TrackRest& rest, Step& step, const Context& context) {
  const TrackPlaces& places = rest.places;
  const TrackPass control{rig, rest, step};
  const std::size_t blocks = places.blocks(), chunks = (blocks + kGrain - 1) / kGrain;
  step.system.resize(places);
  blend_all(rig, rest, step, context);
  if (step.chunks.size() < chunks) step.chunks.resize(chunks);
  parallel_for(context, blocks, kGrain, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(control_blocks)(control, begin, end, step.chunks[begin / kGrain]);
  });
  gather_others(std::span<const TrackChunk>(step.chunks.data(), chunks), step, context);
  parallel_for(context, step.active.size(), kGrain * kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a)
      step.other_begin[a] += step.offset[places.place[step.active[a]] / (kGrain * kBlock)];
  });
}

}  // namespace cutis::simd
#endif  // HWY_ONCE
