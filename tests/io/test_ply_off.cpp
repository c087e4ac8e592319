#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>

#include "cutis/error.h"
#include "io/readers.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using ::testing::HasSubstr;

Character ply(const std::string& bytes) { return read_ply_memory(bytes, "a/thing.ply", Context(1)); }
Character off(const std::string& text) { return read_off_memory(text, "a/thing.off", Context(1)); }
std::string ply_error(const std::string& bytes) {
  return error_of([&] { (void)ply(bytes); });
}
std::string off_error(const std::string& text) {
  return error_of([&] { (void)off(text); });
}

/// Bytes of a value in either order.
template <class T>
std::string raw(T value, bool big) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  if (big == (std::endian::native == std::endian::little)) bytes = std::string(bytes.rbegin(), bytes.rend());
  return bytes;
}

const std::string kAsciiHeader =
    "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\nproperty float y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
const std::string kSquare = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

TEST(Ply, ReadsTextAndTriangulates) {
  const Character c = ply(kAsciiHeader + kSquare + "4 0 1 2 3\n");
  ASSERT_EQ(c.meshes.size(), 1U);
  EXPECT_EQ(c.meshes[0].name, "thing");
  EXPECT_EQ(c.meshes[0].positions.size(), 4U);
  EXPECT_EQ(c.meshes[0].triangles.size(), 2U);
  EXPECT_NO_THROW(validate(c));
}

TEST(Ply, ReadsBothByteOrdersWithPropertiesOfAllTypesInAnyOrder) {
  for (const bool big : {false, true}) {
    std::string bytes = std::string("ply\r\nformat binary_") + (big ? "big" : "little") +
                        "_endian 1.0\r\n"
                        "element sensor 2\r\nproperty list ushort double samples\r\nproperty char tag\r\n"
                        "element face 1\r\nproperty float quality\r\nproperty list int ushort vertex_index\r\n"
                        "element vertex 3\r\nproperty uchar red\r\nproperty uchar green\r\nproperty uchar blue\r\n"
                        "property double z\r\nproperty float nx\r\nproperty float ny\r\nproperty float nz\r\n"
                        "property short x\r\nproperty uint y\r\nproperty float s\r\nproperty float t\r\n"
                        "end_header\r\n";
    bytes += raw<std::uint16_t>(2, big) + raw(1.0, big) + raw(2.0, big) + raw<std::int8_t>(1, big);
    bytes += raw<std::uint16_t>(0, big) + raw<std::int8_t>(2, big);
    bytes += raw(0.5F, big) + raw<std::int32_t>(3, big);
    for (const std::uint16_t i : {0, 1, 2}) bytes += raw(i, big);
    const double p[3][3] = {{-5, 0, 0.25}, {5, 0, 0.25}, {0, 70000, 0.25}};
    for (const auto& v : p) {
      bytes += raw<std::uint8_t>(255, big) + raw<std::uint8_t>(0, big) + raw<std::uint8_t>(51, big) + raw(v[2], big);
      bytes += raw(0.0F, big) + raw(0.0F, big) + raw(2.0F, big);
      bytes += raw(static_cast<std::int16_t>(v[0]), big) + raw(static_cast<std::uint32_t>(v[1]), big);
      bytes += raw(0.25F, big) + raw(0.25F, big);
    }
    const Character c = ply(bytes);
    const Mesh& m = c.meshes[0];
    ASSERT_EQ(m.positions.size(), 3U);
    EXPECT_EQ(m.positions[0], (Vec3f{-5, 0, 0.25F}));
    EXPECT_EQ(m.positions[2], (Vec3f{0, 70000, 0.25F}));
    EXPECT_EQ(m.triangles, (std::vector<Triangle>{{0, 1, 2}}));
    EXPECT_TRUE(m.had_normals);
    EXPECT_EQ(m.normals[0], (Vec3f{0, 0, 1}));
    ASSERT_EQ(m.attributes.size(), 2U);
    EXPECT_EQ(m.attributes[0].name, "TEXCOORD_0");
    EXPECT_EQ(m.attributes[0].values[1], 0.75F);
    EXPECT_EQ(m.attributes[1].name, "COLOR_0");
    EXPECT_EQ(m.attributes[1].values[0], 1.0F);
    EXPECT_FLOAT_EQ(m.attributes[1].values[2], 0.2F);
    EXPECT_EQ(m.attributes[1].values[3], 1.0F);
  }
}

