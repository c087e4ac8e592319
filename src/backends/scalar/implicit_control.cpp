// Which vertices are solved for, which parts are near them and how much in contact; where they should go.
//
// Contact is decided per vertex and other part, from the pose alone: by how much the other's field has risen over its
// rest value at the vertex as its bone carries it, or at the initial guess. docs/algorithms/implicit.md.
#include <algorithm>
#include <cmath>

#include "backends/implicit_engine.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

// How much another part's field must have risen for contact to begin and to be full.
constexpr float kContactBegins = 0.02F, kContactFull = 0.08F;
// By how much the other's field must lead on the own bone's axis, more than at rest, for contact to have no answer.
constexpr float kLeadFrom = 0.2F, kLeadTo = 0.4F;
// A field that has changed less than this does not move a vertex.
constexpr float kChanged = 0.002F;
// Of the local edge: an initial guess nearer than this to the rigidly carried vertex is the same point.
constexpr float kSamePlace = 1e-4F;
// The initial guess is trusted so far (in units of the field), at joints that are hardly bent; and the skin need not go
// deeper than this below it where parts leave a void.
constexpr float kTrust = 0.15F, kVoid = 0.3F;
// Strain of the initial guess around a vertex: sound below, worthless above.
constexpr float kStrainFrom = 0.1F, kStrainTo = 0.5F;
constexpr std::size_t kMostNearParts = 255;

// Implicit's blending weight: 1 on the inner side of the bend, 0 on the outer, by the direction from the bone's axis.
float blending_weight(const RigBone& bone, const Vec3f& p_rest, const Vec3f& origin, const Vec3f& inside) {
  const auto axis = static_cast<Vec3f>(normalized(bone.rest_end - bone.rest_origin));
  const Vec3f from = p_rest - origin;
  const Vec3f radial = normalized(from - axis * dot(axis, from));
  return std::clamp(dot(radial, inside), 0.0F, 1.0F);
}

// How much of the union a blend of that opening still is: 1 closed, 0 at 18 degrees (Implicit, figure 10) and below.
float closed_share(const JointOperator& joint) {
  if (joint.view.form != OperatorForm::blend) return 0;
  constexpr float kOpen = 0.3249197F;  // tan(pi/10)
  return std::clamp((joint.parameter - kOpen) / (1 - kOpen), 0.0F, 1.0F);
}

