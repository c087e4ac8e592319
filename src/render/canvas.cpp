#include "render/canvas.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "cutis/error.h"
#include "render/color.h"

namespace cutis {
namespace {

// Lines and letters are blended in sRGB codes: dark on light then looks as heavy as light on dark.
void blend(Image& image, int x, int y, const std::uint8_t (&code)[3], double cover) {
  std::uint8_t* p =
      &image.rgb[(static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)) *
                 3];
  for (int i = 0; i < 3; ++i) p[i] = static_cast<std::uint8_t>(p[i] + (code[i] - p[i]) * cover + 0.5);
}

double distance_to(const Line2d& s, double x, double y) {
  const double dx = s.x1 - s.x0, dy = s.y1 - s.y0, px = x - s.x0, py = y - s.y0;
  const double square = dx * dx + dy * dy;
  const double t = square > 0 ? std::clamp((px * dx + py * dy) / square, 0.0, 1.0) : 0;
  const double ex = px - t * dx, ey = py - t * dy;
  return std::sqrt(ex * ex + ey * ey);
}

// First and last pixel of [lo, hi], cut to [0, size); empty ranges have first > last. Safe for any finite numbers.
struct Range {
  int first, last;
};
Range pixels(double lo, double hi, int size) {
  return {static_cast<int>(std::clamp(std::floor(lo), 0.0, static_cast<double>(size))),
          static_cast<int>(std::clamp(std::floor(hi), -1.0, size - 1.0))};
}

}  // namespace

Image make_image(int width, int height, const Color& color) {
  constexpr int kMost = 32768;
  if (width < 1 || height < 1 || width > kMost || height > kMost)
    throw Error(ErrorCode::bad_argument, "image",
                fmt::format("a picture of {} x {} pixels cannot be made; sides go from 1 to {}", width, height, kMost));
  Image image{width, height, {}};
  const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  image.rgb.resize(count * 3);
  const std::uint8_t code[3] = {srgb_from_linear(color.x), srgb_from_linear(color.y), srgb_from_linear(color.z)};
  for (std::size_t i = 0; i < count * 3; ++i) image.rgb[i] = code[i % 3];
  return image;
}

void draw_segments(Image& image, std::span<const Line2d> segments, double width, const Color& color, double opacity) {
  // The shape's cover in a box of its own, then one blend.
  const double reach = width / 2 + 0.5;
  Range xs{image.width, -1}, ys{image.height, -1};
  const auto finite = [](const Line2d& s) {
    return std::isfinite(s.x0) && std::isfinite(s.y0) && std::isfinite(s.x1) && std::isfinite(s.y1);
  };
  const auto box_of = [&](const Line2d& s, Range& x, Range& y) {
    x = pixels(std::min(s.x0, s.x1) - reach, std::max(s.x0, s.x1) + reach, image.width);
    y = pixels(std::min(s.y0, s.y1) - reach, std::max(s.y0, s.y1) + reach, image.height);
  };
  Range x{}, y{};
  for (const Line2d& s : segments) {
    if (!finite(s)) continue;
    box_of(s, x, y);
    if (x.first > x.last || y.first > y.last) continue;
    xs = {std::min(xs.first, x.first), std::max(xs.last, x.last)};
    ys = {std::min(ys.first, y.first), std::max(ys.last, y.last)};
  }
  if (xs.first > xs.last || ys.first > ys.last) return;
  const auto columns = static_cast<std::size_t>(xs.last - xs.first + 1);
  std::vector<float> cover(columns * static_cast<std::size_t>(ys.last - ys.first + 1), 0.0F);
  const auto at = [&](int px, int py) -> float& {
    return cover[static_cast<std::size_t>(py - ys.first) * columns + static_cast<std::size_t>(px - xs.first)];
  };
  for (const Line2d& s : segments) {
    if (!finite(s)) continue;
    box_of(s, x, y);
    for (int py = y.first; py <= y.last; ++py)
      for (int px = x.first; px <= x.last; ++px) {
        const double c = std::clamp(reach - distance_to(s, px + 0.5, py + 0.5), 0.0, std::min(1.0, width));
        at(px, py) = std::max(at(px, py), static_cast<float>(c));
      }
  }
  const std::uint8_t code[3] = {srgb_from_linear(color.x), srgb_from_linear(color.y), srgb_from_linear(color.z)};
  for (int py = ys.first; py <= ys.last; ++py)
    for (int px = xs.first; px <= xs.last; ++px)
      if (at(px, py) > 0) blend(image, px, py, code, at(px, py) * opacity);
}

void fill_box(Image& image, double x0, double y0, double x1, double y1, const Color& color, double opacity) {
  if (!(x0 < x1 && y0 < y1)) return;
  const Range xs = pixels(x0, x1, image.width), ys = pixels(y0, y1, image.height);
  const std::uint8_t code[3] = {srgb_from_linear(color.x), srgb_from_linear(color.y), srgb_from_linear(color.z)};
  const auto overlap = [](double lo, double hi, int pixel) {
    return std::clamp(std::min(hi, pixel + 1.0) - std::max(lo, static_cast<double>(pixel)), 0.0, 1.0);
  };
  for (int y = ys.first; y <= ys.last; ++y)
    for (int x = xs.first; x <= xs.last; ++x)
      blend(image, x, y, code, opacity * overlap(x0, x1, x) * overlap(y0, y1, y));
}

void paste(Image& image, const Image& from, int x, int y) {
  const int x0 = std::max(x, 0), x1 = std::min(x + from.width, image.width);
  if (x0 >= x1) return;
  for (int row = std::max(y, 0); row < std::min(y + from.height, image.height); ++row) {
    const auto source = from.rgb.begin() + (static_cast<std::ptrdiff_t>(row - y) * from.width + (x0 - x)) * 3;
    std::copy(source, source + static_cast<std::ptrdiff_t>(x1 - x0) * 3,
              image.rgb.begin() + (static_cast<std::ptrdiff_t>(row) * image.width + x0) * 3);
  }
}

}  // namespace cutis
