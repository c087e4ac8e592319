// Which vertices are solved for, which parts are near them and how much in contact.
//
// Contact is decided per vertex and other part, from the pose alone: by how much the other's field has risen over its
// rest value at the vertex as its bone carries it, or at the initial guess. docs/algorithms/implicit.md.
#include <algorithm>
#include <cmath>

#include "backends/implicit_engine.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

using namespace field_rules;

constexpr std::size_t kMostNearParts = 255;

// How much of the union a blend of that opening still is: 1 closed, 0 at 18 degrees (Implicit, figure 10) and below.
float closed_share(const JointOperator& joint) {
  if (joint.view.form != OperatorForm::blend) return 0;
  constexpr float kOpen = 0.3249197F;  // tan(pi/10)
  return std::clamp((joint.parameter - kOpen) / (1 - kOpen), 0.0F, 1.0F);
}

float value_at_rest(const TrackRest& track, std::ptrdiff_t place) {
  return place < 0 ? 0 : track.other_value[static_cast<std::size_t>(place)];
}

// Adds the vertex's parts to its chunk's list; returns whether it has to be solved for.
bool find_near(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, std::uint32_t v,
               ImplicitVertices& vertices) {
  const RigSurface& surface = rig.surface;
  const TrackRest& track = rest.track;
  const std::vector<GridView>& fields = pose.parts.fields;
  const std::uint32_t own = surface.owner[v];
  const PartPair* const pairs = pose.pairs.data() + own * fields.size();
  const Vec3f& guess = vertices.initial[v];
  const Vec3f& carried = vertices.carried[v];
  const float way = distance(guess, carried);
  const bool moved = !(way <= kStillEdges * surface.edge[v]);
  bool changed = moved;
  std::size_t seen = 0;  // parts that reached the vertex at rest and are still here
  std::vector<NearPart>& list = vertices.near[v / kImplicitChunk];
  vertices.near_begin[v] = static_cast<std::uint32_t>(list.size());
  each_near_part(pose.meet.row(own), carried, moved ? &guess : nullptr, 0, [&](std::uint32_t k, bool near_carried) {
    const std::ptrdiff_t place = track.place(v, k);
    const float at_rest = value_at_rest(track, place);
    seen += place >= 0 ? 1 : 0;
    const PartPair& pair = pairs[k];
    const float at_carried = pair.still ? at_rest : near_carried ? part_value(fields[k], rest.filled[k], carried) : 0;
    changed = changed || std::abs(at_carried - at_rest) > kStillField;
    if (pose.composed || list.size() - vertices.near_begin[v] >= kMostNearParts) return;
    NearPart near;
    // A field rises no faster than its slope, so that the guess is mostly decided by the carried vertex.
    const float most = at_carried + pose.parts.steepest[k] * way;
    const bool decided = !moved || !(pair.gate > 0) || !(most - at_rest > kRiseFrom) || at_carried - at_rest >= kRiseTo;
    near.value = decided ? most : part_value(fields[k], rest.filled[k], guess);
    const float risen = std::max(at_carried, decided ? 0 : near.value) - at_rest;
    const Hinge* const hinge = pair.hinge < 0 ? nullptr : &pose.hinges[static_cast<std::size_t>(pair.hinge)];
    const bool joined = pair.joined || (hinge != nullptr && hinge->blends);
    const bool unites = joined && near.value > kRiseFrom;
    if (!(pair.gate > 0 && risen > kRiseFrom) && !unites) return;
    float gate = pair.gate;
    near.bend = pair.gate;
    if (hinge != nullptr && (pair.gate > 0 || hinge->blends)) {
      const float side = hinge->side(surface.positions[v]);
      near.bend = gate *= inner_side(side);
      if (hinge->blends) {
        near.joint = pair.hinge;
        near.weight = surface.blend(v, std::max(0.0F, side));  // Implicit's blending weight
        // A fold that is filled does not touch.
        gate *= 1 - near.weight * (1 - closed_share(pose.joints[static_cast<std::size_t>(pair.hinge)]));
      }
    }
    const auto lead = [&] {
      const Vec3f core = transform_point(pose.parts.motion[own], track.core[v]);
      return part_value(fields[k], core) - rest.core[v] -
             (place >= 0 ? track.core_lead[static_cast<std::size_t>(place)] : 0);
    };
    // Without history the guess may hold as firmly as what is carried.
    near.other.contact = contact_with(
        true, gate, decided ? -1.0F : 1.0F, [&] { return at_carried - at_rest; }, [&] { return near.value - at_rest; },
        lead);
    if (!(near.other.contact > 0) && !unites) return;
    near.other.part = 2 * k + (joined ? 1 : 0);
    near.other.offset = offset_of_other(track.own[v], at_rest);
    near.other.level = level_of_other(track.own[v], at_rest);
    list.push_back(near);
  });
  vertices.near_count[v] = static_cast<std::uint8_t>(list.size() - vertices.near_begin[v]);
  return changed || seen < track.others.begin[v + 1] - track.others.begin[v];
}

}  // namespace

