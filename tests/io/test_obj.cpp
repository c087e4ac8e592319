#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>

#include "cutis/error.h"
#include "io/readers.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using ::testing::HasSubstr;

struct Obj : ::testing::Test {
  Context context{1};
  std::vector<std::string> warnings;
  Obj() {
    context.on_warning = [this](std::string_view text) { warnings.emplace_back(text); };
  }
  Character read(const std::string& text) { return read_obj_memory(text, "folder/thing.obj", context); }
  std::string error(const std::string& text) {
    return error_of([&] { (void)read(text); });
  }
};

const std::string kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

TEST_F(Obj, KeepsOneVertexPerLineInTheFilesOrder) {
  const Character c = read("v 0 0 0\nv 9 9 9\nv 1 0 0\no first\nv 0 1 0\nf 1 3 4\n");
  ASSERT_EQ(c.meshes.size(), 1U);
  const Mesh& m = c.meshes[0];
  ASSERT_EQ(m.positions.size(), 4U);
  EXPECT_EQ(m.positions[1], (Vec3f{9, 9, 9}));
  EXPECT_EQ(m.triangles, (std::vector<Triangle>{{0, 2, 3}}));
  EXPECT_EQ(m.name, "first");
  EXPECT_FALSE(m.had_normals);
  EXPECT_EQ(m.normals[0], (Vec3f{0, 0, 1}));
  EXPECT_NO_THROW(validate(c));
}

TEST_F(Obj, IsNamedAfterTheFileWhenItHasSeveralObjects) {
  const Character c = read(kTriangle + "o a\nf 1 2 3\no b\nf 1 3 2\n");
  EXPECT_EQ(c.meshes.size(), 1U);
  EXPECT_EQ(c.meshes[0].name, "thing");
  EXPECT_EQ(c.source, "folder/thing.obj");
}

TEST_F(Obj, ReadsAllFormsOfCorners) {
  for (const char* face : {"f 1 2 3", "f 1/1 2/2 3/3", "f 1//1 2//1 3//1", "f 1/1/1 2/2/1 3/3/1", "f -3 -2 -1",
                           "f -3/-3/-1 -2/-2/-1 -1/-1/-1", "  f\t1 2  3  ", "f 1/ 2/ 3/", "f 1/1/ 2/2/ 3/3/"}) {
    const Character c = read(kTriangle + "vt 0 0\nvt 1 0\nvt 0 1\nvn 0 0 1\n" + face + "\n");
    EXPECT_EQ(c.meshes[0].triangles, (std::vector<Triangle>{{0, 1, 2}})) << face;
  }
}

TEST_F(Obj, ReadsContinuationsCarriageReturnsAndComments) {
  const Character c = read("# head\r\nv 0 0 \\\r\n0\r\n  v 1 0 0 # tail\r\nv 0 1 0\r\n\r\nf 1 \\\r\n2 \\\r\n3\r\n");
  EXPECT_EQ(c.meshes[0].triangles.size(), 1U);
  EXPECT_EQ(c.meshes[0].positions[1], (Vec3f{1, 0, 0}));
  EXPECT_EQ(read("v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3").meshes[0].triangles.size(), 1U);
}

TEST_F(Obj, TriangulatesPolygons) {
  const Character c = read("v 0 0 0\nv 2 0 0\nv 3 1 0\nv 0 1 0\nv -1 0.5 0\nf 1 2 3 4\nf 1 2 3 4 5\n");
  EXPECT_EQ(c.meshes[0].triangles.size(), 5U);
}

TEST_F(Obj, KeepsTextureCoordinatesThatAreSinglePerVertex) {
  const Character c = read(kTriangle + "vt 0 0\nvt 1 0\nvt 0.25 0.75\nvt 0 0\nf 1/1 2/2 3/3\nf 1/4 3/3 2/2\n");
  ASSERT_EQ(c.meshes[0].attributes.size(), 1U);
  EXPECT_EQ(c.meshes[0].attributes[0].name, "TEXCOORD_0");
  // Counted from the upper edge.
  EXPECT_EQ(c.meshes[0].attributes[0].values, (std::vector<float>{0, 1, 1, 1, 0.25F, 0.25F}));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Obj, DropsTextureCoordinatesAtSeamsWithOneWarning) {
  const Character c = read(kTriangle + "vt 0 0\nvt 1 0\nf 1/1 2/1 3/1\nf 1/2 3/1 2/1\n");
  EXPECT_TRUE(c.meshes[0].attributes.empty());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("texture coordinates"));
}

