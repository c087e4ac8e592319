// Bad glTF files: each gets one sentence that names the file and the place, and no large allocation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cutis/error.h"
#include "io/gltf_samples.h"
#include "io/gltf_support.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::GltfBuilder;
using test::refusal;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Json = GltfBuilder::Json;

Json& accessor(GltfBuilder& b, const char* attribute) {
  return b.json["accessors"][test::first_attributes(b)[attribute].get<std::size_t>()];
}
std::string refusal_of_text(const std::string& text) { return refusal(std::as_bytes(std::span(text))); }

TEST(GltfDamaged, EmptyFile) { EXPECT_EQ(refusal_of_text(""), "file: the file is empty"); }

TEST(GltfDamaged, WrongMagic) {
  EXPECT_THAT(refusal_of_text("hello"), HasSubstr("not a glTF file"));
  EXPECT_THAT(refusal_of_text(std::string(100, '\0')), HasSubstr("not a glTF file"));
}

TEST(GltfDamaged, OldVersion) {
  auto bytes = test::square_file().glb();
  bytes[4] = std::byte{1};
  EXPECT_THAT(refusal(bytes), HasSubstr("version 1"));
  GltfBuilder b = test::square_file();
  b.json["asset"]["version"] = "1.0";
  EXPECT_THAT(refusal(b), HasSubstr("version 1.0"));
  b.json["asset"].erase("version");
  EXPECT_THAT(refusal(b), HasSubstr("no asset version"));
}

TEST(GltfDamaged, TruncatedAnywhere) {
  const auto bytes = test::mixed_file().glb();
  for (std::size_t size = 4; size < bytes.size(); size += 7)
    EXPECT_THAT(refusal(std::span(bytes).first(size)), HasSubstr("truncated")) << size;
}

TEST(GltfDamaged, TruncatedTextAnywhere) {
  const std::string text = test::square_file().gltf();
  for (std::size_t size = 1; size < text.size(); size += 11)
    EXPECT_THAT(refusal_of_text(text.substr(0, size)), StartsWith("file: its JSON is damaged")) << size;
}

TEST(GltfDamaged, ChunkLongerThanTheFile) {
  auto bytes = test::square_file().glb();
  bytes[15] = std::byte{0xFF};
  EXPECT_THAT(refusal(bytes), HasSubstr("chunk 0 claims"));
}

TEST(GltfDamaged, DeepNesting) {
  std::string text = R"({"asset":{"version":"2.0"},"extras":)" + std::string(2000000, '[');
  EXPECT_THAT(refusal_of_text(text), HasSubstr("nested more than"));
  text = R"({"asset":{"version":"2.0"},"a":"\"[[[[)" + std::string(1000, '[') + R"("})";  // in a string it is text
  EXPECT_THAT(refusal_of_text(text), HasSubstr("no triangle mesh"));
}

TEST(GltfDamaged, NamesWithoutEndAreCutBetweenCharacters) {
  GltfBuilder b = test::square_file();
  std::string name = "x";  // then two bytes a character: the limit falls within one
  while (name.size() < 1000000) name += "\xC3\xA9";
  b.json["meshes"][0]["name"] = name;
  const Json primitive = test::first_primitive(b);
  for (int i = 0; i < 99; ++i) b.json["meshes"][0]["primitives"].push_back(primitive);
  const Character c = test::read(b).character;
  ASSERT_EQ(c.meshes.size(), 100U);
  for (const Mesh& mesh : c.meshes) {
    EXPECT_LT(mesh.name.size(), 1100U);
    EXPECT_TRUE(mesh.name.starts_with(name.substr(0, 1023)));
    EXPECT_NE(mesh.name.substr(1023, 1), "\xC3");
  }
}

TEST(GltfDamaged, DeepNodeChainIsFine) {
  GltfBuilder b = test::square_file();
  constexpr int kNodes = 200000;
  Json nodes = Json::array();
  for (int i = 0; i + 1 < kNodes; ++i) nodes.push_back({{"children", {i + 1}}});
  nodes.push_back({{"mesh", 0}, {"translation", {1, 0, 0}}});
  b.json["nodes"] = std::move(nodes);
  EXPECT_EQ(test::read(b).character.meshes[0].positions[0], (Vec3f{1, 0, 0}));
}

