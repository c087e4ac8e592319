// What the glTF reader makes of good files, feature by feature.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/math.h"
#include "io/appearance.h"
#include "io/gltf_samples.h"
#include "io/gltf_support.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::GltfBuilder;
using test::read;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::IsEmpty;
using Json = GltfBuilder::Json;

const std::vector<Vec3f> kCorners{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
const std::vector<Triangle> kTriangles{{0, 1, 2}, {0, 2, 3}};

void expect_near(const Vec3d& a, const Vec3d& b, double tolerance = 1e-6) {
  EXPECT_LT(distance(a, b), tolerance) << a.x << ' ' << a.y << ' ' << a.z << " instead of " << b.x << ' ' << b.y << ' '
                                       << b.z;
}
void expect_near(const std::vector<Vec3f>& a, const std::vector<Vec3f>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_near(static_cast<Vec3d>(a[i]), static_cast<Vec3d>(b[i]));
}

TEST(GltfRead, BinaryAndEmbeddedFilesGiveTheSameMesh) {
  const GltfBuilder b = test::square_file();
  const std::string text = b.gltf();
  for (const Character& c : {read(b).character, test::read_bytes(std::as_bytes(std::span(text))).character}) {
    ASSERT_EQ(c.meshes.size(), 1U);
    EXPECT_EQ(c.meshes[0].name, "square");
    EXPECT_EQ(c.meshes[0].positions, kCorners);
    EXPECT_EQ(c.meshes[0].triangles, kTriangles);
    EXPECT_TRUE(c.meshes[0].had_normals);
    EXPECT_FALSE(c.has_weights());
    EXPECT_TRUE(c.skeleton.joints.empty());
  }
}

TEST(GltfRead, ExternalBufferIsReadFromTheFilesFolder) {
  const test::TemporaryFolder folder;
  GltfBuilder b = test::square_file();
  const std::string bytes(reinterpret_cast<const char*>(b.binary.data()), b.binary.size());
  std::ofstream(folder.file("the data.bin"), std::ios::binary) << bytes;
  b.json["buffers"] = {{{"byteLength", b.binary.size()}, {"uri", "the%20data.bin"}}};
  std::ofstream(folder.file("a.gltf")) << b.json.dump();
  EXPECT_EQ(load_character(folder.file("a.gltf"), Context(1)).meshes[0].positions, kCorners);
}

TEST(GltfRead, MissingIndicesCountUp) {
  GltfBuilder b = test::square_file();
  test::first_primitive(b).erase("indices");
  const auto result = read(b);
  EXPECT_THAT(result.character.meshes[0].triangles, ElementsAre(Triangle{0, 1, 2}));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("not whole triangles")));
}

TEST(GltfRead, IndicesMayBeOfAnyWidth) {
  GltfBuilder b = test::square_file();
  test::first_primitive(b)["indices"] = b.add_accessor(std::vector<std::uint8_t>{0, 1, 2, 0, 2, 3}, "SCALAR");
  EXPECT_EQ(read(b).character.meshes[0].triangles, kTriangles);
  test::first_primitive(b)["indices"] = b.add_accessor(std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3}, "SCALAR");
  EXPECT_EQ(read(b).character.meshes[0].triangles, kTriangles);
}

TEST(GltfRead, StripsAndFansBecomeTriangles) {
  GltfBuilder b = test::square_file();
  test::first_primitive(b)["mode"] = 6;
  test::first_primitive(b)["indices"] = b.add_accessor(std::vector<std::uint8_t>{0, 1, 2, 3}, "SCALAR");
  EXPECT_THAT(read(b).character.meshes[0].triangles, ElementsAre(Triangle{1, 2, 0}, Triangle{2, 3, 0}));
  test::first_primitive(b)["mode"] = 5;
  test::first_primitive(b)["indices"] = b.add_accessor(std::vector<std::uint8_t>{0, 1, 3, 2}, "SCALAR");
  EXPECT_THAT(read(b).character.meshes[0].triangles, ElementsAre(Triangle{0, 1, 3}, Triangle{1, 2, 3}));
}

TEST(GltfRead, LinesAreLeftOutWithAWarning) {
  GltfBuilder b = test::square_file();
  Json lines = test::first_primitive(b);
  lines["mode"] = 1;
  b.json["meshes"][0]["primitives"].push_back(lines);
  const auto result = read(b);
  EXPECT_EQ(result.character.meshes.size(), 1U);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("points or lines")));
}

TEST(GltfRead, StridesAndOffsetsAreKept) {
  GltfBuilder b = test::square_file();
  std::vector<float> interleaved;
  for (const Vec3f& p : kCorners) interleaved.insert(interleaved.end(), {7, p.x, p.y, p.z, 9});
  const int view = b.add_view(interleaved, 20);
  test::first_attributes(b)["POSITION"] = b.add(
      "accessors", {{"bufferView", view}, {"byteOffset", 4}, {"componentType", 5126}, {"count", 4}, {"type", "VEC3"}});
  EXPECT_EQ(read(b).character.meshes[0].positions, kCorners);
}

