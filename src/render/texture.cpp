// Pictures are decoded by stb. Colours are averaged in linear light and weighted by alpha, so that neither the borders
// of cut-outs nor distance change them.
#include "render/texture.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/core.h>

#include "render/color.h"

// Numbers of damaged files overflow and wrap; stb checks the results.
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_MAX_DIMENSIONS (1 << 24)  // we say ourselves what is too large
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

namespace cutis {
namespace {

constexpr std::size_t kMostTexels = std::size_t{1} << 28U;  // 1 GiB of RGBA

const std::array<float, 256>& linear_of_code() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = linear_from_srgb(static_cast<std::uint8_t>(i));
    return result;
  }();
  return table;
}

int wrapped(int i, int size, TextureWrap wrap) {
  if (wrap == TextureWrap::clamp) return std::clamp(i, 0, size - 1);
  const int period = wrap == TextureWrap::mirror ? 2 * size : size;
  const int rest = ((i % period) + period) % period;
  return rest < size ? rest : period - 1 - rest;
}

// Far out or not a number: the coordinate is brought to where integers hold it, by whole repeats.
double reined(double u) {
  constexpr double kFar = 1e4;
  if (!std::isfinite(u)) return 0;
  return std::abs(u) < kFar ? u : std::fmod(u, 2.0);
}

std::uint8_t eight_bits(float x) { return static_cast<std::uint8_t>(std::lround(std::clamp(x, 0.0F, 1.0F) * 255)); }

}  // namespace

std::optional<Texture> Texture::decode(std::span<const unsigned char> file, std::string& fault) {
  int width = 0, height = 0, channels = 0;
  const auto size = static_cast<int>(std::min<std::size_t>(file.size(), 0x7FFFFFFFU));
  if (stbi_info_from_memory(file.data(), size, &width, &height, &channels) == 0) {
    fault = "is neither PNG nor JPEG";
    return std::nullopt;
  }
  if (width > kLargest || height > kLargest ||
      static_cast<std::size_t>(width) * static_cast<std::size_t>(height) > kMostTexels) {
    fault = fmt::format("has {} x {} pixels, more than can be shown", width, height);
    return std::nullopt;
  }
  unsigned char* pixels = stbi_load_from_memory(file.data(), size, &width, &height, &channels, 4);
  if (pixels == nullptr) {
    fault = fmt::format("cannot be decoded ({})", stbi_failure_reason());
    return std::nullopt;
  }
  const std::size_t bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4;
  std::vector<std::uint8_t> rgba(pixels, pixels + bytes);
  std::free(pixels);
  return Texture(width, height, std::move(rgba));
}

Texture::Texture(int width, int height, std::vector<std::uint8_t> rgba) {
  levels_.push_back({width, height, std::move(rgba)});
  while (levels_.back().width > 1 || levels_.back().height > 1) levels_.push_back(half(levels_.back()));
}

Texel Texture::texel(const Level& level, int x, int y) {
  const std::uint8_t* p =
      &level.rgba[(static_cast<std::size_t>(y) * static_cast<std::size_t>(level.width) + static_cast<std::size_t>(x)) *
                  4];
  const std::array<float, 256>& linear = linear_of_code();
  return {linear[p[0]], linear[p[1]], linear[p[2]], static_cast<float>(p[3]) / 255};
}

Texture::Level Texture::half(const Level& level) {
  Level result{std::max(1, level.width / 2), std::max(1, level.height / 2), {}};
  result.rgba.reserve(static_cast<std::size_t>(result.width) * static_cast<std::size_t>(result.height) * 4);
  for (int y = 0; y < result.height; ++y)
    for (int x = 0; x < result.width; ++x) {
      // All texels that the new one covers: three along sides of odd length.
      const int x0 = x * level.width / result.width, x1 = (x + 1) * level.width / result.width;
      const int y0 = y * level.height / result.height, y1 = (y + 1) * level.height / result.height;
      float color[3] = {}, plain[3] = {}, alpha = 0, count = 0;
      for (int j = y0; j < y1; ++j)
        for (int i = x0; i < x1; ++i) {
          const Texel t = texel(level, i, j);
          for (std::size_t k = 0; k < 3; ++k) {
            color[k] += t[k] * t[3];
            plain[k] += t[k];
          }
          alpha += t[3];
          ++count;
        }
      for (std::size_t k = 0; k < 3; ++k)
        result.rgba.push_back(srgb_from_linear(alpha > 0 ? color[k] / alpha : plain[k] / count));
      result.rgba.push_back(eight_bits(alpha / count));
    }
  return result;
}

Texel Texture::blend(const Level& level, double u, double v, TextureWrap wrap_u, TextureWrap wrap_v) {
  const double x = u * level.width - 0.5, y = v * level.height - 0.5;
  const double left = std::floor(x), top = std::floor(y);
  const auto fx = static_cast<float>(x - left), fy = static_cast<float>(y - top);
  Texel sum{}, plain{};
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i) {
      const Texel t = texel(level, wrapped(static_cast<int>(left) + i, level.width, wrap_u),
                            wrapped(static_cast<int>(top) + j, level.height, wrap_v));
      const float weight = (i == 0 ? 1 - fx : fx) * (j == 0 ? 1 - fy : fy);
      for (std::size_t k = 0; k < 3; ++k) {
        sum[k] += weight * t[3] * t[k];
        plain[k] += weight * t[k];
      }
      sum[3] += weight * t[3];
    }
  for (std::size_t k = 0; k < 3; ++k) sum[k] = sum[3] > 0 ? sum[k] / sum[3] : plain[k];
  return sum;
}

Texel Texture::at(double u, double v, double level, TextureWrap wrap_u, TextureWrap wrap_v, bool nearest) const {
  u = reined(u);
  v = reined(v);
  if (nearest && !(level > 0)) {
    const Level& l = levels_.front();
    return texel(l, wrapped(static_cast<int>(std::floor(u * l.width)), l.width, wrap_u),
                 wrapped(static_cast<int>(std::floor(v * l.height)), l.height, wrap_v));
  }
  const double last = static_cast<double>(levels_.size() - 1), at = level > 0 ? std::min(level, last) : 0.0;
  const auto below = static_cast<std::size_t>(at);
  const Texel a = blend(levels_[below], u, v, wrap_u, wrap_v);
  const auto t = static_cast<float>(at - static_cast<double>(below));
  if (t == 0) return a;
  const Texel b = blend(levels_[below + 1], u, v, wrap_u, wrap_v);
  Texel sum;
  sum[3] = (1 - t) * a[3] + t * b[3];
  for (std::size_t k = 0; k < 3; ++k)
    sum[k] = sum[3] > 0 ? ((1 - t) * a[3] * a[k] + t * b[3] * b[k]) / sum[3] : (1 - t) * a[k] + t * b[k];
  return sum;
}

}  // namespace cutis
