#include "io/appearance.h"

#include <cmath>

#include "io/gltf_read_json.h"

namespace cutis {
namespace {

// Null when there is none. Files may say anything: nothing is taken for granted but the list.
const nlohmann::json* find_in_material(const Appearance& appearance, int material, const char* key) {
  const auto index = static_cast<std::size_t>(material);
  return material >= 0 && index < appearance.materials.size() ? gltf::find_member(appearance.materials[index], key)
                                                              : nullptr;
}

}  // namespace

bool is_double_sided(const Appearance& appearance, int material) {
  const nlohmann::json* value = find_in_material(appearance, material, "doubleSided");
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::array<float, 3> base_color(const Appearance& appearance, int material) {
  std::array<float, 3> result = {1, 1, 1};
  const nlohmann::json* surface = find_in_material(appearance, material, "pbrMetallicRoughness");
  const nlohmann::json* factor = surface == nullptr ? nullptr : gltf::find_member(*surface, "baseColorFactor");
  if (factor == nullptr || !factor->is_array()) return result;
  for (std::size_t i = 0; i < result.size() && i < factor->size(); ++i) {
    const nlohmann::json& value = (*factor)[i];
    if (value.is_number() && std::isfinite(value.get<float>())) result[i] = value.get<float>();
  }
  return result;
}

}  // namespace cutis
