// A walk on the spot, as on a treadmill: two steps in 1.2 s. The feet roll over heel and ball on a ground that moves
// back at constant speed; pelvis, spine and arms follow the textbook curves of gait (heel strike at 0, toe-off at 60
// %).
#include <cmath>

#include "character/builtin/human_model.h"
#include "character/builtin/human_pose.h"

namespace cutis::builtin::human {
namespace {

constexpr double kPeriod = 1.2;
constexpr double kStride = 1.12;  ///< ground covered by two steps
constexpr double kStance = 0.60;  ///< share of the cycle that a foot is on the ground
constexpr double kStrikePitch = degrees(-17), kToeOffPitch = degrees(48);
constexpr Vec3d kHeelFromAnkle{0, -0.080, -0.040}, kBallFromAnkle{0, -0.072, 0.122};

struct FootState {
  Vec3d ankle;       ///< x left out: the caller's
  double pitch = 0;  ///< positive: heel up
  double toes = 0;   ///< bend of the toes against the foot, up positive
};

double wave(double phase) { return std::cos(2 * kPi * phase); }

/// On the ground: the foot turns about the heel, lies flat, then turns about the ball.
FootState stance(double phase) {
  FootState foot;
  const double z = kAnkle.z + kStride * (0.5 * kStance - phase) + 0.02;
  const Vec3d flat{0, kAnkle.y, z};
  foot.pitch = kStrikePitch * (1 - ease(phase, 0, 0.10)) +
               kToeOffPitch * std::pow(ease(phase, 0.30, 0.66) / ease(kStance, 0.30, 0.66), 1.3);
  const Vec3d pivot = foot.pitch < 0 ? kHeelFromAnkle : kBallFromAnkle;
  foot.ankle = flat + pivot - rotate(axis_angle(Vec3d{1, 0, 0}, foot.pitch), pivot);
  foot.toes = std::max(0.0, foot.pitch);
  return foot;
}

/// In the air: from toe-off to heel strike, with the speed of the ground at both ends.
FootState swing(double phase) {
  const FootState from = stance(kStance), to = stance(0);
  const double s = (phase - kStance) / (1 - kStance), duration = 1 - kStance;
  const double b0 = (1 + 2 * s) * (1 - s) * (1 - s), m0 = s * (1 - s) * (1 - s), m1 = s * s * (s - 1);
  const double speed = -kStride * duration;
  FootState foot;
  foot.ankle.z = b0 * from.ankle.z + (1 - b0) * to.ankle.z + (m0 + m1) * speed;
  const double lift = 0.035 * std::sin(kPi * s) * std::sin(kPi * s);
  foot.ankle.y = from.ankle.y + (to.ankle.y - from.ankle.y) * ease(s, 0, 0.9) + lift;
  foot.pitch = kToeOffPitch + (kStrikePitch - kToeOffPitch) * ease(s, 0, 0.85);
  foot.toes = kToeOffPitch * (1 - ease(s, 0, 0.35));
  return foot;
}

}  // namespace

Clip make_walk(const Skeleton& skeleton) {
  return make_clip(skeleton, "walk", kPeriod, [&](double time, PoseWriter& pose) {
    const double phase = time / kPeriod;  // of the left leg; its heel strikes at 0
    const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

    // Lowest when both feet are down, over the standing leg, which side stays high; the swinging side goes forward.
    pose.move_root({0.018 * wave(phase - 0.32), -0.030 - 0.017 * wave(2 * (phase - 0.06)), 0});
    const Quatd pelvis = axis_angle(y, degrees(-6) * wave(phase)) * axis_angle(z, degrees(3.5) * wave(phase - 0.28)) *
                         axis_angle(x, degrees(3));
    pose.turn_in_world("hips", pelvis);
    pose.turn_in_world("spine", axis_angle(y, degrees(-2) * wave(phase)) * axis_angle(x, degrees(3)));
    pose.turn_in_world("chest", axis_angle(y, degrees(2) * wave(phase)) * axis_angle(x, degrees(3)));
    pose.turn_in_world("upper_chest", axis_angle(y, degrees(5) * wave(phase)) * axis_angle(x, degrees(2)));
    pose.turn_in_world("neck", axis_angle(y, degrees(2) * wave(phase)));
    pose.turn_in_world("head", axis_angle(x, degrees(2) + degrees(1) * wave(2 * phase)));

    for (const bool right : {false, true}) {
      double own = right ? phase + 0.5 : phase;
      own -= std::floor(own);
      FootState foot = own < kStance ? stance(own) : swing(own);
      foot.ankle.x = (right ? -1 : 1) * (kAnkle.x - 0.030);
      pose_leg(pose, skeleton, right, foot.ankle, {right ? -0.06 : 0.06, 0, 1});
      const Quatd roll = axis_angle(x, foot.pitch);
      pose.turn_in_world(side("foot_l", right), roll);
      pose.turn_in_world(side("toes_l", right), roll * axis_angle(x, -foot.toes));

      const double forward = -wave(own);  // the arm swings against the leg
      pose_hanging_arm(pose, right, degrees(1) + degrees(22) * forward, degrees(20) + degrees(12) * forward);
    }
  });
}

}  // namespace cutis::builtin::human
