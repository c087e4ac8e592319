// The look of a character whose file had none.
#pragma once

#include <array>

namespace cutis {

inline constexpr std::array<double, 4> kNeutralColor = {0.75, 0.55, 0.45, 1};  ///< linear RGBA, close to skin
inline constexpr double kNeutralMetallic = 0;
inline constexpr double kNeutralRoughness = 0.75;

}  // namespace cutis
