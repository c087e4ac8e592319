// Who is solved for, and which parts are near, over packs of vertices, bit for bit the scalar one.
//
// Vertices of a block share their part and lie close together: a part that is far from all of them is left out at once,
// one that is near some is looked up for all.
#include <algorithm>
#include <bit>

#include "backends/simd/implicit.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/simd/implicit_near.cpp"
#include <hwy/foreach_target.h>  // first: compiles the rest of this file once per instruction set

#include "backends/simd/eval_field-inl.h"
#include "backends/simd/field_rules-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

constexpr std::size_t kBlock = TrackPlaces::kBlock;

HWY_INLINE Pack3 pack_of(const Vec3f& p) { return {set(p.x), set(p.y), set(p.z)}; }
HWY_INLINE Pack size_of(const Pack3& a) { return hn::Sqrt(dot(a, a)); }

// part_value() with FilledBlocks, where `wanted`; 0 elsewhere.
HWY_INLINE Pack part_value(const GridView& part, const FilledBlocks& filled, const Pack3& p, PackMask wanted) {
  const IntTag di;
  if (part.nodes == nullptr) return zero();
  const Pack3 at = transform(part.grid_from_rest, p);
  const PackMask inside = hn::And(wanted, inside_grid(part, at));
  if (hn::AllFalse(PackTag(), inside)) return zero();
  Ints i, j, k;
  Pack rest;
  find_cell(at.x, part.nx, i, rest);
  find_cell(at.y, part.ny, j, rest);
  find_cell(at.z, part.nz, k, rest);
  HWY_ALIGN std::int32_t block[kMostLanes];
  hn::Store(hn::Add(hn::Add(hn::Mul(hn::ShiftRight<1>(k), hn::Set(di, static_cast<std::int32_t>(filled.slice()))),
                            hn::Mul(hn::ShiftRight<1>(j), hn::Set(di, static_cast<std::int32_t>(filled.row())))),
                    hn::ShiftRight<1>(i)),
            di, block);
  keep_in_memory(block);
  std::uint32_t left = bits_of(inside);
  while (left != 0 && !filled.holds(static_cast<std::size_t>(block[std::countr_zero(left)]))) left &= left - 1;
  if (left == 0) return zero();
  Pack f, slope;
  compact_pack(part, grid_distance(part, at).value, f, slope);
  return hn::IfThenElseZero(inside, f);
}

HWY_INLINE PackMask holds(const BoxBlock& box, int lane, const Pack3& p) {
  const auto along = [&](Pack x, int axis) HWY_ATTR {
    return hn::And(hn::Le(set(box.lo[axis][lane]), x), hn::Le(x, set(box.hi[axis][lane])));
  };
  return hn::And(hn::And(along(p.x, 0), along(p.y, 1)), along(p.z, 2));
}

// Around points of a pack.
struct PackBox {
  float lo[3], hi[3];

  // Bits: which of four boxes it meets.
  [[nodiscard]] HWY_INLINE unsigned meets(const BoxBlock& block) const {
    const auto along = [&](int axis) {
      return less_equal(block.lo[axis], hi[axis]) & less_equal(lo[axis], block.hi[axis]);
    };
    return bits(along(0) & along(1) & along(2));
  }
};
HWY_INLINE PackBox box_of(const Pack3& p, const Pack3& q, PackMask who) {
  const PackTag d;
  PackBox box;  // NOLINT: filled below
  const auto along = [&](int axis, Pack a, Pack b) HWY_ATTR {
    box.lo[axis] = hn::GetLane(hn::MinOfLanes(d, hn::IfThenElse(who, hn::Min(a, b), set(1e30F))));
    box.hi[axis] = hn::GetLane(hn::MaxOfLanes(d, hn::IfThenElse(who, hn::Max(a, b), set(-1e30F))));
  };
  along(0, p.x, q.x);
  along(1, p.y, q.y);
  along(2, p.z, q.z);
  return box;
}

struct NearPack {
  std::size_t place;
  std::uint32_t own;
  PackMask who, moved;  // moved: by the guess, off its bone
  Pack3 guess, carried, p_rest;
  Pack way, level;  // level: of the own field at rest
};

// Of each lane so far.
struct NearSums {
  Pack touch, bent;
  Pack3 wanted;
  PackMask changed;
  std::uint32_t blends = 0;
};

