// One vertex of a sub-step, as scalar/ has it; the mathematics is that of kernels/, bit for bit.
#pragma once

#include "backends/cuda/track_kernel.h"
#include "backends/track_relaxation.h"
#include "kernels/whole.h"

namespace cutis::cuda {

using namespace field_rules;

inline constexpr std::uint8_t kNoRing = 255;

__device__ inline bool is_rigid(const RestArrays& rest, std::uint32_t v) {
  return rest.stiffness != nullptr && rest.stiffness[v] >= 0.999F;
}
__device__ inline float stiffness_of(const RestArrays& rest, std::uint32_t v) {
  return rest.stiffness == nullptr ? 0.0F : rest.stiffness[v];
}
__device__ inline bool has_bone(const RestArrays& rest, std::uint32_t v) {
  return rest.owner[v] != RigSurface::kNoBone;
}

/// Of bone k among the others of v at rest, or -1.
__device__ inline std::int32_t place_of(const RestArrays& rest, std::uint32_t v, std::uint32_t k) {
  for (std::uint32_t i = rest.other_begin[v]; i < rest.other_begin[v + 1]; ++i)
    if (rest.other_bone[i] == k) return static_cast<std::int32_t>(i);
  return -1;
}

// ---- transport ----

/// Whether something moves vertex v of bone b against it.
__device__ inline bool is_stirred(const RestArrays& rest, const PoseArrays& pose, std::uint32_t v, std::uint32_t b) {
  if (pose.pin != nullptr && pose.pin[v] > 0) return true;
  if (pose.stirred[b] == 0) return false;
  const Vec3f at_rest = rest.positions[v];
  const Vec3f q = transform_point(pose.motion[b], at_rest);
  for (std::uint32_t i = rest.turn_begin[v]; i < rest.turn_begin[v + 1]; ++i) {
    const std::uint32_t k = rest.turn_bone[i];
    if (pose.turns[b * rest.bones + k] != 0 &&
        distance(transform_point(pose.motion[k], at_rest), q) > kStillEdges * rest.edge[v])
      return true;
  }
  if (pose.fields[b].muscle_count > 0 && std::fabs(eval_field(pose.fields[b], q).value - rest.own[v]) > kStillField)
    return true;
  for (std::uint32_t i = pose.waker_begin[b]; i < pose.waker_begin[b + 1]; ++i) {
    const std::uint32_t k = pose.waker[i];
    const bool reached = pose.boxes[k].holds(q, 0);
    const std::int32_t place = place_of(rest, v, k);
    if (!reached && place < 0) continue;
    const float before = place >= 0 ? rest.other_value[place] : 0.0F;
    if (std::fabs((reached ? eval_field(pose.fields[k], q).value : 0.0F) - before) > kStillField) return true;
  }
  return false;
}

/// The ring takes v when it has a neighbour in the one before.
__device__ inline void grow_ring(const RestArrays& rest, const StepArrays& step, std::uint32_t v, std::uint8_t ring) {
  if (step.ring_of[v] != kNoRing) return;
  bool taken = false;
  float away = 0;
  for (std::uint32_t i = rest.ring_begin[v]; i < rest.ring_begin[v + 1]; ++i) {
    const std::uint32_t w = rest.ring[i];
    if (step.ring_of[w] >= ring) continue;  // what this pass writes is not seen, whenever it is written
    const float way = step.away[w] + distance(rest.positions[v], rest.positions[w]);
    away = taken ? smaller(away, way) : way;
    taken = true;
  }
  if (!taken) return;
  step.away[v] = away;
  step.ring_of[v] = ring;
}

__device__ inline void carry(const RestArrays& rest, const PoseArrays& pose, const StepArrays& step, std::uint32_t v) {
  const std::uint32_t b = rest.owner[v];
  if (b == RigSurface::kNoBone) return;
  const Vec3f at_rest = rest.positions[v];
  const bool carried = step.is_active[v] == 0 || is_rigid(rest, v);
  Vec3f p = step.p[v];
  if (!carried && pose.leaps[b] != 0) {
    const Vec3f off = p - transform_point(pose.last_motion[b], at_rest);
    p = transform_point(pose.motion[b], at_rest) + pose.delta[b].linear * off;
  } else if (!carried) {
    p = transform_point(pose.delta[b], p);
  }
  if (carried || !is_finite(p)) p = transform_point(pose.motion[b], at_rest);
  step.p[v] = p;
}

// ---- control ----

__device__ inline void blend_vertex(const RestArrays& rest, const PoseArrays& pose, const StepArrays& step,
                                    std::uint32_t v) {
  const std::uint32_t first = rest.turn_begin[v], b = rest.owner[v];
  const VertexTurn blend = blend_turn(pose.rigid, {{pose.stretches, pose.stretches != nullptr ? rest.bones : 0}, true},
                                      rest.turn_bone + first, rest.turn_weight + first, rest.turn_begin[v + 1] - first);
  Mat3f turn = blend.linear();
  const float stiffness = stiffness_of(rest, v);
  if (stiffness > 0 && b != RigSurface::kNoBone) turn = turn * (1 - stiffness) + pose.motion[b].linear * stiffness;
  step.turn[v] = turn;
  step.blended[v] = blend.place(rest.positions[v]);
}

/// The other parts whose fields may be felt at vertex v, with their contact. False: there is no room for all of them.
__device__ inline bool find_near(const RestArrays& rest, const PoseArrays& pose, const StepArrays& step,
                                 std::uint32_t v, std::uint32_t& count) {
  const std::uint32_t b = rest.owner[v];
  const Vec3f q = transform_point(pose.motion[b], rest.positions[v]), p = step.p[v];
  const float margin = kNear * rest.edge[v];
  TrackOther* const others = step.others + static_cast<std::size_t>(v) * step.room;
  float* const fields = step.other_field + static_cast<std::size_t>(v) * step.room;
  count = 0;
  for (std::uint32_t k = 0; k < rest.bones; ++k) {
    if (!pose.boxes[k].holds(p, margin) && !pose.boxes[k].holds(q, margin)) continue;
    if (k == b) continue;
    float gate = pose.gate[b * rest.bones + k];
    const bool joined = rest.joined[b * rest.bones + k] != 0;
    if (!joined && !(gate > 0)) continue;
    const std::int32_t place = place_of(rest, v, k);
    const float at_rest = place >= 0 ? rest.other_value[place] : 0.0F;
    TrackOther other;
    other.part = 2 * k + (joined ? 1 : 0);
    other.offset = offset_of_other(rest.own[v], at_rest);
    other.level = level_of_other(rest.own[v], at_rest);
    if (const std::int32_t fold = rest.fold[b * rest.bones + k]; fold >= 0 && gate > 0)
      gate *= inner_side(pose.folds[fold].side(rest.positions[v]));
    if (gate > 0) {
      const auto risen = [&](const Vec3f& x) { return eval_field(pose.fields[k], x).value - at_rest; };
      const TrackHeld* const held = step.held + static_cast<std::size_t>(v) * step.room;
      float most = -1;  // it holds no more firmly than it did
      for (std::uint32_t i = 0; i < step.held_count[v]; ++i)
        if (held[i].bone == k) most = held[i].contact;
      const auto lead = [&] {
        if (pose.fields[b].nodes == nullptr) return 0.0F;
        const Vec3f x = transform_point(pose.motion[b], rest.core[v]);
        const float now = eval_field(pose.fields[k], x).value - eval_field(pose.fields[b], x).value;
        return now - (place >= 0 ? rest.core_lead[place] : 0.0F);
      };
      other.contact = contact_with(
          true, gate, most, [&] { return risen(q); }, [&] { return risen(p); }, lead);
    }
    if (!joined && !(other.contact > 0)) continue;
    if (count == step.room) return false;
    others[count] = other;
    fields[count] = joined ? eval_field(pose.fields[k], p).value : 0.0F;
    ++count;
  }
  return true;
}

/// Levels, what holds the skin, and those of the near parts that may decide the residual.
__device__ inline void settle_vertex(const RestArrays& rest, const PoseArrays& pose, const StepArrays& step,
                                     std::uint32_t v, std::uint32_t count) {
  const std::uint32_t b = rest.owner[v];
  TrackOther* const others = step.others + static_cast<std::size_t>(v) * step.room;
  float* const fields = step.other_field + static_cast<std::size_t>(v) * step.room;
  const Vec3f p = step.p[v], goal = step.blended[v];
  float level = rest.own[v], bent = 0, touch = 0;
  bool any_joined = false;
  for (std::uint32_t i = 0; i < count; ++i) {
    const TrackOther& other = others[i];
    touch = larger(touch, other.contact);
    any_joined = any_joined || other.is_joined();
    if (other.is_joined() && fields[i] > kRiseFrom) bent = larger(bent, pose.gate[b * rest.bones + other.bone()]);
  }
  float strain = 0;
  for (std::uint32_t i = rest.ring_begin[v]; i < rest.ring_begin[v + 1]; ++i) {
    const std::uint32_t w = rest.ring[i];
    const float length_at_rest = distance(rest.positions[v], rest.positions[w]);
    if (length_at_rest > 0) strain = larger(strain, strain_of_edge(distance(goal, step.blended[w]), length_at_rest));
  }
  const float sound = soundness(strain);
  float trusted = 0;
  const float stiffness = stiffness_of(rest, v);
  std::uint32_t kept = count;
  if (pose.fields[b].nodes != nullptr) {
    const bool own_plain = pose.fields[b].muscle_count == 0;
    const float own = any_joined ? eval_field(pose.fields[b], p).value : 0.0F;
    const float own_there = eval_field(pose.calm[b], goal).value;
    const float way = distance(p, goal);
    float rise = 0;
    kept = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const TrackOther other = others[i];
      const std::uint32_t k = other.bone();
      bool matters = true;
      if (other.is_joined()) {
        const float slope = pose.steepest[b] + pose.steepest[k];
        const float lead = lead_of_other(fields[i], other.level, own, rest.own[v]);
        const bool plain = own_plain && pose.fields[k].muscle_count == 0;
        matters = !plain || other.contact > 0 || lead + slope * (way + kNear * rest.edge[v]) > 0;
        if (!plain || !(lead + slope * way <= 0)) {
          const float there = eval_field(pose.calm[k], goal).value;
          rise = larger(rise, (1 - other.contact) * lead_of_other(there, other.level, own_there, rest.own[v]));
        }
      }
      if (matters) others[kept++] = other;
    }
    const float off = own_there + rise - rest.own[v];
    const float soft = rest.stiffness == nullptr ? 1.0F : 1 - stiffness;
    const float trust = trust_of(bent, sound, touch);
    trusted = !own_plain ? 0.0F : soft * (1 - bent) * sound * (1 - touch);
    const float shift = soft * level_shift(off, trust);
    level += shift;
    for (std::uint32_t i = 0; i < kept; ++i) others[i].level += shift;
  }
  float loose = pose.pin == nullptr ? 0.0F : 1.0F;
  for (std::uint32_t i = pose.bend_begin[b]; i < pose.bend_begin[b + 1]; ++i) {
    const TrackBend bend = pose.bends[i];
    loose = larger(loose, looseness(bend.gate, distance(rest.positions[v], bend.at), bend.near, bend.far));
  }
  const bool tracked = rest.tracked[v] != 0;
  float hold = !tracked ? 1.0F : hold_of(rest.hold[v], loose, strain, stiffness, touch, sound);
  if (pose.pin == nullptr && rest.radius[b] > 0)
    hold = larger(hold, hold_far_away(step.away[v] / rest.radius[b], touch));
  step.level[v] = level;
  step.hold[v] = hold;
  step.bound[v] = !tracked ? 0.0F : 1 - trusted * (1 - loose);
  step.other_count[v] = kept;
  step.samples[v] = {};
}

