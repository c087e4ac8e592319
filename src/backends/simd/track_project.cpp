// Projection over packs of vertices, bit for bit the scalar one.
//
// A pack holds vertices of one part, near each other in space (backends/track_places.h), so that most of them feel the
// same other parts: all lanes are looked up in the own field, then in every field that any of them feels, and what a
// lane does not feel is masked out. Rounds of Newton steps go on with the vertices of a run that have not arrived,
// packed anew.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "backends/simd/live_blocks.h"
#include "backends/simd/track.h"
#include "base/parallel_for.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/simd/track_project.cpp"
#include <hwy/foreach_target.h>  // first: compiles the rest of this file once per instruction set

#include "backends/simd/eval_field-inl.h"

#ifndef CUTIS_BACKENDS_SIMD_TRACK_PROJECT_ONCE
#define CUTIS_BACKENDS_SIMD_TRACK_PROJECT_ONCE
namespace cutis::simd {

/// What a pass over a run of live vertices gets.
struct Projecting {
  int steps;
  TrackStep& step;
};

/// Look-ups of a run.
struct Counted {
  std::size_t fields = 0, pairs = 0;
};

}  // namespace cutis::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

constexpr std::size_t kMostLanes = hn::MaxLanes(PackTag());

// Lane by lane: a field with muscles.
HWY_INLINE PackSample eval_lanes(const GridView& grid, const Pack3& p) {
  const PackTag d;
  HWY_ALIGN float numbers[4][kMostLanes];
  hn::Store(p.x, d, numbers[0]);
  hn::Store(p.y, d, numbers[1]);
  hn::Store(p.z, d, numbers[2]);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    const FieldSample<float> s = eval_field(grid, {numbers[0][i], numbers[1][i], numbers[2][i]});
    numbers[0][i] = s.gradient.x;
    numbers[1][i] = s.gradient.y;
    numbers[2][i] = s.gradient.z;
    numbers[3][i] = s.value;
  }
  return {hn::Load(d, numbers[3]), {hn::Load(d, numbers[0]), hn::Load(d, numbers[1]), hn::Load(d, numbers[2])}};
}
HWY_NOINLINE PackSample look_up(const GridView& grid, const Pack3& p) {
  return grid.muscle_count > 0 ? eval_lanes(grid, p) : eval_grid(grid, p);
}

struct PackResidual {
  Pack residual, free;
  Pack3 gradient;
  PackMask touching;
};

// track_combine() of packs: `begin` and `end` are the others of each lane, bones rise. Counts pairs of the first lanes.
HWY_INLINE PackResidual residual_of(const TrackStep& step, std::uint32_t bone, const Pack3& p, Pack level, Pack gap,
                                    Ints begin, Ints end, std::size_t count, std::size_t& pairs) {
  constexpr int kWords = sizeof(TrackOther) / 4;
  static_assert(sizeof(TrackOther) == 20 && offsetof(TrackOther, contact) == 4 && offsetof(TrackOther, joined) == 16);
  const PackTag d;
  const IntTag di;
  const Pack zero = hn::Zero(d), one = set(1);
  const auto* const others = reinterpret_cast<const std::int32_t*>(step.others.data());
  const float* const first = &step.others.front().contact;
  const PackSample own =
      step.fields[bone].nodes != nullptr ? look_up(step.fields[bone], p) : PackSample{zero, {zero, zero, zero}};
  Pack rise = zero, hold = zero;
  Pack3 rise_gradient{zero, zero, zero}, hold_gradient{zero, zero, zero};
  HWY_ALIGN std::uint32_t at[kMostLanes];
  const Ints none = hn::Set(di, 0x7fffffff);
  const auto lanes = hn::FirstN(di, count);
  for (Ints next = begin;;) {
    const Ints word = hn::Mul(next, hn::Set(di, kWords));
    const Ints bones = hn::IfThenElse(hn::Lt(next, end), hn::GatherIndex(di, others, word), none);
    const std::int32_t k = hn::GetLane(hn::MinOfLanes(di, bones));
    if (k == 0x7fffffff) break;
    const auto found = hn::Eq(bones, hn::Set(di, k));
    const PackMask felt = hn::RebindMask(d, found);
    next = hn::Sub(next, hn::VecFromMask(di, found));  // by one where found
    pairs += hn::CountTrue(di, hn::And(found, lanes));
    hn::Store(hn::BitCast(hn::RebindToUnsigned<IntTag>(), word), hn::RebindToUnsigned<IntTag>(), at);
    const Pack4 other = load_linked(first, at);  // contact, level, offset, joined
    const PackSample f = look_up(step.fields[static_cast<std::size_t>(k)], p);
    const Pack apart = hn::Sub(one, other.x);
    const Pack r = hn::Mul(apart, hn::Add(hn::Sub(hn::Sub(f.value, other.y), own.value), level));
    const PackMask joined = hn::RebindMask(d, hn::Ne(hn::BitCast(di, other.w), hn::Zero(di)));
    const PackMask rises = hn::And(hn::And(felt, joined), hn::Gt(r, rise));
    rise = hn::IfThenElse(rises, r, rise);
    rise_gradient = select(rises, mul(apart, sub(f.gradient, own.gradient)), rise_gradient);
    const PackMask meets = hn::And(felt, hn::And(hn::Gt(other.x, zero), hn::Gt(f.value, zero)));
    if (hn::AllFalse(d, meets)) continue;
    const Pack3 between = sub(own.gradient, f.gradient);
    const Pack apart_by = hn::Mul(gap, hn::Sqrt(dot(between, between)));
    const Pack h = hn::Mul(other.x, hn::Sub(hn::Add(hn::Add(f.value, other.z), apart_by), level));
    const PackMask holds = hn::And(meets, hn::Gt(h, hold));
    hold = hn::IfThenElse(holds, h, hold);
    hold_gradient = select(holds, mul(other.x, f.gradient), hold_gradient);
  }
  const Pack free = hn::Sub(hn::Add(own.value, rise), level);
  return {hn::Sub(free, hold), free, sub(add(own.gradient, rise_gradient), hold_gradient), hn::Gt(hold, zero)};
}

