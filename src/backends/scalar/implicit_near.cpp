// Which vertices are solved for, which parts are near them and how much in contact.
//
// Contact is decided per vertex and other part, from the pose alone: by how much the other's field has risen over its
// rest value at the vertex as its bone carries it, or at the initial guess. docs/algorithms/implicit.md.
#include <algorithm>
#include <bit>
#include <cmath>

#include "backends/scalar/implicit.h"
#include "base/segment.h"

namespace cutis {
namespace {

using namespace field_rules;

float value_at_rest(const TrackRest& track, std::ptrdiff_t place) {
  return place < 0 ? 0 : track.other_value[static_cast<std::size_t>(place)];
}

// A guess, no farther from the bones of a bend than the vertex is at rest: dual quaternions bulge on its back, where
// skin is swept around the joint. Their distance from the nearer bone tells, whatever the fields are like there.
Vec3f without_bulge(const ImplicitPass& pass, std::uint32_t own, std::uint32_t k, const Hinge& hinge, float gate,
                    const Vec3f& p_rest, const Vec3f& p) {
  const float back = sweeps(pass.rig, own, k) * (1 - inner_side(hinge.side(p_rest)));
  if (!(back > 0)) return p;
  float at_rest = 1e30F, now = 1e30F;
  Vec3f nearest;
  for (const std::uint32_t b : {own, k}) {
    const auto a = static_cast<Vec3f>(pass.rig.bones[b].rest_origin),
               e = static_cast<Vec3f>(pass.rig.bones[b].rest_end);
    const Affine3f& motion = pass.pose.parts.motion[b];
    const Vec3f posed_a = transform_point(motion, a), posed_e = transform_point(motion, e);
    at_rest = std::min(at_rest, distance(p_rest, lerp(a, e, parameter_on_segment(p_rest, a, e))));
    const Vec3f c = lerp(posed_a, posed_e, parameter_on_segment(p, posed_a, posed_e));
    if (const float d = distance(p, c); d < now) {
      now = d;
      nearest = c;
    }
  }
  return now > at_rest ? p + (nearest - p) * (back * gate * (1 - at_rest / now)) : p;
}

// Adds the vertex's parts to its chunk's list; returns whether it has to be solved for.
bool find_near(const ImplicitPass& pass, std::size_t at) {
  const RigSurface& surface = pass.rig.surface;
  const ImplicitRest& rest = pass.rest;
  const ImplicitPose& pose = pass.pose;
  ImplicitVertices& vertices = pass.vertices;
  const TrackRest& track = rest.track;
  const std::vector<GridView>& fields = pose.parts.fields;
  const std::uint32_t v = track.places.vertex[at], own = track.places.owner[at / TrackPlaces::kBlock];
  const PartPair* const pairs = pose.pairs.data() + own * fields.size();
  const Vec3f guess = narrow(vertices.initial[at]), carried = narrow(vertices.carried[at]);
  const float way = distance(guess, carried);
  const bool moved = !(way <= kStillEdges * surface.edge[v]);
  bool changed = moved;
  float touch = 0, bent = 0;
  Vec3f wanted = guess;
  std::size_t seen = 0;  // parts that reached the vertex at rest and are still here
  std::vector<NearPart>& list = vertices.near[at / kImplicitChunk];
  const std::size_t first = list.size();
  each_near_part(pose.meet.row(own), carried, moved ? &guess : nullptr, 0, [&](std::uint32_t k, bool near_carried) {
    const std::ptrdiff_t place = track.place(v, k);
    const float at_rest = value_at_rest(track, place);
    seen += place >= 0 ? 1 : 0;
    const PartPair& pair = pairs[k];
    // Of parts that cannot touch, their union with the guess is all that matters.
    const bool only_unites = moved && !(pair.gate > 0);
    const float at_carried = pair.still || only_unites ? at_rest
                             : near_carried            ? part_value(fields[k], rest.filled[k], carried)
                                                       : 0;
    changed = changed || std::abs(at_carried - at_rest) > kStillField;
    if (pose.composed || list.size() - first >= kMostNearParts) return;
    NearPart near;
    // A field rises no faster than its slope, so that the guess is mostly decided by the carried vertex.
    const float most = at_carried + pose.parts.steepest[k] * way;
    const bool decided = !moved || !(pair.gate > 0) || !(most - at_rest > kRiseFrom) || at_carried - at_rest >= kRiseTo;
    near.value = decided && !only_unites ? most : part_value(fields[k], rest.filled[k], guess);
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
      return part_value(fields[k], core) - rest.inward[at][3] -
             (place >= 0 ? track.core_lead[static_cast<std::size_t>(place)] : 0);
    };
    // Without history the guess may hold as firmly as what is carried.
    near.other.contact = contact_with(
        true, gate, decided ? -1.0F : 1.0F, [&] { return at_carried - at_rest; }, [&] { return near.value - at_rest; },
        lead);
    if (!(near.other.contact > 0)) {
      // What is known of most parts at the guess is a bound. Those that would only be united with, and are not felt
      // there, are none of the vertex's.
      if (decided && !only_unites) near.value = moved ? part_value(fields[k], rest.filled[k], guess) : at_carried;
      if (!unites || !(near.value > kRiseFrom)) return;
    }
    touch = std::max(touch, near.other.contact);
    if (joined && near.value > kRiseFrom) bent = std::max(bent, near.bend);
    if (near.joint >= 0 && near.weight > 0) vertices.blends[at] = 1;
    if (joined && hinge != nullptr && pair.gate > 0)
      wanted = without_bulge(pass, own, k, *hinge, pair.gate, surface.positions[v], wanted);
    near.other.part = 2 * k + (joined ? 1 : 0);
    near.other.offset = offset_of_other(track.own[v], at_rest);
    near.other.level = level_of_other(track.own[v], at_rest);
    list.push_back(near);
  });
  if (list.size() > first) {
    vertices.met[at] = {touch, bent, 0, 0};
    vertices.wanted[at] = wide(wanted);
    vertices.given[at].v[2] = std::bit_cast<float>(static_cast<std::uint32_t>(first));
    vertices.near_count[at] = static_cast<std::uint8_t>(list.size() - first);
    list.push_back({.other = {.part = TrackOther::kNoPart}});
  }
  return changed || seen < track.others.begin[v + 1] - track.others.begin[v];
}

}  // namespace