TEST(GltfRead, QuantizedPositionsAreDecoded) {
  GltfBuilder b = test::square_file();
  b.json["extensionsRequired"] = {"KHR_mesh_quantization"};
  const auto with = [&](int accessor) {
    test::first_attributes(b)["POSITION"] = accessor;
    return read(b).character.meshes[0].positions;
  };
  EXPECT_EQ(with(b.add_accessor(std::vector<std::uint8_t>{0, 0, 0, 255, 0, 0, 255, 255, 0, 0, 255, 0}, "VEC3", true)),
            kCorners);
  EXPECT_EQ(with(b.add_accessor(std::vector<std::int8_t>{0, 0, 0, 127, 0, 0, 127, 127, 0, 0, 127, 0}, "VEC3", true)),
            kCorners);
  EXPECT_EQ(with(b.add_accessor(std::vector<std::uint16_t>{0, 0, 0, 65535, 0, 0, 65535, 65535, 0, 0, 65535, 0}, "VEC3",
                                true)),
            kCorners);
  EXPECT_EQ(with(b.add_accessor(std::vector<std::int16_t>{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, "VEC3")), kCorners);
  EXPECT_EQ(
      with(b.add_accessor(std::vector<std::int8_t>{-128, 0, 0, 127, 0, 0, 127, 127, 0, 0, 127, 0}, "VEC3", true))[0],
      (Vec3f{-1, 0, 0}));
}

TEST(GltfRead, SparseAccessorsReplaceElementsOfABaseOrOfZeros) {
  const auto mixed = read(test::mixed_file()).character;
  // Sparse base: vertex 2 is (1, 1, 0.5); the morph target adds half of that, sparse over zeros.
  expect_near(mixed.meshes[0].positions, {{0, 0, 0}, {1, 0, 0}, {1.5F, 1.5F, 0.75F}, {0, 1, 0}});
}

TEST(GltfRead, MorphWeightsOfTheNodeComeFirst) {
  GltfBuilder b = test::mixed_file();
  b.json["nodes"][0]["weights"] = {2.0};
  expect_near(static_cast<Vec3d>(read(b).character.meshes[0].positions[2]), {3, 3, 1.5});
  b.json["nodes"][0]["weights"] = {0.0};
  expect_near(static_cast<Vec3d>(read(b).character.meshes[0].positions[2]), {1, 1, 0.5});
}

TEST(GltfRead, AnimatedMorphWeightsAreReported) {
  GltfBuilder b = test::mixed_file();
  Json& animation = b.json["animations"][0];
  animation["channels"].push_back({{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}});
  const auto result = read(b);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("'turn' drives morph targets")));
  EXPECT_EQ(result.character.clips[0].channels.size(), 1U);
}

TEST(GltfRead, AttributesAreCarriedAsFloats) {
  const auto mixed = read(test::mixed_file()).character;
  const auto& a = mixed.meshes[0].attributes;
  ASSERT_EQ(a.size(), 2U);
  EXPECT_EQ(a[0].name, "COLOR_0");
  EXPECT_EQ(a[0].components, 4);
  EXPECT_EQ(a[0].values, std::vector<float>(16, 1.0F));
  EXPECT_EQ(a[1].name, "TEXCOORD_0");
  EXPECT_EQ(a[1].values, (std::vector<float>{0, 0, 1, 0, 1, 1, 0, 1}));
}

TEST(GltfRead, MissingAndBrokenNormalsAreComputed) {
  GltfBuilder b = test::square_file();
  test::first_attributes(b)["NORMAL"] =
      b.add_accessor(std::vector<float>{0, 0, 0, 0, 0, -2, NAN, 0, 0, 0, 0, 1}, "VEC3");
  expect_near(read(b).character.meshes[0].normals, {{0, 0, 1}, {0, 0, -1}, {0, 0, 1}, {0, 0, 1}});
  test::first_attributes(b).erase("NORMAL");
  const auto c = read(b).character;
  expect_near(c.meshes[0].normals, {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}});
  EXPECT_FALSE(c.meshes[0].had_normals);
}

TEST(GltfRead, NodeTransformsMoveUnskinnedMeshesIntoTheScene) {
  GltfBuilder b = test::square_file();
  b.add("nodes", {{"children", {0}}, {"translation", {0, 0, 5}}, {"scale", {2, 3, 1}}});
  b.json["nodes"][0]["rotation"] = {0, 0, std::sqrt(0.5), std::sqrt(0.5)};
  const auto c = read(b).character;
  expect_near(c.meshes[0].positions, {{0, 0, 5}, {0, 3, 5}, {-2, 3, 5}, {-2, 0, 5}});
  EXPECT_EQ(c.meshes[0].triangles, kTriangles);
}

TEST(GltfRead, MirroredNodesKeepTheirTrianglesOutward) {
  GltfBuilder b = test::square_file();
  b.json["nodes"][0]["matrix"] = {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const auto c = read(b).character;
  EXPECT_THAT(c.meshes[0].triangles, ElementsAre(Triangle{0, 2, 1}, Triangle{0, 3, 2}));
  expect_near(c.meshes[0].normals, {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}});
}

