// Line plots: axes with round ticks, a light grid, anti-aliased lines, a legend beside the lines.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "cutis/error.h"
#include "cutis/option_rows.h"
#include "cutis/render.h"
#include "render/canvas.h"
#include "render/font.h"
#include "render/style.h"

namespace cutis {
namespace {

struct Span {
  double lo = 1e300, hi = -1e300;
  void add(double v) {
    lo = std::min(lo, v);
    hi = std::max(hi, v);
  }
  // Never empty, never without width.
  void make_usable() {
    if (lo > hi) *this = {0, 1};
    if (!(hi - lo > 1e-12 * std::max(std::abs(lo), std::abs(hi)))) {
      const double room = std::max(std::abs(lo) * 0.1, 1e-9);
      lo -= lo == 0 ? 0 : room;
      hi += lo == 0 && hi == 0 ? 1 : room;
    }
  }
};

Color series_color(const PlotSeries& series, std::size_t i) {
  // Told apart by lightness as well as by hue.
  static constexpr std::array<std::uint32_t, 8> kCodes = {0x2f6db3, 0xd9662b, 0x2f9e77, 0xb5407f,
                                                          0x8a6bbf, 0xc79a1e, 0x4aa9c9, 0x6b6f76};
  return series.color ? *series.color : color_from_srgb(kCodes[i % kCodes.size()]);
}

// The y axis: plain or logarithmic.
struct Scale {
  bool log = false;
  [[nodiscard]] double operator()(double v) const { return log ? (v > 0 ? std::log10(v) : std::nan("")) : v; }
};

struct PlotArea {
  double x0, y0, x1, y1;  // pixels; y0 is the top
  Span x, y;
  [[nodiscard]] double px(double v) const { return x0 + (v - x.lo) / (x.hi - x.lo) * (x1 - x0); }
  [[nodiscard]] double py(double v) const { return y1 - (v - y.lo) / (y.hi - y.lo) * (y1 - y0); }
};

// Cuts the segment at the area's top and bottom; false when nothing is left.
bool clip(const PlotArea& a, Line2d& s) {
  for (const bool top : {true, false}) {
    const double edge = top ? a.y0 : a.y1;
    const auto outside = [&](double y) { return top ? y < edge : y > edge; };
    if (outside(s.y0) && outside(s.y1)) return false;
    if (outside(s.y0) == outside(s.y1)) continue;
    const double x = s.x0 + (s.x1 - s.x0) * (edge - s.y0) / (s.y1 - s.y0);
    (outside(s.y0) ? s.x0 : s.x1) = x;
    (outside(s.y0) ? s.y0 : s.y1) = edge;
  }
  return true;
}

void draw_upward(Image& image, double x, double center_y, double size, const std::string& text, const Color& color) {
  std::vector<Line2d> segments = text_segments(0, 0, size, text);
  const double y = center_y + text_width(size, text) / 2;
  for (Line2d& s : segments) s = {x + s.y0, y - s.x0, x + s.y1, y - s.x1};
  draw_segments(image, segments, std::max(1.05, size * 0.078), color);
}

void check(std::span<const PlotSeries> series, const PlotOptions& options) {
  const auto fail = [](const std::string& sentence) { throw Error(ErrorCode::bad_argument, "plot", sentence); };
  for (const PlotSeries& s : series)
    if (s.x.size() != s.y.size())
      fail(fmt::format("series '{}' has {} x values and {} y values; give as many of each", s.label, s.x.size(),
                       s.y.size()));
  check_options(options, "plot");
  if (options.width < 16 * options.text_size || options.height < 10 * options.text_size)
    fail(fmt::format("{} x {} pixels are too few for text of {} pixels", options.width, options.height,
                     options.text_size));
  for (const auto& limit : {options.y_min, options.y_max})
    if (limit && options.log_y && !(*limit > 0)) fail("the limits of y must be positive on a logarithmic axis");
  if (options.y_min && options.y_max && !(*options.y_min < *options.y_max)) fail("y_min must be below y_max");
}

PlotArea axes_of(std::span<const PlotSeries> series, const PlotOptions& options, const Scale& scale) {
  PlotArea area{};
  area.x = area.y = Span{};
  for (const PlotSeries& s : series) {
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      const double y = scale(s.y[i]);
      if (!std::isfinite(s.x[i]) || !std::isfinite(y)) continue;
      area.x.add(s.x[i]);
      area.y.add(y);
    }
  }
  area.x.make_usable();
  area.y.make_usable();
  // Some air above and below; a plot of positive values that comes near 0 starts there.
  const double room = 0.06 * (area.y.hi - area.y.lo);
  if (!options.log_y && area.y.lo >= 0 && area.y.lo < 0.35 * area.y.hi)
    area.y.lo = 0;
  else
    area.y.lo -= room;
  area.y.hi += room;
  if (options.y_min) area.y.lo = scale(*options.y_min);
  if (options.y_max) area.y.hi = scale(*options.y_max);
  if (!(area.y.hi > area.y.lo)) (options.y_max ? area.y.lo : area.y.hi) = options.y_max ? area.y.hi - 1 : area.y.lo + 1;
  return area;
}

struct Tick {
  double at;
  std::string label;
};
std::vector<Tick> ticks_of(const Span& span, int count, bool log) {
  std::vector<Tick> ticks;
  if (log && span.hi - span.lo >= 1) {
    const int step = std::max(1, static_cast<int>((span.hi - span.lo) / count));
    const bool between = span.hi - span.lo < 3;  // few decades have room for 2 and 5
    for (int p = static_cast<int>(std::floor(span.lo)); p <= span.hi + 1e-9; p += step) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double at = p + std::log10(digit);
        if (at < span.lo - 1e-9 || at > span.hi + 1e-9 || (digit > 1 && !between)) continue;
        ticks.push_back({at, fmt::format("{:g}", digit * std::pow(10.0, p))});
      }
    }
    return ticks;
  }
  if (log) {  // less than a decade: round numbers on the plain scale
    const style::Ticks round = style::round_ticks(std::pow(10.0, span.lo), std::pow(10.0, span.hi), count);
    for (int i = 0; i < round.count; ++i) {
      const double v = round.first + round.step * i;
      if (v > 0) ticks.push_back({std::log10(v), style::number(v, round.step)});
    }
    return ticks;
  }
  const style::Ticks round = style::round_ticks(span.lo, span.hi, count);
  for (int i = 0; i < round.count; ++i) {
    const double v = round.first + round.step * i;
    ticks.push_back({v, style::number(v, round.step)});
  }
  return ticks;
}

}  // namespace

