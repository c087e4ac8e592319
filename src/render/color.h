// Colour spaces: linear RGB, 8-bit sRGB, and OKLab for colours that look evenly spaced.
#pragma once

#include <cstdint>

#include "cutis/render.h"

namespace cutis {

/// Round to nearest; clamps. NaN gives 0.
[[nodiscard]] std::uint8_t srgb_from_linear(float linear);
[[nodiscard]] float linear_from_srgb(std::uint8_t code);

struct OkLab {
  double l = 0, a = 0, b = 0;  ///< l: lightness in [0,1]
};
[[nodiscard]] OkLab oklab_from_linear(const Color& color);
/// From lightness, chroma and hue (radians); chroma is reduced until the colour is within sRGB.
[[nodiscard]] Color color_from_oklch(double lightness, double chroma, double hue);
/// Difference as the eye sees it; about 0.02 is just visible.
[[nodiscard]] double color_distance(const Color& a, const Color& b);

}  // namespace cutis