TEST(GltfDamaged, CyclicNodes) {
  GltfBuilder b = test::square_file();
  b.json["nodes"] = {{{"mesh", 0}, {"children", {1}}}, {{"children", {2}}}, {{"children", {0}}}};
  EXPECT_THAT(refusal(b), AllOf(HasSubstr("node 0"), HasSubstr("circle")));
  b.json["nodes"] = {{{"mesh", 0}, {"children", {0}}}};
  EXPECT_THAT(refusal(b), HasSubstr("its own child"));
  b.json["nodes"] = {{{"mesh", 0}}, {{"children", {0}}}, {{"name", "x"}, {"children", {0}}}};
  EXPECT_THAT(refusal(b), AllOf(HasSubstr("two parents"), HasSubstr("node 'x'")));
}

TEST(GltfDamaged, BillionVertices) {
  GltfBuilder b = test::square_file();
  accessor(b, "POSITION")["count"] = 1000000000;
  EXPECT_THAT(refusal(b), AllOf(StartsWith("file › mesh 'square' › POSITION: "), HasSubstr("claims 1000000000")));
  accessor(b, "POSITION")["count"] = 9007199254740992;
  EXPECT_THAT(refusal(b), HasSubstr("claims 9007199254740992"));
  accessor(b, "POSITION")["count"] = 1e30;
  EXPECT_THAT(refusal(b), HasSubstr("'count' is not a whole number"));
  accessor(b, "POSITION")["count"] = -1;
  EXPECT_THAT(refusal(b), HasSubstr("'count' is not a whole number"));
}

TEST(GltfDamaged, BillionZeroVerticesWithoutData) {
  GltfBuilder b = test::square_file();
  accessor(b, "POSITION")["count"] = 1000000000;
  accessor(b, "POSITION").erase("bufferView");
  EXPECT_THAT(refusal(b), HasSubstr("more than a file of this size can mean"));
}

TEST(GltfDamaged, ManyInstancesOfAMesh) {
  GltfBuilder b = test::square_file();
  accessor(b, "POSITION") = {{"count", 100000}, {"componentType", 5126}, {"type", "VEC3"}};
  test::first_attributes(b).erase("NORMAL");
  for (int i = 0; i < 2000; ++i) b.add("nodes", {{"mesh", 0}});
  EXPECT_THAT(refusal(b), HasSubstr("more than a file of this size can mean"));
}

TEST(GltfDamaged, ViewsAndAccessorsOutOfRange) {
  GltfBuilder b = test::square_file();
  b.json["bufferViews"][0]["byteOffset"] = 9007199254740992;
  EXPECT_THAT(refusal(b), HasSubstr("bufferView 0 reaches"));
  b = test::square_file();
  b.json["bufferViews"][0]["byteLength"] = 100000;
  EXPECT_THAT(refusal(b), HasSubstr("bufferView 0 reaches to byte 100000"));
  b = test::square_file();
  accessor(b, "POSITION")["byteOffset"] = 4;
  EXPECT_THAT(refusal(b), HasSubstr("has only 48 bytes"));
  b = test::square_file();
  b.json["bufferViews"][0]["byteStride"] = 8;
  EXPECT_THAT(refusal(b), HasSubstr("stride of 8 bytes for elements of 12"));
  b = test::square_file();
  accessor(b, "POSITION")["bufferView"] = 17;
  EXPECT_THAT(refusal(b), AllOf(HasSubstr("accessors[0]"), HasSubstr("'bufferView' is 17")));
  b = test::square_file();
  b.json["buffers"] = {{{"byteLength", 100000}}};
  EXPECT_THAT(refusal(b), HasSubstr("claims 100000 bytes"));
}

TEST(GltfDamaged, IndicesOutOfRange) {
  GltfBuilder b = test::square_file();
  test::first_primitive(b)["indices"] = b.add_accessor(std::vector<std::uint16_t>{0, 1, 4}, "SCALAR");
  EXPECT_THAT(refusal(b), HasSubstr("index 2 points to vertex 4, but there are only 4"));
  test::first_primitive(b)["indices"] = b.add_accessor(std::vector<float>{0, 1, 2}, "SCALAR");
  EXPECT_THAT(refusal(b), HasSubstr("unsigned integers"));
}

TEST(GltfDamaged, PositionsThatAreNotFinite) {
  GltfBuilder b = test::square_file();
  test::first_attributes(b)["POSITION"] =
      b.add_accessor(std::vector<float>{0, 0, 0, 1, 0, 0, 1, NAN, 0, 0, 1, 0}, "VEC3");
  EXPECT_THAT(refusal(b), HasSubstr("the position of vertex 2 is not finite"));
}