void scalar::implicit_near(const ImplicitPass& pass, const BlockRun& run) {
  for (std::size_t block = run.begin; block < run.end; ++block)
    each_place(block, pass.vertices.flags[block], [&](std::size_t place) {
      if (find_near(pass, place)) pass.vertices.active[block] |= 1U << place % TrackPlaces::kBlock;
    });
}

void scalar::implicit_deep(const ImplicitPass& pass, const BlockRun& run, std::vector<DeepVertex>& deep) {
  const ImplicitPose& pose = pass.pose;
  const TrackRest& track = pass.rest.track;
  for (std::size_t block = run.begin; block < run.end; ++block) {
    const std::uint32_t own = track.places.owner[block];
    if (pass.rest.owned[block] == 0 || pose.press.row(own).empty()) continue;
    each_place(block, pass.rest.owned[block], [&](std::size_t place) {
      const std::uint32_t v = track.places.vertex[place];
      const Vec3f carried = transform_point(pose.parts.motion[own], pass.rig.surface.positions[v]);
      each_near_part(pose.press.row(own), carried, nullptr, 0, [&](std::uint32_t k, bool) {
        const float value = part_value(pose.parts.fields[k], pass.rest.filled[k], carried);
        if (value > pose.pairs[own * pose.parts.fields.size() + k].deep &&
            value > value_at_rest(track, track.place(v, k)) + kStillField)
          deep.push_back({v, k});
      });
    });
  }
}

}  // namespace cutis
