// Iso-lines by marching squares, over a tint that tells inside from outside.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "cutis/error.h"
#include "cutis/option_rows.h"
#include "cutis/render.h"
#include "render/canvas.h"
#include "render/style.h"

namespace cutis {
namespace {

struct Grid {
  std::span<const float> values;
  int columns, rows;
  [[nodiscard]] double at(int i, int j) const {
    return values[static_cast<std::size_t>(j) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(i)];
  }
  // Bilinear; u, v in [0,1] over the whole grid.
  [[nodiscard]] double sample(double u, double v) const {
    const double x = u * (columns - 1), y = v * (rows - 1);
    const int i = std::clamp(static_cast<int>(x), 0, columns - 2), j = std::clamp(static_cast<int>(y), 0, rows - 2);
    const double a = x - i, b = y - j;
    return (1 - b) * ((1 - a) * at(i, j) + a * at(i + 1, j)) + b * ((1 - a) * at(i, j + 1) + a * at(i + 1, j + 1));
  }
};

// Segments of one level in grid units.
std::vector<Line2d> march(const Grid& grid, double level) {
  std::vector<Line2d> lines;
  for (int j = 0; j + 1 < grid.rows; ++j) {
    for (int i = 0; i + 1 < grid.columns; ++i) {
      const std::array<double, 4> v = {grid.at(i, j) - level, grid.at(i + 1, j) - level, grid.at(i + 1, j + 1) - level,
                                       grid.at(i, j + 1) - level};
      if (!std::isfinite(v[0] + v[1] + v[2] + v[3])) continue;
      // Crossings of the four sides in order around the cell.
      constexpr std::array<std::array<int, 2>, 4> kCorner = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
      std::array<std::array<double, 2>, 4> cross{};
      std::size_t count = 0;
      for (std::size_t s = 0; s < 4; ++s) {
        const std::size_t e = (s + 1) % 4;
        if ((v[s] < 0) == (v[e] < 0)) continue;
        const double t = v[s] / (v[s] - v[e]);
        cross[count++] = {i + kCorner[s][0] + t * (kCorner[e][0] - kCorner[s][0]),
                          j + kCorner[s][1] + t * (kCorner[e][1] - kCorner[s][1])};
      }
      if (count == 2) lines.push_back({cross[0][0], cross[0][1], cross[1][0], cross[1][1]});
      if (count == 4) {  // a saddle: the middle tells which corners belong together
        const bool joined = (v[0] + v[1] + v[2] + v[3] < 0) == (v[0] < 0);
        const std::size_t shift = joined ? 0 : 1;
        for (std::size_t k = 0; k < 2; ++k) {
          const auto &p = cross[(2 * k + shift) % 4], &q = cross[(2 * k + shift + 1) % 4];
          lines.push_back({p[0], p[1], q[0], q[1]});
        }
      }
    }
  }
  return lines;
}

void check(std::span<const float> values, int columns, int rows, const IsoLinesOptions& o) {
  const auto fail = [](const std::string& sentence) { throw Error(ErrorCode::bad_argument, "iso-lines", sentence); };
  if (columns < 2 || rows < 2 || columns > 32768 || rows > 32768 ||
      values.size() != static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows))
    fail(fmt::format("{} values do not fill {} x {} points; give at least 2 x 2", values.size(), columns, rows));
  check_options(o, "iso-lines");
  if (!(o.x_max > o.x_min && o.y_max > o.y_min)) fail("the area must have x_min below x_max and y_min below y_max");
  if (o.width < 8 * o.text_size || o.height < 8 * o.text_size)
    fail(fmt::format("{} x {} pixels are too few for text of {} pixels", o.width, o.height, o.text_size));
  for (const IsoCurve& c : o.curves)
    if (c.x.size() != c.y.size()) fail("a curve must have as many x values as y values");
}

struct Area {
  double x0, y0, x1, y1;  // pixels, y0 the top
};

void tint(Image& image, const Area& area, const Grid& grid, double skin) {
  for (int y = static_cast<int>(area.y0); y < static_cast<int>(area.y1); ++y) {
    for (int x = static_cast<int>(area.x0); x < static_cast<int>(area.x1); ++x) {
      const double value =
          grid.sample((x + 0.5 - area.x0) / (area.x1 - area.x0), (area.y1 - y - 0.5) / (area.y1 - area.y0));
      if (!std::isfinite(value)) continue;
      const double strength = std::min(0.34, 0.06 + 0.55 * std::abs(value - skin));
      fill_box(image, x, y, x + 1, y + 1, value < skin ? outer_color() : inner_color(), strength);
    }
  }
}

}  // namespace