TEST(GltfDamaged, NoVerticesAndNoTriangles) {
  GltfBuilder b = test::square_file();
  accessor(b, "POSITION")["count"] = 0;
  EXPECT_THAT(refusal(b), HasSubstr("no vertices"));
  b = test::square_file();
  test::first_primitive(b)["mode"] = 0;
  EXPECT_THAT(refusal(b), HasSubstr("no triangle mesh"));
  b = test::square_file();
  b.json.erase("meshes");
  b.json["nodes"] = Json::array({Json::object()});  // compilers differ in what one pair of braces is
  EXPECT_THAT(refusal(b), HasSubstr("no triangle mesh"));
}

TEST(GltfDamaged, AttributesOfTheWrongLengthOrShape) {
  GltfBuilder b = test::square_file();
  accessor(b, "NORMAL")["count"] = 3;
  EXPECT_THAT(refusal(b), HasSubstr("NORMAL has 3 elements, POSITION has 4"));
  b = test::square_file();
  accessor(b, "POSITION")["type"] = "VEC2";
  EXPECT_THAT(refusal(b), HasSubstr("2 components instead of 3"));
  b = test::square_file();
  accessor(b, "POSITION")["componentType"] = 5124;
  EXPECT_THAT(refusal(b), HasSubstr("'componentType' 5124"));
}

TEST(GltfDamaged, SparseOutOfRange) {
  GltfBuilder b = test::mixed_file();
  accessor(b, "POSITION")["sparse"]["count"] = 5;
  EXPECT_THAT(refusal(b), HasSubstr("5 of 4 elements"));
  b = test::mixed_file();
  accessor(b, "POSITION")["sparse"]["indices"]["bufferView"] = b.add_view(std::vector<std::uint16_t>{4});
  EXPECT_THAT(refusal(b), HasSubstr("sets element 4 of 4"));
  b = test::mixed_file();
  accessor(b, "POSITION")["sparse"]["values"]["byteOffset"] = 8;
  EXPECT_THAT(refusal(b), HasSubstr("claims 1 elements of 12 bytes"));
}

TEST(GltfDamaged, WrongJsonTypes) {
  GltfBuilder b = test::square_file();
  b.json["nodes"] = 3;
  EXPECT_THAT(refusal(b), HasSubstr("'nodes' is not an array"));
  b = test::square_file();
  b.json["nodes"][0]["mesh"] = "square";
  EXPECT_THAT(refusal(b), AllOf(HasSubstr("nodes[0]"), HasSubstr("'mesh' is not an index")));
  b = test::square_file();
  b.json["nodes"][0]["scale"] = {1, 2};
  EXPECT_THAT(refusal(b), HasSubstr("'scale' has 2 numbers instead of 3"));
  b = test::square_file();
  test::first_primitive(b) = 5;
  EXPECT_THAT(refusal(b), HasSubstr("meshes[0].primitives[0]"));
}

TEST(GltfDamaged, UnknownRequiredExtension) {
  GltfBuilder b = test::square_file();
  b.json["extensionsRequired"] = {"EXT_mesh_gpu_instancing"};
  EXPECT_THAT(refusal(b), HasSubstr("requires the extension EXT_mesh_gpu_instancing"));
}

TEST(GltfDamaged, WeightsThatAllSumToZero) {
  GltfBuilder b = test::skinned_file();
  test::first_attributes(b)["WEIGHTS_0"] = b.add_accessor(std::vector<float>(16, 0.0F), "VEC4");
  EXPECT_THAT(refusal(b), HasSubstr("the weights of vertex 0 of mesh 'square' sum to 0, as all"));
}

TEST(GltfDamaged, WeightsForJointsThatDoNotExist) {
  GltfBuilder b = test::skinned_file();
  test::first_attributes(b)["JOINTS_0"] = b.add_accessor(std::vector<std::uint8_t>(16, 2), "VEC4");
  EXPECT_THAT(refusal(b), HasSubstr("vertex 0 is bound to joint 2 of its skin, which has only 2"));
}

TEST(GltfDamaged, SkinnedMeshWithoutWeights) {
  GltfBuilder b = test::skinned_file();
  test::first_attributes(b).erase("WEIGHTS_0");
  EXPECT_THAT(refusal(b), HasSubstr("only one of JOINTS_0 and WEIGHTS_0"));
  test::first_attributes(b).erase("JOINTS_0");
  EXPECT_THAT(refusal(b), HasSubstr("no JOINTS_0 and WEIGHTS_0"));
}

