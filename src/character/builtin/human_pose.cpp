#include "character/builtin/human_pose.h"

#include <cmath>

#include "character/builtin/limb_ik.h"

namespace cutis::builtin::human {
namespace {

Vec3d mirrored(const Vec3d& v, bool right) { return right ? Vec3d{-v.x, v.y, v.z} : v; }
/// Rotations mirror as pseudo-vectors.
Quatd mirrored(const Quatd& q, bool right) { return right ? Quatd{q.x, -q.y, -q.z, q.w} : q; }

constexpr Vec3d kAhead{0, 0, 1};

/// Share of the hand's roll that the forearm takes: the two bones of the forearm turn along its length.
constexpr double kForearmShare = 0.6;

/// Angle about the unit vector `axis` that turns `a` into `b`.
double angle_about(const Vec3d& axis, const Vec3d& a, const Vec3d& b) {
  const Vec3d u = a - axis * dot(a, axis), v = b - axis * dot(b, axis);
  return std::atan2(dot(axis, cross(u, v)), dot(u, v));
}

}  // namespace

std::string side(const char* left_name, bool right) { return right ? other_side(left_name) : std::string(left_name); }

void pose_leg(PoseWriter& pose, const Skeleton& skeleton, bool right, const Vec3d& ankle, const Vec3d& knee) {
  const std::string thigh = side("thigh_l", right), shin = side("shin_l", right), foot = side("foot_l", right);
  reach(pose, skeleton, {thigh, shin, foot, kAhead}, ankle, knee);
}

void pose_arm(PoseWriter& pose, const Skeleton& skeleton, bool right, const ArmPose& arm) {
  const std::string upper = side("upper_arm_l", right), lower = side("forearm_l", right), hand = side("hand_l", right);
  reach(pose, skeleton, {upper, lower, hand, -kAhead}, mirrored(arm.wrist, right), mirrored(arm.elbow, right));

  const HandPlacement placement = left_hand();
  const Vec3d along = mirrored(placement.along, right), palmar = mirrored(placement.palmar, right);
  const Quatd forearm = pose.world_rotation(lower);
  const Vec3d axis = rotate(forearm, along);
  const double roll = angle_about(axis, rotate(forearm, palmar), mirrored(arm.palm, right));
  pose.turn_in_world(lower, axis_angle(axis, kForearmShare * roll) * forearm);
  pose.turn_in_world(hand, align(along, palmar, mirrored(arm.fingers, right), mirrored(arm.palm, right)));
}

void pose_hanging_arm(PoseWriter& pose, bool right, double swing, double flexion) {
  const Vec3d down = normalized(Vec3d{0.16, -1, 0.02});
  const Quatd lowered = align(arm_direction(), kAhead, down, Vec3d{-0.10, 0, 1});  // biceps slightly inward
  const Quatd upper = axis_angle(Vec3d{1, 0, 0}, -swing) * lowered;
  const Quatd chest = pose.world_rotation("upper_chest");
  pose.turn(side("shoulder_l", right), mirrored(axis_angle(Vec3d{0, 0, 1}, degrees(-5)), right));
  pose.turn_in_world(side("upper_arm_l", right), chest * mirrored(upper, right));
  pose.turn(side("forearm_l", right), mirrored(axis_angle(normalized(cross(arm_direction(), kAhead)), flexion), right));
  apply_gesture(pose, left_hand(), relaxed_gesture(1), right);
}

}  // namespace cutis::builtin::human
