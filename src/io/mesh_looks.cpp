// The base colour of every mesh, from the materials that the reader carried: metallic-roughness, or the older
// specular-glossiness extension's diffuse. Files may say anything: what is not as it should be is passed over.
#include <cmath>
#include <string_view>

#include "cutis/io.h"
#include "io/appearance.h"
#include "io/gltf_read_json.h"

namespace cutis {
namespace {

using gltf::find_member;

constexpr int kClampToEdge = 33071, kMirroredRepeat = 33648, kNearest = 9728;  // glTF 2.0, samplers

const nlohmann::json* find_at(const nlohmann::json* list, const nlohmann::json* index) {
  if (list == nullptr || index == nullptr || !list->is_array()) return nullptr;
  const auto n = gltf::as_count(*index);
  return n && *n < list->size() ? &(*list)[*n] : nullptr;
}

// `fallback` where there is no finite number.
float number(const nlohmann::json* value, float fallback) {
  if (value == nullptr || !value->is_number()) return fallback;
  const auto x = value->get<float>();
  return std::isfinite(x) ? x : fallback;
}

template <std::size_t N>
void read_numbers(const nlohmann::json* list, std::array<float, N>& into) {
  if (list == nullptr || !list->is_array()) return;
  for (std::size_t i = 0; i < N && i < list->size(); ++i) into[i] = number(&(*list)[i], into[i]);
}

TextureWrap wrap_of(const nlohmann::json* sampler, const char* key) {
  const nlohmann::json* value = sampler == nullptr ? nullptr : find_member(*sampler, key);
  const float code = number(value, 0);
  return code == kClampToEdge      ? TextureWrap::clamp
         : code == kMirroredRepeat ? TextureWrap::mirror
                                   : TextureWrap::repeat;
}

void read_texture(const Appearance& appearance, const nlohmann::json& info, MeshLook& look) {
  const nlohmann::json* texture = find_at(&appearance.textures, find_member(info, "index"));
  if (texture == nullptr) return;
  // A picture that an extension names (webp, basis) has a PNG or JPEG beside it, or none that can be shown.
  const nlohmann::json* source = find_member(*texture, "source");
  const auto n = source == nullptr ? std::nullopt : gltf::as_count(*source);
  if (!n) {
    look.picture_name = "a picture in a format of an extension";
    return;
  }
  if (*n >= appearance.images.size()) return;
  const Appearance::Image& image = appearance.images[*n];
  look.picture = image.file;
  look.picture_name = image.name.empty() ? "image " + std::to_string(*n) : image.name;
  const nlohmann::json* sampler = find_at(&appearance.samplers, find_member(*texture, "sampler"));
  look.wrap_u = wrap_of(sampler, "wrapS");
  look.wrap_v = wrap_of(sampler, "wrapT");
  look.nearest = sampler != nullptr && number(find_member(*sampler, "magFilter"), 0) == kNearest;
  look.uv_set = static_cast<int>(number(find_member(info, "texCoord"), 0));
  const nlohmann::json* extensions = find_member(info, "extensions");
  const nlohmann::json* transform = extensions == nullptr ? nullptr : find_member(*extensions, "KHR_texture_transform");
  if (transform == nullptr) return;
  read_numbers(find_member(*transform, "offset"), look.uv_offset);
  read_numbers(find_member(*transform, "scale"), look.uv_scale);
  look.uv_rotation = number(find_member(*transform, "rotation"), 0);
  look.uv_set = static_cast<int>(number(find_member(*transform, "texCoord"), static_cast<float>(look.uv_set)));
}

MeshLook look_of(const Appearance& appearance, const nlohmann::json& material) {
  MeshLook look;
  const nlohmann::json* mode = find_member(material, "alphaMode");
  if (mode != nullptr && mode->is_string()) {
    const auto& text = mode->get_ref<const std::string&>();
    look.alpha = text == "MASK" ? AlphaMode::mask : text == "BLEND" ? AlphaMode::blend : AlphaMode::opaque;
  }
  look.cutoff = number(find_member(material, "alphaCutoff"), look.cutoff);
  const nlohmann::json* sides = find_member(material, "doubleSided");
  look.double_sided = sides != nullptr && sides->is_boolean() && sides->get<bool>();
  const auto read = [&](const nlohmann::json* surface, const char* factor, const char* texture) {
    if (surface == nullptr) return false;
    read_numbers(find_member(*surface, factor), look.color);
    const nlohmann::json* info = find_member(*surface, texture);
    if (info != nullptr) read_texture(appearance, *info, look);
    return find_member(*surface, factor) != nullptr || info != nullptr;
  };
  if (read(find_member(material, "pbrMetallicRoughness"), "baseColorFactor", "baseColorTexture")) return look;
  const nlohmann::json* extensions = find_member(material, "extensions");
  if (extensions != nullptr)
    read(find_member(*extensions, "KHR_materials_pbrSpecularGlossiness"), "diffuseFactor", "diffuseTexture");
  return look;
}

}  // namespace

std::vector<MeshLook> mesh_looks(const Character& character) {
  std::vector<MeshLook> looks(character.meshes.size());
  if (character.appearance == nullptr) return looks;
  const Appearance& appearance = *character.appearance;
  for (std::size_t m = 0; m < looks.size(); ++m) {
    const int material = character.meshes[m].material;
    if (material >= 0 && static_cast<std::size_t>(material) < appearance.materials.size())
      looks[m] = look_of(appearance, appearance.materials[static_cast<std::size_t>(material)]);
  }
  return looks;
}

}  // namespace cutis