/// The parts that hold it, for the next sub-step.
__device__ inline void remember_contact(const StepArrays& step, std::uint32_t v) {
  const TrackOther* const others = step.others + static_cast<std::size_t>(v) * step.room;
  TrackHeld* const held = step.held + static_cast<std::size_t>(v) * step.room;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < step.other_count[v]; ++i)
    if (others[i].contact > kHeld) held[count++] = {others[i].bone(), others[i].contact};
  step.held_count[v] = count;
}

// ---- projection ----

/// What a thread counts.
struct Evaluated {
  std::uint32_t fields = 0, operations = 0;
};

/// Where a vertex is, and how far it moved since the last relaxation began, local edges.
struct Place {
  Vec3f p;
  float moved;
};

/// A thread has a vertex to itself.
struct Alone {
  static constexpr std::uint32_t kThreads = 1;
  __device__ static std::uint32_t number() { return 0; }
  __device__ static FieldSample<float> of(std::uint32_t, const FieldSample<float>& mine) { return mine; }
};
/// Four threads have a vertex, and each looks up a field of it at a time.
struct Four {
  static constexpr std::uint32_t kThreads = 4;
  __device__ static std::uint32_t number() { return threadIdx.x % 4; }
  __device__ static FieldSample<float> of(std::uint32_t thread, const FieldSample<float>& mine) {
    const unsigned mask = 0xfU << (threadIdx.x & 28U);
    const auto from = [&](float number) { return __shfl_sync(mask, number, static_cast<int>(thread), 4); };
    return {from(mine.value), {from(mine.gradient.x), from(mine.gradient.y), from(mine.gradient.z)}};
  }
};

