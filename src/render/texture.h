// A picture on a surface: decoded, with ever smaller copies of itself for where it is seen from far away.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cutis/look.h"

namespace cutis {

/// Linear RGB and alpha.
using Texel = std::array<float, 4>;

class Texture {
 public:
  /// From a PNG or JPEG file; none, and `fault` says why, when it is neither, damaged, or larger than kLargest.
  [[nodiscard]] static std::optional<Texture> decode(std::span<const unsigned char> file, std::string& fault);
  /// From 8-bit sRGB and alpha, row by row from the top.
  Texture(int width, int height, std::vector<std::uint8_t> rgba);

  static constexpr int kLargest = 16384;  ///< pixels along either side

  [[nodiscard]] int width() const { return levels_.front().width; }
  [[nodiscard]] int height() const { return levels_.front().height; }
  /// At (u, v), v down from the top; `level` 0 is the picture itself, each further one half as large, and between them
  /// they are blended. Colours are those of what is not transparent.
  [[nodiscard]] Texel at(double u, double v, double level, TextureWrap wrap_u, TextureWrap wrap_v, bool nearest) const;

 private:
  struct Level {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgba;
  };
  [[nodiscard]] static Level half(const Level& level);
  [[nodiscard]] static Texel texel(const Level& level, int x, int y);
  [[nodiscard]] static Texel blend(const Level& level, double u, double v, TextureWrap wrap_u, TextureWrap wrap_v);

  std::vector<Level> levels_;
};

}  // namespace cutis
