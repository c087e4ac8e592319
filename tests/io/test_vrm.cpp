// VRM in, and out again with other weights: what is not about weights stays as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "io/gltf_samples.h"
#include "io/gltf_support.h"
#include "support/support.h"

namespace cutis::test {
namespace {

using Json = GltfBuilder::Json;
using testing::HasSubstr;

/// As no program would write it again: spaces, escapes, numbers with needless digits, members in no order.
const std::string kVrm1 = R"({ "VRMC_vrm" : {"specVersion":"1.0", "meta":{"name":"caf\u00e9 \"x\"", "authors":[ "a" ]},
   "humanoid":{"humanBones":{"hips":{"node":1},"spine":{"node" : 2 }}},
   "expressions":{"preset":{"happy":{"morphTargetBinds":[{"node":0,"index":0,"weight":1.000}]}}}},
   "VRMC_springBone":{"specVersion":"1.0","springs":[{"joints":[{"node":2,"hitRadius":2.50e-2,"stiffness":0.10}]}]} })";

/// The skinned square as VRM 1.0, with a morph target that an expression uses.
GltfBuilder vrm_file() {
  GltfBuilder b = skinned_file();
  Json& primitive = first_primitive(b);
  primitive["targets"] = {{{"POSITION", b.add_accessor(std::vector<float>(12, 0.25F), "VEC3")}}};
  b.json["meshes"][0]["extras"] = {{"targetNames", {"smile"}}};
  b.json["extensionsUsed"] = {"VRMC_vrm", "VRMC_springBone"};
  return b;
}
/// The file with kVrm1 as its extensions, letter by letter.
std::vector<std::byte> vrm_bytes(GltfBuilder b) {
  b.json["extensions"] = "@";
  b.json["buffers"] = {{{"byteLength", b.binary.size()}}};
  std::string text = b.json.dump(3);
  const std::string place = "\"@\"";
  text.replace(text.find(place), place.size(), kVrm1);
  return make_glb(text, b.binary);
}