TEST(Ply, ReadsTriangleStripsWithRestarts) {
  const Character c =
      ply("ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
          "element tristrips 1\nproperty list int int vertex_indices\nend_header\n" +
          kSquare + "8 0 1 3 2 -1 0 1 2\n");
  EXPECT_EQ(c.meshes[0].triangles, (std::vector<Triangle>{{0, 1, 3}, {3, 1, 2}, {0, 1, 2}}));
}

TEST(Ply, ComputesTheNormalOfAVertexWhoseOwnHasNoLength) {
  std::string header = kAsciiHeader;
  header.replace(header.find("element face"), 0, "property float nx\nproperty float ny\nproperty float nz\n");
  const Character c = ply(header + "0 0 0 0 0 1\n1 0 0 0 0 0\n1 1 0 0 0 nan\n0 1 0 0 0 1\n4 0 1 2 3\n");
  EXPECT_FALSE(c.meshes[0].had_normals);
  for (const Vec3f& n : c.meshes[0].normals) EXPECT_EQ(n, (Vec3f{0, 0, 1}));
}

TEST(Ply, RefusesCountsThatTheFileDoesNotHold) {
  std::string header = kAsciiHeader;
  header.replace(header.find("vertex 4"), 8, "vertex 4000000000000");
  EXPECT_THAT(ply_error(header + kSquare), HasSubstr("promises 4000000000000 of 'vertex'"));
  EXPECT_THAT(ply_error(kAsciiHeader + kSquare + "2000000000 0 1 2\n"), HasSubstr("face 0"));
  EXPECT_THAT(ply_error(kAsciiHeader + kSquare + "-1 0 1 2\n"), HasSubstr("face 0"));
  EXPECT_THAT(ply_error(kAsciiHeader + kSquare + "3 0 1\n"), HasSubstr("face 0"));
}

TEST(Ply, RefusesBadContentWithItsPlace) {
  EXPECT_THAT(ply_error("plx\n"), HasSubstr("line 1"));
  EXPECT_THAT(ply_error("ply\nformat ascii 1.0\nelement vertex x\n"), HasSubstr("line 3"));
  EXPECT_THAT(ply_error("ply\nformat weird 1.0\n"), HasSubstr("'weird'"));
  EXPECT_THAT(ply_error("ply\nproperty float x\n"), HasSubstr("line 2"));
  EXPECT_THAT(ply_error("ply\nformat ascii 1.0\nelement vertex 1\nproperty colour x\n"), HasSubstr("'colour'"));
  EXPECT_THAT(ply_error("ply\nformat ascii 1.0\nelement vertex 1\n"), HasSubstr("no end"));
  EXPECT_THAT(ply_error(kAsciiHeader + kSquare + "3 0 1 4\n"), HasSubstr("names vertex 4, but there are 4"));
  EXPECT_THAT(ply_error(kAsciiHeader + kSquare + "3 0 1 -2\n"), HasSubstr("-2 is not a vertex index"));
  EXPECT_THAT(ply_error(kAsciiHeader + "0 0 0\n1 inf 0\n1 1 0\n0 1 0\n4 0 1 2 3\n"), HasSubstr("vertex 1"));
  EXPECT_THAT(ply_error(kAsciiHeader + "0 0 0\n1 x 0\n1 1 0\n0 1 0\n4 0 1 2 3\n"), HasSubstr("'x' is not a number"));
}

TEST(Ply, RefusesACloudOfPoints) {
  EXPECT_THAT(
      ply_error("ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
                "end_header\n" +
                kSquare),
      HasSubstr("no faces"));
}