TEST(GltfRead, NormalsFollowNonUniformScaleByTheInverseTranspose) {
  GltfBuilder b = test::square_file();
  test::first_attributes(b)["NORMAL"] =
      b.add_accessor(std::vector<float>{0.6F, 0.8F, 0, 0.6F, 0.8F, 0, 0.6F, 0.8F, 0, 0.6F, 0.8F, 0}, "VEC3");
  b.json["nodes"][0]["scale"] = {3, 1, 1};
  const Vec3d expected = normalized(Vec3d{0.2, 0.8, 0});
  const Character c = read(b).character;
  for (const Vec3f& n : c.meshes[0].normals) expect_near(static_cast<Vec3d>(n), expected);
}

TEST(GltfRead, AnimatedMeshesWithoutASkinAreBoundToTheirNodes) {
  GltfBuilder b = test::square_file();
  b.add("nodes", {{"name", "pivot"}, {"children", {0}}, {"translation", {1, 0, 0}}});
  const int times = b.add_accessor(std::vector<float>{0, 1}, "SCALAR");
  const int moves = b.add_accessor(std::vector<float>{1, 0, 0, 1, 0, 4}, "VEC3");
  b.add("animations", {{"samplers", {{{"input", times}, {"output", moves}}}},
                       {"channels", {{{"sampler", 0}, {"target", {{"node", 1}, {"path", "translation"}}}}}}});
  const auto c = read(b).character;
  ASSERT_EQ(c.skeleton.joints.size(), 2U);
  EXPECT_EQ(c.skeleton.joints[0].name, "pivot");
  EXPECT_FALSE(c.skeleton.joints[0].is_bone);
  EXPECT_EQ(c.skeleton.joints[1].name, "node_0");
  EXPECT_TRUE(c.skeleton.joints[1].is_bone);
  ASSERT_EQ(c.clips.size(), 1U);
  EXPECT_EQ(c.clips[0].name, "animation_0");
  expect_near(test::blend(c, sample(c.skeleton, c.clips[0], 0.5))[2], {2, 1, 2});
}

TEST(GltfRead, SkinGivesJointsWeightsAndClips) {
  const auto result = read(test::skinned_file());
  const Character& c = result.character;
  EXPECT_THAT(result.warnings, IsEmpty());
  ASSERT_EQ(c.skeleton.joints.size(), 2U);
  EXPECT_EQ(c.skeleton.joints[1].name, "upper");
  EXPECT_EQ(c.skeleton.joints[1].parent, 0);
  expect_near(c.skeleton.joints[1].world_from_rest.translation, {0, 0.5, 0});
  EXPECT_THAT(c.meshes[0].weights.row_begin, ElementsAre(0, 1, 2, 4, 6));
  EXPECT_THAT(c.meshes[0].weights.joint, ElementsAre(0, 0, 1, 0, 1, 0));
  EXPECT_THAT(c.meshes[0].weights.weight, ElementsAre(1, 1, 0.75F, 0.25F, 0.75F, 0.25F));
  // Vertex 3 at (0, 1, 0): three quarters of it turn about (0, 0.5, 0) to (-0.5, 0.5, 0).
  expect_near(test::blend(c, sample(c.skeleton, c.clips[0], 1))[3], {-0.375, 0.625, 0});
}

TEST(GltfRead, DefaultPoseOtherThanTheBindPoseKeepsTheBindPoseAtRest) {
  GltfBuilder b = test::skinned_file();
  b.json["nodes"][1]["translation"] = {10, 0, 0};
  b.json["nodes"][2]["rotation"] = {0, 0, std::sqrt(0.5), std::sqrt(0.5)};
  const Character c = read(b).character;
  // The top-most joint places the mesh; the bend of "upper" is not baked into the rest pose.
  expect_near(c.meshes[0].positions, {{10, 0, 0}, {11, 0, 0}, {11, 1, 0}, {10, 1, 0}});
  expect_near(test::blend(c, default_pose(c.skeleton))[3], {9.625, 0.625, 0});
}

TEST(GltfRead, MissingInverseBindMatricesAreIdentities) {
  GltfBuilder b = test::skinned_file();
  b.json["skins"][0].erase("inverseBindMatrices");
  const Character c = read(b).character;
  expect_near(c.meshes[0].positions, kCorners);
  // By the specification the matrix of "upper" is then its own transform: half a unit up.
  expect_near(test::blend(c, default_pose(c.skeleton))[2], {1, 1.375, 0});
}

