// The arm that the built-in arm and human share, from the shoulder to the wrist.
#pragma once

#include <string>

#include "character/builtin/shape.h"

namespace cutis::builtin {

inline constexpr double kUpperArmLength = 0.285;
inline constexpr double kForearmLength = 0.255;

/// `frame`: origin at the shoulder joint, along to the wrist, front where the biceps is. The thumb is on the same side.
[[nodiscard]] Tube arm_tube(const Frame& frame, const std::string& upper_arm, const std::string& forearm);

}  // namespace cutis::builtin
