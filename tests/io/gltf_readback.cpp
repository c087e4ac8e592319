#include "io/gltf_readback.h"

#include <gtest/gtest.h>

#include <cstring>

namespace cutis::test {

tinygltf::Model load_gltf(const std::string& file) {
  tinygltf::TinyGLTF loader;
  loader.SetImageLoader([](tinygltf::Image*, int, std::string*, std::string*, int, int, const unsigned char*, int,
                           void*) { return true; },
                        nullptr);
  tinygltf::Model model;
  std::string error, warning;
  const bool binary = file.ends_with(".glb");
  const bool ok = binary ? loader.LoadBinaryFromFile(&model, &error, &warning, file)
                         : loader.LoadASCIIFromFile(&model, &error, &warning, file);
  EXPECT_TRUE(ok) << error;
  EXPECT_EQ(error + warning, "");
  return model;
}

std::vector<float> floats(const tinygltf::Model& model, int accessor) {
  const auto& a = model.accessors.at(static_cast<std::size_t>(accessor));
  const auto& view = model.bufferViews.at(static_cast<std::size_t>(a.bufferView));
  EXPECT_EQ(a.componentType, TINYGLTF_COMPONENT_TYPE_FLOAT);
  const auto width = static_cast<std::size_t>(tinygltf::GetNumComponentsInType(static_cast<std::uint32_t>(a.type)));
  std::vector<float> result(a.count * width);
  EXPECT_TRUE(view.byteStride == 0 || view.byteStride == width * 4);
  EXPECT_LE(a.byteOffset + result.size() * 4, view.byteLength);
  std::memcpy(result.data(), model.buffers[0].data.data() + view.byteOffset + a.byteOffset, result.size() * 4);
  return result;
}

std::vector<Vec3f> vectors(const tinygltf::Model& model, int accessor) {
  const std::vector<float> values = floats(model, accessor);
  std::vector<Vec3f> result(values.size() / 3);
  std::memcpy(result.data(), values.data(), values.size() * 4);
  return result;
}

}  // namespace cutis::test
