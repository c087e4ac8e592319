// OBJ and PLY sequences, read back by small parsers of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "io/sequence.h"
#include "io/writer_support.h"

namespace cutis::test {
namespace {

struct ObjFile {
  std::vector<Vec3f> v, vn;
  std::vector<Vec2f> vt;
  std::vector<std::string> objects;
  std::vector<std::array<std::array<int, 3>, 3>> faces;  ///< corner: v, vt (0: none), vn
};

ObjFile parse_obj(const std::string& file) {
  ObjFile obj;
  std::istringstream in(bytes_of(file));
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "v" || key == "vn") {
      Vec3f p;
      EXPECT_TRUE(words >> p.x >> p.y >> p.z) << line;
      (key == "v" ? obj.v : obj.vn).push_back(p);
    } else if (key == "vt") {
      Vec2f t;
      EXPECT_TRUE(words >> t.x >> t.y) << line;
      obj.vt.push_back(t);
    } else if (key == "o") {
      std::string name;
      words >> name;
      obj.objects.push_back(name);
    } else if (key == "f") {
      auto& face = obj.faces.emplace_back();
      for (auto& corner : face) {
        std::string word;
        EXPECT_TRUE(words >> word) << line;
        if (std::sscanf(word.c_str(), "%d/%d/%d", &corner[0], &corner[1], &corner[2]) == 3) continue;
        corner[1] = 0;
        EXPECT_EQ(std::sscanf(word.c_str(), "%d//%d", &corner[0], &corner[2]), 2) << line;
      }
    } else {
      EXPECT_EQ(key, "#") << line;
    }
    std::string more;
    EXPECT_TRUE(key == "#" || !(words >> more)) << line;
  }
  return obj;
}

TEST(SequenceName, CountsWithAtLeastFourDigitsAndAsManyAsTheCountNeeds) {
  EXPECT_EQ(sequence_name("out/walk.obj", 7, 12), "out/walk_0007.obj");
  EXPECT_EQ(sequence_name("walk.v2.ply", 0, 12345), "walk.v2_00000.ply");
}

TEST(ObjWriter, WritesOneFilePerFrameWithAllVerticesInTheInputsOrder) {
  const TemporaryFolder folder;
  Shot shot;
  fill_shot(shot, 3);
  write_shot(shot, folder.file("a.obj"));
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"a_0000.obj", "a_0001.obj", "a_0002.obj"}));
  for (std::size_t f = 0; f < 3; ++f) {
    const ObjFile obj = parse_obj(folder.file(sequence_name("a.obj", f, 3)));
    EXPECT_EQ(obj.v, shot.frames[f].positions);  // exact: numbers are printed so that they read back
    EXPECT_EQ(obj.vn, shot.frames[f].normals);
    EXPECT_EQ(obj.objects, (std::vector<std::string>{"tube", "patch_\"of\"_cloth"}));
  }
}

TEST(ObjWriter, NumbersFacesOverAllObjectsAndTurnsTextureCoordinatesBottomUp) {
  const TemporaryFolder folder;
  Shot shot;
  fill_shot(shot, 1);
  write_shot(shot, folder.file("a.obj"));
  const ObjFile obj = parse_obj(folder.file("a_0000.obj"));
  const Mesh &tube = shot.character.meshes[0], &patch = shot.character.meshes[1];
  ASSERT_EQ(obj.faces.size(), tube.triangles.size() + patch.triangles.size());
  const auto offset = static_cast<int>(tube.positions.size());
  for (std::size_t i = 0; i < obj.faces.size(); ++i) {
    const bool first = i < tube.triangles.size();
    const Triangle& t = first ? tube.triangles[i] : patch.triangles[i - tube.triangles.size()];
    for (std::size_t k = 0; k < 3; ++k) {
      const int v = static_cast<int>(t[k]) + 1;
      EXPECT_EQ(obj.faces[i][k], (first ? std::array{v, 0, v} : std::array{v + offset, v, v + offset}));
    }
  }
  ASSERT_EQ(obj.vt.size(), patch.positions.size());
  for (std::size_t i = 0; i < obj.vt.size(); ++i) {
    EXPECT_EQ(obj.vt[i].x, patch.attributes[0].values[2 * i]);
    EXPECT_EQ(obj.vt[i].y, 1 - patch.attributes[0].values[2 * i + 1]);
  }
}

struct PlyFile {
  std::map<std::string, std::size_t> property;  ///< of the vertex: name -> column
  std::vector<std::vector<float>> vertices;
  std::vector<Triangle> faces;
};