struct Glb {
  std::string text;
  Json json;
  std::vector<char> binary;
};
Glb open_glb(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data() + 12, 4);
  Glb glb;
  glb.text = bytes.substr(20, size);
  glb.json = Json::parse(glb.text);
  glb.binary.assign(bytes.begin() + 28 + size, bytes.end());
  return glb;
}
void write_bytes(const std::string& file, const std::vector<std::byte>& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// All vertices half and half on the two joints.
void share(Weights& weights, std::uint32_t a, std::uint32_t b) {
  const std::size_t rows = weights.rows();
  weights = {};
  weights.row_begin.push_back(0);
  for (std::size_t v = 0; v < rows; ++v) {
    weights.joint.insert(weights.joint.end(), {a, b});
    weights.weight.insert(weights.weight.end(), {0.5F, 0.5F});
    weights.row_begin.push_back(static_cast<std::uint32_t>(weights.joint.size()));
  }
}
void expect_same_shape(const Character& a, const Character& b, double time) {
  ASSERT_EQ(a.clips.size(), b.clips.size());
  const auto p = blend(a, sample(a.skeleton, a.clips[0], time)), q = blend(b, sample(b.skeleton, b.clips[0], time));
  ASSERT_EQ(p.size(), q.size());
  for (std::size_t v = 0; v < p.size(); ++v) EXPECT_LT(distance(p[v], q[v]), 1e-6) << v;
}

TEST(Vrm, SaysWhatItsJointsAreInBothVersions) {
  GltfBuilder b = skinned_file();
  b.json["extensions"]["VRM"]["humanoid"]["humanBones"] = {{{"bone", "hips"}, {"node", 1}},
                                                           {{"bone", "spine"}, {"node", 2}}};
  const Character zero = read(b).character, one = read_bytes(vrm_bytes(vrm_file())).character;
  for (const Character& c : {zero, one}) {
    EXPECT_EQ(c.skeleton.joints[static_cast<std::size_t>(c.skeleton.find("lower"))].humanoid, "hips");
    EXPECT_EQ(c.skeleton.joints[static_cast<std::size_t>(c.skeleton.find("upper"))].humanoid, "spine");
  }
}

TEST(Vrm, IsReadWhereItsMapIsNonsense) {
  GltfBuilder b = skinned_file();
  b.json["extensionsRequired"] = {"VRMC_vrm"};
  for (const Json& bones : {Json(7), Json({{"hips", 3}}), Json({{"hips", {{"node", 99}}}}),
                            Json({{"hips", {{"node", -1}}}}), Json::array({1, {{"bone", 3}, {"node", 1}}})}) {
    b.json["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"] = bones;
    for (const Joint& joint : read(b).character.skeleton.joints) EXPECT_EQ(joint.humanoid, "");
  }
}

TEST(Vrm, KeepsEverythingButTheWeights) {
  const TemporaryFolder folder;
  write_bytes(folder.file("in.vrm"), vrm_bytes(vrm_file()));
  Character c = load_character(folder.file("in.vrm"), Context(1));
  share(c.meshes[0].weights, 0, 1);
  for (const char* name : {"out.vrm", "out.glb"}) {
    SCOPED_TRACE(name);
    write_character(folder.file(name), c, Context(1));
    const Glb before = open_glb(folder.file("in.vrm")), after = open_glb(folder.file(name));
    EXPECT_THAT(after.text, HasSubstr(kVrm1));  // byte for byte
    for (const auto& [key, value] : before.json.items())
      if (key != "meshes" && key != "accessors" && key != "bufferViews" && key != "buffers") {
        EXPECT_EQ(after.json[key], value) << key;
      }
    for (const char* list : {"accessors", "bufferViews"})  // old ones are where they were
      for (std::size_t i = 0; i < before.json[list].size(); ++i) EXPECT_EQ(after.json[list][i], before.json[list][i]);
    Json meshes = after.json["meshes"], expected = before.json["meshes"];
    for (Json* list : {&meshes, &expected})
      for (const char* key : {"JOINTS_0", "WEIGHTS_0"}) (*list)[0]["primitives"][0]["attributes"].erase(key);
    EXPECT_EQ(meshes, expected);  // with the morph target
    ASSERT_GE(after.binary.size(), before.binary.size());
    EXPECT_TRUE(std::equal(before.binary.begin(), before.binary.end(), after.binary.begin()));

    const Character back = load_character(folder.file(name), Context(1));
    EXPECT_EQ(back.meshes[0].weights.weight, c.meshes[0].weights.weight);
    expect_same_shape(back, c, 1);
    EXPECT_EQ(back.skeleton.joints[0].humanoid, "hips");
  }
}

TEST(Vrm, IsTheSameFileAgainAndAgain) {
  const TemporaryFolder folder;
  write_bytes(folder.file("0.vrm"), vrm_bytes(vrm_file()));
  for (int i = 0; i < 3; ++i) {
    const Character c = load_character(folder.file(std::to_string(i) + ".vrm"), Context(1));
    write_character(folder.file(std::to_string(i + 1) + ".vrm"), c, Context(1));
  }
  const Character first = load_character(folder.file("0.vrm"), Context(1)),
                  last = load_character(folder.file("3.vrm"), Context(1));
  EXPECT_EQ(last.meshes[0].weights.weight, first.meshes[0].weights.weight);
  EXPECT_EQ(last.meshes[0].weights.joint, first.meshes[0].weights.joint);
  EXPECT_THAT(open_glb(folder.file("3.vrm")).text, HasSubstr(kVrm1));
}

TEST(Vrm, IsWrittenAsTextWithItsDataBeside) {
  const TemporaryFolder folder;
  Character c = read_bytes(vrm_bytes(vrm_file())).character;
  share(c.meshes[0].weights, 0, 1);
  write_character(folder.file("out.gltf"), c, Context(1));
  std::stringstream text;
  text << std::ifstream(folder.file("out.gltf")).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr(kVrm1));
  expect_same_shape(load_character(folder.file("out.gltf"), Context(1)), c, 1);
}

TEST(Vrm, TakesNewWeightsOfCompressedMeshes) {
  GltfBuilder b = draco_file();
  b.json["extensionsUsed"].push_back("VRMC_vrm");
  b.json["extensions"]["VRMC_vrm"]["specVersion"] = "1.0";
  Character c = read(b).character;
  share(c.meshes[0].weights, 0, 1);
  const TemporaryFolder folder;
  write_character(folder.file("out.vrm"), c, Context(1));
  const Character back = load_character(folder.file("out.vrm"), Context(1));
  EXPECT_EQ(back.meshes[0].weights.weight, c.meshes[0].weights.weight);
  const Json primitive = open_glb(folder.file("out.vrm")).json["meshes"][0]["primitives"][0];
  const Json& draco = primitive["extensions"]["KHR_draco_mesh_compression"];
  EXPECT_FALSE(draco["attributes"].contains("WEIGHTS_0"));
  EXPECT_TRUE(draco["attributes"].contains("POSITION"));
}

