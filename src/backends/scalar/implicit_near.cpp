// Which vertices are solved for, which parts are near them and how much in contact.
//
// Contact is decided per vertex and other part, from the pose alone: by how much the other's field has risen over its
// rest value at the vertex as its bone carries it, or at the initial guess. docs/algorithms/implicit.md.
#include <algorithm>
#include <bit>
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

// A part's field on a vertex at rest, and the place of the pair in the tables of the rest pose.
struct AtRest {
  float value = 0;
  std::size_t item = 0;
  bool known = false;  // the part reaches the vertex at rest
};

AtRest at_rest_of(const TrackRest& track, std::uint32_t v, std::uint32_t k) {
  for (std::size_t i = track.others.begin[v]; i < track.others.begin[v + 1]; ++i)
    if (track.others.items[i] == k) return {track.other_value[i], i, true};
  return {};
}

// Adds the vertex's parts to its chunk's list; returns whether it has to be solved for.
bool find_near(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, std::uint32_t v,
               ImplicitVertices& vertices) {
  const RigSurface& surface = rig.surface;
  const TrackRest& track = rest.track;
  const std::uint32_t own = surface.owner[v];
  const PartPair* const pairs = pose.pairs.data() + own * pose.parts.size();
  const Vec3f& guess = vertices.initial[v];
  const Vec3f& carried = vertices.carried[v];
  const float way = distance(guess, carried);
  const bool moved = !(way <= kStillEdges * surface.edge[v]);
  bool changed = moved;
  std::size_t seen = 0;  // parts that reached the vertex at rest and are still here
  std::vector<NearPart>& list = vertices.near[v / kImplicitChunk];
  vertices.near_begin[v] = static_cast<std::uint32_t>(list.size());
  const auto add = [&](std::uint32_t k, bool felt) {
    const AtRest known = at_rest_of(track, v, k);
    const float at_rest = known.value;
    seen += known.known ? 1 : 0;
    const PartPair& pair = pairs[k];
    const float at_carried = pair.still ? at_rest : felt ? part_value(pose.parts[k], carried) : 0;
    changed = changed || std::abs(at_carried - at_rest) > kStillField;
    if (pose.composed) return;
    NearPart near;
    // The guess counts too: a thick part may have passed the carried vertex already. A field rises no faster than its
    // slope, so that the guess is mostly decided by the carried vertex.
    const float most = at_carried + pose.slopes[k] * way;
    const bool decided = !moved || !(pair.gate > 0) || !(most - at_rest > kRiseFrom) || at_carried - at_rest >= kRiseTo;
    near.value = decided ? most : part_value(pose.parts[k], guess);
    const float risen = std::max(at_carried, decided ? 0 : near.value) - at_rest;
    const Hinge* const hinge = pair.hinge < 0 ? nullptr : &pose.hinges[static_cast<std::size_t>(pair.hinge)];
    near.joined = pair.joined || (hinge != nullptr && hinge->blends);
    if (!(pair.gate > 0 && risen > kRiseFrom) && !(near.joined && near.value > kRiseFrom)) return;
    near.contact = contact_of_rise(pair.gate, risen);
    near.bend = pair.gate;
    if (hinge != nullptr && (pair.gate > 0 || hinge->blends)) {
      const float side = hinge->side(surface.positions[v]);
      const float inner = inner_side(side);
      near.contact *= inner;
      near.bend *= inner;
      if (hinge->blends) {
        near.joint = pair.hinge;
        near.weight = std::max(0.0F, side);  // Implicit's blending weight
        // A fold that is filled does not touch.
        near.contact *= 1 - near.weight * (1 - closed_share(pose.joints[static_cast<std::size_t>(pair.hinge)]));
      }
    }
    if (near.contact > 0) {
      // Where the bone's own axis is inside the other part no skin can be on its own side.
      const Vec3f core = transform_point(pose.motions[own], track.core[v]);
      const float lead = part_value(pose.parts[k], core) - rest.core[v];
      near.contact *= left_of_contact(lead - (known.known ? track.core_lead[known.item] : 0));
    }
    if (!(near.contact > 0) && !(near.joined && near.value > kRiseFrom)) return;
    near.bone = static_cast<std::uint16_t>(k);
    near.offset = offset_of_other(track.own[v], at_rest);
    near.level = level_of_other(track.own[v], at_rest);
    list.push_back(near);
  };
  for (const CapsuleBlock& block : pose.meet->row(own)) {
    const unsigned felt = block.hold(carried);
    for (unsigned left = moved ? felt | block.hold(guess) : felt; left != 0; left &= left - 1) {
      if (list.size() - vertices.near_begin[v] >= kMostNearParts) break;
      const int lane = std::countr_zero(left);
      add(block.bone[lane], (felt >> lane & 1U) != 0);
    }
  }
  vertices.near_count[v] = static_cast<std::uint8_t>(list.size() - vertices.near_begin[v]);
  return changed || seen < track.others.begin[v + 1] - track.others.begin[v];
}

}  // namespace

void CapsuleBlock::set(int lane, std::uint32_t b, const Capsule& c) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    origin[axis].v[lane] = c.origin[a];
    along[axis].v[lane] = c.along[a];
  }
  per_squared.v[lane] = c.per_squared;
  reach_squared.v[lane] = c.reach_squared;
  bone[lane] = b;
}

void CapsuleRows::clear() {
  blocks.clear();
  begin.assign(1, 0);
  lanes_ = 4;
}

void CapsuleRows::add(std::uint32_t bone, const Capsule& capsule) {
  if (lanes_ == 4) {
    blocks.emplace_back();
    lanes_ = 0;
  }
  blocks.back().set(lanes_++, bone, capsule);
}

void CapsuleRows::end_row() {
  begin.push_back(static_cast<std::uint32_t>(blocks.size()));
  lanes_ = 4;
}

void find_deep_vertices(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, ImplicitVertices& vertices,
                        const Context& context) {
  const RigSurface& surface = rig.surface;
  vertices.deep.resize((surface.size() + kImplicitChunk - 1) / kImplicitChunk);
  parallel_for(context, surface.size(), kImplicitChunk, [&](std::size_t begin, std::size_t end) {
    std::vector<DeepVertex>& deep = vertices.deep[begin / kImplicitChunk];
    deep.clear();
    for (auto v = static_cast<std::uint32_t>(begin); v < end; ++v) {
      const std::uint32_t own = surface.owner[v];
      if (own == RigSurface::kNoBone || pose.press->row(own).empty()) continue;
      const Vec3f carried = transform_point(pose.motions[own], surface.positions[v]);
      for (const CapsuleBlock& block : pose.press->row(own))
        for (unsigned left = block.hold(carried); left != 0; left &= left - 1) {
          const std::uint32_t k = block.bone[std::countr_zero(left)];
          const float value = part_value(pose.parts[k], carried);
          if (value > pose.pairs[own * pose.parts.size() + k].deep &&
              value > at_rest_of(rest.track, v, k).value + kStillField)
            deep.push_back({v, k});
        }
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
    return bone != RigSurface::kNoBone && (pose.parts[bone].nodes != nullptr || rig.fields[bone].empty());
  };
  for (std::uint32_t v = 0; v < surface.size(); ++v) {
    vertices.positions[v] = vertices.initial[v];
    vertices.moved[v] = vertices.flags[v] != 0 && has_part(surface.owner[v]) ? 1 : 0;
    if (vertices.moved[v] != 0) vertices.active.push_back(v);
  }
}

}  // namespace cutis
