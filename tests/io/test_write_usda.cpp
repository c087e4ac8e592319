#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/appearance.h"
#include "io/usda_parser.h"
#include "io/writer_support.h"

namespace cutis::test {
namespace {

UsdaLayer write_and_parse(const Shot& shot) {
  const TemporaryFolder folder;
  write_shot(shot, folder.file("a.usda"));
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"a.usda"});
  return parse_usda(bytes_of(folder.file("a.usda")));
}

void expect_vectors(const UsdaValue& value, std::span<const Vec3f> expected) {
  ASSERT_EQ(value.items, expected.size());
  ASSERT_EQ(value.numbers.size(), expected.size() * 3);
  for (std::size_t i = 0; i < value.numbers.size(); ++i)
    ASSERT_EQ(static_cast<float>(value.numbers[i]), expected[i / 3][static_cast<int>(i % 3)]);
}

TEST(UsdaParser, RefusesBrokenText) {
  const std::string good = "#usda 1.0\n(\n upAxis = \"Y\"\n)\ndef Xform \"a\"\n{\n int[] b = [1, 2]\n}\n";
  EXPECT_NO_THROW(static_cast<void>(parse_usda(good)));
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"]", ""},
                                                                                 {"}", ""},
                                                                                 {"\"a\"", "\"a b\""},
                                                                                 {"[1, 2]", "[1, nan]"},
                                                                                 {"[1, 2]", "[1 2]"},
                                                                                 {"[1, 2]", "[inf]"},
                                                                                 {"#usda", "usda"},
                                                                                 {"def", "define"},
                                                                                 {")", ""},
                                                                                 {"\"Y\"", "\"Y"},
                                                                                 {"int[]", "integer[]"}}) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    EXPECT_THROW(static_cast<void>(parse_usda(bad)), std::runtime_error) << bad;
  }
}

TEST(UsdaWriter, StatesUnitsAxisTimesAndTheDefaultPrim) {
  Shot shot;
  fill_shot(shot, 3);
  shot.header.clip_name = "a \"quoted\"\\\nname";
  const UsdaLayer layer = write_and_parse(shot);
  const auto number = [&](const char* key) { return layer.metadata.at(key).numbers.at(0); };
  EXPECT_EQ(number("metersPerUnit"), 1);
  EXPECT_EQ(number("timeCodesPerSecond"), 24);
  EXPECT_EQ(number("startTimeCode"), 0);
  EXPECT_EQ(number("endTimeCode"), 2);
  EXPECT_EQ(layer.metadata.at("upAxis").text, "Y");
  EXPECT_EQ(layer.metadata.at("customLayerData").text, "clip=a \"quoted\"\\\nname;");
  ASSERT_EQ(layer.prims.size(), 1U);
  EXPECT_EQ(layer.prims[0].type, "Xform");
  EXPECT_EQ(layer.metadata.at("defaultPrim").text, layer.prims[0].name);
}

TEST(UsdaWriter, HoldsPointsNormalsAndExtentOfEveryFrameAndMesh) {
  Shot shot;
  fill_shot(shot, 3);
  const UsdaLayer layer = write_and_parse(shot);
  const auto& prims = layer.prims.at(0).children;
  ASSERT_EQ(prims.size(), 2U);
  EXPECT_EQ(prims[0].name, "tube");
  EXPECT_EQ(prims[1].name, "patch__of__cloth");
  std::size_t first = 0;
  for (std::size_t m = 0; m < 2; ++m) {
    const Mesh& mesh = shot.character.meshes[m];
    const auto& attributes = prims[m].attributes;
    EXPECT_EQ(prims[m].type, "Mesh");
    EXPECT_EQ(attributes.at("normals").metadata.at("interpolation").text, "vertex");
    EXPECT_EQ(attributes.at("subdivisionScheme").value.text, "none");
    ASSERT_EQ(attributes.at("points").samples.size(), 3U);
    ASSERT_EQ(attributes.at("normals").samples.size(), 3U);
    for (std::size_t f = 0; f < 3; ++f) {
      const auto part = [&](const std::vector<Vec3f>& all) {
        return std::span<const Vec3f>(all).subspan(first, mesh.positions.size());
      };
      const auto time = static_cast<double>(f);
      const auto points = part(shot.frames[f].positions);
      expect_vectors(attributes.at("points").samples.at(time), points);
      expect_vectors(attributes.at("normals").samples.at(time), part(shot.frames[f].normals));
      Box box;
      for (const Vec3f& p : points) box.add(static_cast<Vec3d>(p));
      const Vec3f corners[] = {static_cast<Vec3f>(box.lo), static_cast<Vec3f>(box.hi)};
      expect_vectors(attributes.at("extent").samples.at(time), corners);
    }
    EXPECT_EQ(attributes.at("faceVertexCounts").value.numbers, std::vector<double>(mesh.triangles.size(), 3));
    const auto& indices = attributes.at("faceVertexIndices").value.numbers;
    ASSERT_EQ(indices.size(), mesh.triangles.size() * 3);
    for (std::size_t i = 0; i < indices.size(); ++i) ASSERT_EQ(indices[i], mesh.triangles[i / 3][i % 3]);
    first += mesh.positions.size();
  }
}