TEST(GltfDamaged, SingularInverseBindMatrix) {
  GltfBuilder b = test::skinned_file();
  std::vector<float> matrices(32, 0.0F);
  for (const int i : {0, 5, 10, 15}) matrices[static_cast<std::size_t>(i)] = 1;
  b.json["skins"][0]["inverseBindMatrices"] = b.add_accessor(matrices, "MAT4");
  EXPECT_THAT(refusal(b), AllOf(HasSubstr("skin 0 › joint node 'upper'"), HasSubstr("cannot be inverted")));
  matrices[16] = NAN;
  b.json["skins"][0]["inverseBindMatrices"] = b.add_accessor(matrices, "MAT4");
  EXPECT_THAT(refusal(b), HasSubstr("cannot be inverted"));
  matrices.resize(16);
  b.json["skins"][0]["inverseBindMatrices"] = b.add_accessor(matrices, "MAT4");
  EXPECT_THAT(refusal(b), HasSubstr("1 matrices for 2 joints"));
}

TEST(GltfDamaged, SkeletonScaledToNothing) {
  GltfBuilder b = test::skinned_file();
  b.json["nodes"][1]["scale"] = {0, 0, 0};
  EXPECT_THAT(refusal(b), AllOf(HasSubstr("node 'lower'"), HasSubstr("scaled to nothing")));
}

TEST(GltfDamaged, ClipsNameThemselvesAndTheNode) {
  GltfBuilder b = test::skinned_file();
  Json& sampler = b.json["animations"][0]["samplers"][0];
  const Json good = sampler;
  const auto expect = [&](const char* part) {
    EXPECT_THAT(refusal(b), AllOf(StartsWith("file › clip 'turn' › node 'upper'"), HasSubstr(part)));
    b.json["animations"][0]["samplers"][0] = good;
  };
  sampler["input"] = b.add_accessor(std::vector<float>{0, 0}, "SCALAR");
  expect("not later");
  b.json["animations"][0]["samplers"][0]["input"] = b.add_accessor(std::vector<float>{0, INFINITY}, "SCALAR");
  expect("not finite");
  b.json["animations"][0]["samplers"][0]["input"] = b.add_accessor(std::vector<float>{0, 1, 2}, "SCALAR");
  expect("8 numbers for 3 keys");
  b.json["animations"][0]["samplers"][0]["output"] = b.add_accessor(std::vector<float>(8, 0.0F), "VEC4");
  expect("0 0 0 0");
  b.json["animations"][0]["samplers"][0]["output"] = b.add_accessor(std::vector<float>(6, 0.0F), "VEC3");
  expect("3 components instead of 4");
  b.json["animations"][0]["samplers"][0]["interpolation"] = "MAGIC";
  expect("'MAGIC' is unknown");
}

TEST(GltfDamaged, CompressedDataIsDamaged) {
  for (GltfBuilder b : {test::draco_file(), test::meshopt_file()}) {
    const std::size_t view = b.json["bufferViews"].size() - 1;
    const Json& json = b.json["bufferViews"][view];
    const Json& where = json.contains("extensions") ? json["extensions"]["EXT_meshopt_compression"] : json;
    const auto begin = where["byteOffset"].get<std::size_t>(), size = where["byteLength"].get<std::size_t>();
    const auto original = b.binary;
    for (std::size_t i = 0; i < size; ++i) {
      b.binary = original;
      b.binary[begin + i] ^= std::byte{0xFF};
      try {
        (void)test::read(b);
      } catch (const Error& e) {
        EXPECT_THAT(e.what(), StartsWith("file › mesh"));
      }
    }
  }
}

TEST(GltfDamaged, CompressedDataClaimsTooMuch) {
  GltfBuilder b = test::meshopt_file();
  b.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"]["count"] = 1000000000;
  EXPECT_THAT(refusal(b), HasSubstr("more than a file of this size can mean"));
  b = test::meshopt_file();
  b.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"]["mode"] = "ZIP";
  EXPECT_THAT(refusal(b), HasSubstr("mode 'ZIP' is unknown"));
  // Draco: a header of four billion vertices and triangles, and nothing after it.
  b = test::draco_file();
  const auto& view = b.json["bufferViews"].back();
  const std::string bomb("DRACO\2\2\1\1\0\0\0\xff\xff\xff\xff\x0f\xff\xff\xff\xff\x0f", 22);
  ASSERT_GE(view["byteLength"].get<std::size_t>(), bomb.size());
  std::memcpy(b.binary.data() + view["byteOffset"].get<std::size_t>(), bomb.data(), bomb.size());
  EXPECT_THAT(refusal(b), HasSubstr("claims 4294967295 triangles and 4294967295 vertices"));
}

