#include <algorithm>
#include <cmath>

#include "render/canvas.h"
#include "render/style.h"

namespace cutis {

Image draw_legend(const Legend& legend, int width, double text_size) {
  const int pad = static_cast<int>(text_size * 0.8), bar = static_cast<int>(std::lround(text_size * 0.95));
  const int head = legend.title.empty() ? 0 : static_cast<int>(text_size * 1.5);
  const int height = head + bar + static_cast<int>(text_size * 1.9) + 4;
  Image image = make_image(width, height, style::paper());
  if (head > 0) draw_text(image, pad, text_size * 0.95, text_size, legend.title, style::ink());

  const int x0 = pad, x1 = std::max(pad + 1, width - pad);
  for (int x = x0; x < x1; ++x) {
    const float t = (static_cast<float>(x - x0) + 0.5F) / static_cast<float>(x1 - x0);
    fill_box(image, x, head, x + 1, head + bar, map_color(t));
  }
  const double small = text_size * 0.88, base = head + bar + small * 1.25;
  constexpr int kTicks = 2;  // lo, middle, hi
  double step = (legend.hi - legend.lo) / kTicks;
  double taken = -1e9;
  for (const int i : {0, kTicks, 1}) {
    const double at = x0 + (x1 - x0) * static_cast<double>(i) / kTicks;
    const std::string label = style::number(legend.lo + step * i, step) + legend.unit;
    const double w = text_width(small, label);
    double x = at - w / 2;
    if (i == 0) x = std::max(x, std::min<double>(x0, at));
    if (i == kTicks) x = x1 - w;
    if (i == 0) {
      x = x0;
      taken = x + w;
    }
    // The middle only where it has room.
    if (i == 1 &&
        (x < taken + small || x + w > x1 - text_width(small, style::number(legend.hi, step) + legend.unit) - small))
      continue;
    draw_text(image, x, base, small, label, style::soft_ink());
    if (i == 1)
      draw_segments(image, std::vector<Segment>{{at, head + bar + 0.0, at, head + bar + 3.0}}, 1, style::soft_ink());
  }
  return image;
}

}  // namespace cutis