// track_step() of packs.
HWY_INLINE Pack3 newton_step(const PackResidual& s, Pack slope, Pack limit) {
  const Pack damping = hn::Mul(set(0.1F), slope);
  const Pack size = hn::Add(dot(s.gradient, s.gradient), hn::Mul(damping, damping));
  const Pack3 way = mul(hn::Div(hn::Neg(s.residual), size), s.gradient);
  const Pack n = hn::Sqrt(dot(way, way));
  const PackMask far = hn::Gt(n, limit);
  if (hn::AllFalse(PackTag(), far)) return way;
  return select(far, mul(hn::Div(limit, n), way), way);
}

// One round of `count` vertices of a run, all of one part; those that go on are added to run.next.
HWY_INLINE void project_pack(const Projecting& project, int round, const std::uint32_t* pending, std::size_t count,
                             TrackRun& run, Counted& counted) {
  const PackTag d;
  const IntTag di;
  TrackStep& step = project.step;
  std::uint32_t link[kMostLanes];
  HWY_ALIGN std::int32_t begin[kMostLanes], end[kMostLanes];
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    const std::uint32_t local = pending[std::min(i, count - 1)];
    link[i] = 4 * local;
    begin[i] = static_cast<std::int32_t>(run.begin[local]);
    end[i] = static_cast<std::int32_t>(run.end[local]);
  }
  const Pack4 at = load_linked(reinterpret_cast<const float*>(run.at.data()), link);
  const Pack4 given = load_linked(reinterpret_cast<const float*>(run.given.data()), link);
  const Pack3 p{at.x, at.y, at.z};
  const PackResidual s = residual_of(step, run.owner[pending[0]], p, given.x, given.y, hn::Load(di, begin),
                                     hn::Load(di, end), count, counted.pairs);
  counted.fields += count;
  Pack residual = s.residual;
  PackMask goes_on = hn::FirstN(d, round < project.steps ? count : 0);
  goes_on = hn::And(goes_on, hn::Gt(hn::Abs(residual), set(kProjected)));
  HWY_ALIGN float rows[4 * kMostLanes], free[kMostLanes];
  std::uint8_t bits[8] = {};
  if (!run.rigid.empty() && round == 0) {  // what follows its bone stays where it is unless contact holds it
    HWY_ALIGN float rigid[kMostLanes];
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) rigid[i] = run.rigid[link[i] / 4];
    const PackMask stays = hn::AndNot(s.touching, hn::Gt(hn::Load(d, rigid), hn::Zero(d)));
    residual = hn::IfThenZeroElse(stays, residual);
    goes_on = hn::AndNot(stays, goes_on);
  }
  if (!hn::AllFalse(d, goes_on)) {
    const Pack3 next = add(p, newton_step(s, given.z, given.w));
    goes_on = hn::And(goes_on, hn::And(hn::And(hn::IsFinite(next.x), hn::IsFinite(next.y)), hn::IsFinite(next.z)));
    hn::StoreMaskBits(d, goes_on, bits);
    hn::StoreInterleaved4(next.x, next.y, next.z, hn::Zero(d), d, rows);
    for (std::size_t i = 0; i < count; ++i) {
      if ((bits[i / 8] >> (i % 8) & 1) == 0) continue;
      run.at[pending[i]] = Float4(rows + 4 * i);
      run.next.push_back(pending[i]);
    }
  }
  std::uint8_t touching[8] = {};
  hn::StoreMaskBits(d, s.touching, touching);
  hn::StoreInterleaved4(residual, s.gradient.x, s.gradient.y, s.gradient.z, d, rows);
  hn::Store(s.free, d, free);
  for (std::size_t i = 0; i < count; ++i) {
    if ((bits[i / 8] >> (i % 8) & 1) != 0) continue;
    const float* const row = rows + 4 * i;
    step.samples[run.number[pending[i]]] = {
        row[0], {row[1], row[2], row[3]}, free[i], (touching[i / 8] >> (i % 8) & 1) != 0};
  }
}