TEST(Off, ReadsThePlainForm) {
  const Character c = off("OFF # kind\n\n4 1 0\n" + kSquare + "4  0 1 2 3  255 0 0\n");
  EXPECT_EQ(c.meshes[0].positions.size(), 4U);
  EXPECT_EQ(c.meshes[0].triangles.size(), 2U);
  EXPECT_EQ(off("OFF 4 1 0\n" + kSquare + "3 0 1 2").meshes[0].triangles.size(), 1U);
  EXPECT_EQ(off("4 1 0\n" + kSquare + "3 0 1 2").meshes[0].triangles.size(), 1U);
}

TEST(Off, ReadsColoursNormalsAndTextureCoordinates) {
  const Character coff = off("COFF\n3 1 0\n0 0 0 255 0 0 255\n1 0 0 0 255 0 255\n0 1 0 0 0 255 0\n3 0 1 2\n");
  ASSERT_EQ(coff.meshes[0].attributes.size(), 1U);
  EXPECT_EQ(coff.meshes[0].attributes[0].values, (std::vector<float>{1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0}));
  const Character rgb = off("COFF\n3 1 0\n0 0 0 1 0 0.5\n1 0 0 0 1 0\n0 1 0 0 0 1\n3 0 1 2\n");
  EXPECT_EQ(rgb.meshes[0].attributes[0].values, (std::vector<float>{1, 0, 0.5F, 1, 0, 1, 0, 1, 0, 0, 1, 1}));
  const Character noff = off("NOFF\n3 1 0\n0 0 0 0 1 0\n1 0 0 0 1 0\n0 1 0 0 1 0\n3 0 1 2\n");
  EXPECT_TRUE(noff.meshes[0].had_normals);
  EXPECT_EQ(noff.meshes[0].normals[0], (Vec3f{0, 1, 0}));
  const Character all =
      off("STCNOFF\n3 1 0\n0 0 0 0 1 0 1 1 1 1 0 0\n1 0 0 0 1 0 1 1 1 1 1 0\n0 1 0 0 1 0 1 1 1 1 0 1\n3 0 1 2\n");
  ASSERT_EQ(all.meshes[0].attributes.size(), 2U);
  EXPECT_EQ(all.meshes[0].attributes[0].values, (std::vector<float>{0, 1, 1, 1, 0, 0}));
}

TEST(Off, RefusesBadContentWithTheLineNumber) {
  EXPECT_THAT(off_error(""), HasSubstr("the word OFF"));
  EXPECT_THAT(off_error("PNG\n"), HasSubstr("'PNG'"));
  EXPECT_THAT(off_error("OFF BINARY\n"), HasSubstr("binary"));
  EXPECT_THAT(off_error("4OFF\n1 1 1\n"), HasSubstr("three-dimensional"));
  EXPECT_THAT(off_error("OFF\n4000000000 1 0\n0 0 0\n"), HasSubstr("too short"));
  EXPECT_THAT(off_error("OFF\n-4 1 0\n0 0 0\n"), HasSubstr("line 2"));
  EXPECT_THAT(off_error("OFF\n4 1 0\n" + kSquare + "3 0 1 4\n"), HasSubstr("line 7"));
  EXPECT_THAT(off_error("OFF\n4 1 0\n" + kSquare + "3 0 1\n"), HasSubstr("line 7"));
  EXPECT_THAT(off_error("OFF\n4 2 0\n" + kSquare + "3 0 1 2\n"), HasSubstr("ends where a face"));
  EXPECT_THAT(off_error("OFF\n4 1 0\n0 0 0\n1 0\n1 1 0\n0 1 0\n3 0 1 2\n"), HasSubstr("line 4"));
  EXPECT_THAT(off_error("OFF\n4 0 0\n" + kSquare), HasSubstr("no faces"));
  EXPECT_THAT(off_error("OFF\n3 1 0\n0 0 0\n1 0 inf\n0 1 0\n3 0 1 2\n"), HasSubstr("line 4"));
}

}  // namespace
}  // namespace cutis
