// How a character looks, as its glTF file said it: carried from the reader to the glTF writer untouched.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace cutis {

struct Appearance {
  /// An image's encoded file (PNG, JPEG, …); no bytes when the file was missing.
  struct Image {
    std::string name, mime_type;
    std::vector<unsigned char> file;
  };
  /// Lists of objects, as in the file; what they say of textures, images and samplers is there.
  nlohmann::json materials = nlohmann::json::array();
  nlohmann::json textures = nlohmann::json::array();
  nlohmann::json samplers = nlohmann::json::array();
  std::vector<Image> images;
  std::vector<std::string> extensions_used;  ///< by materials and textures
};

[[nodiscard]] bool is_double_sided(const Appearance& appearance, int material);
[[nodiscard]] std::array<float, 3> base_color(const Appearance& appearance, int material);  ///< white unless it is said

}  // namespace cutis
