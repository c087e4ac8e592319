#include "render/color.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/math.h"

namespace cutis {
namespace {

double decode(double code) { return code <= 0.04045 ? code / 12.92 : std::pow((code + 0.055) / 1.055, 2.4); }

// OKLab (B. Ottosson 2020, "A perceptual color space for image processing").
Vec3d linear_from_oklab(const OkLab& c) {
  const double l = c.l + 0.3963377774 * c.a + 0.2158037573 * c.b;
  const double m = c.l - 0.1055613458 * c.a - 0.0638541728 * c.b;
  const double s = c.l - 0.0894841775 * c.a - 1.2914855480 * c.b;
  const double l3 = l * l * l, m3 = m * m * m, s3 = s * s * s;
  return {4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3,
          -1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3,
          -0.0041960863 * l3 - 0.7034186147 * m3 + 1.7076147010 * s3};
}

bool in_gamut(const Vec3d& c) {
  return c.x >= -1e-4 && c.y >= -1e-4 && c.z >= -1e-4 && c.x <= 1.0001 && c.y <= 1.0001 && c.z <= 1.0001;
}

}  // namespace

std::uint8_t srgb_from_linear(float linear) {
  if (!(linear > 0)) return 0;
  if (linear >= 1) return 255;
  // Codes change at 255 known values; a coarse table gives a first guess not above the answer.
  static constexpr int kCells = 1024;
  struct Table {
    std::array<float, 256> begin{};  // smallest value of each code
    std::array<std::uint8_t, kCells> guess{};
  };
  static const Table table = [] {
    Table t;
    t.begin[0] = 0;
    for (std::size_t i = 1; i < 256; ++i) t.begin[i] = static_cast<float>(decode((static_cast<double>(i) - 0.5) / 255));
    std::size_t code = 0;
    for (std::size_t i = 0; i < kCells; ++i) {
      while (code < 255 && t.begin[code + 1] <= static_cast<float>(i) / kCells) ++code;
      t.guess[i] = static_cast<std::uint8_t>(code);
    }
    return t;
  }();
  std::size_t code = table.guess[static_cast<std::size_t>(linear * kCells)];
  while (code < 255 && linear >= table.begin[code + 1]) ++code;
  return static_cast<std::uint8_t>(code);
}

float linear_from_srgb(std::uint8_t code) {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> t{};
    for (std::size_t i = 0; i < t.size(); ++i) t[i] = static_cast<float>(decode(static_cast<double>(i) / 255));
    return t;
  }();
  return table[code];
}

Color color_from_srgb(std::uint32_t code) {
  const auto channel = [&](int shift) { return linear_from_srgb(static_cast<std::uint8_t>(code >> shift)); };
  return {channel(16), channel(8), channel(0)};
}

OkLab oklab_from_linear(const Color& color) {
  const double r = color.x, g = color.y, b = color.z;
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Color color_from_oklch(double lightness, double chroma, double hue) {
  const auto at = [&](double c) { return linear_from_oklab({lightness, c * std::cos(hue), c * std::sin(hue)}); };
  Vec3d rgb = at(chroma);
  if (!in_gamut(rgb)) {
    double inside = 0, outside = chroma;
    for (int i = 0; i < 24; ++i) {
      const double middle = (inside + outside) / 2;
      (in_gamut(at(middle)) ? inside : outside) = middle;
    }
    rgb = at(inside);
  }
  for (int i = 0; i < 3; ++i) rgb[i] = std::clamp(rgb[i], 0.0, 1.0);
  return static_cast<Color>(rgb);
}

double color_distance(const Color& a, const Color& b) {
  const OkLab p = oklab_from_linear(a), q = oklab_from_linear(b);
  return length(Vec3d{p.l - q.l, p.a - q.a, p.b - q.b});
}

Color map_color(float t) {
  if (std::isnan(t)) return color_from_srgb(0xff2fb3);
  // From a dark violet over blue and green to a light yellow: lightness rises evenly, so that the map reads in grey
  // too; hue turns the short way through blue.
  static constexpr int kSteps = 256;
  static const std::array<Color, kSteps + 1> table = [] {
    std::array<Color, kSteps + 1> colors{};
    for (int i = 0; i <= kSteps; ++i) {
      const double s = static_cast<double>(i) / kSteps;
      const double hue = (302 - 197 * s) * kPi / 180;
      // Between these values sRGB has room for the hue at every lightness; without clipping there are no kinks.
      constexpr double kChroma[5] = {0.135, 0.125, 0.092, 0.118, 0.165};
      const int k = std::min(3, static_cast<int>(s * 4));
      const double f = s * 4 - k, smooth = f * f * (3 - 2 * f);
      const double chroma = kChroma[k] + (kChroma[k + 1] - kChroma[k]) * smooth;
      colors[static_cast<std::size_t>(i)] = color_from_oklch(0.35 + 0.55 * s, chroma, hue);
    }
    return colors;
  }();
  const float at = std::clamp(t, 0.0F, 1.0F) * kSteps;
  const auto i = std::min(static_cast<std::size_t>(at), static_cast<std::size_t>(kSteps - 1));
  return lerp(table[i], table[i + 1], at - static_cast<float>(i));
}

std::vector<Color> colors_by_scalar(std::span<const float> values, float lo, float hi) {
  std::vector<Color> colors;
  colors.reserve(values.size());
  const float scale = hi > lo ? 1 / (hi - lo) : 0;
  for (const float v : values) {
    // Infinities clamp to the ends; a range of no width shows values at, below and above it apart.
    if (scale > 0 || std::isnan(v))
      colors.push_back(map_color(std::isinf(v) ? (v > 0 ? 1.0F : 0.0F) : (v - lo) * scale));
    else
      colors.push_back(map_color(v < lo ? 0.0F : v > hi ? 1.0F : 0.5F));
  }
  return colors;
}

}  // namespace cutis