TEST(Vrm, GivesASkinTheJointsThatNewWeightsNeed) {
  // A second mesh whose skin has one joint only.
  GltfBuilder b = vrm_file();
  Json copy = b.json["meshes"][0];
  copy["name"] = "second";
  copy["primitives"][0]["attributes"]["JOINTS_0"] = b.add_accessor(std::vector<std::uint8_t>(16, 0), "VEC4");
  std::vector<float> ones(16, 0);
  for (std::size_t v = 0; v < 4; ++v) ones[4 * v] = 1;
  copy["primitives"][0]["attributes"]["WEIGHTS_0"] = b.add_accessor(ones, "VEC4");
  b.add("meshes", copy);
  std::vector<float> matrix{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.5F, 0, 1};
  b.add("skins", {{"joints", {2}}, {"inverseBindMatrices", b.add_accessor(matrix, "MAT4")}});
  b.add("nodes", {{"mesh", 1}, {"skin", 1}});
  b.json["scenes"][0]["nodes"].push_back(3);
  Character c = read_bytes(vrm_bytes(b)).character;
  ASSERT_EQ(c.meshes.size(), 2U);
  share(c.meshes[1].weights, 0, 1);
  const TemporaryFolder folder;
  write_character(folder.file("out.vrm"), c, Context(1));
  const Glb out = open_glb(folder.file("out.vrm"));
  EXPECT_EQ(out.json["skins"][0], b.json["skins"][0]);
  EXPECT_EQ(out.json["skins"][1]["joints"], Json({2, 1}));
  expect_same_shape(load_character(folder.file("out.vrm"), Context(1)), c, 1);
}

TEST(Vrm, IsNotMadeOfWhatIsNone) {
  const TemporaryFolder folder;
  const std::string file = folder.file("out.vrm");
  EXPECT_THAT(error_of([&] { write_character(file, make_two_bone_tube(), Context(1)); }),
              HasSubstr("read from a .vrm"));
  Character c = read_bytes(vrm_bytes(vrm_file())).character;
  c.skeleton.joints[1].world_from_rest.translation.x += 1;
  EXPECT_THAT(error_of([&] { write_character(file, c, Context(1)); }), HasSubstr("have changed"));
  EXPECT_FALSE(std::filesystem::exists(file));
  // As a .glb it is written, and what is lost is said.
  std::vector<std::string> warnings;
  Context context(1);
  context.on_warning = [&](std::string_view text) { warnings.emplace_back(text); };
  write_character(folder.file("out.glb"), c, context);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("VRMC_vrm, VRMC_springBone"));
  EXPECT_FALSE(open_glb(folder.file("out.glb")).json.contains("extensions"));
}

TEST(Vrm, KeepsTheRabbit) {
  CUTIS_NEEDS_SHARED_DATA();
  const std::string file = (shared_data() / "avatars/rabbit.vrm").string();
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the shared data has no avatars/rabbit.vrm";
  Character c = load_character(file, Context(1));
  int known = 0;
  for (const Joint& joint : c.skeleton.joints) known += joint.humanoid.empty() ? 0 : 1;
  EXPECT_EQ(known, 52);
  share(c.meshes[0].weights, 0, 3);
  const TemporaryFolder folder;
  write_character(folder.file("out.vrm"), c, Context(1));
  const Glb before = open_glb(file), after = open_glb(folder.file("out.vrm"));
  const auto extensions = [](const Glb& glb) {
    const std::size_t begin = glb.text.find("{\"materialProperties\""), end = glb.text.find("\"meshes\"", begin);
    return begin == std::string::npos ? "" : glb.text.substr(begin, end - begin);
  };
  EXPECT_GT(extensions(before).size(), 5000U);
  EXPECT_EQ(extensions(after), extensions(before));
  for (const char* key :
       {"extensions", "nodes", "skins", "materials", "textures", "images", "extensionsUsed", "scenes"})
    EXPECT_EQ(after.json[key], before.json[key]) << key;
  EXPECT_EQ(after.json["meshes"][0]["primitives"][0]["targets"].size(), 16U);
  EXPECT_EQ(after.json["meshes"][0]["primitives"][0]["extras"], before.json["meshes"][0]["primitives"][0]["extras"]);
  EXPECT_EQ(load_character(folder.file("out.vrm"), Context(1)).meshes[0].weights.weight, c.meshes[0].weights.weight);
}

}  // namespace
}  // namespace cutis::test