// Where along a segment (0 to 1) the points nearest to p are.
HWY_INLINE Pack3 nearest_on(const Vec3f& from, const Vec3f& to, const Pack3& p) {
  const Vec3f along = to - from;
  const float squared = along.x * along.x + along.y * along.y + along.z * along.z;
  Pack t = zero();
  if (squared > 0) {
    t = hn::Div(dot(sub(p, pack_of(from)), pack_of(along)), set(squared));
    t = hn::IfThenElse(hn::Lt(t, zero()), zero(), hn::IfThenElse(hn::Lt(set(1), t), set(1), t));
  }
  return add(mul(1.0F - t, pack_of(from)), mul(t, pack_of(to)));
}

// without_bulge() of a pack, where `who`.
HWY_INLINE Pack3 without_bulge(const ImplicitPass& pass, const NearPack& pack, std::uint32_t k, Pack side, float gate,
                               PackMask who, const Pack3& p) {
  const float sweep = sweeps(pass.rig, pack.own, k);
  const Pack back = hn::Mul(set(sweep), 1.0F - inner_side(side));
  who = hn::And(who, hn::Gt(back, zero()));
  if (hn::AllFalse(PackTag(), who)) return p;
  Pack at_rest = set(1e30F), now = set(1e30F);
  Pack3 nearest{zero(), zero(), zero()};
  for (const std::uint32_t b : {pack.own, k}) {
    const auto a = static_cast<Vec3f>(pass.rig.bones[b].rest_origin),
               e = static_cast<Vec3f>(pass.rig.bones[b].rest_end);
    const Affine3f& motion = pass.pose.parts.motion[b];
    at_rest = smaller(at_rest, size_of(sub(pack.p_rest, nearest_on(a, e, pack.p_rest))));
    const Pack3 c = nearest_on(transform_point(motion, a), transform_point(motion, e), p);
    const Pack d = size_of(sub(p, c));
    nearest = select(hn::Lt(d, now), c, nearest);
    now = hn::IfThenElse(hn::Lt(d, now), d, now);
  }
  who = hn::And(who, hn::Gt(now, at_rest));
  const Pack share = hn::Mul(hn::Mul(back, set(gate)), 1.0F - hn::Div(at_rest, now));
  return select(who, add(p, mul(share, sub(nearest, p))), p);
}

