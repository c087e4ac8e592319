// Projection over packs of vertices, bit for bit the scalar one.
//
// A pack holds vertices of one part, near each other in space (backends/track_places.h), so that most of them feel the
// same other parts: all lanes are looked up in the own field, then in every field that any of them feels, and what a
// lane does not feel is masked out. Rounds of Newton steps go on with the vertices of a run that have not arrived,
// packed anew.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "backends/simd/track.h"
#include "base/parallel_for.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/simd/track_project.cpp"
#include <hwy/foreach_target.h>  // first: compiles the rest of this file once per instruction set

#include "backends/simd/eval_field-inl.h"
#include "backends/simd/field_rules-inl.h"

#ifndef CUTIS_BACKENDS_SIMD_TRACK_PROJECT_ONCE
#define CUTIS_BACKENDS_SIMD_TRACK_PROJECT_ONCE
namespace cutis::simd {

/// What a pass over a run of live vertices gets.
struct Projecting {
  const TrackRest& rest;
  int steps;
  float limit;  // local edges
  Step& step;
};

/// Look-ups of a run.
struct Counted {
  std::size_t fields = 0, pairs = 0;  // own fields; those of other parts, each put together with the own one
};

}  // namespace cutis::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

struct PackResidual {
  Pack residual, free;
  Pack3 gradient;
  PackMask touching;
};

// combine_parts() of packs: the others of each lane begin at `next`. Counts pairs of the first `count` lanes.
HWY_INLINE PackResidual residual_of(const Step& step, std::uint32_t bone, const Pack3& p, Pack level, Pack gap,
                                    Ints next, std::size_t count, std::size_t& pairs) {
  static_assert(sizeof(TrackOther) == 16 && offsetof(TrackOther, part) == 12);
  const PackTag d;
  const IntTag di;
  const hn::RebindToUnsigned<IntTag> du;
  const Pack zero = hn::Zero(d);
  const float* const others = &step.others.front().contact;
  const Pack3 none_yet{zero, zero, zero};
  Added<Pack, Pack3> added{zero, zero, none_yet, none_yet};
  const auto lanes = hn::FirstN(di, count);
  const PackSample own =
      step.fields[bone].nodes != nullptr ? look_up(step.fields[bone], p) : PackSample{zero, {zero, zero, zero}};
  for (;;) {
    HWY_ALIGN std::uint32_t at[kMostLanes];
    hn::Store(hn::BitCast(du, hn::ShiftLeft<2>(next)), du, at);
    keep_in_memory(at);
    const Pack4 other = load_linked(others, at);  // of each lane the next: contact, level, offset, part
    const Ints parts = hn::BitCast(di, other.w);
    // Mostly that of the first lane is that of all, which is known before the lanes have come together.
    auto part = static_cast<std::int32_t>(step.others[at[0] / 4].part);
    auto found = hn::Eq(parts, hn::Set(di, part));
    if (hn::AllTrue(di, found)) {
      if (part == static_cast<std::int32_t>(TrackOther::kNoPart)) break;
      next = hn::Add(next, hn::Set(di, 1));
      pairs += count;
    } else {
      part = hn::GetLane(hn::MinOfLanes(di, parts));
      found = hn::Eq(parts, hn::Set(di, part));
      next = hn::Sub(next, hn::VecFromMask(di, found));  // one further where found
      pairs += hn::CountTrue(di, hn::And(found, lanes));
    }
    const PackMask felt = hn::RebindMask(d, found);
    const PackSample f = look_up(step.fields[static_cast<std::size_t>(part / 2)], p);
    if (part % 2 != 0) unite(felt, other.x, f.value, f.gradient, other.y, own.value, own.gradient, level, added);
    press(felt, other.x, f.value, f.gradient, other.z, gap, own.gradient, level, added);
  }
  const Pack free = hn::Sub(hn::Add(own.value, added.rise), level);
  return {hn::Sub(free, added.hold), free, sub(add(own.gradient, added.rise_gradient), added.hold_gradient),
          hn::Gt(added.hold, zero)};
}

HWY_INLINE Pack4 load_places(const std::vector<Float4>& rows, const std::uint32_t* link) {
  return load_linked(reinterpret_cast<const float*>(rows.data()), link);
}