class GltfPaths : public testing::Test {
 protected:
  GltfPaths() {
    std::filesystem::create_directory(folder_.path() / "inside");
    const GltfBuilder b = test::square_file();
    std::ofstream(folder_.file("secret.bin"), std::ios::binary)
        .write(reinterpret_cast<const char*>(b.binary.data()), static_cast<std::streamsize>(b.binary.size()));
  }
  [[nodiscard]] std::string load(const std::string& uri) const {
    GltfBuilder b = test::square_file();
    b.json["buffers"] = {{{"byteLength", b.binary.size()}, {"uri", uri}}};
    const std::string file = folder_.file("inside/a.gltf");
    std::ofstream(file) << b.json.dump();
    return test::error_of([&] { (void)load_character(file, Context(1)); });
  }
  test::TemporaryFolder folder_;
};

TEST_F(GltfPaths, NeverLeaveTheFolder) {
  std::filesystem::create_symlink(folder_.file("secret.bin"), folder_.path() / "inside/link.bin");
  std::filesystem::create_directory_symlink(folder_.path(), folder_.path() / "inside/up");
  for (const std::string& uri :
       {std::string("../secret.bin"), std::string("%2e%2e/secret.bin"), std::string("..%2Fsecret.bin"),
        std::string("x/../../secret.bin"), std::string("..\\secret.bin"), folder_.file("secret.bin"),
        "file://" + folder_.file("secret.bin"), std::string("http://example.com/a.bin"), std::string("link.bin"),
        std::string("up/secret.bin"), std::string("secret.bin%00"), std::string("")})
    EXPECT_THAT(load(uri),
                AllOf(HasSubstr("a.gltf › buffers[0]: "), HasSubstr("only files in the glTF file's own folder")))
        << uri;
}

TEST_F(GltfPaths, NameTheFileThatIsMissing) {
  EXPECT_THAT(load("gone.bin"), AllOf(HasSubstr("buffers[0]"), HasSubstr("gone.bin' does not exist")));
  EXPECT_THAT(load("."), HasSubstr("is a folder"));
  EXPECT_THAT(load("data:text/plain,hello"), HasSubstr("not a base64 data URI"));
  EXPECT_THAT(load("data:;base64,AA!A"), HasSubstr("not base64 at character 2"));
  EXPECT_THAT(load("data:;base64,AAAA"), HasSubstr("but its data has only 3"));
}

TEST(LoadCharacter, SaysWhatItCanRead) {
  const test::TemporaryFolder folder;
  const auto error = [&](const std::string& file) {
    return test::error_of([&] { (void)load_character(file, Context(1)); });
  };
  EXPECT_THAT(error(folder.file("gone.glb")), HasSubstr("gone.glb: does not exist"));
  EXPECT_THAT(error(folder.path().string()), HasSubstr("is a folder"));
  std::ofstream(folder.file("a.xyz")) << "hello";
  EXPECT_THAT(error(folder.file("a.xyz")), AllOf(HasSubstr("'.xyz' cannot be read"), HasSubstr(".glb, .gltf")));
  std::ofstream(folder.file("plain")) << "hello";
  EXPECT_THAT(error(folder.file("plain")), AllOf(HasSubstr("no extension"), HasSubstr(".glb, .gltf")));
  EXPECT_THAT(error("/dev/zero"), HasSubstr("not a regular file"));
  EXPECT_THAT(error("builtin:nobody"), HasSubstr("nobody"));
}

TEST(LoadCharacter, KnowsGltfByItsMagicAndExtensionsInAnyCase) {
  const test::TemporaryFolder folder;
  const auto bytes = test::square_file().glb();
  for (const char* name : {"a.GLB", "a.Gltf", "a.bin", "plain"}) {
    std::ofstream(folder.file(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    EXPECT_EQ(load_character(folder.file(name), Context(1)).vertex_count(), 4U);
  }
}

TEST(LoadCharacter, MakesBuiltinCharacters) {
  EXPECT_TRUE(load_character("builtin:cylinder", Context(1)).has_weights());
  EXPECT_FALSE(load_character("builtin:cylinder", Context(1), {.ignore_weights = true}).has_weights());
}

}  // namespace
}  // namespace cutis