TEST(GltfRead, AncestorsAndNodesBetweenJointsAreKeptAsHelpers) {
  GltfBuilder b = test::skinned_file();
  b.json["nodes"][1]["children"] = {3};
  b.add("nodes", {{"name", "between"}, {"children", {2}}, {"translation", {0, 0.25, 0}}});
  b.json["nodes"][2]["translation"] = {0, 0.25, 0};
  b.add("nodes", {{"name", "armature"}, {"children", {1}}, {"rotation", {0, 0, 1, 0}}});
  b.json["scenes"][0]["nodes"] = {0, 4};
  const Character c = read(b).character;
  std::vector<std::string> names;
  for (const Joint& joint : c.skeleton.joints) names.push_back(joint.name + (joint.is_bone ? "!" : ""));
  EXPECT_THAT(names, ElementsAre("armature", "lower!", "between", "upper!"));
  // The armature turns everything half a turn about z; the mesh node's own transform does not matter.
  expect_near(c.meshes[0].positions, {{0, 0, 0}, {-1, 0, 0}, {-1, -1, 0}, {0, -1, 0}});
  expect_near(c.skeleton.joints[2].world_from_rest.translation, {0, -0.25, 0});
}

TEST(GltfRead, NamesAreMadeUnique) {
  GltfBuilder b = test::skinned_file();
  b.json["nodes"][2]["name"] = "lower";
  b.json["animations"].push_back(b.json["animations"][0]);
  const Character c = read(b).character;
  EXPECT_EQ(c.skeleton.joints[0].name, "lower");
  EXPECT_EQ(c.skeleton.joints[1].name, "lower_2");
  EXPECT_EQ(c.clips[0].name, "turn");
  EXPECT_EQ(c.clips[1].name, "turn_2");
}

TEST(GltfRead, ShearedNodeMatricesKeepTheirResidual) {
  GltfBuilder b = test::skinned_file();
  b.json["nodes"][2].erase("translation");
  b.json["nodes"][2]["matrix"] = {1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0.5, 0, 1};
  const Character c = read(b).character;
  ASSERT_TRUE(c.skeleton.joints[1].local_residual.has_value());
  // Three quarters of (0, 1, 0) through the sheared matrix: (0.25, 1, 0).
  expect_near(test::blend(c, default_pose(c.skeleton))[3], {0.1875, 1, 0});
}

TEST(GltfRead, SecondSetOfWeightsIsMergedAndSorted) {
  GltfBuilder b = test::skinned_file();
  test::first_attributes(b)["JOINTS_1"] = b.add_accessor(std::vector<std::uint16_t>(16, 1), "VEC4");
  test::first_attributes(b)["WEIGHTS_1"] = b.add_accessor(std::vector<std::uint8_t>(16, 255), "VEC4", true);
  const auto result = read(b);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("4 vertices did not sum to 1")));
  const Weights& w = result.character.meshes[0].weights;
  EXPECT_THAT(w.joint, ElementsAre(1, 0, 1, 0, 1, 0, 1, 0));
  EXPECT_FLOAT_EQ(w.weight[0], 0.8F);
  EXPECT_FLOAT_EQ(w.weight[4], 4.75F / 5);
}

// Two corners of the square: one has only zeros, the other numbers that are none.
TEST(GltfRead, VerticesThatNoBoneMovesGoWithTheSkinNearestToThem) {
  GltfBuilder b = test::skinned_file();
  test::first_attributes(b)["JOINTS_0"] =
      b.add_accessor(std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, "VEC4");
  test::first_attributes(b)["WEIGHTS_0"] =
      b.add_accessor(std::vector<float>{1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, NAN, NAN, 0, 0}, "VEC4");
  test::first_attributes(b)["POSITION"] =
      b.add_accessor(std::vector<float>{0, 0, 0, 1, 0, 0, 1, 1, 0, 0.6F, 1, 0}, "VEC3");
  const auto result = read(b);
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("2 weights that are not finite are taken as 0"),
                          HasSubstr("2 vertices are bound to no bone (the first is vertex 1 of mesh 'square')")));
  const Weights& w = result.character.meshes[0].weights;
  EXPECT_THAT(w.row_begin, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(w.joint, ElementsAre(0, 0, 1, 1));
}

TEST(GltfRead, AFileWithWeightsThatAreNotNumbersIsRead) {
  CUTIS_NEEDS_SHARED_DATA();
  std::vector<std::string> warnings;
  Context context(1);
  context.on_warning = [&](std::string_view text) { warnings.emplace_back(text); };
  const Character c = load_character((test::shared_data() / "avatars/wasp_nan_weights.glb").string(), context);
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("not finite are taken as 0")));
  EXPECT_EQ(c.meshes.size(), 4U);
  for (const Mesh& mesh : c.meshes)
    for (std::size_t v = 0; v < mesh.positions.size(); ++v)
      ASSERT_LT(mesh.weights.row_begin[v], mesh.weights.row_begin[v + 1]) << mesh.name << " " << v;
  // Two meshes share the three vertices: they stay together.
  const Weights &a = c.meshes[0].weights, &b = c.meshes[2].weights;
  const auto row = [](const Weights& w, std::uint32_t v) {
    return std::vector<std::uint32_t>(w.joint.begin() + w.row_begin[v], w.joint.begin() + w.row_begin[v + 1]);
  };
  for (std::uint32_t v = 0; v < c.meshes[2].positions.size(); ++v)
    if (c.meshes[0].positions[2240] == c.meshes[2].positions[v]) {
      EXPECT_EQ(row(a, 2240), row(b, v));
    }
}

