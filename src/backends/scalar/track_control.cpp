// Which parts are near, and how much they are in contact; how edges should turn, and what holds the skin.
//
// Contact is decided per vertex and other part, from the pose: by how much the other's field has risen at the vertex
// as its bone carries it (docs/algorithms/tracking.md). The angle between gradients at a point, which the paper uses,
// falls towards the sides of a fold and is not 0 at rest.
#include <algorithm>
#include <cmath>

#include "backends/scalar/grain.h"
#include "backends/scalar/track.h"
#include "backends/track_control.h"
#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

using namespace field_rules;

// The other parts whose fields may be felt at vertex v, with their contact. Parts that are not joined and not in
// contact have no say in the residual.
void find_near(const Rig& rig, const TrackRest& rest, std::uint32_t v, const scalar::Step& step,
               std::vector<scalar::TrackNear>& near) {
  const RigSurface& s = rig.surface;
  const std::size_t bones = rig.bones.size();
  const std::uint32_t b = s.owner[v];
  const Vec3f q = transform_point(step.motion[b], s.positions[v]), p = step.p[v];
  const float margin = kNear * s.edge[v];
  each_near_part(step.all_boxes.row(0), q, &p, margin, [&](std::uint32_t k, bool) {
    if (k == b) return;
    float gate = step.gate[b * bones + k];
    const bool joined = rest.joined[b * bones + k] != 0;
    if (!joined && !(gate > 0)) return;
    const std::ptrdiff_t place = rest.place(v, k);
    const float at_rest = place >= 0 ? rest.other_value[static_cast<std::size_t>(place)] : 0.0F;
    const auto risen = [&](const Vec3f& x) { return eval_field(step.fields[k], x).value - at_rest; };
    // What held goes on to hold, no more firmly than it did: where the skin is depends on it.
    float held = -1;
    for (std::uint32_t i = step.held_begin[v]; i < step.held_begin[v + 1]; ++i)
      if (step.held[i].bone == k) held = step.held[i].contact;
    const auto lead = [&] {
      if (step.fields[b].nodes == nullptr) return 0.0F;
      const Vec3f x = transform_point(step.motion[b], rest.core[v]);
      const float now = eval_field(step.fields[k], x).value - eval_field(step.fields[b], x).value;
      return now - (place >= 0 ? rest.core_lead[static_cast<std::size_t>(place)] : 0.0F);
    };
    scalar::TrackNear found;
    TrackOther& other = found.other;
    other.part = 2 * k + (joined ? 1 : 0);
    other.offset = offset_of_other(rest.own[v], at_rest);
    other.level = level_of_other(rest.own[v], at_rest);
    if (const std::int32_t fold = rest.fold[b * bones + k]; fold >= 0 && gate > 0)
      gate *= inner_side(step.folds[static_cast<std::size_t>(fold)].side(s.positions[v]));
    if (gate > 0)
      other.contact = contact_with(
          true, gate, held, [&] { return risen(q); }, [&] { return risen(p); }, lead);
    if (!joined && !(other.contact > 0)) return;
    if (joined) found.value = eval_field(step.fields[k], p).value;
    near.push_back(found);
  });
}