void find_deep_vertices(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, ImplicitVertices& vertices,
                        const Context& context) {
  const RigSurface& surface = rig.surface;
  vertices.deep.resize((surface.size() + kImplicitChunk - 1) / kImplicitChunk);
  parallel_for(context, surface.size(), kImplicitChunk, [&](std::size_t begin, std::size_t end) {
    std::vector<DeepVertex>& deep = vertices.deep[begin / kImplicitChunk];
    deep.clear();
    for (auto v = static_cast<std::uint32_t>(begin); v < end; ++v) {
      const std::uint32_t own = surface.owner[v];
      if (own == RigSurface::kNoBone || pose.press.row(own).empty()) continue;
      const Vec3f carried = transform_point(pose.parts.motion[own], surface.positions[v]);
      each_near_part(pose.press.row(own), carried, nullptr, 0, [&](std::uint32_t k, bool) {
        const float value = part_value(pose.parts.fields[k], rest.filled[k], carried);
        if (value > pose.pairs[own * pose.parts.fields.size() + k].deep &&
            value > value_at_rest(rest.track, rest.track.place(v, k)) + kStillField)
          deep.push_back({v, k});
      });
    }
  });
}

void grow_flags(const RigSurface& surface, ImplicitVertices& vertices, const Context& context) {
  parallel_for(context, surface.size(), 4 * kImplicitChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      char on = vertices.flags[v];
      if (on == 0)
        for (const std::uint32_t w : surface.neighbours.row(v)) on |= vertices.flags[w];
      vertices.next_flags[v] = on;
    }
  });
  std::swap(vertices.flags, vertices.next_flags);
}

void find_near_parts(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, int rings,
                     ImplicitVertices& vertices, const Context& context) {
  const RigSurface& surface = rig.surface;
  vertices.near.resize((surface.size() + kImplicitChunk - 1) / kImplicitChunk);
  parallel_for(context, surface.size(), kImplicitChunk, [&](std::size_t begin, std::size_t end) {
    vertices.near[begin / kImplicitChunk].clear();
    for (auto v = static_cast<std::uint32_t>(begin); v < end; ++v) {
      vertices.residual[v] = vertices.start_residual[v] = 0;
      vertices.touching[v] = vertices.started[v] = 0;
      vertices.near_begin[v] = vertices.near_count[v] = 0;
      const bool owned = surface.owner[v] != RigSurface::kNoBone;
      vertices.state[v] = owned ? VertexState::rigid : VertexState::outside;
      vertices.flags[v] = owned && find_near(rig, rest, pose, v, vertices) ? 1 : 0;
    }
  });
  for (int ring = 0; ring < rings; ++ring) grow_flags(surface, vertices, context);
  vertices.active.clear();
  // A part that its bone has scaled to nothing has no field: its skin stays where the initial guess has it.
  const auto has_part = [&](std::uint32_t bone) {
    return bone != RigSurface::kNoBone &&
           (pose.parts.fields[bone].nodes != nullptr || rig.fields[bone].empty() || rest.track.flat[bone] != 0);
  };
  for (std::uint32_t v = 0; v < surface.size(); ++v) {
    vertices.positions[v] = vertices.initial[v];
    vertices.moved[v] = vertices.flags[v] != 0 && has_part(surface.owner[v]) ? 1 : 0;
    if (vertices.moved[v] != 0) vertices.active.push_back(v);
  }
}

}  // namespace cutis