TEST(GltfRead, NegativeWeightsAreTakenAsZero) {
  GltfBuilder b = test::skinned_file();
  test::first_attributes(b)["WEIGHTS_0"] =
      b.add_accessor(std::vector<float>{1, -0.5F, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4");
  const auto result = read(b);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("1 negative weights")));
  EXPECT_EQ(result.character.meshes[0].weights.max_influences(), 1);
}

TEST(GltfRead, JointNumbersWithoutWeightMayBeGarbage) {
  GltfBuilder b = test::skinned_file();
  test::first_attributes(b)["JOINTS_0"] =
      b.add_accessor(std::vector<std::uint8_t>{0, 9, 9, 9, 0, 9, 9, 9, 1, 0, 9, 9, 1, 0, 9, 9}, "VEC4");
  EXPECT_THAT(read(b).character.meshes[0].weights.joint, ElementsAre(0, 0, 1, 0, 1, 0));
}

TEST(GltfRead, IgnoredWeightsAreNotReadButTheSkeletonIs) {
  GltfBuilder b = test::skinned_file();
  test::first_attributes(b)["WEIGHTS_0"] = b.add_accessor(std::vector<float>(16, 0.0F), "VEC4");
  const auto c = read(b, {.ignore_weights = true}).character;
  EXPECT_FALSE(c.has_weights());
  EXPECT_EQ(c.skeleton.joints.size(), 2U);
}

TEST(GltfRead, UnskinnedMeshesBesideSkinnedOnesAreLeftOut) {
  GltfBuilder b = test::skinned_file();
  b.json["scenes"][0]["nodes"].push_back(b.add("nodes", {{"name", "hat"}, {"mesh", 0}}));
  const auto result = read(b);
  EXPECT_EQ(result.character.meshes.size(), 1U);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("'hat' has no skin and hangs on no bone: left out")));
}

TEST(GltfRead, MeshesThatHangOnBonesComeAlongRigidWhenAskedFor) {
  const GltfBuilder b = test::attached_file();
  const auto without = read(b);
  EXPECT_EQ(without.character.meshes.size(), 1U);
  EXPECT_THAT(without.warnings, ElementsAre(HasSubstr("a mesh without a skin hangs on bones and is left out")));
  const auto result = read(b, {.attached = true});
  const Character& c = result.character;
  EXPECT_THAT(result.warnings, IsEmpty());
  ASSERT_EQ(c.meshes.size(), 2U);
  EXPECT_EQ(c.meshes[0].positions, without.character.meshes[0].positions);
  EXPECT_EQ(c.skeleton.joints.size(), without.character.skeleton.joints.size());
  const Weights& w = c.meshes[1].weights;
  EXPECT_THAT(w.joint, Each(Eq(1U)));
  EXPECT_THAT(w.weight, Each(Eq(1.0F)));
  const Vec3d place = transform_point(c.skeleton.joints[1].world_from_rest, Vec3d{1, 2, 3});
  EXPECT_LT(distance(static_cast<Vec3d>(c.meshes[1].positions[0]), place), 1e-6);
}

TEST(GltfRead, WhatAClipMovesBetweenABoneAndItsMeshIsABone) {
  GltfBuilder b = test::attached_file();
  std::size_t handle = 0;
  while (b.json["nodes"][handle].value("name", "") != "handle") ++handle;
  const std::size_t times = b.add_accessor(std::vector<float>{0, 1}, "SCALAR"),
                    values = b.add_accessor(std::vector<float>{1, 0, 3, 1, 5, 3}, "VEC3");
  b.add("animations", {{"name", "lift"},
                       {"samplers", {{{"input", times}, {"output", values}}}},
                       {"channels", {{{"sampler", 0}, {"target", {{"node", handle}, {"path", "translation"}}}}}}});
  const Character c = read(b, {.attached = true}).character;
  ASSERT_EQ(c.skeleton.joints.size(), 3U);
  EXPECT_EQ(c.skeleton.joints[2].name, "handle");
  EXPECT_TRUE(c.skeleton.joints[2].is_bone);
  EXPECT_THAT(c.meshes[1].weights.joint, Each(Eq(2U)));
  const Vec3d place = transform_point(c.skeleton.joints[1].world_from_rest, Vec3d{1, 2, 3});
  EXPECT_LT(distance(static_cast<Vec3d>(c.meshes[1].positions[0]), place), 1e-6);
  EXPECT_EQ(c.clip("lift").channels.size(), 1U);
}

TEST(GltfRead, MeshesThatAreScaledToNothingAreNotTakenAlong) {
  GltfBuilder b = test::attached_file();
  for (auto& node : b.json["nodes"])
    if (node.value("name", "") == "hat") node["scale"] = {0, 0, 0};
  const auto result = read(b, {.attached = true});
  EXPECT_EQ(result.character.meshes.size(), 1U);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("'hat' is scaled to nothing by default: left out")));
}

