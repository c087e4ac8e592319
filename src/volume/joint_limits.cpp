#include "volume/joint_limits.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/rotation_vector.h"
#include "volume/body_roles.h"

namespace cutis {
namespace {

/// So near to the end of a range a joint still counts as held: what presses on it does not flicker.
constexpr double kAtEnd = 0.5 * kDegree;

AngleRange degrees(double low, double high) { return {low * kDegree, high * kDegree}; }

/// Signed angle from a to b about the axis.
double angle_about(const Vec3d& axis, const Vec3d& a, const Vec3d& b) {
  const Vec3d p = a - axis * dot(a, axis), q = b - axis * dot(b, axis);
  return std::atan2(dot(cross(p, q), axis), dot(p, q));
}

/// Ranges in degrees. Hinges count flexion from the straight joint; all others from rest.
struct Usual {
  AngleRange flexion, sideways, twist;
  bool from_straight = false;
};

Usual usual(const Role& role) {
  switch (role.part) {
    case Part::spine:
      return {degrees(-45, 60), degrees(-45, 45), degrees(-50, 50)};
    case Part::neck:
    case Part::head:
      return {degrees(-65, 65), degrees(-55, 55), degrees(-80, 80)};
    case Part::clavicle:
      return {degrees(-50, 50), degrees(-50, 50), degrees(-40, 40)};
    case Part::upper_arm:
      return {degrees(-172, 172), degrees(-172, 172), degrees(-120, 120)};
    case Part::forearm:
      return {degrees(-3, 160), degrees(-40, 40), degrees(-100, 100), true};
    case Part::hand:
      return {degrees(-85, 90), degrees(-50, 50), degrees(-90, 90)};
    case Part::thigh:
      return {degrees(-60, 150), degrees(-95, 95), degrees(-90, 90)};
    case Part::shin:
      return {degrees(-4, 165), degrees(-25, 25), degrees(-45, 45), true};
    case Part::foot:
      return {degrees(-60, 50), degrees(-45, 45), degrees(-40, 40)};
    case Part::toes:
      return {degrees(-60, 70), degrees(-20, 20), degrees(-20, 20)};
    case Part::finger: {
      const int finger = role.index / 10, phalanx = role.index % 10;
      if (finger == 0) return {degrees(-60, 80), degrees(-50, 50), degrees(-40, 40)};
      if (phalanx <= 1) return {degrees(-35, 100), degrees(-30, 30), degrees(-20, 20), true};
      return {degrees(-12, 120), degrees(-6, 6), degrees(-10, 10), true};
    }
    default:
      return {};
  }
}

Vec3d hinge_of(const DrivenSkeleton& driven, const BodyRoles& body, std::size_t b, const Vec3d& along) {
  const Role& role = body.roles[b];
  const DrivenSkeleton::Bone& bone = driven.bones[b];
  const Vec3d before = bone.parent < 0 ? along : bone.rest - driven.bones[static_cast<std::size_t>(bone.parent)].rest;
  Vec3d hinge;
  switch (role.part) {
    case Part::forearm:
      hinge = body.elbow_axis(driven, role.side);
      break;
    case Part::shin: {
      // Bent at rest about an axis that is anatomical: that one; else sideways.
      const Vec3d bend = cross(normalized(before), along);
      hinge = length(bend) > 0.05 && dot(bend, body.left) > 0.5 * length(bend) ? normalized(bend) : body.left;
      break;
    }
    case Part::spine:
    case Part::neck:
    case Part::head:
      hinge = body.left;
      break;
    case Part::thigh:
    case Part::foot:
      hinge = -body.left;
      break;
    case Part::toes:
      hinge = -body.left;
      break;
    case Part::hand:
    case Part::finger:
      hinge = cross(along, body.palm(driven, role.side));
      break;
    default:
      hinge = cross(along, body.forward);
  }
  hinge = hinge - along * dot(hinge, along);
  return normalized(hinge, any_perpendicular(along));
}

}  // namespace

bool JointLimits::empty() const {
  return std::none_of(limits_.begin(), limits_.end(), [](const auto& l) { return l.has_value(); });
}

JointLimits::Angles JointLimits::angles(const JointLimit& limit, const Quatd& relative) {
  const Vec3d v{relative.x, relative.y, relative.z};
  const double about = dot(v, limit.along);
  double twist = 2 * std::atan2(about, relative.w);
  if (twist > kPi) twist -= 2 * kPi;
  if (twist < -kPi) twist += 2 * kPi;
  const Quatd turned = axis_angle(limit.along, twist);
  const Vec3d swing = rotation_vector(relative * conjugate(turned));
  return {dot(swing, limit.hinge), dot(swing, cross(limit.along, limit.hinge)), twist};
}

JointLimits::Angles JointLimits::clamped(const JointLimit& limit, const Angles& angles) {
  return {std::clamp(angles.flexion, limit.flexion.low, limit.flexion.high),
          std::clamp(angles.sideways, limit.sideways.low, limit.sideways.high),
          std::clamp(angles.twist, limit.twist.low, limit.twist.high)};
}

Quatd JointLimits::rotation(const JointLimit& limit, const Angles& angles) {
  const Vec3d swing = limit.hinge * angles.flexion + cross(limit.along, limit.hinge) * angles.sideways;
  const double a = length(swing);
  const Quatd turned = axis_angle(limit.along, angles.twist);
  return a < 1e-12 ? turned : normalized(axis_angle(swing / a, a) * turned);
}

std::size_t JointLimits::apply(const DrivenSkeleton& skeleton, BonePose& pose, std::span<char> held) const {
  std::size_t count = 0;
  std::fill(held.begin(), held.end(), 0);
  for (std::size_t b = 0; b < limits_.size(); ++b) {
    if (!limits_[b]) continue;
    const JointLimit& limit = *limits_[b];
    const int p = skeleton.bones[b].parent;
    if (p < 0) continue;
    const Quatd parent = pose.rotation[static_cast<std::size_t>(p)];
    const Angles now = angles(limit, conjugate(parent) * pose.rotation[b]);
    const Angles in = clamped(limit, now);
    const auto at_end = [](double angle, const AngleRange& r) {
      return std::min(std::abs(angle - r.low), std::abs(angle - r.high)) < kAtEnd;
    };
    if (!held.empty())
      held[b] =
          at_end(in.flexion, limit.flexion) || at_end(in.sideways, limit.sideways) || at_end(in.twist, limit.twist);
    if (in.flexion == now.flexion && in.sideways == now.sideways && in.twist == now.twist) continue;
    pose.rotation[b] = normalized(parent * rotation(limit, in));
    ++count;
  }
  return count;
}

JointLimits human_limits(const Skeleton& skeleton, const DrivenSkeleton& driven) {
  return human_limits(driven, find_body_roles(skeleton, driven));
}

JointLimits human_limits(const DrivenSkeleton& driven, const BodyRoles& body) {
  JointLimits limits(driven.bones.size());
  for (std::size_t b = 0; b < driven.bones.size(); ++b) {
    const DrivenSkeleton::Bone& bone = driven.bones[b];
    if (body.roles[b].part == Part::none || body.roles[b].part == Part::hips || bone.parent < 0) continue;
    JointLimit limit;
    limit.along = normalized(bone.end - bone.rest, Vec3d{});
    if (limit.along == Vec3d{}) continue;
    limit.hinge = hinge_of(driven, body, b, limit.along);
    const Usual range = usual(body.roles[b]);
    limit.flexion = range.flexion;
    limit.sideways = range.sideways;
    limit.twist = range.twist;
    if (range.from_straight) {
      const Vec3d before = normalized(bone.rest - driven.bones[static_cast<std::size_t>(bone.parent)].rest);
      const double bent = angle_about(limit.hinge, before, limit.along);
      limit.flexion.low = std::min(0.0, limit.flexion.low - bent);
      limit.flexion.high = std::max(0.0, limit.flexion.high - bent);
    }
    limits.set(static_cast<int>(b), limit);
  }
  return limits;
}

}  // namespace cutis
