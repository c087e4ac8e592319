// Which parts are near, and how much they are in contact; how edges should turn, and what holds the skin.
//
// Contact is decided per vertex and other part, from the pose: by how much the other's field has risen at the vertex
// as its bone carries it (docs/algorithms/tracking.md). The angle between gradients at a point, which the paper uses,
// falls towards the sides of a fold and is not 0 at rest.
#include <algorithm>
#include <cmath>

#include "backends/track.h"
#include "base/dual_quat.h"
#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

constexpr std::size_t kGrain = 256;
constexpr float kRiseFrom = 0.02F, kRiseTo = 0.08F;  // of the other's field: contact begins, is complete
// By how much the other's field must lead on the own bone's axis, more than at rest, for contact to have no answer.
constexpr float kLeadFrom = 0.2F, kLeadTo = 0.4F;
constexpr float kHeld = 0.25F;  // contact that is remembered
constexpr float kNear = 3;      // local edges around a field's box; that a vertex goes in a sub-step
// Smooth skinning is trusted at least so far (in units of the field) at joints that are hardly bent, and altogether
// where it is sound and nothing touches; and the skin need not go deeper than kVoid below it where parts leave a void.
constexpr float kTrust = 0.15F, kVoid = 0.3F;
// How much more firmly smooth skinning holds at joints that are hardly bent: strain dies away over a fifth of the
// length.
constexpr float kFirm = 25;
constexpr float kLooseNear = 2, kLooseFar = 4;  // radii around a bent joint
// Strain of smooth skinning around a vertex: sound below, worthless above.
constexpr float kStrainFrom = 0.1F, kStrainTo = 0.5F;
// Strain below which smooth skinning all but carries the skin rigidly: there it holds this many times the neighbours'
// pull, so that strain from elsewhere does not creep in.
constexpr float kCalmFrom = 0.05F, kCalmTo = 0.4F, kRigid = 20;
// Skin that nothing moves against its bone, so many radii of its part away from skin that something does move, is held
// as firmly whatever the strain: coarse skins have no rigid rest to hang on.
constexpr float kAwayFrom = 1, kAwayTo = 2;

void blend_vertex(const Rig& rig, const PosedBones& pose, std::size_t v, TrackStep& step) {
  const RigSurface& s = rig.surface;
  DualQuat<double> sum{{0, 0, 0, 0}, {0, 0, 0, 0}};
  Mat3d stretch{{Vec3d{}, Vec3d{}, Vec3d{}}};
  Vec3d stretched;
  const auto p = static_cast<Vec3d>(s.positions[v]);
  for (std::uint32_t i = s.turn.begin[v]; i < s.turn.begin[v + 1]; ++i) {
    const std::uint32_t b = s.turn.items[i];
    const auto w = static_cast<double>(s.turn_weight[i]);
    const auto add = [w](Quatd& to, const Quatd& from) {
      to = {to.x + w * from.x, to.y + w * from.y, to.z + w * from.z, to.w + w * from.w};
    };
    add(sum.real, step.rigid[b].real);
    add(sum.dual, step.rigid[b].dual);
    stretch = stretch + pose.stretch[b] * w;
    const Vec3d& c = rig.bones[b].rest_origin;
    stretched += (pose.stretch[b] * (p - c) + c) * w;
  }
  double size = std::sqrt(dot(sum.real, sum.real));
  if (!(size > 1e-3) && s.turn.begin[v] < s.turn.begin[v + 1]) {  // opposite rotations: the heaviest bone's
    sum = step.rigid[s.turn.items[s.turn.begin[v]]];
    size = 1;
  }
  const auto unit = [size](const Quatd& x) { return Quatd{x.x / size, x.y / size, x.z / size, x.w / size}; };
  const DualQuat<double> motion{unit(sum.real), unit(sum.dual)};
  step.turn[v] = convert<float>(to_matrix(motion.real) * stretch);
  step.blended[v] = static_cast<Vec3f>(transform_point(motion, stretched));
}