TEST(GltfRead, OnlyTheDefaultSceneCountsUnlessItIsEmpty) {
  GltfBuilder b = test::square_file();
  b.add("nodes", {{"mesh", 0}, {"translation", {5, 0, 0}}});
  b.json["scenes"] = {{{"nodes", {0}}}, {{"nodes", {1}}}, {{"nodes", Json::array()}}};
  b.json["scene"] = 1;
  auto c = read(b).character;
  ASSERT_EQ(c.meshes.size(), 1U);
  EXPECT_EQ(c.meshes[0].positions[0], (Vec3f{5, 0, 0}));
  b.json.erase("scene");
  EXPECT_EQ(read(b).character.meshes[0].positions[0], (Vec3f{0, 0, 0}));
  b.json["scene"] = 2;
  EXPECT_EQ(read(b).character.meshes.size(), 2U);
}

TEST(GltfRead, SkinSharedByNodesBindsBothMeshes) {
  GltfBuilder b = test::skinned_file();
  b.json["scenes"][0]["nodes"].push_back(b.add("nodes", {{"mesh", 0}, {"skin", 0}, {"translation", {9, 9, 9}}}));
  const Character c = read(b).character;
  ASSERT_EQ(c.meshes.size(), 2U);
  EXPECT_EQ(c.skeleton.joints.size(), 2U);
  EXPECT_EQ(c.meshes[0].positions, c.meshes[1].positions);
  EXPECT_EQ(c.meshes[1].name, "square_2");
}

TEST(GltfRead, SkinsBoundInDifferentFramesGetAliasJoints) {
  GltfBuilder b = test::skinned_file();
  // A second skin whose "upper" was bound one unit higher than the first one's.
  const int inverse_bind = b.add_accessor(std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,     0, 1,
                                                             1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1.5F, 0, 1},
                                          "MAT4");
  b.add("skins", {{"inverseBindMatrices", inverse_bind}, {"joints", {1, 2}}});
  b.json["scenes"][0]["nodes"].push_back(b.add("nodes", {{"mesh", 0}, {"skin", 1}}));
  const Character c = read(b).character;
  ASSERT_EQ(c.skeleton.joints.size(), 3U);
  EXPECT_EQ(c.skeleton.joints[2].name, "upper#2");
  EXPECT_EQ(c.skeleton.joints[2].alias_of, 1);
  EXPECT_EQ(c.skeleton.joints[2].parent, 1);
  const auto p = test::blend(c, default_pose(c.skeleton));
  expect_near(p[3], {0, 1, 0});
  expect_near(p[7], {0, 0.25, 0});  // three quarters of it come down by one
}

TEST(GltfRead, SkinsWithOneBindPoseShareTheirJoints) {
  GltfBuilder b = test::skinned_file();
  // Only "upper", with the mesh given relative to it, while the default pose is bent.
  b.json["nodes"][2]["rotation"] = {0, 0, std::sqrt(0.5), std::sqrt(0.5)};
  const int inverse_bind = b.add_accessor(std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, "MAT4");
  b.add("skins", {{"inverseBindMatrices", inverse_bind}, {"joints", {2}}});
  Json mesh = b.json["meshes"][0];
  mesh["primitives"][0]["attributes"]["JOINTS_0"] = b.add_accessor(std::vector<std::uint8_t>(16, 0), "VEC4");
  b.add("meshes", mesh);
  b.json["scenes"][0]["nodes"].push_back(b.add("nodes", {{"mesh", 1}, {"skin", 1}}));
  const Character c = read(b).character;
  EXPECT_EQ(c.skeleton.joints.size(), 2U);
  // At rest the second mesh stands on the unbent joint.
  expect_near(c.meshes[1].positions, {{0, 0.5F, 0}, {1, 0.5F, 0}, {1, 1.5F, 0}, {0, 1.5F, 0}});
  expect_near(test::blend(c, default_pose(c.skeleton))[7], {-1, 0.5, 0});
}

// As exporters write joints that only drive others: "lower" and "upper" with a driver between them that is ten times as
// large, so that "upper" is a tenth of it; its matrix is 1, as if it were at the origin in its mesh's size.
TEST(GltfRead, JointsWithoutSkinWhoseMatricesMeanNothingAreWhereTheirNodesAre) {
  GltfBuilder b = test::skinned_file();
  const auto driver = b.add("nodes", {{"name", "driver"}, {"translation", {0, 0.25, 0}}, {"scale", {10, 10, 10}}});
  b.json["nodes"][1]["children"] = {driver};
  b.json["nodes"][driver]["children"] = {2};
  b.json["nodes"][2]["translation"] = {0, 0.025, 0};
  b.json["nodes"][2]["scale"] = {0.1, 0.1, 0.1};
  b.json["skins"][0]["joints"] = {1, 2, driver};
  b.json["skins"][0]["inverseBindMatrices"] =
      b.add_accessor(std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,     0, 1,  //
                                        1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.5F, 0, 1,  //
                                        1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,     0, 1},
                     "MAT4");
  const Character c = read(b).character;
  ASSERT_EQ(c.skeleton.joints.size(), 3U);
  const Joint& between = c.skeleton.joints[1];
  ASSERT_EQ(between.name, "driver");
  EXPECT_LT(distance(between.world_from_rest.translation, Vec3d{0, 0.25, 0}), 1e-9);
  EXPECT_NEAR(length(between.world_from_rest.linear.col[0]), 10, 1e-9);
  const auto p = test::blend(c, default_pose(c.skeleton));
  expect_near(p[3], {0, 1, 0});
  // One that skin follows is where its matrix says.
  b.json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] =
      b.add_accessor(std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 1, 2, 0, 0}, "VEC4");
  const Character followed = read(b).character;
  EXPECT_LT(length(followed.skeleton.joints[1].world_from_rest.translation), 1e-9);
}

