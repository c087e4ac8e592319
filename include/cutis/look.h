// How a mesh is painted, as its file says it: plain data between whoever reads files and whoever draws them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace cutis {

enum class AlphaMode : std::uint8_t {
  opaque,
  mask,   ///< there where alpha is not below the cutoff, and nowhere else
  blend,  ///< lets through what is behind it
};

enum class TextureWrap : std::uint8_t { repeat, mirror, clamp };

/// The base colour of one mesh. What is seen is `color` times the picture's texel times the vertex colour (COLOR_0).
struct MeshLook {
  std::array<float, 4> color = {1, 1, 1, 1};  ///< linear RGB and alpha
  AlphaMode alpha = AlphaMode::opaque;
  float cutoff = 0.5F;  ///< of AlphaMode::mask
  bool double_sided = false;
  /// A PNG or JPEG file, as long as the character's appearance lives; empty: none.
  std::span<const unsigned char> picture = {};
  std::string picture_name = {};  ///< for messages
  int uv_set = 0;                 ///< TEXCOORD_n
  TextureWrap wrap_u = TextureWrap::repeat, wrap_v = TextureWrap::repeat;
  bool nearest = false;  ///< texels stay squares when they are large
  /// KHR_texture_transform: uv' = offset + turn(rotation) (scale * uv).
  std::array<float, 2> uv_offset = {0, 0}, uv_scale = {1, 1};
  float uv_rotation = 0;  ///< radians
};

}  // namespace cutis
