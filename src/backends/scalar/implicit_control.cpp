// Where active vertices should go: how their edges turn, which level they keep, how firmly the initial guess holds
// them.
#include <algorithm>
#include <cmath>

#include "backends/implicit_engine.h"
#include "base/parallel_for.h"
#include "base/segment.h"
#include "kernels/turn.h"

namespace cutis {
namespace {

using namespace field_rules;

// Thickness of two parts, the larger over the smaller: up to the first the back of their bend is swept around the
// joint; from the second on (a finger at a palm, a thigh at a pelvis) it is not.
constexpr float kAlike = 1.2F, kUnlike = 1.8F;

TurnColumns turn_of(const RigSurface& surface, const ImplicitPose& pose, std::size_t v) {
  const std::uint32_t first = surface.turn.begin[v], count = surface.turn.begin[v + 1] - first;
  const Mat3f turn = blend_turn(pose.rigid.data(), pose.stretches, surface.turn.items.data() + first,
                                surface.turn_weight.data() + first, count)
                         .linear();
  const auto wide = [](const Vec3f& c) { return Float4(c.x, c.y, c.z, 0); };
  return {wide(turn.col[0]), wide(turn.col[1]), wide(turn.col[2])};
}

// The guess, no farther from the bones of a bend than the vertex is at rest: dual quaternions bulge on its back, where
// skin is swept around the joint. Their distance from the nearer bone tells, whatever the fields are like there.
Vec3f without_bulge(const Rig& rig, const ImplicitPose& pose, const VertexSkin& skin, const Vec3f& p_rest) {
  const std::size_t bones = rig.bones.size();
  Vec3f p = skin.start;
  for (std::uint32_t i = 0; i < skin.count; ++i) {
    const NearPart& near = skin.others[i];
    const std::uint32_t k = near.other.bone();
    const PartPair& pair = pose.pairs[skin.own * bones + k];
    if (!near.other.is_joined() || pair.hinge < 0 || !(pair.gate > 0)) continue;
    const float thick = rig.fields[skin.own].grid.radius, other_thick = rig.fields[k].grid.radius;
    const float alike = 1 - smooth_step(std::max(thick, other_thick) / std::min(thick, other_thick), kAlike, kUnlike);
    const float back = alike * (1 - inner_side(pose.hinges[static_cast<std::size_t>(pair.hinge)].side(p_rest)));
    if (!(back > 0)) continue;
    float at_rest = 1e30F, now = 1e30F;
    Vec3f nearest;
    for (const std::uint32_t b : {skin.own, k}) {
      const auto a = static_cast<Vec3f>(rig.bones[b].rest_origin), e = static_cast<Vec3f>(rig.bones[b].rest_end);
      const Affine3f& motion = pose.parts.motion[b];
      const Vec3f posed_a = transform_point(motion, a), posed_e = transform_point(motion, e);
      at_rest = std::min(at_rest, distance(p_rest, lerp(a, e, parameter_on_segment(p_rest, a, e))));
      const Vec3f c = lerp(posed_a, posed_e, parameter_on_segment(p, posed_a, posed_e));
      if (const float d = distance(p, c); d < now) {
        now = d;
        nearest = c;
      }
    }
    if (now > at_rest) p += (nearest - p) * (back * pair.gate * (1 - at_rest / now));
  }
  return p;
}

// What is known of most parts at the guess is a bound. Those that would only be united with, and are not felt there,
// are none of the vertex's.
void leave_out_unfelt(const ImplicitRest& rest, const ImplicitPose& pose, std::uint32_t v, ImplicitVertices& vertices) {
  NearPart* const near = vertices.near[v / kImplicitChunk].data() + vertices.near_begin[v];
  std::uint8_t kept = 0;
  for (std::uint8_t i = 0; i < vertices.near_count[v]; ++i) {
    const std::uint32_t k = near[i].other.bone();
    if (!(near[i].other.contact > 0)) {
      near[i].value = part_value(pose.parts.fields[k], rest.filled[k], vertices.initial[v]);
      if (!(near[i].value > kRiseFrom)) continue;
    }
    near[kept++] = near[i];
  }
  vertices.near_count[v] = kept;
}

// Levels: where joints are hardly bent the initial guess says where the skin is, as long as the fields do not disagree
// much: fields are fitted to a tolerance, and their unions have edges where bodies have none. Returns the contact.
float set_level(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, std::uint32_t v,
                ImplicitVertices& vertices) {
  vertices.level[v] = rest.track.own[v];
  leave_out_unfelt(rest, pose, v, vertices);
  const VertexSkin skin = vertex_skin(rig, rest, pose, vertices, v);
  float bent = 0, touch = 0;
  bool blends = false;
  for (std::uint32_t i = 0; i < skin.count; ++i) {
    const NearPart& near = skin.others[i];
    touch = std::max(touch, near.other.contact);
    blends = blends || (near.joint >= 0 && near.weight > 0);
    if (near.other.is_joined() && near.value > kRiseFrom) bent = std::max(bent, near.bend);
  }
  if (!pose.trusted || rest.track.tracked[v] == 0) return touch;
  VertexSkin plain = skin;
  if (blends) plain.joints = nullptr;  // what a blend adds is wanted
  vertices.start[v] = skin_residual(plain, skin.start);
  const Vec3f wanted = without_bulge(rig, pose, skin, rig.surface.positions[v]);
  const float off = wanted != skin.start ? skin_residual(plain, wanted).free : vertices.start[v].free;
  const float shift = level_shift(off, kTrust * (1 - bent));
  vertices.level[v] += shift;
  NearPart* const near = vertices.near[v / kImplicitChunk].data() + vertices.near_begin[v];
  for (std::uint32_t i = 0; i < skin.count; ++i) near[i].other.level += shift;
  if (touch > 0 || blends) return touch;
  vertices.start[v].value -= shift;  // without contact the levels differ by the shift, and nothing else
  vertices.started[v] = 1;
  return touch;
}

// Geometric skinning draws the inner side of a sharp bend into the part, past its axis at worst, where the field no
// longer says on which side the vertex belongs. The bone does. Returns the share of the way back to the carried vertex
// after which the projection starts: all of it near the axis, and where the gradient has turned away.
float start_back(const ImplicitRest& rest, const ImplicitPose& pose, std::uint32_t own, std::uint32_t v,
                 const ImplicitVertices& vertices) {
  const float depth = rest.core[v] - rest.track.own[v], least = kDeepFrom * depth;
  if (rest.track.tracked[v] == 0 || !(depth > 0)) return 0;
  if (vertices.started[v] != 0 && vertices.start[v].free <= least) return 0;
  const FieldSample<float> at = eval_part(pose.parts.fields[own], vertices.initial[v]);
  const float deep = at.value - rest.track.own[v];
  if (!(deep > least)) return 0;
  const Vec3f inward = pose.parts.motion[own].linear * rest.inward[v];
  const float scale = std::sqrt(dot(at.gradient, at.gradient) * dot(inward, inward));
  const float turned = scale > 0 ? dot(at.gradient, inward) / scale : -1;
  return way_back(deep, depth, turned);
}

}  // namespace

void set_targets(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, ImplicitVertices& vertices,
                 const Context& context) {
  const RigSurface& surface = rig.surface;
  grow_flags(surface, vertices, context);
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
      vertices.hold[v] = 1;
      if (rest.track.tracked[v] == 0) continue;
      const float back = touch < 1 ? start_back(rest, pose, surface.owner[v], v, vertices) * (1 - touch) : 0;
      vertices.hold[v] = hold_of_guess(rest.track.hold[v], touch, soundness(strain)) * (1 - back);
      if (!(back > 0)) continue;
      vertices.positions[v] += (vertices.carried[v] - vertices.initial[v]) * back;
      vertices.started[v] = 0;
    }
  });
}

}  // namespace cutis
