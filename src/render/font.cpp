// Units: 20 per line, capitals 14, small letters 10, ascenders 14.4, descenders -4.2; y points up from the base line.
// Strokes are separated by ';'. Plain numbers are the corners of a polyline. '~' begins a spline: the first and last
// points are its ends, those between are controls of a uniform quadratic B-spline. 'o' begins a closed one.
#include "render/font.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace cutis {
namespace {

struct Glyph {
  char32_t code;
  double width;
  std::string_view strokes;
};

constexpr double kUnitsPerLine = 20, kGap = 3.3, kSpace = 2.6;

// Sorted by code.
constexpr Glyph kGlyphs[] = {
    {' ', kSpace, ""},
    {'!', 1.2, "0.6 14 0.6 4.6;0.6 0.1 0.6 0.4"},
    {'"', 3.6, "0.4 14 0.4 10;3.2 14 3.2 10"},
    {'#', 10, "2.4 0 4.4 14;5.8 0 7.8 14;0.6 9.6 10 9.6;0 4.4 9.4 4.4"},
    {'$', 8.8, "~8.2 11 7.6 13.2 0.4 13.4 0.2 8.2 8.8 6.2 8.8 0.6 0.8 0.6 0 3.2;4.4 15.6 4.4 -1.6"},
    {'%', 12, "o0 14 0 8 4.6 8 4.6 14;o7.4 6 7.4 0 12 0 12 6;10 14 2 0"},
    {'&', 9.8, "9.8 0 2.4 8.8;~2.4 8.8 0.4 11.4 2 14.4 6.8 14.4 6.8 9.8 0 7.6 0 -0.4 7.4 -0.8 9.2 5.6"},
    {'\'', 0.8, "0.4 14 0.4 10"},
    {'(', 3, "~3 15.6 -2.4 6 3 -3.6"},
    {')', 3, "~0 15.6 5.4 6 0 -3.6"},
    {'*', 6.8, "3.4 14 3.4 7;0.4 12.2 6.4 8.8;0.4 8.8 6.4 12.2"},
    {'+', 8.4, "4.2 10.4 4.2 2;0 6.2 8.4 6.2"},
    {',', 1.4, "1.1 0.5 0.2 -2.8"},
    {'-', 5, "0 5.8 5 5.8"},
    {'.', 1.2, "0.6 0.1 0.6 0.4"},
    {'/', 6.4, "0 -1.6 6.4 15"},
    {'0', 8.4, "o0 14 0 0 8.4 0 8.4 14"},
    {'1', 8.4, "1.4 11.2 5 14 5 0"},
    {'2', 8.4, "~0.4 10.6 1 14.2 8.2 14.4 8.2 7.6 0.2 0;0.2 0 8.4 0"},
    {'3', 8.4, "~0.6 11.6 1.2 14 7.8 14.4 7.8 7.5 3.6 7.5;~3.6 7.5 8.6 7.5 8.6 -0.2 1 -0.2 0 2.8"},
    {'4', 8.4, "6.2 0 6.2 14 0 4.2 8.4 4.2"},
    {'5', 8.4, "7.6 14 1.2 14 0.6 7.8;~0.6 7.8 2 9 8.4 9.4 8.4 -0.2 1 -0.2 0 2.6"},
    {'6', 8.4, "o0.2 8.8 0.2 0 8.4 0 8.4 8.8;~0.2 4.5 0.3 12.6 6.2 14"},
    {'7', 8.4, "0 14 8.4 14 3 0"},
    {'8', 8.4, "o0.7 14 0.7 7.5 7.7 7.5 7.7 14;o0 7.5 0 0 8.4 0 8.4 7.5"},
    {'9', 8.4, "o8.2 5.2 8.2 14 0 14 0 5.2;~8.2 9.5 8.1 1.4 2.2 0"},
    {':', 1.2, "0.6 0.1 0.6 0.4;0.6 8 0.6 8.3"},
    {';', 1.4, "0.9 8 0.9 8.3;1.1 0.5 0.2 -2.8"},
    {'<', 8, "8 11.2 0 6.2 8 1.2"},
    {'=', 8.4, "0 8.6 8.4 8.6;0 4.2 8.4 4.2"},
    {'>', 8, "0 11.2 8 6.2 0 1.2"},
    {'?', 7.4, "~0 10.8 0.4 14.2 7.4 14.6 7.4 8.6 3.6 8.6 3.6 4.6;3.6 0.1 3.6 0.4"},
    {'@', 13.4,
     "~11.4 -1.8 8.6 -3 0 -3 0 13 13.4 13 13.4 2.4 9.6 0.8 9.6 4;o3.8 9.2 3.8 1.6 9.6 1.6 9.6 9.2;9.6 9.4 9.6 4"},
    {'A', 10, "0 0 5 14 10 0;1.8 4.8 8.2 4.8"},
    {'B', 9, "4.5 14 0 14 0 0 5 0;0 7.5 5 7.5;~4.5 14 8.3 14 8.3 7.5 4.5 7.5;~5 7.5 9 7.5 9 0 5 0"},
    {'C', 9.6, "~9.6 11 8.2 14 0 14 0 0 8.2 0 9.6 3"},
    {'D', 9.8, "4 14 0 14 0 0 4 0;~4 14 9.8 14 9.8 0 4 0"},
    {'E', 8.2, "8.2 14 0 14 0 0 8.2 0;0 7.4 7 7.4"},
    {'F', 8, "8 14 0 14 0 0;0 7 6.8 7"},
    {'G', 9.8, "~9.6 11 8.4 14 0 14 0 0 9.8 -0.6 9.8 4;6 6.4 9.8 6.4 9.8 4"},
    {'H', 9.2, "0 0 0 14;9.2 0 9.2 14;0 7.2 9.2 7.2"},
    {'I', 4, "0 0 4 0;0 14 4 14;2 0 2 14"},
    {'J', 6.4, "6.4 14 6.4 4;~6.4 4 6.4 0 0.5 -0.4 0 3.4"},
    {'K', 9, "0 0 0 14;8.6 14 0 5.2;3.2 8.4 9 0"},
    {'L', 7.6, "0 14 0 0 7.6 0"},
    {'M', 11.2, "0 0 0 14 5.6 4 11.2 14 11.2 0"},
    {'N', 9.4, "0 0 0 14 9.4 0 9.4 14"},
    {'O', 10.8, "o0 14 0 0 10.8 0 10.8 14"},
    {'P', 8.8, "0 0 0 14 4.6 14;0 6.4 4.6 6.4;~4.6 14 8.8 14 8.8 6.4 4.6 6.4"},
    {'Q', 10.8, "o0 14 0 0 10.8 0 10.8 14;6.4 3.6 10.8 -1"},
    {'R', 9, "0 0 0 14 4.6 14;0 6.8 4.8 6.8 9 0;~4.6 14 8.7 14 8.7 6.8 4.6 6.8"},
    {'S', 8.8, "~8.2 11.4 7.6 14 0.4 14.2 0.2 8.2 8.8 6.4 8.8 -0.2 0.8 -0.2 0 2.8"},
    {'T', 9.6, "0 14 9.6 14;4.8 14 4.8 0"},
    {'U', 9.2, "0 14 0 5;~0 5 0 0 9.2 0 9.2 5;9.2 5 9.2 14"},
    {'V', 9.8, "0 14 4.9 0 9.8 14"},
    {'W', 13.8, "0 14 3.4 0 6.9 12 10.4 0 13.8 14"},
    {'X', 9, "0 0 9 14;0 14 9 0"},
    {'Y', 9.4, "0 14 4.7 7 9.4 14;4.7 7 4.7 0"},
    {'Z', 8.8, "0 14 8.8 14 0 0 8.8 0"},
    {'[', 3.2, "3.2 15.4 0 15.4 0 -3.4 3.2 -3.4"},
    {'\\', 6.4, "0 15 6.4 -1.6"},
    {']', 3.2, "0 15.4 3.2 15.4 3.2 -3.4 0 -3.4"},
    {'^', 7.2, "0 9 3.6 14 7.2 9"},
    {'_', 9, "0 -2.6 9 -2.6"},
    {'`', 2.4, "0 14.4 2.4 12"},
    {'a', 7, "~0.8 8.2 1.8 10 7 10.6 7 6.2;7 6.2 7 0;~7 5.9 0 6 0 -0.2 6 -0.4 7 3"},
    {'b', 7.8, "0 14.4 0 0;o0 10 0 0 7.8 0 7.8 10"},
    {'c', 7, "~7 8 5.8 10 0 10 0 0 5.8 0 7 2"},
    {'d', 7.8, "7.8 14.4 7.8 0;o0 10 0 0 7.8 0 7.8 10"},
    {'e', 7.6, "0.1 5.2 7.6 5.2;~7.6 5.2 7.6 10 0 10 0 0 5.8 -0.2 7.2 2.2"},
    {'f', 5.2, "2 0 2 11;~2 11 2 14.4 5.4 14.4;0 10 5 10"},
    {'g', 7.8, "7.8 10 7.8 0;o0 10 0 0 7.8 0 7.8 10;~7.8 0.2 7.8 -4.2 1 -4.6 0.4 -2.4"},
    {'h', 7, "0 14.4 0 0;~0 6.2 0.8 10 7 10.4 7 6;7 6 7 0"},
    {'i', 0.8, "0.4 10 0.4 0;0.2 13.6 0.6 13.6"},
    {'j', 2.4, "2 10 2 -1.8;~2 -1.8 2 -4.2 -0.4 -4.2;1.8 13.6 2.2 13.6"},
    {'k', 6.8, "0 14.4 0 0;6.4 10 0 4;2.6 6.4 6.8 0"},
    {'l', 2.4, "0.4 14.4 0.4 2;~0.4 2 0.4 0 2.4 0"},
    {'m', 11, "0 10 0 0;~0 6.2 0.7 10 5.5 10.4 5.5 6;5.5 6 5.5 0;~5.5 6.2 6.2 10 11 10.4 11 6;11 6 11 0"},
    {'n', 7, "0 10 0 0;~0 6.2 0.8 10 7 10.4 7 6;7 6 7 0"},
    {'o', 8, "o0 10 0 0 8 0 8 10"},
    {'p', 7.8, "0 10 0 -4.2;o0 10 0 0 7.8 0 7.8 10"},
    {'q', 7.8, "7.8 10 7.8 -4.2;o0 10 0 0 7.8 0 7.8 10"},
    {'r', 4.4, "0 10 0 0;~0 5.8 0.6 10 4.6 9.8"},
    {'s', 6.4, "~6 8 5.4 10 0.4 10.1 0.2 5.8 6.4 4.6 6.4 -0.1 0.8 -0.1 0 2"},
    {'t', 5, "2 13 2 2.4;~2 2.4 2 0 5 0;0 10 4.8 10"},
    {'u', 7, "0 10 0 4;~0 4 0 -0.6 6.2 0 7 3.8;7 10 7 0"},
    {'v', 7.4, "0 10 3.7 0 7.4 10"},
    {'w', 11.2, "0 10 2.7 0 5.6 8.8 8.5 0 11.2 10"},
    {'x', 6.8, "0 0 6.8 10;0 10 6.8 0"},
    {'y', 7.4, "0 10 3.8 0;7.4 10 3.15 -1.8;~3.15 -1.8 2.4 -4.2 0 -4.2"},
    {'z', 6.6, "0 10 6.6 10 0 0 6.6 0"},
    {'{', 4, "~4 15.6 1.4 15.6 2.6 6 0 6;~4 -3.6 1.4 -3.6 2.6 6 0 6"},
    {'|', 1.2, "0.6 15.6 0.6 -3.6"},
    {'}', 4, "~0 15.6 2.6 15.6 1.4 6 4 6;~0 -3.6 2.6 -3.6 1.4 6 4 6"},
    {'~', 8, "~0 5 1.6 8.8 6.4 3.4 8 7.2"},
    {U'°', 4.4, "o0 14 0 9.6 4.4 9.6 4.4 14"},
    {U'±', 8.4, "4.2 12 4.2 4.8;0 8.4 8.4 8.4;0 1.4 8.4 1.4"},
    {U'²', 4.6, "~0.2 12.6 0.5 14.8 4.5 14.8 4.5 11.4 0.1 7.6;0.1 7.6 4.6 7.6"},
    {U'³', 4.6, "~0.3 13.4 0.6 14.7 4.3 14.9 4.3 11.3 2 11.3;~2 11.3 4.7 11.3 4.7 7.4 0.4 7.4 0 8.9"},
    {U'µ', 7, "0 10 0 -4.2;~0 4 0 -0.6 6.2 0 7 3.8;7 10 7 0"},
    {U'·', 1.2, "0.6 6 0.6 6.3"},
    {U'×', 7.2, "0.4 2.8 6.8 9.6;0.4 9.6 6.8 2.8"},
    {U'–', 8, "0 5.8 8 5.8"},
    {U'—', 13, "0 5.8 13 5.8"},
    {U'…', 9.2, "0.6 0.1 0.6 0.4;4.6 0.1 4.6 0.4;8.6 0.1 8.6 0.4"},
    {U'›', 4, "0.4 10 3.8 6 0.4 2"},
    {U'→', 11, "0 6.2 11 6.2;7 10 11 6.2 7 2.4"},
    {U'−', 8.4, "0 6.2 8.4 6.2"},
};
constexpr Glyph kUnknown{0, 7, "0 0 7 0 7 14 0 14 0 0"};

static_assert(std::is_sorted(std::begin(kGlyphs), std::end(kGlyphs),
                             [](const Glyph& a, const Glyph& b) { return a.code < b.code; }));

const Glyph& glyph_of(char32_t code) {
  const auto* at = std::lower_bound(std::begin(kGlyphs), std::end(kGlyphs), code,
                                    [](const Glyph& g, char32_t c) { return g.code < c; });
  return at != std::end(kGlyphs) && at->code == code ? *at : kUnknown;
}

// Takes one character off the front; bytes that are not UTF-8 come out one by one as unknown.
char32_t next_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t count = first < 0x80                    ? 1
                            : first >= 0xF0 && first < 0xF8 ? 4
                            : first >= 0xE0                 ? 3
                            : first >= 0xC0                 ? 2
                                                            : 0;
  if (count == 0 || first >= 0xF8 || count > text.size()) {
    text.remove_prefix(1);
    return 0;
  }
  char32_t code = count == 1 ? first : first & (0x7FU >> count);
  for (std::size_t i = 1; i < count; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      text.remove_prefix(1);
      return 0;
    }
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  text.remove_prefix(count);
  return code;
}