Image plot_lines(std::span<const PlotSeries> series, const PlotOptions& options) {
  check(series, options);
  const Scale scale{options.log_y};
  PlotArea area = axes_of(series, options, scale);
  const double text = options.text_size, small = 0.9 * text, title = 1.3 * text;

  // Room for what stands around the lines.
  const std::vector<Tick> y_ticks =
      ticks_of(area.y, std::max(2, static_cast<int>(options.height / (4.5 * text))), options.log_y);
  const std::vector<Tick> x_ticks = ticks_of(area.x, std::max(2, static_cast<int>(options.width / (7 * text))), false);
  double y_label_width = 0;
  for (const Tick& t : y_ticks) y_label_width = std::max(y_label_width, text_width(small, t.label));
  double legend_width = 0;
  std::size_t named = 0;
  for (const PlotSeries& s : series) {
    if (s.label.empty()) continue;
    ++named;
    legend_width = std::max(legend_width, text_width(small, s.label) + 2.4 * text);
  }
  const bool with_legend = named > 0;
  area.x0 = std::round(text + y_label_width + 0.6 * text + (options.y_label.empty() ? 0 : 1.5 * text));
  area.x1 = std::round(options.width - text * 1.2 -
                       (with_legend ? std::min(legend_width + 0.6 * text, 0.4 * options.width) : 0));
  area.y0 = std::round(text + (options.title.empty() ? 0 : 1.5 * title));
  area.y1 = std::round(options.height - 2.3 * small - (options.x_label.empty() ? 0 : 1.5 * text));
  if (area.x1 - area.x0 < 4 * text || area.y1 - area.y0 < 2 * text)
    throw Error(ErrorCode::bad_argument, "plot",
                fmt::format("{} x {} pixels leave no room beside the labels; make the plot larger or labels shorter",
                            options.width, options.height));

  Image image = make_image(options.width, options.height, style::paper());
  fill_box(image, area.x0, area.y0, area.x1, area.y1, color_from_srgb(0xffffff));
  for (const Tick& t : y_ticks) {
    const double y = std::floor(area.py(t.at)) + 0.5;
    if (y < area.y0 - 1 || y > area.y1 + 1) continue;
    fill_box(image, area.x0, y - 0.5, area.x1, y + 0.5, style::rule());
    draw_text(image, area.x0 - 0.6 * text - text_width(small, t.label), y + 0.35 * small, small, t.label,
              style::soft_ink());
  }
  double last_end = -1e9;
  for (const Tick& t : x_ticks) {
    const double x = std::floor(area.px(t.at)) + 0.5, w = text_width(small, t.label);
    fill_box(image, x - 0.5, area.y0, x + 0.5, area.y1, style::rule(), 0.55);
    const double begin = std::clamp(x - w / 2, 0.0, std::max(0.0, options.width - w - 2));
    if (begin < last_end + 0.5 * small) continue;
    draw_text(image, begin, area.y1 + 1.35 * small, small, t.label, style::soft_ink());
    last_end = begin + w;
  }
  fill_box(image, area.x0 - 1, area.y0, area.x0, area.y1 + 1, style::soft_ink());
  fill_box(image, area.x0 - 1, area.y1, area.x1, area.y1 + 1, style::soft_ink());

  for (std::size_t i = 0; i < series.size(); ++i) {
    const PlotSeries& s = series[i];
    const Color color = series_color(s, i);
    std::vector<Line2d> line;
    for (std::size_t k = 0; k < s.x.size(); ++k) {
      const double y = scale(s.y[k]);
      if (!std::isfinite(s.x[k]) || !std::isfinite(y)) continue;
      const double next = k + 1 < s.x.size() ? scale(s.y[k + 1]) : std::nan("");
      const bool joined = k + 1 < s.x.size() && std::isfinite(s.x[k + 1]) && std::isfinite(next);
      Line2d piece{area.px(s.x[k]), area.py(y), area.px(s.x[k]), area.py(y)};
      if (joined) {
        piece.x1 = area.px(s.x[k + 1]);
        piece.y1 = area.py(next);
      }
      if (clip(area, piece)) line.push_back(piece);
    }
    draw_segments(image, line, std::max(1.6, text * 0.13), color);
  }

  double y = area.y0 + text;
  for (std::size_t i = 0; i < series.size() && with_legend; ++i) {
    if (series[i].label.empty()) continue;
    if (y > options.height - 0.5 * text) break;
    const double x = area.x1 + 0.9 * text;
    draw_segments(image, std::vector<Line2d>{{x, y - 0.3 * small, x + 1.2 * text, y - 0.3 * small}},
                  std::max(2.0, text * 0.17), series_color(series[i], i));
    draw_text(image, x + 1.7 * text, y, small, series[i].label, style::ink());
    y += 1.5 * text;
  }
  if (!options.title.empty())
    draw_text(image, text, text * 0.6 + title * 0.75, title, options.title, style::ink(), true);
  if (!options.x_label.empty())
    draw_text(image, (area.x0 + area.x1 - text_width(text, options.x_label)) / 2, options.height - 0.65 * text, text,
              options.x_label, style::ink());
  if (!options.y_label.empty())
    draw_upward(image, 1.35 * text, (area.y0 + area.y1) / 2, text, options.y_label, style::ink());
  return image;
}

}  // namespace cutis
