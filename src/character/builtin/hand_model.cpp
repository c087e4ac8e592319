// Sizes are those of an adult hand 0.19 m long. Positions are (along, radial, palmar) from the wrist; radial is the
// thumb's side.
#include "character/builtin/hand_model.h"

#include <algorithm>
#include <cmath>

namespace cutis::builtin {
namespace {

struct Digit {
  Vec3d base;                    ///< first joint: knuckle, or the thumb's saddle joint
  Vec3d direction;               ///< from there to the tip
  Vec3d pad;                     ///< where the finger pad faces: the digit bends that way
  std::array<double, 3> length;  ///< of the three bones
  double radius_base, radius_tip;
  double relaxed;  ///< how far the tip sinks towards the pad at rest
};

Vec3d spread(double angle_degrees, double palmar) {
  const double a = degrees(angle_degrees);
  return normalized(Vec3d{std::cos(a), std::sin(a), palmar});
}

/// In the order of kDigits.
std::array<Digit, 5> digits() {
  const Vec3d palm{0, 0, 1};
  return {{
      {{0.020, 0.019, 0.009},
       normalized(Vec3d{0.70, 0.62, 0.36}),
       normalized(Vec3d{0.25, -0.75, 0.61}),
       {0.045, 0.033, 0.029},
       0.0132,
       0.0098,
       0.004},
      {{0.084, 0.0295, 0}, spread(8.0, 0.02), palm, {0.049, 0.027, 0.023}, 0.0098, 0.0080, 0.008},
      {{0.088, 0.0080, -0.001}, spread(1.0, 0.02), palm, {0.053, 0.031, 0.024}, 0.0100, 0.0082, 0.009},
      {{0.083, -0.0135, 0}, spread(-6.5, 0.03), palm, {0.049, 0.029, 0.024}, 0.0096, 0.0078, 0.009},
      {{0.074, -0.0335, 0.002}, spread(-14.5, 0.05), palm, {0.040, 0.021, 0.021}, 0.0085, 0.0068, 0.007},
  }};
}

/// The hand's frame in the world; side is radial.
Frame hand_frame(const HandPlacement& placement) {
  return Frame::from(placement.wrist, placement.along, placement.palmar);
}
Vec3d in_world(const Frame& f, const Vec3d& v) { return f.along * v.x + f.side * v.y + f.front * v.z; }

Frame digit_frame(const HandPlacement& placement, const Digit& digit) {
  const Frame hand = hand_frame(placement);
  return Frame::from(hand.point(digit.base.x, digit.base.y, digit.base.z), in_world(hand, digit.direction),
                     in_world(hand, digit.pad));
}

double total_length(const Digit& d) { return d.length[0] + d.length[1] + d.length[2]; }
/// Towards the pad, at distance t from the base: a relaxed finger is slightly bent.
double droop(const Digit& d, double t) {
  const double x = std::max(t, 0.0) / total_length(d);
  return d.relaxed * x * x;
}

Vec3d mirror_x(const Vec3d& p, bool mirrored) { return mirrored ? Vec3d{-p.x, p.y, p.z} : p; }

/// The same width of blending on finer meshes.
int softness(double steps, const HandPlacement& placement) {
  return static_cast<int>(std::lround(steps / (placement.edge_scale * placement.edge_scale)));
}

Tube finger_tube(const HandPlacement& placement, std::size_t index) {
  const Digit d = digits()[index];
  const bool thumb = index == 0;
  Tube tube;
  tube.name = kDigits[index];
  tube.frame = digit_frame(placement, d);
  const double end = total_length(d), l1 = d.length[0], l2 = l1 + d.length[1];
  const double r0 = d.radius_base, r1 = d.radius_tip;
  // Slightly thicker at the joints than between them, and a pad at the tip.
  const auto section = [&](double t, double radius, double pad = 1) {
    tube.sections.push_back({.t = t,
                             .half_width = radius,
                             .front = 0.95 * pad * radius,
                             .back = 0.90 * radius,
                             .offset_front = droop(d, t)});
  };
  const auto between = [&](double x) { return r0 + (r1 - r0) * x; };
  if (thumb) {
    section(-0.004, 1.25 * r0);
    section(0.4 * l1, 1.15 * r0);
    section(l1, 0.98 * between(0.3));
    section(0.5 * (l1 + l2), 0.90 * between(0.5));
    section(l2, 1.00 * between(0.6));
    section(0.5 * (l2 + end) - 0.3 * r1, 1.0 * between(0.8), 1.06);
    section(end - 1.25 * r1, 0.96 * r1, 1.04);
  } else {
    section(-0.030, 0.70 * r0);
    section(-0.005, 0.92 * r0);
    section(0.4 * l1, 1.0 * r0);
    section(0.7 * l1, 0.97 * between(0.2), 1.03);
    section(l1, 1.0 * between(0.35));
    section(0.5 * (l1 + l2), 0.97 * between(0.5), 1.04);
    section(l2, 0.99 * between(0.7));
    section(0.5 * (l2 + end) - 0.3 * r1, 1.0 * between(0.85), 1.05);
    section(end - 1.25 * r1, 0.97 * r1, 1.03);
  }
  tube.cap_begin = r0;
  tube.cap_end = 1.25 * r1;
  tube.edge = (thumb ? 0.0050 : 0.0043) * placement.edge_scale;
  tube.softness = softness(12, placement);
  tube.blend = thumb ? 0.018 : 0.009;
  tube.bones = {{0, digit_bone(kDigits[index], 1, placement.suffix)},
                {l1, digit_bone(kDigits[index], 2, placement.suffix)},
                {l2, digit_bone(kDigits[index], 3, placement.suffix)}};
  if (!thumb) {
    // The skin follows the finger from the knuckle on at the back, from the web on at the palm's side.
    tube.bones[0].t = 0.015;
    tube.bones[0].tilt = 0.4;
    tube.bones.insert(tube.bones.begin(), {-1, "hand" + placement.suffix});
  }
  return tube;
}

Tube palm_tube(const HandPlacement& placement) {
  Tube tube;
  tube.name = "palm";
  tube.frame = hand_frame(placement);
  tube.sections = {
      {.t = -0.020, .half_width = 0.0255, .front = 0.0175, .back = 0.0165},
      {.t = 0.000, .half_width = 0.0270, .front = 0.0175, .back = 0.0160},
      {.t = 0.025, .half_width = 0.0320, .front = 0.0170, .back = 0.0135, .offset_side = -0.003},
      {.t = 0.050, .half_width = 0.0370, .front = 0.0150, .back = 0.0125, .offset_side = -0.002},
      {.t = 0.072, .half_width = 0.0405, .front = 0.0130, .back = 0.0118, .offset_side = -0.001},
      {.t = 0.086, .half_width = 0.0405, .front = 0.0110, .back = 0.0105},
  };
  tube.cap_begin = 0.015;
  tube.cap_end = 0.016;
  tube.boxiness = 0.35;
  tube.edge = 0.0062 * placement.edge_scale;
  tube.softness = softness(12, placement);
  tube.blend = 0.02;
  tube.bones = {{0, "hand" + placement.suffix}};
  if (!placement.parent.empty()) tube.bones.insert(tube.bones.begin(), {-1, placement.parent});
  return tube;
}

DigitBend scaled(double amount, double first, double second, double third) {
  return {degrees(first) * amount, degrees(second) * amount, degrees(third) * amount};
}

}  // namespace

std::string digit_bone(std::string_view digit, int number, std::string_view suffix) {
  return std::string(digit) + "_" + std::to_string(number) + std::string(suffix);
}

void add_hand_bones(Skeleton& skeleton, const HandPlacement& placement, bool mirrored) {
  const auto side = [&](const std::string& name) { return mirrored ? other_side(name) : name; };
  const std::string hand = side("hand" + placement.suffix);
  add_bone(skeleton, hand, placement.parent.empty() ? "" : side(placement.parent), mirror_x(placement.wrist, mirrored));
  const std::array<Digit, 5> all = digits();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Frame frame = digit_frame(placement, all[i]);
    std::string parent = hand;
    double t = 0;
    for (int k = 0; k < 3; ++k) {
      const std::string name = side(digit_bone(kDigits[i], k + 1, placement.suffix));
      add_bone(skeleton, name, parent, mirror_x(frame.point(t, 0, droop(all[i], t)), mirrored));
      t += all[i].length[static_cast<std::size_t>(k)];
      parent = name;
    }
  }
}

