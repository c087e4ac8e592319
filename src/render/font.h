// A stroke font of our own: letters as lines and quadratic splines, drawn at any size.
#pragma once

#include <string_view>
#include <vector>

#include "render/canvas.h"

namespace cutis {

/// Lines of the text at `size` pixels per line with the base line's left end at (x, y).
[[nodiscard]] std::vector<Line2d> text_segments(double x, double y, double size, std::string_view text);

/// Whether the character has a glyph of its own.
[[nodiscard]] bool has_glyph(char32_t code);

}  // namespace cutis