// The other parts whose fields may be felt at vertex v, with their contact. Parts that are not joined and not in
// contact have no say in the residual.
void find_near(const Rig& rig, const TrackRest& rest, std::uint32_t v, const TrackStep& step,
               std::vector<TrackNear>& near) {
  const RigSurface& s = rig.surface;
  const std::size_t bones = rig.bones.size();
  const std::uint32_t b = s.owner[v];
  const Vec3f q = transform_point(step.motion[b], s.positions[v]), p = step.p[v];
  const float margin = kNear * s.edge[v];
  Box both;  // around both points: most parts are far from it
  for (const Vec3f& x : {p, q}) {
    const double m = margin;
    both.add(static_cast<Vec3d>(x) - Vec3d{m, m, m});
    both.add(static_cast<Vec3d>(x) + Vec3d{m, m, m});
  }
  for (std::uint32_t k = 0; k < bones; ++k) {
    if (!overlap(step.boxes[k], both) || k == b || step.fields[k].nodes == nullptr) continue;
    if (!holds(step.boxes[k], p, margin) && !holds(step.boxes[k], q, margin)) continue;
    TrackNear found;
    TrackOther& other = found.other;
    const float gate = step.gate[b * bones + k];
    const bool joined = rest.joined[b * bones + k] != 0;
    if (!joined && !(gate > 0)) continue;
    const std::ptrdiff_t place = rest.place(v, k);
    const float at_rest = place >= 0 ? rest.other_value[static_cast<std::size_t>(place)] : 0.0F;
    other.part = 2 * k + (joined ? 1 : 0);
    other.offset = std::min(0.0F, rest.own[v] - at_rest);
    other.level = std::max(at_rest, rest.own[v]);
    if (gate > 0) {
      const auto contact_at = [&](const Vec3f& x) {
        return gate * smooth_step(eval_field(step.fields[k], x).value - at_rest, kRiseFrom, kRiseTo);
      };
      other.contact = contact_at(q);
      // Held before: a thick part may pass, and the carried vertex come out on its far side. What held goes on to hold,
      // no more firmly than it did: where the skin is depends on it.
      for (std::uint32_t i = step.held_begin[v]; i < step.held_begin[v + 1]; ++i)
        if (step.held[i].bone == k && step.held[i].contact > other.contact)
          other.contact = std::max(other.contact, std::min(step.held[i].contact, contact_at(p)));
    }
    if (other.contact > 0 && step.fields[b].nodes != nullptr) {
      // Where the bone's own axis is inside the other part no skin can be on its own side.
      const Vec3f x = transform_point(step.motion[b], rest.core[v]);
      const float lead = eval_field(step.fields[k], x).value - eval_field(step.fields[b], x).value;
      const float before_lead = place >= 0 ? rest.core_lead[static_cast<std::size_t>(place)] : 0.0F;
      other.contact *= 1 - smooth_step(lead - before_lead, kLeadFrom, kLeadTo);
    }
    if (!joined && !(other.contact > 0)) continue;
    if (joined) found.value = eval_field(step.fields[k], p).value;
    near.push_back(found);
  }
}

// Levels: where joints are hardly bent, smooth skinning says where the skin is as long as the fields do not disagree
// much: fields are fitted to a tolerance, and their unions have edges where bodies have none. And how firmly smooth
// skinning holds the skin along the surface: not in contact, not where it is strained itself.
void settle_vertex(const Rig& rig, const TrackRest& rest, const GridView* calm, const std::vector<TrackBend>& bends,
                   std::size_t a, TrackStep& step, std::vector<TrackNear>& near) {
  const RigSurface& s = rig.surface;
  const std::size_t bones = rig.bones.size();
  const std::uint32_t v = step.active[a], b = s.owner[v];
  const Vec3f &p = step.p[v], &goal = step.blended[v];
  step.level[a] = rest.own[v];
  float bent = 0, touch = 0;
  for (const TrackNear& n : near) {
    touch = std::max(touch, n.other.contact);
    if (n.other.is_joined() && n.value > kRiseFrom) bent = std::max(bent, step.gate[b * bones + n.other.bone()]);
  }
  float strain = 0;
  for (const std::uint32_t w : s.neighbours.row(v)) {
    const float length_at_rest = distance(s.positions[v], s.positions[w]);
    if (length_at_rest > 0) strain = std::max(strain, std::abs(distance(goal, step.blended[w]) / length_at_rest - 1));
  }
  const float sound = 1 - smooth_step(strain, kStrainFrom, kStrainTo);
  float trusted = 0;
  if (step.fields[b].nodes != nullptr) {
    // A joined part is felt where its field leads the own one, levels apart. Neither is steeper than it is anywhere.
    const bool any_joined = std::ranges::any_of(near, [](const TrackNear& n) { return n.other.is_joined(); });
    const float own = any_joined ? eval_field(step.fields[b], p).value : 0.0F;
    const float own_there = eval_field(calm[b], goal).value;
    const float way = distance(p, goal);
    float rise = 0;
    for (TrackNear& n : near) {
      if (!n.other.is_joined()) continue;
      const float slope = step.steepest[b] + step.steepest[n.other.bone()];
      const float lead = n.value - n.other.level - own + rest.own[v];
      const bool plain = step.fields[b].muscle_count == 0 && step.fields[n.other.bone()].muscle_count == 0;
      n.matters = !plain || n.other.contact > 0 || lead + slope * (way + kNear * s.edge[v]) > 0;
      if (plain && lead + slope * way <= 0) continue;
      const float there = eval_field(calm[n.other.bone()], goal).value;
      rise = std::max(rise, (1 - n.other.contact) * (there - n.other.level - own_there + rest.own[v]));
    }
    const float off = own_there + rise - rest.own[v];
    const float soft = rest.stiffness.empty() ? 1.0F : 1 - rest.stiffness[v];
    const float trust = (1 - bent) * std::max(kTrust, sound * (1 - touch));
    trusted = step.fields[b].muscle_count > 0 ? 0.0F : soft * (1 - bent) * sound * (1 - touch);
    const float shift = soft * (std::clamp(off, -trust, trust) + std::min(0.0F, off + kVoid));
    step.level[a] += shift;
    for (TrackNear& n : near) n.other.level += shift;
  }
  float loose = step.pin.empty() ? 0.0F : 1.0F;  // a target draws along what is around it
  for (const TrackBend& bend : bends)
    loose = std::max(loose, bend.gate * (1 - smooth_step(distance(s.positions[v], bend.at), bend.near, bend.far)));
  const float firm = std::lerp(kFirm, 1.0F, loose);
  // Without a field there is nothing but smooth skinning.
  const float painted = rest.stiffness.empty() ? 0.0F : smooth_step(rest.stiffness[v], 0.0F, 0.25F);
  const float rigid = (1 - painted) * (1 - loose) * (1 - smooth_step(strain, kCalmFrom, kCalmTo));
  const float held = std::min(1.0F, rest.hold[v] * firm) + kRigid * rigid;
  step.hold[a] = rest.tracked[v] == 0 ? 1.0F : held * (1 - touch) * sound;
  if (step.pin.empty() && !rig.fields[b].empty()) {
    const float far = smooth_step(step.away[v] / rig.fields[b].grid.radius, kAwayFrom, kAwayTo);
    step.hold[a] = std::max(step.hold[a], kRigid * far * (1 - touch));
  }
  step.bound[a] = rest.tracked[v] == 0 ? 0.0F : 1 - trusted * (1 - loose);
}

}  // namespace