void add_hand_tubes(Shape& shape, const HandPlacement& placement, bool mirrored) {
  Tube palm = palm_tube(placement);
  palm.mirrored = mirrored;
  shape.add(std::move(palm));
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    Tube finger = finger_tube(placement, i);
    finger.mirrored = mirrored;
    finger.group = i == 0 ? 0 : 1;
    shape.add(std::move(finger));
  }
}

Box hand_bounds(const HandPlacement& placement) {
  Box box;
  for (const Digit& d : digits()) {
    const Frame f = digit_frame(placement, d);
    for (const double t : {-0.01, total_length(d)}) {
      const Vec3d p = f.point(t, 0, droop(d, t)), room{0.014, 0.014, 0.014};
      box.add(p - room);
      box.add(p + room);
    }
  }
  return box;
}

HandGesture fist_gesture(double amount) {
  // The thumb follows the fingers and closes over them.
  const double late = ease(amount, 0.4, 1);
  const DigitBend finger = scaled(amount, 80, 95, 60);
  return {.digits = {scaled(late, 0, 40, 62), finger, finger, finger, finger},
          .thumb = {{0.60, 0.30, 0.74}, {0.23, -0.94, 0.20}},
          .thumb_amount = late};
}

HandGesture pinch_gesture(double amount) {
  // Angles that bring the two pads together, found by search over the chain of the thumb.
  return {.digits = {scaled(amount, 0, 15, 15), scaled(amount, 50, 52, 30), scaled(amount, 14, 20, 12),
                     scaled(amount, 10, 16, 10), scaled(amount, 8, 12, 8)},
          .thumb = {{0.723, 0.395, 0.567}, {0.30, -0.85, 0.45}},
          .thumb_amount = amount};
}