// Newton steps of a run, up to project.steps each.
Counted project_run(const Projecting& project, TrackRun& run) {
  const std::size_t lanes = hn::Lanes(PackTag());
  Counted counted;
  for (int round = 0; !run.pending.empty(); ++round) {
    run.next.clear();
    for (std::size_t begin = 0, end = 0; begin < run.pending.size(); begin = end) {
      const std::uint32_t bone = run.owner[run.pending[begin]];
      while (end < run.pending.size() && end < begin + lanes && run.owner[run.pending[end]] == bone) ++end;
      project_pack(project, round, run.pending.data() + begin, end - begin, run, counted);
    }
    run.pending.swap(run.next);
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

// Fills a run with live vertices that are tracked.
void fetch(const Rig& rig, const TrackRest& rest, float limit, std::span<const TrackLive> blocks, const TrackStep& step,
           TrackRun& run) {
  const RigSurface& s = rig.surface;
  run.clear();
  for (const TrackLive& live : blocks)
    each_live(rest, step, live, [&](std::size_t, std::uint32_t v, std::uint32_t a) {
      if (rest.tracked[v] == 0) return;
      const Vec3f& p = step.p[v];
      run.pending.push_back(static_cast<std::uint32_t>(run.number.size()));
      run.number.push_back(a);
      run.owner.push_back(s.owner[v]);
      run.at.emplace_back(p.x, p.y, p.z, 0.0F);
      run.given.emplace_back(step.level[a], rest.gap[v], rest.slope[v], limit * s.edge[v]);
      run.begin.push_back(step.other_begin[a]);
      run.end.push_back(step.other_begin[a + 1]);
      if (!rest.stiffness.empty()) run.rigid.push_back(rest.is_rigid(v) ? 1.0F : 0.0F);
    });
}

// Where the vertices of a run have got to, and how far that is.
void store(const Rig& rig, const TrackRun& run, TrackStep& step) {
  for (std::size_t i = 0; i < run.number.size(); ++i) {
    const std::uint32_t a = run.number[i], v = step.active[a];
    const Vec3f p{run.at[i][0], run.at[i][1], run.at[i][2]};
    if (p == step.p[v]) continue;
    step.moved[a] = std::max(step.moved[a], distance(step.p[v], p) / rig.surface.edge[v]);
    step.p[v] = p;
  }
}

}  // namespace

void track_project(const Rig& rig, const TrackRest& rest, int steps, float limit, TrackStep& step,
                   const Context& context) {
  list_live_blocks(rest, step);
  const std::size_t count = step.live_blocks.size(), runs = (count + kGrain - 1) / kGrain;
  step.evaluated.assign(2 * runs, 0);
  if (step.runs.size() < runs) step.runs.resize(runs);
  parallel_for(context, count, kGrain, [&](std::size_t begin, std::size_t end) {
    TrackRun& run = step.runs[begin / kGrain];
    fetch(rig, rest, limit, std::span(step.live_blocks).subspan(begin, end - begin), step, run);
    const Counted counted = HWY_DYNAMIC_DISPATCH(project_run)({steps, step}, run);
    store(rig, run, step);
    step.evaluated[2 * (begin / kGrain)] = counted.fields;
    step.evaluated[2 * (begin / kGrain) + 1] = counted.pairs;
  });
  for (std::size_t run = 0; run < runs; ++run) {
    step.evaluations += step.evaluated[2 * run] + step.evaluated[2 * run + 1];
    step.operations += step.evaluated[2 * run + 1];
  }
}

}  // namespace cutis::simd
#endif  // HWY_ONCE