TEST(GltfRead, ChannelsKeepTheirInterpolation) {
  const Character c = read(test::mixed_file()).character;
  ASSERT_EQ(c.clips.size(), 2U);
  const auto& channels = c.clips[1].channels;
  ASSERT_EQ(channels.size(), 3U);
  EXPECT_EQ(channels[0].interpolation, Interpolation::cubic_spline);
  EXPECT_EQ(channels[0].values.size(), 18U);
  EXPECT_EQ(channels[1].path, ChannelPath::rotation);
  EXPECT_THAT(channels[1].values, ElementsAre(0, 0, 0, 1, 0, 0, 1, 0));
  EXPECT_EQ(channels[2].interpolation, Interpolation::step);
}

TEST(GltfRead, AppearanceIsCarriedWithEncodedImages) {
  const auto result = read(test::mixed_file());
  EXPECT_THAT(result.warnings, IsEmpty());
  const Character& c = result.character;
  EXPECT_EQ(c.meshes[0].material, 0);
  ASSERT_TRUE(c.appearance);
  const Appearance& look = *c.appearance;
  ASSERT_EQ(look.materials.size(), 1U);
  EXPECT_EQ(Json::parse(look.materials.dump()), test::mixed_file().json["materials"]);
  EXPECT_THAT(look.extensions_used, ElementsAre("KHR_materials_unlit"));
  ASSERT_EQ(look.images.size(), 1U);
  EXPECT_THAT(look.images[0].file, ElementsAre(0x89, 'P', 'N', 'G'));
  EXPECT_EQ(look.images[0].mime_type, "image/png");
  EXPECT_EQ(look.samplers[0]["wrapS"], 33071);
}

TEST(GltfRead, LooksOfMeshesAreThoseOfTheirMaterials) {
  GltfBuilder b = test::mixed_file();
  b.json["materials"][0] = Json::parse(R"({"alphaMode": "MASK", "alphaCutoff": 0.25, "doubleSided": true,
    "pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.25, 1, 0.75], "baseColorTexture": {"index": 0, "texCoord": 1,
      "extensions": {"KHR_texture_transform": {"offset": [0.5, 1], "scale": [2, 3], "rotation": 0.5}}}}})");
  b.json["samplers"][0] = {{"wrapS", 33071}, {"wrapT", 33648}, {"magFilter", 9728}};
  const Character c = read(b).character;
  const std::vector<MeshLook> looks = mesh_looks(c);
  ASSERT_EQ(looks.size(), c.meshes.size());
  const MeshLook& look = looks[0];
  EXPECT_EQ(look.alpha, AlphaMode::mask);
  EXPECT_EQ(look.cutoff, 0.25F);
  EXPECT_TRUE(look.double_sided);
  EXPECT_THAT(look.color, ElementsAre(0.5, 0.25, 1, 0.75));
  EXPECT_THAT(look.picture, ElementsAre(0x89, 'P', 'N', 'G'));
  EXPECT_EQ(look.uv_set, 1);
  EXPECT_EQ(look.wrap_u, TextureWrap::clamp);
  EXPECT_EQ(look.wrap_v, TextureWrap::mirror);
  EXPECT_TRUE(look.nearest);
  EXPECT_THAT(look.uv_offset, ElementsAre(0.5, 1));
  EXPECT_THAT(look.uv_scale, ElementsAre(2, 3));
  EXPECT_EQ(look.uv_rotation, 0.5F);

  // The older extension's diffuse colour, where it is all that there is.
  b.json["materials"][0] = Json::parse(R"({"alphaMode": "BLEND", "extensions": {"KHR_materials_pbrSpecularGlossiness":
    {"diffuseFactor": [0.1, 0.2, 0.3, 0.4], "diffuseTexture": {"index": 0}}}})");
  const Character old = read(b).character;
  EXPECT_THAT(mesh_looks(old)[0].color, ElementsAre(0.1F, 0.2F, 0.3F, 0.4F));
  EXPECT_EQ(mesh_looks(old)[0].picture.size(), 4U);
  EXPECT_EQ(mesh_looks(old)[0].alpha, AlphaMode::blend);

  // Nonsense is passed over; no material is white.
  b.json["materials"][0] = Json::parse(R"({"alphaMode": 3, "alphaCutoff": "x", "doubleSided": "yes",
    "pbrMetallicRoughness": {"baseColorFactor": ["red"], "baseColorTexture": {"index": 0, "texCoord": "one",
      "extensions": {"KHR_texture_transform": {"offset": 1, "scale": {}}}}}})");
  const Character odd = read(b).character;
  EXPECT_THAT(mesh_looks(odd)[0].color, ElementsAre(1, 1, 1, 1));
  EXPECT_EQ(mesh_looks(odd)[0].uv_set, 0);
  EXPECT_THAT(mesh_looks(odd)[0].uv_scale, ElementsAre(1, 1));
  b.json.erase("materials");
  b.json["meshes"][0]["primitives"][0].erase("material");
  const Character bare = read(b).character;
  EXPECT_THAT(mesh_looks(bare)[0].color, ElementsAre(1, 1, 1, 1));
  EXPECT_TRUE(mesh_looks(bare)[0].picture.empty());
}

