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
  tinygltf::Model& model = look->model;
  model.extensionsUsed = {"KHR_materials_unlit", "KHR_texture_transform"};
  model.images.resize(2);
  model.images[0].name = "missing";
  model.images[1].name = "white";
  model.images[1].mimeType = "image/png";
  model.images[1].as_is = true;
  model.images[1].image.assign(std::begin(kPng), std::end(kPng));
  model.samplers.resize(1);
  model.samplers[0].minFilter = TINYGLTF_TEXTURE_FILTER_LINEAR;
  model.textures.resize(2);
  model.textures[0].source = 0;
  model.textures[1].source = 1;
  model.textures[1].sampler = 0;
  model.materials.resize(2);
  model.materials[0].name = "plain";
  model.materials[0].extensions["KHR_materials_unlit"] = tinygltf::Value(tinygltf::Value::Object());
  tinygltf::Material& cloth = model.materials[1];
  cloth.name = "cloth";
  cloth.emissiveTexture.index = 0;
  cloth.pbrMetallicRoughness.baseColorTexture.index = 1;
  cloth.pbrMetallicRoughness.baseColorTexture.extensions["KHR_texture_transform"] =
      tinygltf::Value(tinygltf::Value::Object{{"rotation", tinygltf::Value(0.5)}});
  shot.character.appearance = look;
  shot.character.meshes[0].material = 0;
  shot.character.meshes[1].material = 1;
}

}  // namespace cutis::test