/// All of a vertex's parts, united, at p; its threads share the looking up. The own field is the first, then come those
/// of the others.
template <class Threads>
struct SharedParts {
  const GridView* fields;
  const GridView& own_field;
  const TrackOther* others;
  std::uint32_t count;
  Vec3f p;
  mutable FieldSample<float> mine{};

  __device__ FieldSample<float> at(std::uint32_t i) const {
    if (i > count) return {};
    return i > 0 ? eval_field(fields[others[i - 1].bone()], p) : eval_part(own_field, p);
  }
  __device__ FieldSample<float> own() const {
    mine = at(Threads::number());
    return Threads::of(0, mine);
  }
  __device__ const TrackOther& other(std::size_t k) const { return others[k]; }
  __device__ bool look_up(std::size_t k, const FieldSample<float>&, bool, FieldSample<float>& f) const {
    const std::uint32_t i = static_cast<std::uint32_t>(k) + 1;
    if (i % Threads::kThreads == 0) mine = at(i + Threads::number());
    f = Threads::of(i % Threads::kThreads, mine);
    return true;
  }
  __device__ bool compose(std::size_t, const FieldSample<float>&, const FieldSample<float>&,
                          field_rules::Added<float, Vec3f>&) const {
    return false;
  }
};

/// From `place` on, which it writes to the step: at most `steps` Newton steps, no longer than `limit` local edges.
template <class Threads>
__device__ void project(const RestArrays& rest, const PoseArrays& pose, const StepArrays& step, std::uint32_t v,
                        Place place, int steps, float limit, Evaluated& evaluated) {
  const bool writes = Threads::number() == 0;
  if (rest.tracked[v] == 0) {
    if (!writes) return;
    step.p[v] = place.p;
    step.moved[v] = place.moved;
    return;
  }
  const std::uint32_t count = step.other_count[v];
  const TrackOther* const others = step.others + static_cast<std::size_t>(v) * step.room;
  const GridView& own_field = pose.fields[rest.owner[v]];
  // The threads of a vertex go the same way: all of them are here whenever one is.
  const auto sample = [&](const Vec3f& p) {
    SharedParts<Threads> parts{pose.fields, own_field, others, count, p};
    const FieldSample<float> own = parts.own();
    if (writes) {
      evaluated.fields += 1 + count;
      evaluated.operations += count;
    }
    return combine_parts(own, parts, count, step.level[v], rest.gap[v]);
  };
  const Vec3f start = place.p;
  ResidualSample first = sample(start);
  const float edge = rest.edge[v];
  Projected found{start, first};
  if (is_rigid(rest, v) && !first.contact) {
    found.at.value = 0;
  } else {
    const ProjectLimits limits{
        .tolerance = kProjected, .steps = steps, .step = limit * edge, .slope = rest.slope[v], .guarded = false};
    found = project_vertex(sample, start, first, limits);
  }
  if (!writes) return;
  step.p[v] = found.position;
  step.samples[v] = found.at;
  step.moved[v] = larger(place.moved, distance(start, found.position) / edge);
}