// One other part, which is near some lanes of the pack.
HWY_INLINE void meet_part(const ImplicitPass& pass, const NearPack& pack, std::uint32_t k, PackMask in_carried,
                          PackMask in_guess, const TrackReach* reach, NearSums& sums, std::vector<NearBlock>& found) {
  const PackTag d;
  const ImplicitPose& pose = pass.pose;
  const GridView& field = pose.parts.fields[k];
  const FilledBlocks& filled = pass.rest.filled[k];
  const PartPair& pair = pose.pairs[pack.own * pose.parts.fields.size() + k];
  const std::size_t lane = pack.place % kBlock;
  const PackMask is_near = hn::Or(in_carried, in_guess);
  const Pack at_rest = reach != nullptr ? hn::Load(d, reach->value.v + lane) : zero();
  const PackMask nowhere = hn::AndNot(is_near, is_near);
  const Hinge* const hinge = pair.hinge < 0 ? nullptr : &pose.hinges[static_cast<std::size_t>(pair.hinge)];
  const bool joined = pair.joined || (hinge != nullptr && hinge->blends);
  // Of parts that cannot touch, their union with the guess is all that matters.
  const PackMask only_unites = pair.gate > 0 ? nowhere : pack.moved;
  Pack at_carried = at_rest, at_guess = zero();
  if (pair.gate > 0) {
    if (!pair.still) at_carried = part_value(field, filled, pack.carried, in_carried);
  } else {  // one look-up for both
    const PackMask still = pair.still ? is_near : nowhere;
    const PackMask where = hn::Or(in_guess, hn::AndNot(hn::Or(pack.moved, still), in_carried));
    at_guess = part_value(field, filled, select(pack.moved, pack.guess, pack.carried), where);
    if (!pair.still) at_carried = hn::IfThenElse(pack.moved, at_rest, at_guess);
  }
  const Pack risen_carried = hn::Sub(at_carried, at_rest);
  sums.changed = hn::Or(sums.changed, hn::And(is_near, hn::Gt(hn::Abs(risen_carried), set(kStillField))));
  sums.changed = hn::Or(sums.changed, hn::AndNot(is_near, hn::Gt(at_rest, zero())));
  // A field rises no faster than its slope, so that the guess is mostly decided by the carried vertex.
  const Pack most = hn::Add(at_carried, hn::Mul(set(pose.parts.steepest[k]), pack.way));
  PackMask open = nowhere;
  if (pair.gate > 0) {
    const PackMask moves = hn::And(is_near, pack.moved);
    open = hn::AndNot(hn::Ge(risen_carried, set(kRiseTo)), hn::Gt(hn::Sub(most, at_rest), set(kRiseFrom)));
    open = hn::And(moves, open);
    // What unions may ask for, too.
    const PackMask asked = joined ? hn::Or(open, hn::And(moves, hn::Gt(most, set(kRiseFrom)))) : open;
    if (!hn::AllFalse(d, asked)) at_guess = part_value(field, filled, pack.guess, asked);
  }
  Pack value = hn::IfThenElse(hn::Or(open, only_unites), at_guess, most);
  const Pack risen = hn::Sub(larger(at_carried, hn::IfThenElseZero(open, value)), at_rest);
  const PackMask unites = joined ? hn::And(is_near, hn::Gt(value, set(kRiseFrom))) : nowhere;
  const PackMask meets = pair.gate > 0 ? hn::And(is_near, hn::Gt(risen, set(kRiseFrom))) : nowhere;
  PackMask felt = hn::Or(unites, meets);
  if (hn::AllFalse(d, felt)) return;
  Pack gate = set(pair.gate), bend = gate, weight = set(1), side = zero();
  bool blends = false;
  if (hinge != nullptr && (pair.gate > 0 || hinge->blends)) {
    side = side_of_bend(sub(pack.p_rest, pack_of(hinge->origin)), pack_of(hinge->axis), pack_of(hinge->inside));
    bend = gate = hn::Mul(gate, inner_side(side));
    if (hinge->blends) {
      blends = true;
      HWY_ALIGN float sides[kMostLanes];
      hn::Store(side, d, sides);
      each_bit(bits_of(felt), [&](std::size_t i) {
        const std::uint32_t v = pass.rest.places().vertex[pack.place + i];
        sides[i] = pass.rig.surface.blend(v, std::max(0.0F, sides[i]));
      });
      weight = hn::Load(d, sides);
      const float open_share = 1 - closed_share(pose.joints[static_cast<std::size_t>(pair.hinge)]);
      gate = hn::Mul(gate, 1.0F - hn::Mul(weight, set(open_share)));
    }
  }
  const auto lead = [&]() HWY_ATTR {
    const Pack3 core = transform(pose.parts.motion[pack.own], xyz(load_places(pass.rest.track.core_at, pack.place)));
    const Pack own_at_core = load_places(pass.rest.inward, pack.place).w;
    const Pack now = hn::Sub(field.nodes != nullptr ? look_up_value(field, core) : zero(), own_at_core);
    return hn::Sub(now, reach != nullptr ? hn::Load(d, reach->lead.v + lane) : zero());
  };
  const Pack contact = contact_with(
      felt, gate, hn::IfThenElse(open, set(1), set(-1)), [&]() HWY_ATTR { return risen_carried; },
      [&]() HWY_ATTR { return hn::Sub(value, at_rest); }, lead);
  const PackMask touches = hn::Gt(contact, zero());
  felt = hn::And(felt, hn::Or(touches, unites));
  // Those that would only be united with, and are not felt at the guess, are none of the vertex's.
  const PackMask bounded = hn::AndNot(hn::Or(hn::Or(touches, open), only_unites), felt);
  value = hn::IfThenElse(bounded, hn::IfThenElse(pack.moved, at_guess, at_carried), value);
  felt = hn::And(felt, hn::Or(touches, hn::Gt(value, set(kRiseFrom))));
  if (hn::AllFalse(d, felt)) return;
  sums.touch = hn::IfThenElse(felt, larger(sums.touch, contact), sums.touch);
  if (joined) {
    const PackMask bends = hn::And(felt, hn::Gt(value, set(kRiseFrom)));
    sums.bent = hn::IfThenElse(bends, larger(sums.bent, bend), sums.bent);
  }
  if (blends) sums.blends |= bits_of(hn::And(felt, hn::Gt(weight, zero())));
  if (joined && hinge != nullptr && pair.gate > 0)
    sums.wanted = without_bulge(pass, pack, k, side, pair.gate, felt, sums.wanted);
  NearBlock& near = found.emplace_back();
  near.part = 2 * k + (joined ? 1 : 0);
  near.joint = blends ? pair.hinge : std::int16_t{-1};
  near.lanes = bits_of(felt);
  hn::Store(contact, d, near.contact);
  hn::Store(level_of_other(pack.level, at_rest), d, near.level);
  hn::Store(offset_of_other(pack.level, at_rest), d, near.offset);
  hn::Store(value, d, near.value);
  hn::Store(bend, d, near.bend);
  hn::Store(weight, d, near.weight);
}

