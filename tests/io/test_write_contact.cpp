// Contact as a vertex attribute of the files that have room for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "io/writer_support.h"

namespace cutis::test {
namespace {

using testing::HasSubstr;

class WriteContact : public testing::Test {
 protected:
  TemporaryFolder folder;
  Shot shot;
  std::vector<std::vector<SkinContact>> contact;

  void SetUp() override {
    fill_shot(shot, 3);
    shot.header.contact = true;
    for (std::size_t f = 0; f < 3; ++f) {
      contact.emplace_back(shot.character.vertex_count());
      for (std::size_t v = 0; v < contact[f].size(); ++v)
        contact[f][v] = {static_cast<float>(v % 5) / 4, static_cast<float>(f) + 0.25F};
    }
  }
  std::string write(const std::string& name) {
    const std::string file = folder.file(name);
    const auto writer = make_animation_writer(file, shot.header, Context());
    for (std::size_t f = 0; f < 3; ++f) writer->add_frame(shot.frames[f].positions, shot.frames[f].normals, contact[f]);
    writer->finish();
    return file;
  }
};

TEST_F(WriteContact, AGlbHasItInItsMorphTargets) {
  const std::string bytes = bytes_of(write("c.glb"));
  const auto room = static_cast<std::size_t>(value_at<std::int32_t>(bytes, 12));
  const auto json = nlohmann::json::parse(bytes.substr(20, room));
  const std::size_t data = 20 + room + 8;
  std::size_t first = 0;
  for (const auto& primitive : json["meshes"][0]["primitives"]) {
    const std::size_t count = json["accessors"][primitive["attributes"]["POSITION"].get<std::size_t>()]["count"];
    EXPECT_TRUE(primitive["attributes"].contains("_CONTACT"));
    ASSERT_EQ(primitive["targets"].size(), 3U);
    for (std::size_t f = 0; f < 3; ++f) {
      const auto& accessor = json["accessors"][primitive["targets"][f]["_CONTACT"].get<std::size_t>()];
      ASSERT_EQ(accessor["type"], "VEC2");
      ASSERT_EQ(accessor["count"], count);
      const auto& view = json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
      const std::size_t offset = view["byteOffset"].get<std::size_t>() + accessor.value("byteOffset", 0U);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(value_at<float>(bytes, data + offset + 8 * i), contact[f][first + i].touch);
        EXPECT_EQ(value_at<float>(bytes, data + offset + 8 * i + 4), contact[f][first + i].depth);
      }
    }
    first += count;
  }
}

TEST_F(WriteContact, APlyHasItInItsRows) {
  const std::string file = write("c.ply");
  const std::string bytes = bytes_of(folder.file("c_0001.ply"));
  const std::size_t end = bytes.find("end_header\n");
  ASSERT_NE(end, std::string::npos);
  EXPECT_THAT(bytes.substr(0, end), HasSubstr("property float contact\nproperty float contact_depth\n"));
  const std::size_t rows = end + 11, row = 10 * sizeof(float);  // position, normal, s and t before it
  for (std::size_t v = 0; v < shot.character.vertex_count(); ++v) {
    EXPECT_EQ(value_at<float>(bytes, rows + v * row + 32), contact[1][v].touch);
    EXPECT_EQ(value_at<float>(bytes, rows + v * row + 36), contact[1][v].depth);
  }
}

TEST_F(WriteContact, AUsdaHasItAsPrimvarsOverTime) {
  const std::string text = bytes_of(write("c.usda"));
  EXPECT_THAT(text,
              HasSubstr("float[] primvars:contact.timeSamples = {\n            0: [0, 0.25, 0.5, 0.75, 1, 0, 0.25"));
  EXPECT_THAT(text, HasSubstr("float[] primvars:contactDepth.timeSamples = {\n            0: [0.25, 0.25"));
  EXPECT_THAT(text, HasSubstr("            2: [2.25, 2.25"));
}

TEST_F(WriteContact, FilesWithoutItAreAsBefore) {
  shot.header.contact = false;
  for (const char* name : {"c.glb", "c.usda", "c.ply"}) {
    const std::string file = write(name);
    EXPECT_THAT(bytes_of(name == std::string("c.ply") ? folder.file("c_0000.ply") : file),
                testing::Not(testing::AnyOf(HasSubstr("CONTACT"), HasSubstr("contact"))));
  }
}

TEST_F(WriteContact, FormatsWithoutRoomAndWrongNumbersAreRefused) {
  for (const char* name : {"c.pc2", "c.mdd", "c.obj"}) {
    EXPECT_THAT(error_of([&] { (void)write(name); }), HasSubstr("no room for contact"));
  }
  contact[1].pop_back();
  EXPECT_THAT(error_of([&] { (void)write("c.glb"); }), HasSubstr("contact of"));
  contact[1].push_back({std::numeric_limits<float>::quiet_NaN(), 0});
  EXPECT_THAT(error_of([&] { (void)write("c.glb"); }), HasSubstr("not finite"));
  EXPECT_TRUE(names_in(folder.path()).empty());
}

}  // namespace
}  // namespace cutis::test
