// GLB and glTF, read back with tinygltf. The Khronos validator looks at such files in a test of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/math.h"
#include "cutis/error.h"
#include "io/appearance.h"
#include "io/gltf_readback.h"
#include "io/gltf_shots.h"
#include "io/writer_support.h"

namespace cutis::test {
namespace {

class GltfWriterTest : public testing::TestWithParam<const char*> {
 protected:
  tinygltf::Model write(const Shot& shot) {
    const std::string file = folder_.file(std::string("a") + GetParam());
    write_shot(shot, file);
    return load_gltf(file);
  }
  TemporaryFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Both, GltfWriterTest, testing::Values(".glb", ".gltf"),
                         [](const auto& format) { return std::string(format.param + 1); });

TEST_P(GltfWriterTest, HoldsOneTargetPerFrameThatAddsUpToTheFrame) {
  Shot shot;
  fill_shot(shot, 4);
  const tinygltf::Model model = write(shot);
  ASSERT_EQ(model.meshes.size(), 1U);
  ASSERT_EQ(model.meshes[0].primitives.size(), 2U);
  std::size_t first = 0;
  for (std::size_t m = 0; m < 2; ++m) {
    const auto& primitive = model.meshes[0].primitives[m];
    const Mesh& mesh = shot.character.meshes[m];
    const auto base = vectors(model, primitive.attributes.at("POSITION"));
    const auto base_normals = vectors(model, primitive.attributes.at("NORMAL"));
    EXPECT_EQ(base, mesh.positions);
    ASSERT_EQ(primitive.targets.size(), 4U);
    for (std::size_t f = 0; f < 4; ++f) {
      const auto d = vectors(model, primitive.targets[f].at("POSITION"));
      const auto dn = vectors(model, primitive.targets[f].at("NORMAL"));
      ASSERT_EQ(d.size(), base.size());
      Box box;
      for (std::size_t i = 0; i < d.size(); ++i) {
        ASSERT_LT(distance(base[i] + d[i], shot.frames[f].positions[first + i]), 1e-6F);
        ASSERT_LT(distance(base_normals[i] + dn[i], shot.frames[f].normals[first + i]), 1e-6F);
        box.add(static_cast<Vec3d>(d[i]));
      }
      const auto& accessor = model.accessors[static_cast<std::size_t>(primitive.targets[f].at("POSITION"))];
      EXPECT_EQ(accessor.minValues, (std::vector<double>{box.lo.x, box.lo.y, box.lo.z}));
      EXPECT_EQ(accessor.maxValues, (std::vector<double>{box.hi.x, box.hi.y, box.hi.z}));
    }
    const auto& indices = model.accessors[static_cast<std::size_t>(primitive.indices)];
    const auto& view = model.bufferViews[static_cast<std::size_t>(indices.bufferView)];
    ASSERT_EQ(indices.count, mesh.triangles.size() * 3);
    EXPECT_EQ(std::memcmp(model.buffers[0].data.data() + view.byteOffset, mesh.triangles.data(), indices.count * 4), 0);
    first += mesh.positions.size();
  }
}

TEST_P(GltfWriterTest, AnimatesTheWeightsFromSecondZeroAndShowsTheFirstFrameAtRest) {
  Shot shot;
  fill_shot(shot, 3);
  const tinygltf::Model model = write(shot);
  EXPECT_EQ(model.meshes.at(0).weights, (std::vector<double>{1, 0, 0}));
  ASSERT_EQ(model.animations.size(), 1U);
  const auto& animation = model.animations[0];
  EXPECT_EQ(animation.name, "bend");
  ASSERT_EQ(animation.channels.size(), 1U);
  EXPECT_EQ(animation.channels[0].target_path, "weights");
  EXPECT_EQ(animation.channels[0].target_node, 0);
  EXPECT_EQ(model.nodes.at(0).mesh, 0);
  EXPECT_EQ(animation.samplers.at(0).interpolation, "LINEAR");
  EXPECT_THAT(floats(model, animation.samplers[0].input),
              testing::ElementsAre(0, testing::FloatEq(1.0F / 24), testing::FloatEq(2.0F / 24)));
  EXPECT_EQ(floats(model, animation.samplers[0].output), (std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

TEST_P(GltfWriterTest, HoldsASingleFrameWithAStep) {
  Shot shot;
  fill_shot(shot, 1);
  const tinygltf::Model model = write(shot);
  EXPECT_EQ(model.animations.at(0).samplers.at(0).interpolation, "STEP");
  EXPECT_EQ(floats(model, model.animations[0].samplers[0].output), std::vector<float>{1});
}

TEST_P(GltfWriterTest, GivesACharacterWithoutMaterialsANeutralOne) {
  Shot shot;
  fill_shot(shot, 1);
  const tinygltf::Model model = write(shot);
  ASSERT_EQ(model.materials.size(), 1U);
  EXPECT_FALSE(model.materials[0].doubleSided);
  EXPECT_EQ(model.materials[0].pbrMetallicRoughness.metallicFactor, 0);
  for (const auto& primitive : model.meshes.at(0).primitives) EXPECT_EQ(primitive.material, 0);
}

TEST_P(GltfWriterTest, CarriesMaterialsTexturesImagesAndAttributes) {
  Shot shot;
  fill_shot(shot, 2);
  add_look(shot);
  const tinygltf::Model model = write(shot);
  const Mesh& patch = shot.character.meshes[1];
  const auto& primitive = model.meshes.at(0).primitives.at(1);
  EXPECT_EQ(floats(model, primitive.attributes.at("TEXCOORD_0")), patch.attributes[0].values);
  EXPECT_EQ(floats(model, primitive.attributes.at("COLOR_0")), patch.attributes[1].values);
  EXPECT_EQ(primitive.material, 1);
  EXPECT_EQ(model.meshes[0].primitives[0].material, 0);

  ASSERT_EQ(model.images.size(), 1U);  // the image without a file is gone …
  ASSERT_EQ(model.textures.size(), 1U);
  EXPECT_EQ(model.textures[0].source, 0);
  ASSERT_EQ(model.materials.size(), 2U);
  const auto& cloth = model.materials[1];
  EXPECT_EQ(cloth.name, "cloth");
  EXPECT_EQ(cloth.pbrMetallicRoughness.baseColorTexture.index, 0);
  EXPECT_TRUE(cloth.pbrMetallicRoughness.baseColorTexture.extensions.contains("KHR_texture_transform"));
  EXPECT_EQ(cloth.emissiveTexture.index, -1);  // … and so is what referred to it
  EXPECT_EQ(model.samplers.size(), 1U);
  EXPECT_TRUE(model.materials[0].extensions.contains("KHR_materials_unlit"));
  EXPECT_THAT(model.extensionsUsed, testing::UnorderedElementsAre("KHR_materials_unlit", "KHR_texture_transform"));

  const auto& view = model.bufferViews.at(static_cast<std::size_t>(model.images[0].bufferView));
  const auto& file = shot.character.appearance->images[1].file;
  ASSERT_EQ(view.byteLength, file.size());
  EXPECT_EQ(std::memcmp(model.buffers[0].data.data() + view.byteOffset, file.data(), file.size()), 0);
}

TEST_P(GltfWriterTest, AlignsEveryViewToFourBytes) {
  Shot shot;
  fill_shot(shot, 2);
  add_look(shot);
  const tinygltf::Model model = write(shot);
  std::size_t end = 0;
  for (const auto& view : model.bufferViews) {
    EXPECT_EQ(view.byteOffset % 4, 0U);
    EXPECT_GE(view.byteOffset, end);
    end = view.byteOffset + view.byteLength;
  }
  EXPECT_LE(end, model.buffers.at(0).data.size());
}

TEST(GlbWriter, MakesOneFileAndGltfMakesTwo) {
  const TemporaryFolder folder;
  Shot shot;
  fill_shot(shot, 2);
  write_shot(shot, folder.file("a.glb"));
  write_shot(shot, folder.file("b 100%.gltf"));  // a name that a URI must escape
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"a.glb", "b 100%.bin", "b 100%.gltf"}));
  EXPECT_EQ(load_gltf(folder.file("b 100%.gltf")).buffers.at(0).uri, "b%20100%25.bin");
}

TEST(GlbWriter, SpacesFramesOfAClipWithoutLengthAndSaysSo) {
  const TemporaryFolder folder;
  Shot shot;
  fill_shot(shot, 3);
  shot.header.times = {2, 2, 2};
  Context context(1);
  std::string warnings;
  context.on_warning = [&](std::string_view text) { warnings += text; };
  const auto writer = make_animation_writer(folder.file("a.glb"), shot.header, context);
  for (const auto& frame : shot.frames) writer->add_frame(frame.positions, frame.normals);
  writer->finish();
  EXPECT_THAT(warnings, testing::HasSubstr("same time"));
  const tinygltf::Model model = load_gltf(folder.file("a.glb"));
  EXPECT_THAT(floats(model, model.animations.at(0).samplers.at(0).input),
              testing::ElementsAre(0, testing::FloatEq(1.0F / 30), testing::FloatEq(2.0F / 30)));
}

TEST(GlbWriter, RefusesTimesThatDoNotIncrease) {
  const TemporaryFolder folder;
  Shot shot;
  fill_shot(shot, 3);
  shot.header.times = {0, 2, 1};
  EXPECT_THAT(error_of([&] { write_shot(shot, folder.file("a.glb")); }), testing::HasSubstr("do not increase"));
}

TEST(GlbWriter, RefusesMoreThanFourGigabytesBeforeTheFirstFrame) {
  const TemporaryFolder folder;
  Shot shot;
  fill_shot(shot, 1);
  shot.header.times.clear();
  for (int i = 0; i < 40000; ++i) shot.header.times.push_back(i);  // weights alone: 40000² floats
  const Context context(1);
  const std::string sentence =
      error_of([&] { static_cast<void>(make_animation_writer(folder.file("a.glb"), shot.header, context)); });
  EXPECT_THAT(sentence, testing::AllOf(testing::HasSubstr("GB"), testing::HasSubstr(".pc2")));
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(GlbWriter, MakesUnitNormalsOfAnyRestNormals) {
  const TemporaryFolder folder;
  Shot shot;
  fill_shot(shot, 1);
  shot.character.meshes[0].normals[3] = {0, 0, 0};
  shot.character.meshes[0].normals[4] = {0, 0, 5};
  write_shot(shot, folder.file("a.glb"));
  const tinygltf::Model model = load_gltf(folder.file("a.glb"));
  for (const Vec3f& n : vectors(model, model.meshes.at(0).primitives.at(0).attributes.at("NORMAL")))
    EXPECT_NEAR(length(n), 1, 1e-6);
}

}  // namespace
}  // namespace cutis::test