TEST_F(Obj, KeepsNormalsThatAreSinglePerVertexAndComputesThemOtherwise) {
  const Character kept = read(kTriangle + "vn 0 3 4\nf 1//1 2//1 3//1\n");
  EXPECT_TRUE(kept.meshes[0].had_normals);
  EXPECT_EQ(kept.meshes[0].normals[1], (Vec3f{0, 0.6F, 0.8F}));
  const Character computed = read(kTriangle + "vn 0 3 4\nvn 1 0 0\nf 1//1 2//1 3//1\nf 1//2 3//1 2//1\n");
  EXPECT_FALSE(computed.meshes[0].had_normals);
}

TEST_F(Obj, ReadsVertexColours) {
  const Character c = read("v 0 0 0 1 0.5 0\nv 1 0 0 0 0 1\nv 0 1 0 1 1 1\nf 1 2 3\n");
  ASSERT_EQ(c.meshes[0].attributes.size(), 1U);
  EXPECT_EQ(c.meshes[0].attributes[0].name, "COLOR_0");
  EXPECT_EQ(c.meshes[0].attributes[0].values, (std::vector<float>{1, 0.5F, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1}));
}

TEST_F(Obj, ReadsNumbersAsWrittenInAnyLocale) {
  const char* before = std::setlocale(LC_NUMERIC, nullptr);
  const std::string kept = before != nullptr ? before : "C";
  std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // may not be installed; then this checks the plain case
  const Character c = read("v +.5 1e-1 -2.5E+0\nv 1 0 1e-400\nv 0 1 1e-60\nf 1 2 3\n");
  std::setlocale(LC_NUMERIC, kept.c_str());
  EXPECT_EQ(c.meshes[0].positions[0], (Vec3f{0.5F, 0.1F, -2.5F}));
  EXPECT_EQ(c.meshes[0].positions[1].z, 0.0F);
}

TEST_F(Obj, RefusesBadContentWithTheLineNumber) {
  EXPECT_THAT(error(kTriangle + "f 1 2 4\n"), HasSubstr("line 4: the face names vertex 4, but there are 3"));
  EXPECT_THAT(error(kTriangle + "f 1 2 -4\n"), HasSubstr("line 4"));
  EXPECT_THAT(error(kTriangle + "f 1 2 0\n"), HasSubstr("line 4"));
  EXPECT_THAT(error(kTriangle + "f 1 2 -9223372036854775808\n"), HasSubstr("line 4"));
  EXPECT_THAT(error(kTriangle + "f 1 2 99999999999999999999\n"), HasSubstr("line 4"));
  EXPECT_THAT(error(kTriangle + "f 1/1 2/1 3/1\n"), HasSubstr("texture coordinate 1"));
  EXPECT_THAT(error(kTriangle + "f a b c\n"), HasSubstr("'a'"));
  EXPECT_THAT(error("\n\nv 0 nan 0\n"), HasSubstr("line 3: 'nan' in 'v' is not a finite number"));
  EXPECT_THAT(error("v 0 1e60 0\n"), HasSubstr("not a finite number"));
  EXPECT_THAT(error("v 0 1e999 0\n"), HasSubstr("not a finite number"));
  EXPECT_THAT(error("v 0 0,5 0\n"), HasSubstr("not a number"));
  EXPECT_THAT(error("v 0 0\n"), HasSubstr("fewer than three numbers"));
}

TEST_F(Obj, RefusesFilesWithoutASurface) {
  EXPECT_THAT(error(""), HasSubstr("no vertices"));
  EXPECT_THAT(error("\x7f\x45\x4c\x46 something else"), HasSubstr("no vertices"));
  EXPECT_THAT(error(kTriangle), HasSubstr("no faces"));
  EXPECT_THAT(error(kTriangle + "f 1 2\n"), HasSubstr("no faces"));
}

TEST_F(Obj, SaysWhichFileIsMissing) {
  EXPECT_THAT(error_of([&] { (void)read_obj("/nowhere/at_all.obj", context, {}); }), HasSubstr("/nowhere/at_all.obj"));
}

}  // namespace
}  // namespace cutis
