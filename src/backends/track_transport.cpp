// Who is active: vertices that something moves relative to their bone, and some rings around them. All others are
// carried exactly; the active ones go on from where they are.
#include <algorithm>
#include <cmath>

#include "backends/track_step.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "base/polar.h"

namespace cutis {
namespace {

using namespace field_constants;

constexpr std::size_t kTransportGrain = 1024;
// A sub-step in which a bone grows or shrinks by more (of squared lengths) turns what its skin is off the place where
// the bone carries it, but does not scale it: out of a bone that was flat, a hair's breadth would become a limb's
// length.
constexpr double kLeap = 0.5;

// Whether something moves vertex v of bone b, which carries it to q.
bool is_stirred(const Rig& rig, const TrackRest& rest, const TrackStep& step, std::uint32_t v, std::uint32_t b) {
  const RigSurface& s = rig.surface;
  const std::size_t bones = rig.bones.size();
  if (!step.pin.empty() && step.pin[v] > 0) return true;
  if (step.stirred[b] == 0) return false;
  const Vec3f q = transform_point(step.motion[b], s.positions[v]);
  for (const std::uint32_t k : s.turn.row(v))
    if (step.turns[b * bones + k] != 0 &&
        distance(transform_point(step.motion[k], s.positions[v]), q) > kStillEdges * s.edge[v])
      return true;
  if (step.fields[b].muscle_count > 0 && std::abs(eval_field(step.fields[b], q).value - rest.own[v]) > kStillField)
    return true;
  for (const std::uint32_t k : step.wakers.row(b)) {  // another part that comes near, or one that leaves
    const bool reached = step.boxes[k].holds(q, 0);
    const std::ptrdiff_t place = rest.place(v, k);
    if (!reached && place < 0) continue;
    const float before = place >= 0 ? rest.other_value[static_cast<std::size_t>(place)] : 0.0F;
    if (std::abs((reached ? eval_field(step.fields[k], q).value : 0.0F) - before) > kStillField) return true;
  }
  return false;
}

// Flags of some rings more, and how far they are along edges from where the flags began. A vertex that a ring takes
// has flagged neighbours in the ring before alone. One ring beyond is left in step.ring, without flags.
void grow_rings(const RigSurface& s, int rings, TrackStep& step, const Context& context) {
  step.away.assign(s.size(), 0.0F);
  step.next_flags.assign(s.size(), 0);
  // The rim: flagged vertices with a neighbour that is not.
  step.rim.resize(s.size());
  parallel_for(context, s.size(), kTransportGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      step.rim[v] =
          step.flags[v] != 0 && std::ranges::any_of(s.neighbours.row(v), [&](auto w) { return step.flags[w] == 0; });
  });
  step.ring.clear();
  for (std::uint32_t v = 0; v < s.size(); ++v)
    if (step.rim[v] != 0) step.ring.push_back(v);
  for (int ring = 0; ring <= rings; ++ring) {
    step.next_ring.clear();
    for (const std::uint32_t w : step.ring)
      for (const std::uint32_t v : s.neighbours.row(w)) {
        if (step.flags[v] != 0) continue;
        const float way = step.away[w] + distance(s.positions[v], s.positions[w]);
        step.away[v] = step.next_flags[v] != 0 ? std::min(step.away[v], way) : way;
        if (step.next_flags[v] == 0) step.next_ring.push_back(v);
        step.next_flags[v] = 1;
      }
    std::swap(step.ring, step.next_ring);
    if (ring == rings) break;
    for (const std::uint32_t v : step.ring) step.flags[v] = 1;
  }
}

// The active vertices, and these and their neighbours, rising: counted in runs, then listed.
void list_active(const RigSurface& s, TrackStep& step, const Context& context) {
  const std::size_t n = s.size(), runs = (n + kTransportGrain - 1) / kTransportGrain;
  const auto is_active = [&](std::size_t v) {
    return step.flags[v] != 0 && s.owner[v] != RigSurface::kNoBone && !s.turn.row(v).empty();
  };
  step.is_wanted.resize(n);
  parallel_for(context, n, kTransportGrain, [&](std::size_t begin, std::size_t end) {
    std::copy_n(step.flags.begin() + static_cast<std::ptrdiff_t>(begin), end - begin,
                step.is_wanted.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  for (const std::uint32_t v : step.ring) step.is_wanted[v] = 1;
  step.active_from.assign(runs + 1, 0);
  step.wanted_from.assign(runs + 1, 0);
  parallel_for(context, n, kTransportGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t active = 0, wanted = 0;
    for (std::size_t v = begin; v < end; ++v) {
      active += is_active(v) ? 1 : 0;
      wanted += step.is_wanted[v] != 0 ? 1 : 0;
    }
    step.active_from[begin / kTransportGrain + 1] = active;
    step.wanted_from[begin / kTransportGrain + 1] = wanted;
  });
  for (std::size_t run = 0; run < runs; ++run) {
    step.active_from[run + 1] += step.active_from[run];
    step.wanted_from[run + 1] += step.wanted_from[run];
  }
  step.active.resize(step.active_from[runs]);
  step.wanted.resize(step.wanted_from[runs]);
  parallel_for(context, n, kTransportGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t active = step.active_from[begin / kTransportGrain],
                  wanted = step.wanted_from[begin / kTransportGrain];
    for (std::size_t v = begin; v < end; ++v) {
      step.slot[v] = -1;
      if (step.is_wanted[v] != 0) step.wanted[wanted++] = static_cast<std::uint32_t>(v);
      if (!is_active(v)) continue;
      step.slot[v] = static_cast<std::int32_t>(active);
      step.active[active++] = static_cast<std::uint32_t>(v);
    }
  });
}

}  // namespace

void track_ways(const PosedBones& last, const PosedBones& pose, TrackStep& step) {
  const std::size_t bones = pose.motion.size();
  step.delta.resize(bones);
  step.leaps.assign(bones, 0);
  step.last_motion.resize(bones);
  for (std::size_t b = 0; b < bones; ++b) {
    const Affine3d delta = pose.motion[b] * inverse(last.motion[b]);
    step.delta[b] = convert<float>(delta);
    step.last_motion[b] = convert<float>(last.motion[b]);
    if (frobenius(transpose(delta.linear) * delta.linear + Mat3d{} * -1.0) <= kLeap) continue;
    step.leaps[b] = 1;
    step.delta[b].linear = convert<float>(to_matrix(nearest_rotation(delta.linear)));
  }
}

void track_transport(const Rig& rig, const TrackRest& rest, const TrackingOptions& options, TrackStep& step,
                     const Context& context) {
  const RigSurface& s = rig.surface;
  const std::size_t n = s.size();
  step.flags.resize(n);
  step.slot.resize(n);
  parallel_for(context, n, kTransportGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::uint32_t b = s.owner[v];
      step.flags[v] = b != RigSurface::kNoBone && is_stirred(rig, rest, step, static_cast<std::uint32_t>(v), b) ? 1 : 0;
    }
  });
  grow_rings(s, options.rings, step, context);
  list_active(s, step, context);
  parallel_for(context, n, kTransportGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::uint32_t b = s.owner[v];
      if (b == RigSurface::kNoBone) continue;
      const bool carried = step.slot[v] < 0 || rest.is_rigid(v);
      if (!carried && step.leaps[b] != 0) {
        const Vec3f off = step.p[v] - transform_point(step.last_motion[b], s.positions[v]);
        step.p[v] = transform_point(step.motion[b], s.positions[v]) + step.delta[b].linear * off;
      } else if (!carried) {
        step.p[v] = transform_point(step.delta[b], step.p[v]);
      }
      if (carried || !is_finite(step.p[v])) step.p[v] = transform_point(step.motion[b], s.positions[v]);
    }
  });
}

}  // namespace cutis