// Levels: where joints are hardly bent, smooth skinning says where the skin is as long as the fields do not disagree
// much: fields are fitted to a tolerance, and their unions have edges where bodies have none. And how firmly smooth
// skinning holds the skin along the surface: not in contact, not where it is strained itself.
void settle_vertex(const Rig& rig, const TrackRest& rest, const GridView* calm, const std::vector<TrackBend>& bends,
                   std::size_t a, scalar::Step& step, std::vector<scalar::TrackNear>& near) {
  const RigSurface& s = rig.surface;
  const std::size_t bones = rig.bones.size();
  const std::uint32_t v = step.active[a], b = s.owner[v];
  const Vec3f &p = step.p[v], &goal = step.blended[v];
  step.level[a] = rest.own[v];
  float bent = 0, touch = 0;
  for (const scalar::TrackNear& n : near) {
    touch = std::max(touch, n.other.contact);
    if (n.other.is_joined() && n.value > kRiseFrom) bent = std::max(bent, step.gate[b * bones + n.other.bone()]);
  }
  float strain = 0;
  for (const std::uint32_t w : s.neighbours.row(v)) {
    const float length_at_rest = distance(s.positions[v], s.positions[w]);
    if (length_at_rest > 0) strain = std::max(strain, strain_of_edge(distance(goal, step.blended[w]), length_at_rest));
  }
  const float sound = soundness(strain);
  float trusted = 0;
  if (step.fields[b].nodes != nullptr) {
    // A joined part is felt where its field leads the own one, levels apart. Neither is steeper than it is anywhere.
    const bool any_joined = std::ranges::any_of(near, [](const scalar::TrackNear& n) { return n.other.is_joined(); });
    const float own = any_joined ? eval_field(step.fields[b], p).value : 0.0F;
    const float own_there = eval_field(calm[b], goal).value;
    const float way = distance(p, goal);
    float rise = 0;
    for (scalar::TrackNear& n : near) {
      if (!n.other.is_joined()) continue;
      const float slope = step.steepest[b] + step.steepest[n.other.bone()];
      const float lead = lead_of_other(n.value, n.other.level, own, rest.own[v]);
      const bool plain = step.fields[b].muscle_count == 0 && step.fields[n.other.bone()].muscle_count == 0;
      n.matters = !plain || n.other.contact > 0 || lead + slope * (way + kNear * s.edge[v]) > 0;
      if (plain && lead + slope * way <= 0) continue;
      const float there = eval_field(calm[n.other.bone()], goal).value;
      rise = std::max(rise, (1 - n.other.contact) * lead_of_other(there, n.other.level, own_there, rest.own[v]));
    }
    const float off = own_there + rise - rest.own[v];
    const float soft = rest.stiffness.empty() ? 1.0F : 1 - rest.stiffness[v];
    const float trust = trust_of(bent, sound, touch);
    trusted = step.fields[b].muscle_count > 0 ? 0.0F : soft * (1 - bent) * sound * (1 - touch);
    const float shift = soft * level_shift(off, trust);
    step.level[a] += shift;
    for (scalar::TrackNear& n : near) n.other.level += shift;
  }
  float loose = step.pin.empty() ? 0.0F : 1.0F;  // a target draws along what is around it
  for (const TrackBend& bend : bends)
    loose = std::max(loose, looseness(bend.gate, distance(s.positions[v], bend.at), bend.near, bend.far));
  // Without a field there is nothing but smooth skinning.
  const float stiffness = rest.stiffness.empty() ? 0.0F : rest.stiffness[v];
  step.hold[a] = rest.tracked[v] == 0 ? 1.0F : hold_of(rest.hold[v], loose, strain, stiffness, touch, sound);
  if (step.pin.empty() && !rig.fields[b].empty())
    step.hold[a] = std::max(step.hold[a], hold_far_away(step.away[v] / rig.fields[b].grid.radius, touch));
  step.bound[a] = rest.tracked[v] == 0 ? 0.0F : 1 - trusted * (1 - loose);
}

}  // namespace

void scalar::track_control(const Rig& rig, const TrackRest& rest, scalar::Step& step, const Context& context) {
  const RigSurface& s = rig.surface;
  const std::size_t count = step.active.size(), chunks = (count + kGrain - 1) / kGrain;
  parallel_for(context, step.wanted.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) blend_vertex(rig, rest, step.wanted[i], step);
  });
  if (step.chunks.size() < chunks) step.chunks.resize(chunks);
  const GridView* const calm = step.calm.empty() ? step.fields.data() : step.calm.data();  // smooth skin has no muscles
  parallel_for(context, count, kGrain, [&](std::size_t begin, std::size_t end) {
    scalar::TrackChunk& chunk = step.chunks[begin / kGrain];
    chunk.others.clear();
    for (std::size_t a = begin; a < end; ++a) {
      const std::uint32_t v = step.active[a];
      chunk.near.clear();
      find_near(rig, rest, v, step, chunk.near);
      settle_vertex(rig, rest, calm, step.bends[s.owner[v]], a, step, chunk.near);
      step.other_begin[a] = static_cast<std::uint32_t>(chunk.others.size());
      step.samples[a] = {};
      step.holds[a] = 0;
      for (const scalar::TrackNear& near : chunk.near) {
        if (!near.matters) continue;
        chunk.others.push_back(near.other);
        if (near.other.contact > kHeld) step.holds[a] = 1;
      }
      step.other_count[a] = static_cast<std::uint32_t>(chunk.others.size()) - step.other_begin[a];
      chunk.others.push_back({.part = TrackOther::kNoPart});
    }
  });
  gather_others(std::span<const scalar::TrackChunk>(step.chunks.data(), chunks), step, context);
  parallel_for(context, count, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) step.other_begin[a] += step.offset[begin / kGrain];
  });
}

}  // namespace cutis