// ---- relaxation ----

__device__ inline float stretch_of_edge(const RestArrays& rest, const StepArrays& step, std::uint32_t v,
                                        std::uint32_t i) {
  const Vec3f now = step.p[v] - step.p[rest.ring[i]];
  return rest.edge_squared[i] > 0 ? std::sqrt(dot(now, now) / rest.edge_squared[i]) : 1.0F;
}

__device__ inline float mean_stretch(const RestArrays& rest, const StepArrays& step, std::uint32_t v) {
  float sum = 0;
  const std::uint32_t begin = rest.ring_begin[v], end = rest.ring_begin[v + 1];
  for (std::uint32_t i = begin; i < end; ++i) sum += stretch_of_edge(rest, step, v, i);
  return begin == end ? 1.0F : sum / static_cast<float>(end - begin);
}

/// Sets up the row of v, and tells its z with the tag.
__device__ inline TrackRow set_up_row(const RestArrays& rest, const PoseArrays& pose, const StepArrays& step,
                                      std::uint32_t v, Tag tag) {
  TrackRow row{};
  const Vec3f p = step.p[v];
  row.v = v;
  row.n = rest.tracked[v] != 0 ? normalized(step.samples[v].gradient) : Vec3f{};
  row.bound = step.bound[v];
  row.rigid = is_rigid(rest, v);
  const std::uint32_t first = rest.ring_begin[v], end = rest.ring_begin[v + 1];
  Vec3f pull;
  float sum = 0;
  for (std::uint32_t i = first; i < end; ++i) {
    const std::uint32_t u = rest.ring[i];
    const Vec3f edge = rest.positions[v] - rest.positions[u];
    const float around = 0.5F * (step.stretch[v] + step.stretch[u]);
    const float weight = weight_of_edge(rest.ring_weight[i], stretch_of_edge(rest, step, v, i), around);
    step.weight[i] = weight;
    pull += (step.p[u] - p + (step.turn[v] * edge + step.turn[u] * edge) * 0.5F) * weight;
    sum += weight;
  }
  // Those that do not live have no direction.
  std::uint32_t i = first;
#pragma unroll
  for (std::uint32_t k = 0; k < TrackRow::kLinks; ++k) {
    while (i < end && step.awake[rest.ring[i]] == 0) ++i;
    if (i == end) continue;
    row.link[k] = rest.ring[i];
    row.weight[k] = step.weight[i];
    row.links = k + 1;
    ++i;
  }
  row.more = i;
  const float together = sum;
  const auto draw = [&](const Vec3f& to, float strength) {
    pull += (to - p) * (strength * together);
    sum += strength * together;
  };
  const float stiffness = stiffness_of(rest, v);
  draw(step.blended[v], step.hold[v] * (1 - stiffness));
  if (stiffness > 0) draw(transform_point(pose.motion[rest.owner[v]], rest.positions[v]), relaxation::odds(stiffness));
  if (pose.pin != nullptr && pose.pin[v] > 0) draw(pose.pin_at[v], relaxation::odds(pose.pin[v]));
  row.r = row.rigid ? Vec3f{} : row.bound > kBound ? tangent(row.n, pull) : pull;
  row.diagonal = larger(sum, 1e-12F);
  row.z = precondition(row.n, row.bound, row.diagonal, row.r);
  tell(step.z[tag % 2] + v, row.z, tag);
  return row;
}

