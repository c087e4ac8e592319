#include <algorithm>
#include <cmath>

#include "cutis/error.h"
#include "render/canvas.h"
#include "render/style.h"

namespace cutis {

Image draw_legend(const Legend& legend, int width, double text_size) {
  if (!(text_size >= 4 && text_size <= 400))
    throw Error(ErrorCode::bad_argument, "legend", "the text size must be between 4 and 400 pixels");
  const int pad = static_cast<int>(text_size * 0.8), bar = static_cast<int>(std::lround(text_size * 0.95));
  const int head = legend.title.empty() ? 0 : static_cast<int>(text_size * 1.5);
  Image image = make_image(width, head + bar + static_cast<int>(text_size * 1.9) + 4, style::paper());
  if (head > 0) draw_text(image, pad, text_size * 0.95, text_size, legend.title, style::ink());

  const int x0 = pad, x1 = std::max(pad + 1, width - pad);
  for (int x = x0; x < x1; ++x) {
    const float t = (static_cast<float>(x - x0) + 0.5F) / static_cast<float>(x1 - x0);
    fill_box(image, x, head, x + 1, head + bar, map_color(t));
  }

  // The ends are flush with the bar; the middle is written only where it has room.
  const double small = text_size * 0.88, base = head + bar + small * 1.25;
  const double step = (legend.hi - legend.lo) / 2;
  const auto label = [&](double value) { return style::number(value, step) + legend.unit; };
  const std::string lo = label(legend.lo), middle = label(legend.lo + step), hi = label(legend.hi);
  const double hi_begin = x1 - text_width(small, hi), lo_end = x0 + text_width(small, lo);
  draw_text(image, x0, base, small, lo, style::soft_ink());
  draw_text(image, hi_begin, base, small, hi, style::soft_ink());
  const double center = (x0 + x1) / 2.0, half = text_width(small, middle) / 2;
  if (center - half > lo_end + small && center + half < hi_begin - small) {
    draw_text(image, center - half, base, small, middle, style::soft_ink());
    fill_box(image, center - 0.5, head + bar, center + 0.5, head + bar + 3, style::soft_ink());
  }
  return image;
}

}  // namespace cutis