PlyFile parse_ply(const std::string& file) {
  const std::string bytes = bytes_of(file);
  PlyFile ply;
  const std::size_t body = bytes.find("end_header\n") + 11;
  std::istringstream head(bytes.substr(0, body));
  std::string line, element;
  std::map<std::string, std::size_t> count;
  std::getline(head, line);
  EXPECT_EQ(line, "ply");
  std::getline(head, line);
  EXPECT_EQ(line, "format binary_little_endian 1.0");
  while (std::getline(head, line) && line != "end_header") {
    std::istringstream words(line);
    std::string key, type, name;
    words >> key >> type >> name;
    if (key == "element") {
      element = type;
      count[element] = std::stoul(name);
    } else if (key == "property" && element == "vertex") {
      EXPECT_EQ(type, "float");
      ply.property.emplace(name, ply.property.size());
    } else if (key == "property") {
      EXPECT_EQ(line, "property list uchar int vertex_indices");
    } else {
      EXPECT_EQ(key, "comment");
    }
  }
  std::size_t offset = body;
  for (std::size_t i = 0; i < count["vertex"]; ++i) {
    auto& row = ply.vertices.emplace_back();
    for (std::size_t k = 0; k < ply.property.size(); ++k, offset += 4) row.push_back(value_at<float>(bytes, offset));
  }
  for (std::size_t i = 0; i < count["face"]; ++i) {
    EXPECT_EQ(value_at<std::uint8_t>(bytes, offset), 3);
    Triangle t;
    for (std::size_t k = 0; k < 3; ++k)
      t[k] = static_cast<std::uint32_t>(value_at<std::int32_t>(bytes, offset + 1 + 4 * k));
    ply.faces.push_back(t);
    offset += 13;
  }
  EXPECT_EQ(offset, bytes.size());
  return ply;
}

TEST(PlyWriter, WritesPositionsNormalsTextureCoordinatesAndFaces) {
  const TemporaryFolder folder;
  Shot shot;
  fill_shot(shot, 2);
  write_shot(shot, folder.file("a.ply"));
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"a_0000.ply", "a_0001.ply"}));
  const Mesh &tube = shot.character.meshes[0], &patch = shot.character.meshes[1];
  for (std::size_t f = 0; f < 2; ++f) {
    PlyFile ply = parse_ply(folder.file(sequence_name("a.ply", f, 2)));
    ASSERT_EQ(ply.vertices.size(), shot.character.vertex_count());
    for (std::size_t i = 0; i < ply.vertices.size(); ++i) {
      const auto& row = ply.vertices[i];
      const auto at = [&](const char* name) { return row[ply.property.at(name)]; };
      EXPECT_EQ((Vec3f{at("x"), at("y"), at("z")}), shot.frames[f].positions[i]);
      EXPECT_EQ((Vec3f{at("nx"), at("ny"), at("nz")}), shot.frames[f].normals[i]);
      const bool has_uv = i >= tube.positions.size();
      const std::size_t k = i - tube.positions.size();
      EXPECT_EQ(at("s"), has_uv ? patch.attributes[0].values[2 * k] : 0.0F);
      EXPECT_EQ(at("t"), has_uv ? 1 - patch.attributes[0].values[2 * k + 1] : 0.0F);
    }
    ASSERT_EQ(ply.faces.size(), tube.triangles.size() + patch.triangles.size());
    EXPECT_EQ(ply.faces.front(), tube.triangles.front());
    const auto offset = static_cast<std::uint32_t>(tube.positions.size());
    const Triangle last = patch.triangles.back();
    EXPECT_EQ(ply.faces.back(), (Triangle{last[0] + offset, last[1] + offset, last[2] + offset}));
  }
}

TEST(PlyWriter, LeavesTextureCoordinatesOutWhenNoMeshHasThem) {
  const TemporaryFolder folder;
  Shot shot;
  fill_shot(shot, 1);
  shot.character.meshes[1].attributes.clear();
  write_shot(shot, folder.file("a.ply"));
  EXPECT_EQ(parse_ply(folder.file("a_0000.ply")).property.size(), 6U);
}

TEST(SequenceWriters, KeepFewFilesOpenHoweverManyFramesThereAre) {
  const TemporaryFolder folder;
  Shot shot;
  fill_shot(shot, 1);
  shot.character.meshes.erase(shot.character.meshes.begin());  // the small mesh is enough
  shot.header.times.clear();
  const auto n = shot.character.vertex_count();
  const std::vector<Vec3f> some(n, Vec3f{1, 2, 3}), up(n, Vec3f{0, 1, 0});
  constexpr std::size_t kFrames = 1500;  // beyond the usual limit of 1024 descriptors
  for (std::size_t f = 0; f < kFrames; ++f) shot.header.times.push_back(static_cast<double>(f));
  const Context context(1);
  const auto writer = make_animation_writer(folder.file("a.ply"), shot.header, context);
  std::size_t most_open = 0;
  for (std::size_t f = 0; f < kFrames; ++f) {
    writer->add_frame(some, up);
    if (f % 500 == 499) most_open = std::max(most_open, names_in("/proc/self/fd").size());
  }
  writer->finish();
  EXPECT_LT(most_open, 64U);
  EXPECT_EQ(names_in(folder.path()).size(), kFrames);
}

}  // namespace
}  // namespace cutis::test