/// What the row's next direction meets; returns d q. `tag`: of the z that are the last ones.
__device__ inline float apply_row(const RestArrays& rest, const StepArrays& step, TrackRow& row, int turn, float beta,
                                  Tag tag) {
  const TaggedVector* const z = step.z[tag % 2];
  Vec3f heard_z[TrackRow::kLinks];
  for (bool all = false; !all;) {  // all at once, and again until each has come
    all = true;
#pragma unroll
    for (std::uint32_t k = 0; k < TrackRow::kLinks; ++k)
      if (k < row.links) all = heard(z + row.link[k], tag, heard_z[k]) && all;
  }
  row.d = turn == 0 ? row.z : row.z + row.d * beta;
  Vec3f y = row.d * row.diagonal;
#pragma unroll
  for (std::uint32_t k = 0; k < TrackRow::kLinks; ++k) {
    if (k >= row.links) continue;
    row.other[k] = turn == 0 ? heard_z[k] : heard_z[k] + row.other[k] * beta;
    y -= row.other[k] * row.weight[k];
  }
  for (std::uint32_t i = row.more; i < rest.ring_begin[row.v + 1]; ++i) {
    const std::uint32_t u = rest.ring[i];
    if (step.awake[u] == 0) continue;
    Vec3f next;
    while (!heard(z + u, tag, next)) {
    }
    if (turn > 0) next = next + step.further[i] * beta;
    step.further[i] = next;
    y -= next * step.weight[i];
  }
  y = with_spring(row.n, row.bound, spring_of(row.bound, row.diagonal), row.d, y);
  row.q = row.rigid ? Vec3f{} : y;
  return dot(row.d, row.q);
}

