#include "io/writer_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/math.h"

namespace cutis::test {

void fill_shot(Shot& shot, std::size_t frames) {
  shot.character = make_two_bone_tube();
  const Surface grid = make_grid(3, 2, 1.0);
  Mesh patch;
  patch.name = "patch \"of\" cloth";  // a name that no format takes as it is
  patch.positions = grid.positions;
  patch.triangles = grid.triangles;
  patch.normals.assign(grid.positions.size(), Vec3f{0, 1, 0});
  VertexAttribute uv{"TEXCOORD_0", 2, {}}, color{"COLOR_0", 3, {}};
  for (const Vec3f& p : grid.positions) {
    uv.values.insert(uv.values.end(), {p.x, 0.25F * p.z});
    color.values.insert(color.values.end(), {p.x, 0.5F, p.z});
  }
  patch.attributes = {uv, color};
  shot.character.meshes.push_back(patch);

  shot.header.character = &shot.character;
  shot.header.clip_name = "bend";
  shot.header.times.clear();
  shot.frames.clear();
  for (std::size_t f = 0; f < frames; ++f) {
    shot.header.times.push_back(0.5 + static_cast<double>(f) / 24);
    Shot::Frame frame;
    const float turn = 0.1F * static_cast<float>(f) + 0.05F;
    for (const Mesh& mesh : shot.character.meshes) {
      for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        const Vec3f p = mesh.positions[i], n = mesh.normals[i];
        const float a = turn * (1 + p.y), c = std::cos(a), s = std::sin(a);
        frame.positions.push_back({c * p.x - s * p.y, s * p.x + c * p.y, p.z + turn});
        frame.normals.push_back(normalized(Vec3f{c * n.x - s * n.y, s * n.x + c * n.y, n.z}));
      }
    }
    shot.frames.push_back(std::move(frame));
  }
}

void write_shot(const Shot& shot, const std::string& file) {
  const Context context(1);
  const auto writer = make_animation_writer(file, shot.header, context);
  for (const Shot::Frame& frame : shot.frames) writer->add_frame(frame.positions, frame.normals);
  writer->finish();
}

std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in.good()) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

template <class T>
T value_at(const std::string& bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof value > bytes.size())
    ADD_FAILURE() << "the file ends before byte " << offset;
  else
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class T>
T big_endian_at(const std::string& bytes, std::size_t offset) {
  if (offset + sizeof(T) > bytes.size()) {
    ADD_FAILURE() << "the file ends before byte " << offset;
    return {};
  }
  const std::string swapped(bytes.rbegin() + static_cast<std::ptrdiff_t>(bytes.size() - offset - sizeof(T)),
                            bytes.rbegin() + static_cast<std::ptrdiff_t>(bytes.size() - offset));
  return value_at<T>(swapped, 0);
}

template float value_at<float>(const std::string&, std::size_t);
template std::int32_t value_at<std::int32_t>(const std::string&, std::size_t);
template std::uint8_t value_at<std::uint8_t>(const std::string&, std::size_t);
template float big_endian_at<float>(const std::string&, std::size_t);
template std::int32_t big_endian_at<std::int32_t>(const std::string&, std::size_t);

}  // namespace cutis::test
