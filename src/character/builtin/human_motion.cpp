// The human's clips. All start and end at rest except the walk, which is a cycle.
#include <cmath>

#include "character/builtin/human_model.h"
#include "character/builtin/human_pose.h"

namespace cutis::builtin::human {
namespace {

/// A clip that eases from the rest pose into `write`'s pose and back, joint by joint; `amount(joint, time)` in [0,1].
template <class Amount, class Write>
Clip make_held_pose(const Skeleton& skeleton, std::string name, double seconds, const Amount& amount,
                    const Write& write) {
  PoseWriter full(skeleton);
  write(full);
  return make_clip(skeleton, std::move(name), seconds, [&](double time, PoseWriter& pose) {
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
      const std::string& joint = skeleton.joints[j].name;
      if (full.local()[j] == Quatd{}) continue;
      pose.turn(joint, slerp(Quatd{}, full.local()[j], amount(joint, time)));
    }
  });
}

/// In from `a` to `b`, held, out from `c` to `d`.
double in_and_out(double time, double a, double b, double c, double d) { return ease(time, a, b) - ease(time, c, d); }

Clip make_squat(const Skeleton& skeleton) {
  constexpr double kSeconds = 2.4, kDepth = 0.46;
  return make_clip(skeleton, "squat", kSeconds, [&](double time, PoseWriter& pose) {
    const double amount = there_and_back(time, kSeconds);
    const Vec3d x{1, 0, 0};
    pose.move_root({0, -kDepth * amount, -0.14 * amount});
    pose.turn_in_world("hips", axis_angle(x, degrees(30) * amount));
    pose.turn_in_world("spine", axis_angle(x, degrees(34) * amount));
    pose.turn_in_world("chest", axis_angle(x, degrees(36) * amount));
    pose.turn_in_world("upper_chest", axis_angle(x, degrees(34) * amount));
    pose.turn_in_world("neck", axis_angle(x, degrees(18) * amount));
    pose.turn_in_world("head", axis_angle(x, degrees(4) * amount));
    for (const bool right : {false, true}) {
      const double sign = right ? -1 : 1;
      pose_leg(pose, skeleton, right, {sign * kAnkle.x, kAnkle.y, kAnkle.z}, {sign * 0.22, 0, 1});
      pose.turn_in_world(side("foot_l", right), Quatd{});
      // Arms to the front, for balance.
      const Vec3d front = normalized(Vec3d{sign * 0.20, -0.05, 1}), rest = arm_direction();
      const Quatd raised = align({sign * rest.x, rest.y, rest.z}, {0, 0, 1}, front, {0, 1, 0});
      pose.turn_in_world(side("upper_arm_l", right), slerp(Quatd{}, raised, amount));
      apply_gesture(pose, left_hand(), relaxed_gesture(amount), right);
    }
  });
}

Clip make_arms_crossed(const Skeleton& skeleton) {
  // The left arm goes first and lies nearer to the chest, the right one on top of it.
  const auto amount = [](const std::string& joint, double time) {
    return joint.ends_with("_r") ? in_and_out(time, 0.35, 1.25, 1.75, 2.65) : in_and_out(time, 0, 0.95, 2.05, 3);
  };
  return make_held_pose(skeleton, "arms_crossed", 3, amount, [&](PoseWriter& pose) {
    pose_arm(pose, skeleton, false,
             {.wrist = {-0.070, 1.205, 0.158},
              .elbow = {0.55, -1, 0.05},
              .palm = {0, 0.2, -1},
              .fingers = {-1, 0.05, -0.12}});
    pose_arm(pose, skeleton, true,
             {.wrist = {-0.070, 1.248, 0.206},
              .elbow = {0.60, -1, 0.10},
              .palm = {0, 0.1, -1},
              .fingers = {-1, 0.10, -0.35}});
    for (const bool right : {false, true}) apply_gesture(pose, left_hand(), relaxed_gesture(0.6), right);
    pose.turn("head", axis_angle(Vec3d{1, 0, 0}, degrees(4)));
  });
}

Clip make_arm_across_belly(const Skeleton& skeleton) {
  const auto amount = [](const std::string&, double time) { return in_and_out(time, 0, 1, 1.6, 2.6); };
  return make_held_pose(skeleton, "arm_across_belly", 2.6, amount, [&](PoseWriter& pose) {
    pose_arm(pose, skeleton, false,
             {.wrist = {-0.032, 1.076, 0.121},
              .elbow = {1, -0.55, -0.02},
              .palm = {0.25, 0, -1},
              .fingers = {-1, -0.05, -0.30}});
    apply_gesture(pose, left_hand(), relaxed_gesture(0.4), false);
    pose_hanging_arm(pose, true, degrees(2), degrees(14));
  });
}

Clip make_fist(const Skeleton& skeleton) {
  return make_clip(skeleton, "fist", 2, [](double time, PoseWriter& pose) {
    for (const bool right : {false, true})
      apply_gesture(pose, left_hand(), fist_gesture(there_and_back(time, 2)), right);
  });
}

Clip make_wave(const Skeleton& skeleton) {
  constexpr double kSeconds = 3;
  return make_clip(skeleton, "wave", kSeconds, [&](double time, PoseWriter& pose) {
    const double up = in_and_out(time, 0, 0.8, 2.2, kSeconds);
    const double swing = up * std::sin(2 * kPi * 1.5 * time);
    PoseWriter raised(skeleton);
    pose_arm(raised, skeleton, true,
             {.wrist = {0.36 + 0.07 * swing, 1.66, 0.16},
              .elbow = {0.75, -1, -0.1},
              .palm = {-0.1, 0, 1},
              .fingers = {0.20 + 0.45 * swing, 1, 0.05}});
    pose_hanging_arm(raised, false, degrees(2), degrees(14));
    raised.turn("shoulder_r", axis_angle(Vec3d{0, 0, 1}, degrees(-6)));
    raised.turn("head", axis_angle(Vec3d{0, 0, 1}, degrees(4)));
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j)
      pose.turn(skeleton.joints[j].name, slerp(Quatd{}, raised.local()[j], up));
  });
}

}  // namespace

std::vector<Clip> make_clips(const Skeleton& skeleton) {
  return {make_walk(skeleton), make_squat(skeleton), make_arms_crossed(skeleton), make_arm_across_belly(skeleton),
          make_fist(skeleton), make_wave(skeleton)};
}

}  // namespace cutis::builtin::human