HandGesture relaxed_gesture(double amount) {
  return {.digits = {scaled(amount, 0, 10, 14), scaled(amount, 14, 22, 12), scaled(amount, 18, 26, 14),
                     scaled(amount, 22, 30, 16), scaled(amount, 24, 32, 18)},
          .thumb = {{0.78, 0.45, 0.44}, {0.25, -0.82, 0.50}},
          .thumb_amount = 0.7 * amount};
}

void apply_gesture(PoseWriter& pose, const HandPlacement& placement, const HandGesture& gesture, bool mirrored) {
  const std::array<Digit, 5> all = digits();
  const Frame hand = hand_frame(placement);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Frame f = digit_frame(placement, all[i]);
    // A mirrored rotation: its axis is mirrored as a pseudo-vector.
    const auto turn = [&](const std::string& joint, const Quatd& q) {
      pose.turn(joint, mirrored ? Quatd{q.x, -q.y, -q.z, q.w} : q);
    };
    const Vec3d hinge = cross(f.along, f.front);
    const DigitBend& bend = gesture.digits[i];
    const auto name = [&](int k) {
      const std::string left = digit_bone(kDigits[i], k, placement.suffix);
      return mirrored ? other_side(left) : left;
    };
    if (i == 0) {
      const Quatd aimed =
          align(f.along, f.front, in_world(hand, gesture.thumb.direction), in_world(hand, gesture.thumb.pad));
      turn(name(1), gesture.thumb_amount > 0 ? slerp(Quatd{}, aimed, gesture.thumb_amount) : Quatd{});
    } else {
      turn(name(1), axis_angle(hinge, bend.first));
    }
    turn(name(2), axis_angle(hinge, bend.second));
    turn(name(3), axis_angle(hinge, bend.third));
  }
}

}  // namespace cutis::builtin
