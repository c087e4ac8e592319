// Control, bone by bone; and how edges should turn.
#include "backends/track_control.h"

#include <algorithm>
#include <cmath>

#include "base/dual_quat.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "kernels/turn.h"

namespace cutis {
namespace {

using namespace field_constants;

// Less is rounding of files and of the polar decomposition; it would move skin by a ten-thousandth of its distance from
// the joint.
constexpr double kStretched = 1e-4;

Float4 to_float4(const Quatd& q) {
  return {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z), static_cast<float>(q.w)};
}

// The bent joints of every part.
void find_bends(const Rig& rig, const TrackRest& rest, TrackStep& step) {
  const std::size_t bones = rig.bones.size();
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
}

}  // namespace

void aim_at_targets(const Rig& rig, const TrackWay& way, TrackStep& step) {
  if (rig.targets.empty()) return;
  step.pin.assign(rig.surface.size(), 0.0F);
  step.pin_at.assign(rig.surface.size(), Vec3f{});
  for (std::size_t i = 0; i < rig.targets.size(); ++i) {
    const RigTarget& target = rig.targets[i];
    const TrackAim& aim = way.aims[i];
    if (!(aim.weight > 0)) continue;
    for (std::size_t k = 0; k < target.vertices.size(); ++k) {
      const std::uint32_t v = target.vertices[k];
      const auto share = static_cast<float>(aim.weight) * target.share[k];
      const Vec3f at = static_cast<Vec3f>(
          transform_point(way.pose.motion[target.bone], aim.point + static_cast<Vec3d>(target.offset[k])));
      const float sum = step.pin[v] + share;
      if (!(share > 0)) continue;
      step.pin_at[v] = lerp(step.pin_at[v], at, share / sum);  // of several targets: their weighted mean
      step.pin[v] = sum;
    }
  }
  for (float& pin : step.pin) pin = std::min(pin, 1.0F);
}

void begin_control(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step) {
  const RigSurface& s = rig.surface;
  const std::size_t bones = rig.bones.size(), count = step.active.size();
  step.rigid.resize(bones);
  step.stretches.resize(bones);
  step.stretched = false;
  for (const Mat3d& stretch : pose.stretch)
    step.stretched = step.stretched || !(frobenius(stretch + Mat3d{} * -1.0) <= kStretched);
  for (std::size_t b = 0; b < bones; ++b) {
    const Vec3d& c = rig.bones[b].rest_origin;
    const Vec3d translation =
        step.stretched ? pose.motion[b].translation : transform_point(pose.motion[b], c) - rotate(pose.rotation[b], c);
    const DualQuat<double> q = make_dual_quat(pose.rotation[b], translation);
    step.rigid[b] = {to_float4(q.real), to_float4(q.dual)};
    if (step.stretched) step.stretches[b] = skin_stretch(pose.rotation[b], pose.stretch[b]);
  }
  find_bends(rig, rest, step);
  step.turn.resize(s.size());
  step.blended.resize(s.size());
  step.other_begin.resize(count);
  step.other_count.resize(count);
  step.held_begin.resize(s.size() + 1, 0);
  step.level.resize(count);
  step.hold.resize(count);
  step.bound.resize(count);
  step.samples.resize(count);
  step.holds.resize(count);
}

void blend_vertex(const Rig& rig, const TrackRest& rest, std::uint32_t v, TrackStep& step) {
  const RigSurface& s = rig.surface;
  const std::uint32_t first = s.turn.begin[v], count = s.turn.begin[v + 1] - first;
  const SkinStretches stretches{
      step.stretched ? std::span<const SkinMatrix>(step.stretches) : std::span<const SkinMatrix>(), true};
  const VertexTurn turn =
      blend_turn(step.rigid.data(), stretches, s.turn.items.data() + first, s.turn_weight.data() + first, count);
  step.turn[v] = turn.linear();
  step.blended[v] = turn.place(s.positions[v]);
  const std::uint32_t b = s.owner[v];
  if (rest.stiffness.empty() || !(rest.stiffness[v] > 0) || b == RigSurface::kNoBone) return;
  step.turn[v] = step.turn[v] * (1 - rest.stiffness[v]) + step.motion[b].linear * rest.stiffness[v];
}

void remember_contact(const Rig& rig, TrackStep& step) {
  step.held.clear();
  for (std::uint32_t v = 0; v < rig.surface.size(); ++v) {
    step.held_begin[v] = static_cast<std::uint32_t>(step.held.size());
    if (step.slot[v] < 0 || step.holds[static_cast<std::size_t>(step.slot[v])] == 0) continue;
    for (const TrackOther& other : step.others_of(static_cast<std::size_t>(step.slot[v])))
      if (other.contact > kHeld) step.held.push_back({other.bone(), other.contact});
  }
  step.held_begin[rig.surface.size()] = static_cast<std::uint32_t>(step.held.size());
}

}  // namespace cutis