Color outer_color() { return color_from_srgb(0x2b66c4); }
Color skin_color() { return color_from_srgb(0x3c4148); }
Color inner_color() { return color_from_srgb(0xc9372c); }
Color contact_color() { return color_from_srgb(0x1f9d4d); }

std::vector<IsoLevel> field_levels(double skin, double step, double lo, double hi) {
  std::vector<IsoLevel> levels;
  if (!(step > 0) || !std::isfinite(lo) || !std::isfinite(hi) || (hi - lo) / step > 1000) return levels;
  for (int k = 1; skin - k * step > lo; ++k) levels.push_back({skin - k * step, outer_color()});
  for (int k = 1; skin + k * step < hi; ++k) levels.push_back({skin + k * step, inner_color()});
  levels.push_back({skin, skin_color(), 2.6});
  return levels;
}

Image draw_iso_lines(std::span<const float> values, int columns, int rows, const IsoLinesOptions& options) {
  check(values, columns, rows, options);
  const Grid grid{values, columns, rows};
  const double text = options.text_size, small = 0.88 * text;
  const Area area{
      std::round(0.7 * text + (options.y_label.empty() ? 0 : 1.2 * text) + (options.ticks ? 2.0 * text : 0)),
      std::round(0.7 * text + (options.title.empty() ? 0 : 1.5 * text)), std::round(options.width - 0.9 * text),
      std::round(options.height - 0.6 * text - (options.ticks ? 1.3 * text : 0) -
                 (options.x_label.empty() ? 0 : 1.3 * text))};
  Image image = make_image(options.width, options.height, style::paper());
  fill_box(image, area.x0, area.y0, area.x1, area.y1, color_from_srgb(0xffffff));
  if (options.skin) tint(image, area, grid, *options.skin);

  const auto px = [&](double u) { return area.x0 + u * (area.x1 - area.x0); };
  const auto py = [&](double v) { return area.y1 - v * (area.y1 - area.y0); };
  for (const IsoLevel& level : options.levels) {
    std::vector<Line2d> lines = march(grid, level.value);
    for (Line2d& s : lines)
      s = {px(s.x0 / (columns - 1)), py(s.y0 / (rows - 1)), px(s.x1 / (columns - 1)), py(s.y1 / (rows - 1))};
    draw_segments(image, lines, level.width, level.color);
  }
  for (const IsoCurve& curve : options.curves) {
    std::vector<Line2d> lines;
    const auto x = [&](std::size_t i) { return px((curve.x[i] - options.x_min) / (options.x_max - options.x_min)); };
    const auto y = [&](std::size_t i) { return py((curve.y[i] - options.y_min) / (options.y_max - options.y_min)); };
    for (std::size_t i = 0; i + 1 < curve.x.size(); ++i) lines.push_back({x(i), y(i), x(i + 1), y(i + 1)});
    draw_segments(image, lines, curve.width, curve.color);
  }

  for (const auto& [a, b, c, d] :
       {Area{area.x0 - 1, area.y0, area.x0, area.y1}, Area{area.x1, area.y0, area.x1 + 1, area.y1},
        Area{area.x0 - 1, area.y0 - 1, area.x1 + 1, area.y0}, Area{area.x0 - 1, area.y1, area.x1 + 1, area.y1 + 1}})
    fill_box(image, a, b, c, d, style::soft_ink());
  if (options.ticks) {
    for (int k = 0; k <= 2; ++k) {
      const double t = k / 2.0;
      const std::string x =
          style::number(options.x_min + t * (options.x_max - options.x_min), (options.x_max - options.x_min) / 2);
      const std::string y =
          style::number(options.y_min + t * (options.y_max - options.y_min), (options.y_max - options.y_min) / 2);
      draw_text(image, px(t) - text_width(small, x) / 2, area.y1 + 1.2 * small, small, x, style::soft_ink());
      draw_text(image, area.x0 - 0.4 * text - text_width(small, y), py(t) + 0.35 * small, small, y, style::soft_ink());
    }
  }
  if (!options.title.empty())
    draw_text(image, area.x0, 0.5 * text + 0.9 * text, text, options.title, style::ink(), true);
  if (!options.x_label.empty())
    draw_text(image, (area.x0 + area.x1 - text_width(text, options.x_label)) / 2, options.height - 0.6 * text, text,
              options.x_label, style::ink());
  if (!options.y_label.empty())
    draw_text(image, 0.5 * text, (area.y0 + area.y1) / 2, text, options.y_label, style::ink());
  return image;
}

}  // namespace cutis
