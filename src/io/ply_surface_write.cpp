// One surface in one PLY, binary little-endian.
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "cutis/version.h"

namespace cutis {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

void write_ply(const std::string& file, std::span<const Vec3f> positions, std::span<const Vec3f> normals,
               std::span<const Triangle> triangles) {
  if (!normals.empty() && normals.size() != positions.size())
    throw Error(ErrorCode::bad_argument, file,
                fmt::format("{} positions and {} normals; give as many of each", positions.size(), normals.size()));
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  if (positions.size() > kMost || triangles.size() > kMost)
    throw Error(ErrorCode::bad_argument, file,
                "the surface has more than 2^31 vertices or triangles, which PLY cannot hold");
  std::string bytes = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment Cutis {}\nelement vertex {}\n"
      "property float x\nproperty float y\nproperty float z\n{}"
      "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      version(), positions.size(), normals.empty() ? "" : "property float nx\nproperty float ny\nproperty float nz\n",
      triangles.size());
  const auto append = [&](const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); };
  for (std::size_t v = 0; v < positions.size(); ++v) {
    append(&positions[v], sizeof(Vec3f));
    if (!normals.empty()) append(&normals[v], sizeof(Vec3f));
  }
  for (const Triangle& t : triangles) {
    bytes.push_back(3);
    append(t.data(), sizeof t);
  }
  write_file(file, bytes);
}

}  // namespace cutis
