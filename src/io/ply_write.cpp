// PLY, binary little-endian, one file per frame: position, normal and, when any mesh has TEXCOORD_0, s and t per
// vertex, and contact when frames have it; triangles. All meshes in one vertex list: PLY has no objects.
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "cutis/version.h"
#include "io/file_group.h"
#include "io/frame_writer.h"
#include "io/sequence.h"
#include "io/writers.h"

namespace cutis {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

class PlyWriter final : public FrameWriter {
 public:
  PlyWriter(const std::string& path, const AnimationHeader& header) : FrameWriter(path, header) {
    // Indices are stored as int32.
    static_cast<void>(int32_count(path, vertex_count(), "vertices", "PLY"));
    files_.add(sequence_name(file(), 0, frame_count()));
    std::size_t triangles = 0;
    for (const Mesh& mesh : character().meshes) {
      triangles += mesh.triangles.size();
      has_uv_ = has_uv_ || find_attribute(mesh, "TEXCOORD_0", 2) != nullptr;
    }
    head_ = fmt::format(
        "ply\nformat binary_little_endian 1.0\ncomment Cutis {}\nelement vertex {}\n"
        "property float x\nproperty float y\nproperty float z\n"
        "property float nx\nproperty float ny\nproperty float nz\n{}{}"
        "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        version(), vertex_count(), has_uv_ ? "property float s\nproperty float t\n" : "",
        has_contact() ? "property float contact\nproperty float contact_depth\n" : "", triangles);

    // Texture coordinates are laid into the vertex rows once; frames overwrite only the six numbers before them.
    rows_.assign(vertex_count() * row_size(), 0.0F);
    faces_.reserve(triangles * kFaceBytes);
    std::uint32_t first = 0;
    for (const Mesh& mesh : character().meshes) {
      if (const VertexAttribute* uv = find_attribute(mesh, "TEXCOORD_0", 2); uv != nullptr)
        for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
          float* row = rows_.data() + (first + i) * row_size();
          row[6] = uv->values[2 * i];
          row[7] = 1 - uv->values[2 * i + 1];
        }
      for (const Triangle& t : mesh.triangles) {
        faces_.push_back(3);
        for (const std::uint32_t v : t) {
          const std::uint32_t index = first + v;
          const auto* bytes = reinterpret_cast<const char*>(&index);
          faces_.append(bytes, sizeof index);
        }
      }
      first += static_cast<std::uint32_t>(mesh.positions.size());
    }
  }

 private:
  static constexpr std::size_t kFaceBytes = 13;

  [[nodiscard]] std::size_t contact_at() const { return has_uv_ ? 8 : 6; }
  [[nodiscard]] std::size_t row_size() const { return contact_at() + (has_contact() ? 2 : 0); }

  void write_frame(std::span<const Vec3f> positions, std::span<const Vec3f> normals) override {
    AtomicFile& out = frame() == 0 ? files_.last() : files_.add(sequence_name(file(), frame(), frame_count()));
    for (std::size_t i = 0; i < positions.size(); ++i) {
      float* row = rows_.data() + i * row_size();
      std::memcpy(row, &positions[i], sizeof(Vec3f));
      std::memcpy(row + 3, &normals[i], sizeof(Vec3f));
      if (!has_contact()) continue;
      row[contact_at()] = contact()[i].touch;
      row[contact_at() + 1] = contact()[i].depth;
    }
    out.write(head_);
    out.write(rows_.data(), rows_.size() * sizeof(float));
    out.write(faces_);
  }
  void complete() override { files_.commit(); }

  FileGroup files_;
  bool has_uv_ = false;
  std::string head_, faces_;
  std::vector<float> rows_;
};

}  // namespace

WriterPtr make_ply_writer(const std::string& file, const AnimationHeader& header, const Context&) {
  return std::make_unique<PlyWriter>(file, header);
}

}  // namespace cutis