using Point = std::pair<double, double>;
Point middle(const Point& a, const Point& b) { return {(a.first + b.first) / 2, (a.second + b.second) / 2}; }

// From the line's last point.
void append_quadratic(std::vector<Point>& line, const Point& control, const Point& b) {
  const Point a = line.back();
  constexpr int kPieces = 6;
  for (int i = 1; i <= kPieces; ++i) {
    const double t = static_cast<double>(i) / kPieces, u = 1 - t;
    line.emplace_back(u * u * a.first + 2 * u * t * control.first + t * t * b.first,
                      u * u * a.second + 2 * u * t * control.second + t * t * b.second);
  }
}

std::vector<Point> flatten(std::string_view stroke) {
  const char kind = stroke.empty() ? ' ' : stroke.front();
  if (kind == '~' || kind == 'o') stroke.remove_prefix(1);
  std::vector<Point> points;
  std::vector<double> numbers;
  while (!stroke.empty()) {
    double value = 0;
    const auto [end, error] = std::from_chars(stroke.data(), stroke.data() + stroke.size(), value);
    if (error != std::errc()) break;
    numbers.push_back(value);
    stroke.remove_prefix(static_cast<std::size_t>(end - stroke.data()));
    if (!stroke.empty()) stroke.remove_prefix(1);
  }
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) points.emplace_back(numbers[i], numbers[i + 1]);
  if ((kind != '~' && kind != 'o') || points.size() < 3) return points;

  std::vector<Point> line;
  const std::size_t n = points.size();
  if (kind == 'o') {
    line.push_back(middle(points[n - 1], points[0]));
    for (std::size_t i = 0; i < n; ++i) append_quadratic(line, points[i], middle(points[i], points[(i + 1) % n]));
  } else {
    line.push_back(points[0]);
    for (std::size_t i = 1; i + 1 < n; ++i)
      append_quadratic(line, points[i], i + 2 == n ? points[n - 1] : middle(points[i], points[i + 1]));
  }
  return line;
}

}  // namespace

