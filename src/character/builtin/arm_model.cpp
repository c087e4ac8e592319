#include "character/builtin/arm_model.h"

namespace cutis::builtin {

Tube arm_tube(const Frame& frame, const std::string& upper_arm, const std::string& forearm) {
  constexpr double kElbow = kUpperArmLength, kWrist = kUpperArmLength + kForearmLength;
  Tube tube;
  tube.name = "arm";
  tube.frame = frame;
  // Near the wrist the arm is broad from the thumb's side (front) to the little finger's, and flat across.
  tube.sections = {
      {.t = 0.000, .half_width = 0.0480, .front = 0.0500, .back = 0.0490},
      {.t = 0.050, .half_width = 0.0480, .front = 0.0520, .back = 0.0500},  // deltoid
      {.t = 0.110, .half_width = 0.0430, .front = 0.0480, .back = 0.0460},
      {.t = 0.160, .half_width = 0.0405, .front = 0.0480, .back = 0.0440},  // biceps
      {.t = 0.215, .half_width = 0.0385, .front = 0.0420, .back = 0.0410},
      {.t = kElbow - 0.025, .half_width = 0.0385, .front = 0.0350, .back = 0.0380},
      {.t = kElbow + 0.010, .half_width = 0.0400, .front = 0.0355, .back = 0.0375},
      {.t = kElbow + 0.060, .half_width = 0.0405, .front = 0.0400, .back = 0.0345},  // forearm muscles
      {.t = kElbow + 0.110, .half_width = 0.0350, .front = 0.0370, .back = 0.0320},
      {.t = kElbow + 0.175, .half_width = 0.0245, .front = 0.0300, .back = 0.0275},
      {.t = kWrist - 0.030, .half_width = 0.0185, .front = 0.0260, .back = 0.0250},
      {.t = kWrist, .half_width = 0.0170, .front = 0.0255, .back = 0.0255},
  };
  tube.cap_begin = 0.046;
  tube.cap_end = 0.015;
  tube.edge = 0.0115;
  tube.softness = 14;
  tube.bones = {{-1, upper_arm}, {kElbow, forearm}};
  return tube;
}

}  // namespace cutis::builtin