// Adds the vertex's parts to its chunk's list; returns whether it has to be solved for.
bool find_near(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, std::uint32_t v,
               ImplicitVertices& vertices) {
  const RigSurface& surface = rig.surface;
  const TrackRest& track = rest.track;
  const std::uint32_t own = surface.owner[v];
  const std::size_t bones = pose.parts.size();
  const Vec3f& p_rest = surface.positions[v];
  const Vec3f& guess = vertices.initial[v];
  const Vec3f& carried = vertices.carried[v];
  const float way = distance(guess, carried);
  const bool moved = !(way <= kSamePlace * surface.edge[v]);
  const std::span<const std::uint32_t> near_rest = track.others.row(v);
  const std::size_t row = track.others.begin[v];
  bool changed = moved;
  std::size_t seen = 0;  // parts that reached the vertex at rest and are still here
  std::vector<NearPart>& list = vertices.near[v / kImplicitChunk];
  vertices.near_begin[v] = static_cast<std::uint32_t>(list.size());
  for (const std::uint32_t k : pose.meet->row(own)) {
    if (list.size() - vertices.near_begin[v] >= kMostNearParts) break;
    const Capsule& capsule = pose.capsules[k];
    const bool felt = capsule.holds(carried);
    if (!felt && !(moved && capsule.holds(guess))) continue;
    const auto found =
        static_cast<std::size_t>(std::lower_bound(near_rest.begin(), near_rest.end(), k) - near_rest.begin());
    const bool known = found < near_rest.size() && near_rest[found] == k;
    const float at_rest = known ? track.other_value[row + found] : 0;
    seen += known ? 1 : 0;
    const bool still = pose.still[own * bones + k] != 0;
    const float at_carried = still ? at_rest : felt ? part_value(pose.parts[k], carried) : 0;
    changed = changed || std::abs(at_carried - at_rest) > kChanged;
    if (pose.composed) continue;
    if (at_carried > pose.deep[own * bones + k] && at_carried > at_rest + kChanged)
      vertices.deep[v / kImplicitChunk].push_back({v, k});
    NearPart near;
    // The guess counts too: a thick part may have passed the carried vertex already. A field rises no faster than its
    // slope, so that the guess is mostly decided by the carried vertex.
    const float most = at_carried + pose.slopes[k] * way;
    const bool decided = !moved || !(most - at_rest > kContactBegins) || at_carried - at_rest >= kContactFull;
    near.value = decided ? most : part_value(pose.parts[k], guess);
    near.joined = track.joined[own * bones + k] != 0;
    near.joint = pose.joint_of[own * bones + k];
    const float risen = std::max(at_carried, decided ? 0 : near.value) - at_rest;
    near.contact = pose.gate[own * bones + k] * smooth_step(risen, kContactBegins, kContactFull);
    if (near.contact > 0) {
      // Where the bone's own axis is inside the other part no skin can be on its own side.
      const Vec3f core = transform_point(pose.motions[own], track.core[v]);
      const float lead = part_value(pose.parts[k], core) - rest.core[v];
      near.contact *= 1 - smooth_step(lead - (known ? track.core_lead[row + found] : 0), kLeadFrom, kLeadTo);
    }
    if (near.joint >= 0) {
      const auto j = static_cast<std::size_t>(near.joint);
      near.joined = true;
      near.weight = blending_weight(rig.bones[own], p_rest, pose.joint_origin[j], pose.joint_inside[j]);
      near.contact *= 1 - near.weight * (1 - closed_share(pose.joints[j]));  // a fold that is filled does not touch
    }
    if (!(near.contact > 0) && !(near.joined && near.value > kContactBegins)) continue;
    near.bone = static_cast<std::uint16_t>(k);
    near.offset = std::min(0.0F, track.own[v] - at_rest);
    near.level = std::max(track.own[v], at_rest);
    list.push_back(near);
  }
  vertices.near_count[v] = static_cast<std::uint8_t>(list.size() - vertices.near_begin[v]);
  return changed || seen < near_rest.size();
}

// One ring more.
void grow(const RigSurface& surface, ImplicitVertices& vertices, const Context& context) {
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

TurnColumns turn_of(const RigSurface& surface, const ImplicitPose& pose, std::size_t v) {
  Float4 sum;
  SkinMatrix stretch{};
  for (std::uint32_t i = surface.turn.begin[v]; i < surface.turn.begin[v + 1]; ++i) {
    const std::uint32_t b = surface.turn.items[i];
    const Float4 w(surface.turn_weight[i]);
    sum += w * pose.rigid[b].real;
    if (!pose.stretches.empty())
      for (int c = 0; c < 3; ++c) stretch.col[c] += w * pose.stretches[b].col[c];
  }
  Float4 squares = sum * sum;
  float size = squares[0] + squares[1] + squares[2] + squares[3];
  if (!(size > 1e-6F)) {  // opposite rotations: the heaviest bone's
    if (surface.turn.begin[v] < surface.turn.begin[v + 1])
      sum = pose.rigid[surface.turn.items[surface.turn.begin[v]]].real;
    else
      sum = Float4(0, 0, 0, 1);
    size = 1;
  }
  const float x = sum[0], y = sum[1], z = sum[2], w = sum[3], s = 2 / size;
  TurnColumns t{{1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y), 0},
                {s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x), 0},
                {s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y), 0}};
  if (pose.stretches.empty()) return t;
  const auto column = [&](const Float4& c) { return t.x * c[0] + t.y * c[1] + t.z * c[2]; };
  return {column(stretch.col[0]), column(stretch.col[1]), column(stretch.col[2])};
}