TEST(GltfRead, BrokenAppearanceIsLeftOutWithAWarning) {
  GltfBuilder b = test::mixed_file();
  b.json["textures"][0]["source"] = 7;
  b.json["materials"][0]["pbrMetallicRoughness"]["metallicRoughnessTexture"]["index"] = 99;
  b.json["images"][0]["bufferView"] = 999;
  const auto result = read(b);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("2 references"), HasSubstr("images[0]")));
  const Appearance& look = *result.character.appearance;
  EXPECT_FALSE(look.textures[0].contains("source"));
  EXPECT_TRUE(look.materials[0]["pbrMetallicRoughness"].contains("baseColorTexture"));
  EXPECT_FALSE(look.materials[0]["pbrMetallicRoughness"].contains("metallicRoughnessTexture"));
}

TEST(GltfRead, MaterialsThatAreNoneAreLeftOutWithAWarning) {
  for (const char* list : {"materials", "textures", "samplers"}) {
    GltfBuilder b = test::mixed_file();
    b.json[list][0] = "blue";
    const auto result = read(b);
    EXPECT_THAT(result.warnings, ElementsAre(AllOf(HasSubstr("materials are left out"), HasSubstr(list))));
    EXPECT_FALSE(result.character.appearance);
    EXPECT_EQ(result.character.meshes[0].material, -1);
  }
}

TEST(GltfRead, LooksOfAnyKindAreReadWithoutHarm) {
  GltfBuilder b = test::mixed_file();
  b.json["materials"][0] = {{"doubleSided", 3}, {"pbrMetallicRoughness", {{"baseColorFactor", {"red", 0.5}}}}};
  const auto shared = read(b).character.appearance;
  const Appearance& look = *shared;
  EXPECT_FALSE(is_double_sided(look, 0));
  EXPECT_THAT(base_color(look, 0), ElementsAre(1, 0.5, 1));
  EXPECT_THAT(base_color(look, 1), ElementsAre(1, 1, 1));
}

TEST(GltfRead, DracoMeshesAreDecoded) {
  const Character plain = read(test::skinned_file()).character, draco = read(test::draco_file()).character;
  EXPECT_EQ(draco.meshes[0].positions, plain.meshes[0].positions);
  EXPECT_EQ(draco.meshes[0].normals, plain.meshes[0].normals);
  EXPECT_EQ(draco.meshes[0].triangles, plain.meshes[0].triangles);
  EXPECT_EQ(draco.meshes[0].weights.joint, plain.meshes[0].weights.joint);
  EXPECT_EQ(draco.meshes[0].weights.weight, plain.meshes[0].weights.weight);
}

TEST(GltfRead, MeshoptViewsAreDecoded) {
  const Character c = read(test::meshopt_file()).character;
  ASSERT_EQ(c.meshes.size(), 2U);
  for (const Mesh& mesh : c.meshes) {
    expect_near(mesh.positions, kCorners);
    for (const Vec3f& n : mesh.normals) expect_near(static_cast<Vec3d>(n), {0, 0, 1}, 0.01);
  }
  EXPECT_EQ(c.meshes[1].triangles, kTriangles);
  // The triangle codec may rotate the corners of a triangle.
  ASSERT_EQ(c.meshes[0].triangles.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    Triangle t = c.meshes[0].triangles[i];
    std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
    EXPECT_EQ(t, kTriangles[i]);
  }
}

TEST(GltfRead, MaterialExtensionsMayBeRequired) {
  GltfBuilder b = test::square_file();
  b.json["extensionsRequired"] = {"KHR_texture_transform", "KHR_materials_transmission"};
  EXPECT_EQ(read(b).character.meshes.size(), 1U);
}

TEST(GltfRead, MissingImageIsOnlyAWarning) {
  const test::TemporaryFolder folder;
  GltfBuilder b = test::mixed_file();
  b.json["images"][0] = {{"uri", "nowhere.png"}};
  std::ofstream(folder.file("a.gltf")) << b.gltf();
  std::vector<std::string> warnings;
  Context context(1);
  context.on_warning = [&](std::string_view text) { warnings.emplace_back(text); };
  const Character c = load_character(folder.file("a.gltf"), context);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("does not exist")));
  EXPECT_TRUE(c.appearance->images[0].file.empty());
}

}  // namespace
}  // namespace cutis
