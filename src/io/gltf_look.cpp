#include "io/gltf_look.h"

#include <algorithm>

#include "io/appearance.h"
#include "io/neutral_material.h"

namespace cutis {
namespace {

using Json = nlohmann::ordered_json;

/// Old index -> new index, -1 for what is left out.
using Renumbering = std::vector<int>;

int renumbered(const Renumbering& numbers, const Json& index) {
  if (!index.is_number_integer()) return -1;
  const auto i = index.get<long long>();
  return i >= 0 && i < static_cast<long long>(numbers.size()) ? numbers[static_cast<std::size_t>(i)] : -1;
}

/// Images that have a file, and their new numbers.
Renumbering take_images(const Appearance& appearance, GltfLook& look) {
  Renumbering numbers;
  for (const Appearance::Image& image : appearance.images) {
    const bool there = !image.file.empty() && !image.mime_type.empty();
    numbers.push_back(there ? static_cast<int>(look.images.size()) : -1);
    if (!there) continue;
    Json entry = {{"mimeType", image.mime_type}};
    if (!image.name.empty()) entry["name"] = image.name;
    look.images.push_back(std::move(entry));
    look.image_files.emplace_back(image.file);
  }
  return numbers;
}

/// Textures that still have an image, by themselves or through an extension (KHR_texture_basisu, EXT_texture_webp).
/// An extension that is the only source becomes required.
Renumbering take_textures(const Json& textures, const Renumbering& images, GltfLook& look) {
  Renumbering numbers;
  for (Json texture : textures) {
    bool has_image = false;
    if (texture.contains("source")) {
      const int image = renumbered(images, texture["source"]);
      if (image >= 0)
        texture["source"] = image;
      else
        texture.erase("source");
      has_image = image >= 0;
    }
    if (texture.contains("extensions")) {
      Json kept = Json::object();
      for (const auto& [name, value] : texture["extensions"].items()) {
        if (!value.is_object() || !value.contains("source")) {
          kept[name] = value;
          continue;
        }
        const int image = renumbered(images, value["source"]);
        if (image < 0) continue;
        kept[name] = value;
        kept[name]["source"] = image;
        auto& required = look.extensions_required;
        if (!has_image && std::find(required.begin(), required.end(), name) == required.end()) required.push_back(name);
        has_image = true;
      }
      texture.erase("extensions");
      if (!kept.empty()) texture["extensions"] = std::move(kept);
    }
    numbers.push_back(has_image ? static_cast<int>(look.textures.size()) : -1);
    if (has_image) look.textures.push_back(std::move(texture));
  }
  return numbers;
}

/// Renumbers every "…Texture": {"index": n, …} at any depth (extensions have their own) and drops those without one.
void renumber_textures(Json& node, const Renumbering& textures) {
  if (!node.is_object()) return;
  std::vector<std::string> gone;
  for (auto& [key, value] : node.items()) {
    if (key.ends_with("Texture") && value.is_object() && value.contains("index")) {
      const int index = renumbered(textures, value["index"]);
      if (index >= 0)
        value["index"] = index;
      else
        gone.push_back(key);
    } else if (key != "extras") {
      renumber_textures(value, textures);
    }
  }
  for (const std::string& key : gone) node.erase(key);
}

Json neutral_material() {
  return {{"name", "skin"},
          {"pbrMetallicRoughness",
           {{"baseColorFactor", kNeutralColor},
            {"metallicFactor", kNeutralMetallic},
            {"roughnessFactor", kNeutralRoughness}}},
          {"doubleSided", false}};
}

}  // namespace

GltfLook gltf_look(const Character& character) {
  GltfLook look;
  if (character.appearance == nullptr) {
    look.materials.push_back(neutral_material());
    return look;
  }
  const Appearance& appearance = *character.appearance;
  const Renumbering images = take_images(appearance, look);
  const Renumbering textures = take_textures(Json(appearance.textures), images, look);
  look.samplers = appearance.samplers;
  look.materials = appearance.materials;
  for (Json& material : look.materials) renumber_textures(material, textures);
  look.extensions_used = appearance.extensions_used;
  return look;
}

int material_index(const Character& character, const Mesh& mesh) {
  if (character.appearance == nullptr) return 0;
  const auto count = character.appearance->materials.size();
  return mesh.material >= 0 && static_cast<std::size_t>(mesh.material) < count ? mesh.material : -1;
}

}  // namespace cutis