// Levels: where joints are hardly bent the initial guess says where the skin is, as long as the fields do not disagree
// much: fields are fitted to a tolerance, and their unions have edges where bodies have none. Returns the contact.
float set_level(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, std::uint32_t v,
                ImplicitVertices& vertices) {
  vertices.shift[v] = 0;
  const VertexSkin skin = vertex_skin(rig, rest, pose, vertices, v);
  float bent = 0, touch = 0;
  for (std::uint32_t i = 0; i < skin.count; ++i) {
    const NearPart& near = skin.others[i];
    touch = std::max(touch, near.contact);
    if (near.joined && near.value > kContactBegins)
      bent = std::max(bent, pose.gate[skin.own * pose.parts.size() + near.bone]);
  }
  if (!pose.trusted || rest.track.tracked[v] == 0) return touch;
  float off = 0;
  vertices.start[v] = skin_residual(skin, skin.start, &off);
  const float trust = kTrust * (1 - bent);
  vertices.shift[v] = std::clamp(off, -trust, trust) + std::min(0.0F, off + kVoid);
  if (touch > 0) return touch;
  vertices.start[v].value -= vertices.shift[v];  // without contact the levels differ by the shift, and nothing else
  vertices.started[v] = 1;
  return touch;
}

}  // namespace

void find_near_parts(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, int rings,
                     ImplicitVertices& vertices, const Context& context) {
  const RigSurface& surface = rig.surface;
  vertices.near.resize((surface.size() + kImplicitChunk - 1) / kImplicitChunk);
  vertices.deep.resize(vertices.near.size());
  parallel_for(context, surface.size(), kImplicitChunk, [&](std::size_t begin, std::size_t end) {
    vertices.near[begin / kImplicitChunk].clear();
    vertices.deep[begin / kImplicitChunk].clear();
    for (auto v = static_cast<std::uint32_t>(begin); v < end; ++v) {
      vertices.residual[v] = vertices.start_residual[v] = 0;
      vertices.beta[v] = vertices.beta_scratch[v] = 0;
      vertices.touching[v] = vertices.started[v] = 0;
      vertices.near_begin[v] = vertices.near_count[v] = 0;
      const bool owned = surface.owner[v] != RigSurface::kNoBone;
      vertices.state[v] = owned ? VertexState::rigid : VertexState::outside;
      vertices.flags[v] = owned && find_near(rig, rest, pose, v, vertices) ? 1 : 0;
    }
  });
  for (int ring = 0; ring < rings; ++ring) grow(surface, vertices, context);
  vertices.active.clear();
  for (std::uint32_t v = 0; v < surface.size(); ++v) {
    vertices.positions[v] = vertices.initial[v];
    vertices.moved[v] = vertices.flags[v] != 0 && surface.owner[v] != RigSurface::kNoBone ? 1 : 0;
    if (vertices.moved[v] != 0) vertices.active.push_back(v);
  }
}

void set_targets(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, ImplicitVertices& vertices,
                 const Context& context) {
  const RigSurface& surface = rig.surface;
  grow(surface, vertices, context);
  parallel_for(context, surface.size(), kImplicitChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      if (vertices.flags[v] != 0) vertices.turn[v] = turn_of(surface, pose, v);
  });
  parallel_for(context, vertices.active.size(), kImplicitChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      const std::uint32_t v = vertices.active[a];
      const TurnColumns& turn = vertices.turn[v];
      Float4 pull;
      float longest = 0, shortest = 1e30F;  // ratios, squared
      for (std::uint32_t i = surface.neighbours.begin[v]; i < surface.neighbours.begin[v + 1]; ++i) {
        const std::uint32_t u = surface.neighbours.items[i];
        const Float4& e = rest.edges[i];
        const TurnColumns& t = vertices.turn[u];
        pull += (turn.x + t.x) * Float4(e[0]) + (turn.y + t.y) * Float4(e[1]) + (turn.z + t.z) * Float4(e[2]);
        const Vec3f now = vertices.initial[v] - vertices.initial[u];
        if (!(e[3] > 0)) continue;
        const float ratio = dot(now, now) * e[3];
        longest = std::max(longest, ratio);
        shortest = std::min(shortest, ratio);
      }
      vertices.pull[v] = pull * Float4(0.5F);
      const float touch = set_level(rig, rest, pose, v, vertices);
      const float strain = std::max(std::sqrt(longest) - 1, 1 - std::sqrt(shortest));
      // Without a field there is nothing but the guess.
      vertices.hold[v] = rest.track.tracked[v] == 0 ? 1.0F
                                                    : std::min(1.0F, rest.track.hold[v]) * (1 - touch) *
                                                          (1 - smooth_step(strain, kStrainFrom, kStrainTo));
    }
  });
}

}  // namespace cutis
