#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "cutis/io.h"
#include "io/readers.h"

namespace cutis {
namespace {

// Points that are no finite numbers go, and the triangles at them.
void keep_finite(PlainMesh& mesh, Scan& scan) {
  const std::size_t n = mesh.positions.size();
  const bool with_normals = mesh.normals.size() == n;
  constexpr std::uint32_t kGone = 0xffffffffU;
  std::vector<std::uint32_t> now(n, kGone);
  for (std::size_t i = 0; i < n; ++i) {
    if (!is_finite(mesh.positions[i])) {
      ++scan.left_out;
      continue;
    }
    now[i] = static_cast<std::uint32_t>(scan.positions.size());
    scan.positions.push_back(mesh.positions[i]);
    if (with_normals) scan.normals.push_back(is_finite(mesh.normals[i]) ? mesh.normals[i] : Vec3f{});
  }
  for (const Triangle& t : mesh.triangles)
    if (now[t[0]] != kGone && now[t[1]] != kGone && now[t[2]] != kGone)
      scan.triangles.push_back({now[t[0]], now[t[1]], now[t[2]]});
}

}  // namespace

Scan load_scan(const std::string& file, const Context& context) {
  context.check_cancelled();
  std::string extension = std::filesystem::path(file).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  Scan scan;
  scan.source = file;
  if (extension == ".ply" || extension == ".obj") {
    const std::string bytes = read_file(file);
    PlainMesh mesh = extension == ".ply" ? read_ply_scan(bytes, file, context) : read_obj_scan(bytes, file, context);
    keep_finite(mesh, scan);
  } else {
    const Character character = load_character(file, context);
    for (const Mesh& mesh : character.meshes) {
      const auto first = static_cast<std::uint32_t>(scan.positions.size());
      scan.positions.insert(scan.positions.end(), mesh.positions.begin(), mesh.positions.end());
      scan.normals.insert(scan.normals.end(), mesh.normals.begin(), mesh.normals.end());
      for (const Triangle& t : mesh.triangles) scan.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
  }
  if (scan.positions.empty())
    throw Error(ErrorCode::bad_file, file, "has no points with places that are finite numbers");
  if (scan.left_out > 0)
    context.warn(fmt::format("{}: {} points whose places are no finite numbers are left out", file, scan.left_out));
  return scan;
}

}  // namespace cutis
