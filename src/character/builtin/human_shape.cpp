// The body of a slim adult, modelled as half: what is `mirrored` exists on both sides, the rest is centred on x = 0.
// Proportions follow the usual artists' canon of seven and a half heads; sections were fitted by eye.
#include <cmath>

#include "character/builtin/arm_model.h"
#include "character/builtin/human_model.h"

namespace cutis::builtin::human {
namespace {

constexpr Vec3d kUp{0, 1, 0}, kForward{0, 0, 1};

Tube torso() {
  Tube tube;
  tube.name = "torso";
  tube.frame = Frame::from({0, 0, 0}, kUp, kForward);
  tube.sections = {
      {.t = 0.815, .half_width = 0.055, .front = 0.060, .back = 0.060, .offset_front = -0.006},
      {.t = 0.845, .half_width = 0.105, .front = 0.080, .back = 0.082, .offset_front = -0.006},
      {.t = 0.890, .half_width = 0.150, .front = 0.090, .back = 0.095, .offset_front = -0.006},
      {.t = 0.935, .half_width = 0.162, .front = 0.096, .back = 0.095, .offset_front = -0.006},
      {.t = 0.990, .half_width = 0.153, .front = 0.096, .back = 0.084, .offset_front = -0.005},
      {.t = 1.070, .half_width = 0.131, .front = 0.088, .back = 0.074, .offset_front = -0.002},  // waist
      {.t = 1.145, .half_width = 0.133, .front = 0.092, .back = 0.084, .offset_front = -0.002},
      {.t = 1.220, .half_width = 0.145, .front = 0.103, .back = 0.098, .offset_front = -0.007},
      {.t = 1.300, .half_width = 0.157, .front = 0.110, .back = 0.107, .offset_front = -0.012},  // chest
      {.t = 1.360, .half_width = 0.158, .front = 0.096, .back = 0.105, .offset_front = -0.016},
      {.t = 1.410, .half_width = 0.142, .front = 0.072, .back = 0.086, .offset_front = -0.022},
      {.t = 1.450, .half_width = 0.095, .front = 0.052, .back = 0.062, .offset_front = -0.028},
  };
  tube.cap_begin = 0.018;
  tube.cap_end = 0.025;
  tube.boxiness = 0.20;
  tube.edge = 0.0195;
  tube.softness = 26;
  tube.bones = {{-1, "hips"}, {1.01, "spine"}, {1.12, "chest"}, {1.245, "upper_chest"}};
  return tube;
}

Tube neck() {
  Tube tube;
  tube.name = "neck";
  tube.frame = Frame::from({0, 1.400, -0.034}, Vec3d{0, 0.160, 0.026}, kForward);
  tube.sections = {{.t = 0.00, .half_width = 0.064, .front = 0.054, .back = 0.058},
                   {.t = 0.06, .half_width = 0.056, .front = 0.053, .back = 0.056},
                   {.t = 0.12, .half_width = 0.053, .front = 0.052, .back = 0.058},
                   {.t = 0.18, .half_width = 0.053, .front = 0.050, .back = 0.060}};
  tube.cap_begin = tube.cap_end = 0.03;
  tube.edge = 0.0135;
  tube.softness = 16;
  tube.blend = 0.045;
  tube.bones = {{-1, "upper_chest"}, {0.050, "neck"}, {0.140, "head"}};
  return tube;
}

/// From the neck down to the tip of the shoulder.
Tube trapezius() {
  const Vec3d a{0.030, 1.482, -0.046}, b{0.150, 1.424, -0.026};
  Tube tube;
  tube.name = "trapezius";
  tube.frame = Frame::from(a, b - a, kUp);
  const double end = length(b - a);
  tube.sections = {{.t = 0, .half_width = 0.026, .front = 0.018, .back = 0.030},
                   {.t = 0.5 * end, .half_width = 0.034, .front = 0.018, .back = 0.034},
                   {.t = end, .half_width = 0.036, .front = 0.024, .back = 0.034}};
  tube.cap_begin = tube.cap_end = 0.03;
  tube.edge = 0.0165;
  tube.softness = 22;
  tube.blend = 0.05;
  tube.mirrored = true;
  tube.mirror_blend = 0.03;
  tube.bones = {{-1, "upper_chest"}, {0.07, "shoulder_l"}};
  return tube;
}

Tube rounded(std::string name, const Vec3d& at, const Vec3d& half, double blend, double edge, std::string bone) {
  Tube tube = ellipsoid(std::move(name), Frame::from(at, kUp, kForward), half.y, half.x, half.z);
  tube.blend = blend;
  tube.edge = edge;
  tube.softness = 22;
  if (!bone.empty()) tube.bones = {{-1, std::move(bone)}};
  return tube;
}
Tube on_both_sides(Tube tube, double mirror_blend) {
  tube.mirrored = true;
  tube.mirror_blend = mirror_blend;
  return tube;
}

Tube leg() {
  Tube tube;
  tube.name = "leg";
  tube.frame = Frame::from(kHip, kAnkle - kHip, kForward);
  tube.sections = {
      {.t = 0.000, .half_width = 0.075, .front = 0.082, .back = 0.080},
      {.t = 0.060, .half_width = 0.0815, .front = 0.087, .back = 0.084},
      {.t = 0.130, .half_width = 0.0795, .front = 0.087, .back = 0.080},
      {.t = 0.220, .half_width = 0.0715, .front = 0.080, .back = 0.072},
      {.t = 0.310, .half_width = 0.0595, .front = 0.066, .back = 0.061},
      {.t = 0.385, .half_width = 0.0535, .front = 0.056, .back = 0.052},
      {.t = 0.425, .half_width = 0.0515, .front = 0.055, .back = 0.048},  // knee
      {.t = 0.465, .half_width = 0.0500, .front = 0.048, .back = 0.052},
      {.t = 0.530, .half_width = 0.0535, .front = 0.042, .back = 0.064},  // calf
      {.t = 0.590, .half_width = 0.0505, .front = 0.039, .back = 0.062},
      {.t = 0.670, .half_width = 0.0400, .front = 0.036, .back = 0.046},
      {.t = 0.735, .half_width = 0.0320, .front = 0.033, .back = 0.037, .offset_front = -0.002},
      {.t = 0.800, .half_width = 0.0345, .front = 0.032, .back = 0.034, .offset_front = -0.004},
  };
  tube.cap_begin = 0.085;
  tube.cap_end = 0.045;
  tube.edge = 0.0150;
  tube.softness = 16;
  tube.blend = 0.055;
  tube.mirrored = true;
  tube.mirror_blend = 0.030;
  tube.bones = {{-1, "hips"}, {0.005, "thigh_l", -0.75}, {0.420, "shin_l"}, {0.812, "foot_l"}};
  return tube;
}

Tube knee_cap() {
  return rounded("knee cap", kKnee + Vec3d{0, 0.010, 0.0205}, {0.030, 0.042, 0.024}, 0.045, 0.0135, "");
}

Tube foot() {
  Tube tube;
  tube.name = "foot";
  tube.frame = Frame::from({kAnkle.x, 0, kAnkle.z}, Vec3d{kBall.x - kAnkle.x, 0, kBall.z - kAnkle.z}, kUp);
  // Deep enough to reach below the floor, which makes the sole flat. Side is +X: the big toe is on the negative side.
  tube.sections = {
      {.t = -0.026, .half_width = 0.0285, .front = 0.032, .back = 0.056, .offset_front = 0.036},  // heel
      {.t = 0.005, .half_width = 0.0310, .front = 0.044, .back = 0.058, .offset_front = 0.038},
      {.t = 0.050, .half_width = 0.0345, .front = 0.046, .back = 0.050, .offset_front = 0.030},  // instep
      {.t = 0.095, .half_width = 0.0415, .front = 0.033, .back = 0.042, .offset_front = 0.024, .offset_side = 0.002},
      {.t = 0.130, .half_width = 0.0445, .front = 0.024, .back = 0.038, .offset_front = 0.020, .offset_side = 0.002},
      {.t = 0.162, .half_width = 0.0410, .front = 0.018, .back = 0.036, .offset_front = 0.017, .offset_side = -0.002},
      {.t = 0.182, .half_width = 0.0350, .front = 0.014, .back = 0.032, .offset_front = 0.015, .offset_side = -0.005},
  };
  tube.cap_begin = 0.026;
  tube.cap_end = 0.026;
  tube.boxiness = 0.28;
  tube.edge = 0.0105;
  tube.softness = 10;
  tube.blend = 0.05;
  tube.mirrored = true;
  tube.bones = {{-1, "foot_l"}, {0.125, "toes_l"}};
  return tube;
}

Tube jaw() {
  Tube tube;
  tube.name = "jaw";
  tube.frame = Frame::from({0, 1.660, 0.012}, -kUp, kForward);
  tube.sections = {
      {.t = 0.000, .half_width = 0.0660, .front = 0.072, .back = 0.060},
      {.t = 0.045, .half_width = 0.0635, .front = 0.073, .back = 0.060},  // cheekbones
      {.t = 0.080, .half_width = 0.0595, .front = 0.072, .back = 0.058},
      {.t = 0.108, .half_width = 0.0530, .front = 0.071, .back = 0.046},  // mouth
      {.t = 0.126, .half_width = 0.0440, .front = 0.067, .back = 0.030},
  };
  tube.cap_begin = 0.03;
  tube.cap_end = 0.016;
  tube.boxiness = 0.42;
  tube.edge = 0.0100;
  tube.blend = 0.03;
  tube.softness = 16;
  tube.bones = {{-1, "head"}};
  return tube;
}

Tube nose() {
  const Vec3d bridge{0, 1.648, 0.081}, tip{0, 1.608, 0.097};
  Tube tube;
  tube.name = "nose";
  tube.frame = Frame::from(bridge, tip - bridge, kForward);
  const double end = length(tip - bridge);
  tube.sections = {{.t = 0, .half_width = 0.0070, .front = 0.007, .back = 0.010},
                   {.t = 0.55 * end, .half_width = 0.0085, .front = 0.008, .back = 0.010},
                   {.t = end, .half_width = 0.0120, .front = 0.0105, .back = 0.014}};
  tube.cap_begin = 0.008;
  tube.cap_end = 0.009;
  tube.edge = 0.0060;
  tube.blend = 0.014;
  tube.softness = 16;
  tube.bones = {{-1, "head"}};
  return tube;
}

void add_head(Shape& shape) {
  shape.add(rounded("cranium", {0, 1.660, -0.012}, {0.0755, 0.090, 0.094}, 0.03, 0.0125, "head"));
  shape.add(jaw());
  shape.add(rounded("brow", {0, 1.663, 0.060}, {0.050, 0.018, 0.026}, 0.035, 0.0090, "head"));
  shape.add(on_both_sides(rounded("cheek", {0.036, 1.606, 0.052}, {0.024, 0.026, 0.024}, 0.035, 0.0090, "head"), 0.02));
  Tube socket =
      on_both_sides(rounded("eye socket", {0.033, 1.641, 0.103}, {0.021, 0.013, 0.018}, 0.024, 0.0080, ""), 0.01);
  socket.carve = true;
  shape.add(std::move(socket));
  shape.add(nose());
  shape.add(rounded("lips", {0, 1.567, 0.0755}, {0.023, 0.012, 0.012}, 0.020, 0.0075, "head"));
  shape.add(rounded("chin", {0, 1.535, 0.071}, {0.020, 0.014, 0.015}, 0.030, 0.0085, "head"));
  Tube ear = ellipsoid("ear", Frame::from({0.0765, 1.637, -0.010}, Vec3d{0.1, 1, -0.18}, Vec3d{-0.35, 0, 1}), 0.030,
                       0.0075, 0.017);
  ear.blend = 0.008;
  ear.edge = 0.0060;
  ear.softness = 16;
  ear.bones = {{-1, "head"}};
  shape.add(on_both_sides(std::move(ear), 0.01));
}

}  // namespace

Vec3d arm_direction() { return {std::cos(kArmSlope), -std::sin(kArmSlope), 0}; }
Vec3d elbow() { return kShoulder + arm_direction() * kUpperArmLength; }
Vec3d wrist() { return elbow() + arm_direction() * kForearmLength; }

HandPlacement left_hand() {
  const Vec3d along = arm_direction();
  return {.wrist = wrist(),
          .along = along,
          .palmar = cross(kForward, along) * -1.0,
          .parent = "forearm_l",
          .suffix = "_l",
          .edge_scale = 1};
}

Shape make_shape() {
  Shape shape(true);
  shape.add(torso());
  shape.add(on_both_sides(
      rounded("pectoral", {0.070, 1.310, 0.060}, {0.072, 0.060, 0.032}, 0.055, 0.0175, "upper_chest"), 0.02));
  shape.add(on_both_sides(
      rounded("shoulder blade", {0.080, 1.345, -0.085}, {0.060, 0.080, 0.026}, 0.058, 0.0185, "upper_chest"), 0.03));
  shape.add(
      on_both_sides(rounded("buttock", {0.072, 0.905, -0.062}, {0.068, 0.082, 0.060}, 0.05, 0.0165, "hips"), 0.016));
  shape.add(rounded("pubis", {0, 0.858, 0.040}, {0.060, 0.050, 0.036}, 0.05, 0.0165, "hips"));
  shape.add(leg());
  shape.add(on_both_sides(knee_cap(), 0.01));
  shape.add(foot());
  shape.add(trapezius());
  shape.add(neck());
  add_head(shape);
  Tube arm = arm_tube(Frame::from(kShoulder, arm_direction(), kForward), "upper_arm_l", "forearm_l");
  arm.bones[0].t = 0.012;
  arm.bones.insert(arm.bones.begin(), {-1, "shoulder_l"});
  arm.blend = 0.055;
  arm.softness = 16;
  shape.add(on_both_sides(std::move(arm), 0.01));
  add_hand_tubes(shape, left_hand(), true);
  shape.set_floor(0, 0.018);
  return shape;
}

}  // namespace cutis::builtin::human
