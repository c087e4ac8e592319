// Drawing in pictures: boxes and anti-aliased lines. Coordinates are pixels from the top left corner; pixel (0,0)
// covers [0,1) x [0,1). Everything is cut off at the borders.
#pragma once

#include <span>
#include <vector>

#include "cutis/render.h"

namespace cutis {

struct Line2d {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

/// Round-ended lines of that width, as one shape: where they overlap nothing is painted twice.
void draw_segments(Image& image, std::span<const Line2d> segments, double width, const Color& color,
                   double opacity = 1);

/// Edges between pixels are anti-aliased too.
void fill_box(Image& image, double x0, double y0, double x1, double y1, const Color& color, double opacity = 1);

/// Copies `from` with its top left corner at (x, y).
void paste(Image& image, const Image& from, int x, int y);

}  // namespace cutis
