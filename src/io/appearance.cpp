#include "io/appearance.h"

#include <cmath>

namespace cutis {
namespace {

// Null when there is none. Files may say anything: nothing is taken for granted but the list.
const nlohmann::json* find_in(const nlohmann::json* json, const char* key) {
  if (json == nullptr || !json->is_object()) return nullptr;
  const auto at = json->find(key);
  return at == json->end() ? nullptr : &*at;
}

const nlohmann::json* find_material(const Appearance& appearance, int material) {
  const auto index = static_cast<std::size_t>(material);
  return material >= 0 && index < appearance.materials.size() ? &appearance.materials[index] : nullptr;
}

}  // namespace

bool is_double_sided(const Appearance& appearance, int material) {
  const nlohmann::json* value = find_in(find_material(appearance, material), "doubleSided");
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::array<float, 3> base_color(const Appearance& appearance, int material) {
  std::array<float, 3> result = {1, 1, 1};
  const nlohmann::json* factor =
      find_in(find_in(find_material(appearance, material), "pbrMetallicRoughness"), "baseColorFactor");
  if (factor == nullptr || !factor->is_array()) return result;
  for (std::size_t i = 0; i < result.size() && i < factor->size(); ++i) {
    const nlohmann::json& value = (*factor)[i];
    if (value.is_number() && std::isfinite(value.get<float>())) result[i] = value.get<float>();
  }
  return result;
}

}  // namespace cutis
