// Colours and number formats shared by sheets, legends and plots.
#pragma once

#include <string>
#include <vector>

#include "cutis/render.h"

namespace cutis::style {

[[nodiscard]] inline Color paper() { return color_from_srgb(0xfafafa); }
[[nodiscard]] inline Color ink() { return color_from_srgb(0x23272e); }
[[nodiscard]] inline Color soft_ink() { return color_from_srgb(0x5b626d); }
[[nodiscard]] inline Color rule() { return color_from_srgb(0xd9dce1); }

/// With as many digits as it takes to tell numbers `step` apart.
[[nodiscard]] std::string number(double value, double step);

/// Round numbers (1, 2 or 5 times a power of ten) that cover [lo, hi] in about `count` steps.
struct Ticks {
  double first = 0, step = 1;
  int count = 0;
};
[[nodiscard]] Ticks round_ticks(double lo, double hi, int count);

}  // namespace cutis::style
