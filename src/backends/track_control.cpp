// Control, bone by bone; and how edges should turn.
#include "backends/track_control.h"

#include <algorithm>
#include <cmath>

#include "base/dual_quat.h"
#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

using namespace field_constants;

// Less is rounding of files and of the polar decomposition; it would move skin by a ten-thousandth of its distance from
// the joint.
constexpr double kStretched = 1e-4;

Float4 to_float4(const Quatd& q) {
  return {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z), static_cast<float>(q.w)};
}
Quatf to_quat(const Float4& q) { return {q[0], q[1], q[2], q[3]}; }

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

// Dual quaternions, in float: what they place is relative to the first bone with skin, and a character's size away from
// it at most.
void blend_vertex(const Rig& rig, const TrackRest& rest, std::uint32_t v, TrackStep& step) {
  const RigSurface& s = rig.surface;
  Float4 real, dual;
  for (std::uint32_t i = s.turn.begin[v]; i < s.turn.begin[v + 1]; ++i) {
    const TrackRigid& bone = step.rigid[s.turn.items[i]];
    real += bone.real * Float4(s.turn_weight[i]);
    dual += bone.dual * Float4(s.turn_weight[i]);
  }
  std::uint32_t last = s.turn.begin[v + 1];
  float size = std::sqrt(dot(to_quat(real), to_quat(real)));
  if (!(size > kOpposite) && s.turn.begin[v] < last) {  // opposite rotations: the heaviest bone's
    const TrackRigid& bone = step.rigid[s.turn.items[s.turn.begin[v]]];
    last = s.turn.begin[v] + 1;
    real = bone.real;
    dual = bone.dual;
    size = 1;
  }
  const DualQuat<float> motion{to_quat(real / Float4(size)), to_quat(dual / Float4(size))};
  Vec3f p = s.positions[v];
  step.turn[v] = to_matrix(motion.real);
  if (step.stretched) {  // kernels/skin.h
    SkinMatrix bent{};
    for (std::uint32_t i = s.turn.begin[v]; i < last; ++i)
      for (int c = 0; c < 3; ++c)
        bent.col[c] +=
            step.stretches[s.turn.items[i]].col[c] * Float4(last == s.turn.begin[v] + 1 ? 1.0F : s.turn_weight[i]);
    const SkinMatrix columns = stretch_of(real, bent);
    const auto column = [&](int c) { return Vec3f{columns.col[c][0], columns.col[c][1], columns.col[c][2]}; };
    const Mat3f stretch{{column(0), column(1), column(2)}};
    step.turn[v] = step.turn[v] * stretch;
    p = stretch * p;
  }
  step.blended[v] = transform_point(motion, p);
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