/// A step along it, and its z told with the tag; returns r z.
__device__ inline float reduce_row(const StepArrays& step, TrackRow& row, float alpha, Tag tag) {
  row.x += row.d * alpha;
  row.r = row.r - row.q * alpha;
  row.z = precondition(row.n, row.bound, row.diagonal, row.r);
  tell(step.z[tag % 2] + row.v, row.z, tag);
  return dot(row.r, row.z);
}

/// After a relaxation.
__device__ inline Place slide(const RestArrays& rest, const StepArrays& step, std::uint32_t v) {
  const Vec3f p = step.p[v], x = step.x[v];
  const float way = length(x), limit = kLongestSlide * rest.edge[v];
  if (!std::isfinite(way)) return {p, 0};
  return {p + (way > limit ? x * (limit / way) : x), smaller(way, limit) / rest.edge[v]};
}

/// Whether it, or a neighbour, still moves.
__device__ inline bool still_moves(const RestArrays& rest, const StepArrays& step, std::uint32_t v) {
  if (step.moved[v] >= kRested) return true;
  for (std::uint32_t i = rest.ring_begin[v]; i < rest.ring_begin[v + 1]; ++i) {
    const std::uint32_t w = rest.ring[i];
    if (step.is_active[w] != 0 && step.moved[w] >= kRested) return true;
  }
  return false;
}

// ---- checks ----

__device__ inline bool is_inverted(const RestArrays& rest, const StepArrays& step, const Triangle& t) {
  if (step.is_active[t[0]] == 0 || step.is_active[t[1]] == 0 || step.is_active[t[2]] == 0) return false;
  const auto normal = [&](const Vec3f* p) { return cross(p[t[1]] - p[t[0]], p[t[2]] - p[t[0]]); };
  const Vec3f now = normal(step.p), before = normal(rest.positions);
  for (int i = 0; i < 3; ++i)
    if (!(dot(now, step.turn[t[i]] * before) < 0)) return false;
  return true;
}

}  // namespace cutis::cuda