// Rows of the lanes of a pack, from what was found for all of them.
HWY_INLINE void write_rows(const NearPack& pack, const std::vector<NearBlock>& found, ImplicitVertices& vertices) {
  std::vector<NearPart>& list = vertices.near[pack.place / kImplicitChunk];
  std::uint32_t lanes = 0;
  for (const NearBlock& near : found) lanes |= near.lanes;
  each_bit(lanes, [&](std::size_t i) {
    const std::size_t first = list.size();
    for (const NearBlock& n : found)
      if ((n.lanes >> i & 1U) != 0 && list.size() - first < kMostNearParts)
        list.push_back({{n.contact[i], n.level[i], n.offset[i], n.part}, n.value[i], n.bend[i], n.weight[i], n.joint});
    vertices.given[pack.place + i].v[2] = std::bit_cast<float>(static_cast<std::uint32_t>(first));
    vertices.near_count[pack.place + i] = static_cast<std::uint8_t>(list.size() - first);
    list.push_back({.other = {.part = TrackOther::kNoPart}});
  });
}

// find_near() of a pack. Returns bits: who has to be solved for.
HWY_INLINE std::uint32_t find_near(const ImplicitPass& pass, std::size_t block, std::size_t lane, std::uint32_t who) {
  const PackTag d;
  const ImplicitRest& rest = pass.rest;
  const TrackRest& track = rest.track;
  ImplicitVertices& vertices = pass.vertices;
  std::vector<NearBlock>& found = vertices.near_blocks[block / kImplicitBlocks];
  NearPack pack;  // NOLINT: filled below
  pack.place = block * kBlock + lane;
  pack.own = track.places.owner[block];
  pack.who = mask_of(who);
  pack.guess = xyz(load_places(vertices.initial, pack.place));
  pack.carried = xyz(load_places(vertices.carried, pack.place));
  pack.p_rest = xyz(load_places(track.places.rest, pack.place));
  pack.way = size_of(sub(pack.guess, pack.carried));
  pack.level = load_places(track.kept, pack.place).x;
  const Pack edge = load_places(rest.lengths, pack.place).z;
  pack.moved = hn::And(pack.who, hn::Not(hn::Le(pack.way, hn::Mul(set(kStillEdges), edge))));
  const PackBox box = box_of(pack.carried, select(pack.moved, pack.guess, pack.carried), pack.who);
  NearSums sums{zero(), zero(), pack.guess, pack.moved};
  const TrackReach *reach = track.reach.data() + track.reach_begin[block], *const last = track.reach.data() +
                                                                                         track.reach_begin[block + 1];
  const auto gone = [&](const TrackReach& r) HWY_ATTR {  // it reached the skin at rest, and does not now
    sums.changed = hn::Or(sums.changed, hn::Gt(hn::Load(d, r.value.v + lane), zero()));
  };
  found.clear();
  for (const BoxBlock& boxes : pass.pose.meet.row(pack.own))
    for (unsigned left = box.meets(boxes); left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      const std::uint32_t k = boxes.bone[i];
      const PackMask in_carried = hn::And(pack.who, holds(boxes, i, pack.carried));
      const PackMask in_guess = hn::And(pack.moved, holds(boxes, i, pack.guess));
      if (hn::AllFalse(d, hn::Or(in_carried, in_guess))) continue;
      for (; reach != last && reach->bone < k; ++reach) gone(*reach);
      const bool reaches = reach != last && reach->bone == k;
      meet_part(pass, pack, k, in_carried, in_guess, reaches ? reach : nullptr, sums, found);
      if (reaches) ++reach;
    }
  for (; reach != last; ++reach) gone(*reach);
  if (!found.empty()) {
    write_rows(pack, found, vertices);
    hn::StoreInterleaved4(sums.touch, sums.bent, zero(), zero(), d,
                          reinterpret_cast<float*>(&vertices.met[pack.place]));
    hn::StoreInterleaved4(sums.wanted.x, sums.wanted.y, sums.wanted.z, zero(), d,
                          reinterpret_cast<float*>(&vertices.wanted[pack.place]));
    each_bit(sums.blends, [&](std::size_t i) { vertices.blends[pack.place + i] = 1; });
  }
  return bits_of(hn::And(pack.who, sums.changed));
}