TEST(UsdaWriter, TurnsTextureCoordinatesBottomUpAndMultipliesColours) {
  Shot shot;
  fill_shot(shot, 1);
  auto look = std::make_shared<Appearance>();
  look->materials[0] = {{"pbrMetallicRoughness", {{"baseColorFactor", {0.5, 1, 0.25, 1}}}}, {"doubleSided", true}};
  shot.character.appearance = look;
  shot.character.meshes[0].material = 0;
  shot.character.meshes[1].material = 0;
  const UsdaLayer layer = write_and_parse(shot);
  const auto& tube = layer.prims.at(0).children.at(0).attributes;
  const auto& patch = layer.prims.at(0).children.at(1).attributes;
  EXPECT_FALSE(tube.contains("primvars:st"));
  EXPECT_EQ(tube.at("primvars:displayColor").value.numbers, (std::vector<double>{0.5, 1, 0.25}));
  EXPECT_EQ(tube.at("primvars:displayColor").metadata.at("interpolation").text, "constant");
  EXPECT_EQ(tube.at("doubleSided").value.numbers, std::vector<double>{1});
  const auto& uv = shot.character.meshes[1].attributes[0].values;
  const auto& color = shot.character.meshes[1].attributes[1].values;
  EXPECT_EQ(patch.at("primvars:displayColor").metadata.at("interpolation").text, "vertex");
  EXPECT_EQ(patch.at("primvars:st").metadata.at("interpolation").text, "vertex");
  const auto& st = patch.at("primvars:st").value.numbers;
  const auto& shown = patch.at("primvars:displayColor").value.numbers;
  ASSERT_EQ(st.size(), uv.size());
  ASSERT_EQ(shown.size(), color.size());
  for (std::size_t i = 0; i < uv.size(); i += 2) {
    EXPECT_EQ(static_cast<float>(st[i]), uv[i]);
    EXPECT_EQ(static_cast<float>(st[i + 1]), 1 - uv[i + 1]);
  }
  for (std::size_t i = 0; i < color.size(); i += 3) {
    EXPECT_EQ(static_cast<float>(shown[i]), color[i] * 0.5F);
    EXPECT_EQ(static_cast<float>(shown[i + 1]), color[i + 1]);
    EXPECT_EQ(static_cast<float>(shown[i + 2]), color[i + 2] * 0.25F);
  }
}

TEST(UsdaWriter, GivesEveryPrimALegalNameOfItsOwn) {
  Shot shot;
  fill_shot(shot, 1);
  shot.character.source = "folder/3 models.glb";
  shot.character.meshes[0].name = "";
  shot.character.meshes[1].name = "mesh";
  const UsdaLayer layer = write_and_parse(shot);  // the parser refuses illegal and equal names
  EXPECT_EQ(layer.prims.at(0).name, "_3_models");
  EXPECT_EQ(layer.prims.at(0).children.at(0).name, "mesh");
  EXPECT_EQ(layer.prims.at(0).children.at(1).name, "mesh_1");
}

TEST(UsdaWriter, KeepsUnevenTimes) {
  Shot shot;
  fill_shot(shot, 3);
  shot.header.times = {1, 1.25, 3};
  const UsdaLayer layer = write_and_parse(shot);
  const double rate = layer.metadata.at("timeCodesPerSecond").numbers.at(0);
  std::vector<double> seconds;
  for (const auto& [code, value] : layer.prims.at(0).children.at(0).attributes.at("points").samples)
    seconds.push_back(code / rate);
  EXPECT_THAT(seconds, testing::ElementsAre(0, testing::DoubleNear(0.25, 1e-9), testing::DoubleNear(2, 1e-9)));
}

}  // namespace
}  // namespace cutis::test