bool has_glyph(char32_t code) { return glyph_of(code).code == code && code != 0; }

std::vector<Line2d> text_segments(double x, double y, double size, std::string_view text) {
  const double unit = size / kUnitsPerLine;
  std::vector<Line2d> segments;
  while (!text.empty()) {
    const Glyph& glyph = glyph_of(next_character(text));
    std::string_view strokes = glyph.strokes;
    while (!strokes.empty()) {
      const std::size_t end = std::min(strokes.find(';'), strokes.size());
      const std::vector<Point> line = flatten(strokes.substr(0, end));
      for (std::size_t i = 0; i + 1 < line.size(); ++i)
        segments.push_back({x + line[i].first * unit, y - line[i].second * unit, x + line[i + 1].first * unit,
                            y - line[i + 1].second * unit});
      strokes.remove_prefix(std::min(end + 1, strokes.size()));
    }
    x += (glyph.width + kGap) * unit;
  }
  return segments;
}

double text_width(double size, std::string_view text) {
  double width = 0;
  while (!text.empty()) width += glyph_of(next_character(text)).width + kGap;
  return std::max(0.0, width - kGap) * size / kUnitsPerLine;
}

void draw_text(Image& image, double x, double y, double size, std::string_view text, const Color& color, bool bold) {
  // Never thinner than a pixel, where strokes would only grow pale.
  const double width = std::max(bold ? 1.5 : 1.05, size * (bold ? 0.115 : 0.078));
  draw_segments(image, text_segments(x, y, size, text), width, color);
}

}  // namespace cutis