// body(block, lane, bits) of the packs of a run that hold any of `which`.
template <class Body>
HWY_INLINE void each_pack(const std::vector<std::uint32_t>& which, const BlockRun& run, const Body& body) {
  const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << lanes()) - 1);
  for (std::size_t block = run.begin; block < run.end; ++block)
    for (std::size_t lane = 0; lane < kBlock; lane += lanes())
      if (const std::uint32_t who = which[block] >> lane & all; who != 0) body(block, lane, who);
}

void near_run(const ImplicitPass& pass, const BlockRun& run) {
  each_pack(pass.vertices.flags, run, [&](std::size_t block, std::size_t lane, std::uint32_t who) HWY_ATTR {
    pass.vertices.active[block] |= find_near(pass, block, lane, who) << lane;
  });
}

void deep_run(const ImplicitPass& pass, const BlockRun& run, std::vector<DeepVertex>& deep) {
  const ImplicitPose& pose = pass.pose;
  const TrackRest& track = pass.rest.track;
  each_pack(pass.rest.owned, run, [&](std::size_t block, std::size_t lane, std::uint32_t bits) HWY_ATTR {
    const PackTag d;
    const std::uint32_t own = track.places.owner[block];
    if (pose.press.row(own).empty()) return;
    const std::size_t place = block * kBlock + lane, begin = deep.size();
    const PackMask who = mask_of(bits);
    const Pack3 carried = transform(pose.parts.motion[own], xyz(load_places(track.places.rest, place)));
    const PackBox box = box_of(carried, carried, who);
    const TrackReach *reach = track.reach.data() + track.reach_begin[block], *const last = track.reach.data() +
                                                                                           track.reach_begin[block + 1];
    for (const BoxBlock& boxes : pose.press.row(own))
      for (unsigned left = box.meets(boxes); left != 0; left &= left - 1) {
        const int i = std::countr_zero(left);
        const std::uint32_t k = boxes.bone[i];
        const Pack value =
            part_value(pose.parts.fields[k], pass.rest.filled[k], carried, hn::And(who, holds(boxes, i, carried)));
        while (reach != last && reach->bone < k) ++reach;
        const Pack at_rest = reach != last && reach->bone == k ? hn::Load(d, reach->value.v + lane) : zero();
        const PackMask is_deep = hn::And(hn::Gt(value, set(pose.pairs[own * pose.parts.fields.size() + k].deep)),
                                         hn::Gt(value, hn::Add(at_rest, set(kStillField))));
        each_bit(bits_of(is_deep), [&](std::size_t at) { deep.push_back({track.places.vertex[place + at], k}); });
      }
    // Vertex by vertex, as the scalar one lists them.
    std::sort(deep.begin() + static_cast<std::ptrdiff_t>(begin), deep.end(),
              [&](const DeepVertex& a, const DeepVertex& b) {
                const std::uint32_t i = track.places.place[a.vertex], j = track.places.place[b.vertex];
                return i != j ? i < j : a.part < b.part;
              });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cutis::simd {
namespace {

HWY_EXPORT(near_run);
HWY_EXPORT(deep_run);

}  // namespace

void implicit_near(const ImplicitPass& pass, const BlockRun& run) { HWY_DYNAMIC_DISPATCH(near_run)(pass, run); }
void implicit_deep(const ImplicitPass& pass, const BlockRun& run, std::vector<DeepVertex>& deep) {
  HWY_DYNAMIC_DISPATCH(deep_run)(pass, run, deep);
}

}  // namespace cutis::simd
#endif  // HWY_ONCE
