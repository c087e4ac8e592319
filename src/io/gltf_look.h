// Materials, textures and images of a character as glTF JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cutis/character.h"

namespace cutis {

struct GltfLook {
  nlohmann::ordered_json materials = nlohmann::ordered_json::array();
  nlohmann::ordered_json textures = nlohmann::ordered_json::array();
  nlohmann::ordered_json samplers = nlohmann::ordered_json::array();
  nlohmann::ordered_json images = nlohmann::ordered_json::array();  ///< without "bufferView", which the writer adds
  std::vector<std::span<const unsigned char>> image_files;          ///< encoded files, one per image
  std::vector<std::string> extensions_used, extensions_required;
};

/// The appearance that the reader carried, or one neutral material when there is none. Images without bytes are left
/// out, with the textures that have no other image and all that refers to those. Spans point into `character`.
[[nodiscard]] GltfLook gltf_look(const Character& character);

/// What `mesh.material` is in GltfLook::materials, or -1.
[[nodiscard]] int material_index(const Character& character, const Mesh& mesh);

}  // namespace cutis