// One round of `count` vertices, all of one part; those that go on are added to the first `more` of `next`.
HWY_INLINE void project_pack(const Projecting& project, int round, const std::uint32_t* pending, std::size_t count,
                             std::uint32_t* next, std::size_t& more, Counted& counted) {
  const PackTag d;
  const hn::RebindToUnsigned<IntTag> du;
  TrackSystem& sys = project.step.system;
  HWY_ALIGN std::uint32_t link[kMostLanes];
  const auto place = hn::IfThenElse(hn::FirstN(du, count), hn::LoadU(du, pending), hn::Set(du, pending[count - 1]));
  hn::Store(hn::ShiftLeft<2>(place), du, link);
  keep_in_memory(link);
  const Pack4 at = load_places(sys.at, link), given = load_places(sys.given, link);
  const Pack3 p{at.x, at.y, at.z};
  const std::uint32_t first = pending[0], bone = project.rest.places.owner[first / TrackPlaces::kBlock];
  const PackResidual s =
      residual_of(project.step, bone, p, given.x, given.y, hn::BitCast(IntTag(), given.z), count, counted.pairs);
  counted.fields += count;
  Pack residual = s.residual;
  PackMask goes_on = hn::FirstN(d, round < project.steps ? count : 0);
  goes_on = hn::And(goes_on, hn::Gt(hn::Abs(residual), set(kProjected)));
  HWY_ALIGN float rows[4 * kMostLanes], numbers[kMostLanes];
  const auto is_rigid = [&](std::uint32_t at_place) {
    return (project.rest.rigid_lanes[at_place / TrackPlaces::kBlock] >> at_place % TrackPlaces::kBlock & 1U) != 0;
  };
  if (!project.rest.stiffness.empty() && round == 0) {  // what follows its bone stays unless contact holds it
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) numbers[i] = is_rigid(link[i] / 4) ? 1.0F : 0.0F;
    const PackMask stays = hn::AndNot(s.touching, hn::Gt(hn::Load(d, numbers), hn::Zero(d)));
    residual = hn::IfThenZeroElse(stays, residual);
    goes_on = hn::AndNot(stays, goes_on);
  }
  if (!hn::AllFalse(d, goes_on)) {
    const float slope = project.rest.slope[project.rest.places.vertex[first]];
    const Pack3 to = add(p, newton_step(s.residual, s.gradient, set(slope), hn::Mul(set(project.limit), given.w)));
    goes_on = hn::And(goes_on, hn::And(hn::And(hn::IsFinite(to.x), hn::IsFinite(to.y)), hn::IsFinite(to.z)));
    const std::uint32_t going = bits_of(goes_on);
    if (round == 0) each_bit(going, [&](std::size_t i) { sys.start[pending[i]] = sys.at[pending[i]]; });
    hn::StoreInterleaved4(to.x, to.y, to.z, at.w, d, rows);
    keep_in_memory(rows);
    each_bit(going, [&](std::size_t i) {
      sys.at[pending[i]] = Float4(rows + 4 * i);
      next[more++] = pending[i];
    });
  }
  const std::uint32_t done = bits_of(hn::AndNot(goes_on, hn::FirstN(d, count))), touching = bits_of(s.touching);
  if (done == 0) return;
  if (round > 0) {
    const Pack4 start = load_places(sys.start, link);
    const Pack3 way = sub({start.x, start.y, start.z}, p);
    hn::Store(hn::Div(hn::Sqrt(dot(way, way)), given.w), d, numbers);
    each_bit(done, [&](std::size_t i) { sys.moved[pending[i]] = std::max(sys.moved[pending[i]], numbers[i]); });
  }
  hn::StoreInterleaved4(residual, s.gradient.x, s.gradient.y, s.gradient.z, d, rows);
  hn::Store(s.free, d, numbers);
  keep_in_memory(rows);
  each_bit(done, [&](std::size_t i) {
    sys.sample[pending[i]] = Float4(rows + 4 * i);
    sys.free[pending[i]] = numbers[i];
    sys.touching[pending[i]] = (touching >> i & 1U) != 0 ? 1 : 0;
  });
}

// Newton steps of the tracked vertices of live blocks, up to project.steps each.
Counted project_run(const Projecting& project, const TrackLive* begin, const TrackLive* end, TrackRun& run) {
  const std::size_t lanes = hn::Lanes(PackTag());
  const TrackRest& rest = project.rest;
  std::size_t count = 0;
  for (const TrackLive* live = begin; live != end; ++live)
    each_bit(live->lanes & rest.tracked_lanes[live->block], [&](std::size_t lane) {
      run.pending[count++] = static_cast<std::uint32_t>(live->block * TrackPlaces::kBlock + lane);
    });
  const auto bone = [&](std::size_t i) { return rest.places.owner[run.pending[i] / TrackPlaces::kBlock]; };
  Counted counted;
  for (int round = 0; count > 0; ++round) {
    std::size_t more = 0;
    for (std::size_t first = 0, last = 0; first < count; first = last) {
      const std::uint32_t b = bone(first);
      for (last = std::min(count, first + lanes); bone(last - 1) != b;) --last;
      project_pack(project, round, run.pending.data() + first, last - first, run.next.data(), more, counted);
    }
    run.pending.swap(run.next);
    count = more;
  }
  return counted;
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cutis::simd {
namespace {

constexpr std::size_t kGrain = 32;  // blocks a run: long enough to fill packs when few go on

HWY_EXPORT(project_run);

}  // namespace

void track_project(const TrackRest& rest, int steps, float limit, Step& step, const Context& context) {
  TrackSystem& sys = step.system;
  const std::size_t count = sys.live.size(), runs = (count + kGrain - 1) / kGrain;
  step.evaluated.assign(2 * runs, 0);
  while (sys.runs.size() < runs) {
    TrackRun& run = sys.runs.emplace_back();
    run.pending.resize((kGrain + 1) * TrackPlaces::kBlock);  // packs load more than there are
    run.next.resize((kGrain + 1) * TrackPlaces::kBlock);
  }
  parallel_for(context, count, kGrain, [&](std::size_t begin, std::size_t end) {
    const std::size_t run = begin / kGrain;
    const Counted counted = HWY_DYNAMIC_DISPATCH(project_run)({rest, steps, limit, step}, sys.live.data() + begin,
                                                              sys.live.data() + end, sys.runs[run]);
    step.evaluated[2 * run] = counted.fields + counted.pairs;
    step.evaluated[2 * run + 1] = counted.pairs;
  });
  for (std::size_t run = 0; run < runs; ++run) {
    step.evaluations += step.evaluated[2 * run];
    step.operations += step.evaluated[2 * run + 1];
  }
}

}  // namespace cutis::simd
#endif  // HWY_ONCE
