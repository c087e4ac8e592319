#include "io/gltf_shots.h"

#include "io/appearance.h"

namespace cutis::test {
namespace {

/// One white pixel.
constexpr unsigned char kPng[] = {0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48,
                                  0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
                                  0x00, 0x3A, 0x7E, 0x9B, 0x55, 0x00, 0x00, 0x00, 0x0A, 0x49, 0x44, 0x41, 0x54, 0x78,
                                  0x9C, 0x63, 0xF8, 0x0F, 0x00, 0x01, 0x01, 0x01, 0x00, 0xB1, 0x38, 0xF6, 0x14, 0x00,
                                  0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82};

}  // namespace

void add_look(Shot& shot) {
  auto look = std::make_shared<Appearance>();
  look->extensions_used = {"KHR_materials_unlit", "KHR_texture_transform"};
  look->images = {{"missing", {}, {}}, {"white", "image/png", {std::begin(kPng), std::end(kPng)}}};
  look->samplers = nlohmann::json::parse(R"([{"minFilter": 9729}])");
  look->textures = nlohmann::json::parse(R"([{"source": 0}, {"source": 1, "sampler": 0}])");
  look->materials = nlohmann::json::parse(R"([
    {"name": "plain", "extensions": {"KHR_materials_unlit": {}}},
    {"name": "cloth",
     "emissiveTexture": {"index": 0},
     "pbrMetallicRoughness": {
       "baseColorTexture": {"index": 1, "extensions": {"KHR_texture_transform": {"rotation": 0.5}}}}}])");
  shot.character.appearance = look;
  shot.character.meshes[0].material = 0;
  shot.character.meshes[1].material = 1;
}

}  // namespace cutis::test
