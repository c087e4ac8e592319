// Projection over packs of vertices, bit for bit the scalar one.
//
// A vertex is looked up in the field of its own part and in those of the parts that it may feel. Lanes of a pack share
// a grid: look-ups of a run of vertices are ordered by field, done in packs, and put together vertex by vertex. Rounds
// of Newton steps go on with those vertices of the run that have not arrived.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "backends/simd/track.h"
#include "base/parallel_for.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/simd/track_project.cpp"
#include <hwy/foreach_target.h>  // first: compiles the rest of this file once per instruction set

#include "backends/simd/eval_field-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

// Looks up the pending vertices of the run in one field.
void look_up(const GridView& grid, const std::uint32_t* first, const std::uint32_t* last, const TrackStep& step,
             const std::uint32_t* run, TrackLookups& lookups) {
  const PackTag d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN float x[hn::MaxLanes(d)], y[hn::MaxLanes(d)], z[hn::MaxLanes(d)], out[4 * hn::MaxLanes(d)];
  std::uint32_t place[hn::MaxLanes(d)];
  std::size_t count = 0;
  const auto flush = [&]() HWY_ATTR {
    for (std::size_t i = count; i < lanes; ++i) x[i] = x[count - 1], y[i] = y[count - 1], z[i] = z[count - 1];
    const PackSample s = eval_grid(grid, {hn::Load(d, x), hn::Load(d, y), hn::Load(d, z)});
    hn::StoreInterleaved4(s.value, s.gradient.x, s.gradient.y, s.gradient.z, d, out);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(&lookups.samples[4 * place[i]], out + 4 * i, 4 * sizeof(float));
    count = 0;
  };
  for (; first != last; ++first) {
    const std::uint32_t local = lookups.vertex[*first];
    if (lookups.pending[local] == 0) continue;
    const Vec3f& p = step.p[step.active[run[local]]];
    if (grid.muscle_count > 0 || grid.nodes == nullptr) {
      const FieldSample<float> s = grid.nodes != nullptr ? eval_field(grid, p) : FieldSample<float>{};
      const float numbers[4] = {s.value, s.gradient.x, s.gradient.y, s.gradient.z};
      std::memcpy(&lookups.samples[4 * *first], numbers, sizeof numbers);
      continue;
    }
    x[count] = p.x;
    y[count] = p.y;
    z[count] = p.z;
    place[count] = *first;
    if (++count == lanes) flush();
  }
  if (count > 0) flush();
}

void look_up_all(const TrackStep& step, const std::uint32_t* run, TrackLookups& lookups) {
  for (std::size_t b = 0; b + 1 < lookups.rows.size(); ++b)
    if (lookups.rows[b] < lookups.rows[b + 1])
      look_up(step.fields[b], lookups.order.data() + lookups.rows[b], lookups.order.data() + lookups.rows[b + 1], step,
              run, lookups);
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cutis::simd {
namespace {

constexpr std::size_t kGrain = 1024;  // a run: long enough to fill packs of each field

HWY_EXPORT(look_up_all);

// The look-ups of a run of live vertices, ordered by field.
void list_lookups(const Rig& rig, const TrackRest& rest, const TrackStep& step, std::span<const std::uint32_t> run,
                  TrackLookups& l) {
  l.begin.assign(1, 0);
  l.vertex.clear();
  l.bone.clear();
  l.rows.assign(step.fields.size() + 1, 0);
  l.pending.assign(run.size(), 0);
  l.start.resize(run.size());
  const auto add = [&](std::uint32_t local, std::uint32_t bone) {
    l.vertex.push_back(local);
    l.bone.push_back(bone);
    ++l.rows[bone + 1];
  };
  for (std::uint32_t i = 0; i < run.size(); ++i) {
    const std::uint32_t a = run[i], v = step.active[a];
    if (rest.tracked[v] != 0) {
      l.pending[i] = 1;
      l.start[i] = step.p[v];
      add(i, rig.surface.owner[v]);
      for (std::uint32_t k = step.other_begin[a]; k < step.other_begin[a + 1]; ++k) add(i, step.others[k].bone);
    }
    l.begin.push_back(static_cast<std::uint32_t>(l.vertex.size()));
  }
  for (std::size_t b = 0; b + 1 < l.rows.size(); ++b) l.rows[b + 1] += l.rows[b];
  l.order.resize(l.bone.size());
  for (std::uint32_t e = 0; e < l.bone.size(); ++e) l.order[l.rows[l.bone[e]]++] = e;
  for (std::size_t b = l.rows.size() - 1; b > 0; --b) l.rows[b] = l.rows[b - 1];
  l.rows[0] = 0;
  l.samples.resize(4 * l.bone.size());
}

FieldSample<float> sample_at(const TrackLookups& l, std::size_t lookup) {
  const float* const s = &l.samples[4 * lookup];
  return {s[0], {s[1], s[2], s[3]}};
}

// Up to `steps` Newton steps of a run of live vertices; returns field evaluations.
std::size_t project_run(const Rig& rig, const TrackRest& rest, int steps, float limit,
                        std::span<const std::uint32_t> run, TrackStep& step, TrackLookups& l) {
  const RigSurface& s = rig.surface;
  list_lookups(rig, rest, step, run, l);
  std::size_t evaluated = 0;
  bool any = !l.bone.empty();
  for (int n = 0; any; ++n) {
    HWY_DYNAMIC_DISPATCH(look_up_all)(step, run.data(), l);
    any = false;
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (l.pending[i] == 0) continue;
      const std::uint32_t a = run[i], v = step.active[a];
      const std::size_t first = l.begin[i], others = l.begin[i + 1] - first - 1;
      evaluated += 1 + others;
      TrackSample t =
          track_combine(sample_at(l, first), step.others.data() + step.other_begin[a], others, step.level[a],
                        rest.gap[v], [&](std::size_t k) { return sample_at(l, first + 1 + k); });
      l.pending[i] = 0;
      if (n == 0 && rest.is_rigid(v) && !t.touching) {
        t.residual = 0;
        step.samples[a] = t;
        continue;
      }
      if (n < steps && std::abs(t.residual) > kProjected) {
        const Vec3f next = step.p[v] + track_step(t, rest.slope[v], limit * s.edge[v]);
        if (is_finite(next)) {
          step.p[v] = next;
          l.pending[i] = 1;
          any = true;
          continue;
        }
      }
      step.samples[a] = t;
      step.moved[a] = std::max(step.moved[a], distance(l.start[i], step.p[v]) / s.edge[v]);
    }
  }
  return evaluated;
}

}  // namespace

void track_project(const Rig& rig, const TrackRest& rest, int steps, float limit, TrackStep& step,
                   const Context& context) {
  const std::size_t count = step.live.size(), runs = (count + kGrain - 1) / kGrain;
  step.evaluated.assign(runs, 0);
  if (step.lookups.size() < runs) step.lookups.resize(runs);
  parallel_for(context, count, kGrain, [&](std::size_t begin, std::size_t end) {
    const std::size_t run = begin / kGrain;
    step.evaluated[run] =
        project_run(rig, rest, steps, limit, std::span(step.live).subspan(begin, end - begin), step, step.lookups[run]);
  });
  for (const std::size_t n : step.evaluated) step.evaluations += n;
}

}  // namespace cutis::simd
#endif  // HWY_ONCE