void track_control(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step,
                   const Context& context) {
  const RigSurface& s = rig.surface;
  const std::size_t bones = rig.bones.size(), count = step.active.size();

  step.rigid.clear();
  for (std::size_t b = 0; b < bones; ++b) {
    const Vec3d& c = rig.bones[b].rest_origin;
    step.rigid.push_back(
        make_dual_quat(pose.rotation[b], transform_point(pose.motion[b], c) - rotate(pose.rotation[b], c)));
  }
  step.turn.resize(s.size());
  step.blended.resize(s.size());
  parallel_for(context, step.wanted.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = step.wanted[i];
      blend_vertex(rig, pose, v, step);
      if (rest.stiffness.empty() || !(rest.stiffness[v] > 0)) continue;
      const std::uint32_t b = s.owner[v];
      if (b != RigSurface::kNoBone)
        step.turn[v] = step.turn[v] * (1 - rest.stiffness[v]) + step.motion[b].linear * rest.stiffness[v];
    }
  });

  // The bent joints of every part.
  step.bends.resize(bones);
  for (std::size_t b = 0; b < bones; ++b) {
    step.bends[b].clear();
    for (std::size_t k = 0; k < bones; ++k) {
      if (b == k || rest.joined[b * bones + k] == 0 || step.gate[b * bones + k] <= 0) continue;
      const RigBone& child = rig.bones[rest.depth[b] >= rest.depth[k] ? b : k];
      const float r = std::min(rig.fields[b].grid.radius, rig.fields[k].grid.radius);
      step.bends[b].push_back(
          {step.gate[b * bones + k], static_cast<Vec3f>(child.rest_origin), kLooseNear * r, kLooseFar * r});
    }
  }

  step.chunks.resize(std::max(step.chunks.size(), (count + kGrain - 1) / kGrain));
  step.other_begin.assign(count + 1, 0);
  step.held_begin.resize(s.size() + 1, 0);
  step.level.resize(count);
  step.hold.resize(count);
  step.bound.resize(count);
  const GridView* const calm = step.calm.empty() ? step.fields.data() : step.calm.data();  // smooth skin has no muscles
  parallel_for(context, count, kGrain, [&](std::size_t begin, std::size_t end) {
    TrackChunk& chunk = step.chunks[begin / kGrain];
    chunk.others.clear();
    for (std::size_t a = begin; a < end; ++a) {
      const std::uint32_t v = step.active[a];
      chunk.near.clear();
      find_near(rig, rest, v, step, chunk.near);
      settle_vertex(rig, rest, calm, step.bends[s.owner[v]], a, step, chunk.near);
      const std::size_t before = chunk.others.size();
      for (const TrackNear& near : chunk.near)
        if (near.matters) chunk.others.push_back(near.other);
      chunk.others.push_back({.part = TrackOther::kNoPart});
      step.other_begin[a + 1] = static_cast<std::uint32_t>(chunk.others.size() - before);
    }
  });
  step.others.clear();
  for (std::size_t c = 0; c * kGrain < count; ++c)
    step.others.insert(step.others.end(), step.chunks[c].others.begin(), step.chunks[c].others.end());
  for (std::size_t a = 0; a < count; ++a) step.other_begin[a + 1] += step.other_begin[a];
  step.held.clear();
  for (std::uint32_t v = 0; v < s.size(); ++v) {
    step.held_begin[v] = static_cast<std::uint32_t>(step.held.size());
    if (step.slot[v] < 0) continue;
    const auto a = static_cast<std::size_t>(step.slot[v]);
    for (const TrackOther& other : step.others_of(a))
      if (other.contact > kHeld) step.held.push_back({other.bone(), other.contact});
  }
  step.held_begin[s.size()] = static_cast<std::uint32_t>(step.held.size());
  step.samples.assign(count, {});
}

}  // namespace cutis
