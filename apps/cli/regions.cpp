#include "regions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace cutis::cli {
namespace {

// Pieces of a triangle that a border may cross: so large, in sizes of the character, which is how wide borders are
// drawn; so many along an edge at most.
constexpr float kPiece = 0.0025F;
constexpr int kMostPieces = 24;

using VertexWeights = std::vector<std::pair<std::uint32_t, float>>;  // bone, weight

VertexWeights row_of(const Mesh& mesh, std::uint32_t v) {
  VertexWeights row;
  if (v + 1 < mesh.weights.row_begin.size())
    for (std::uint32_t i = mesh.weights.row_begin[v]; i < mesh.weights.row_begin[v + 1]; ++i)
      row.emplace_back(mesh.weights.joint[i], mesh.weights.weight[i]);
  return row;
}

// The bone with the largest of the interpolated weights; of equal ones the first.
int largest(const std::array<VertexWeights, 3>& rows, const std::array<float, 3>& at) {
  std::map<std::uint32_t, float> sum;
  for (std::size_t c = 0; c < 3; ++c)
    for (const auto& [bone, weight] : rows[c]) sum[bone] += at[c] * weight;
  int best = -1;
  float most = 0;
  for (const auto& [bone, weight] : sum)
    if (weight > most) best = static_cast<int>(bone), most = weight;
  return best;
}

}  // namespace

RegionMesh cut_regions(const Character& character, std::span<const Vec3f> positions, std::span<const Vec3f> normals) {
  const std::vector<Color> joints = joint_colors(character.skeleton);
  const Color none = color_from_srgb(0xb9b3aa), border = color_from_srgb(0x26221e);
  RegionMesh result;
  Mesh out;
  const Box box = character.bounds();
  const Vec3d extent = box.hi - box.lo;
  const auto size = static_cast<float>(std::sqrt(extent.x * extent.x + extent.y * extent.y + extent.z * extent.z));
  std::size_t base = 0;  // of the mesh's vertices among all
  const auto corner = [&](const std::array<Vec3f, 3>& p, const std::array<Vec3f, 3>& n,
                          const std::array<float, 3>& at) {
    out.positions.push_back(p[0] * at[0] + p[1] * at[1] + p[2] * at[2]);
    out.normals.push_back(n[0] * at[0] + n[1] * at[1] + n[2] * at[2]);
    return static_cast<std::uint32_t>(out.positions.size() - 1);
  };
  for (const Mesh& mesh : character.meshes) {
    for (const Triangle& t : mesh.triangles) {
      std::array<VertexWeights, 3> rows;
      std::array<Vec3f, 3> p, n;
      std::array<int, 3> owner{};
      for (std::size_t c = 0; c < 3; ++c) {
        rows[c] = row_of(mesh, t[c]);
        p[c] = positions[base + t[c]];
        n[c] = base + t[c] < normals.size() ? normals[base + t[c]] : Vec3f{};
        std::array<float, 3> at{};
        at[c] = 1;
        owner[c] = largest(rows, at);
      }
      float longest = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        const Vec3f e = p[(c + 1) % 3] - p[c];
        longest = std::max(longest, std::sqrt(e.x * e.x + e.y * e.y + e.z * e.z));
      }
      const int pieces = owner[0] == owner[1] && owner[1] == owner[2]
                             ? 1
                             : std::clamp(static_cast<int>(longest / (kPiece * size)), 1, kMostPieces);
      const auto point = [&](int i, int j) {
        const float a = static_cast<float>(i) / static_cast<float>(pieces),
                    b = static_cast<float>(j) / static_cast<float>(pieces);
        return std::array<float, 3>{1 - a - b, a, b};
      };
      const auto piece = [&](const std::array<std::array<float, 3>, 3>& at) {
        const int a = largest(rows, at[0]), b = largest(rows, at[1]), c = largest(rows, at[2]);
        const Color color = a != b || b != c ? border : a < 0 ? none : joints[static_cast<std::size_t>(a)];
        const std::uint32_t i = corner(p, n, at[0]), j = corner(p, n, at[1]), k = corner(p, n, at[2]);
        out.triangles.push_back({i, j, k});
        result.colors.resize(out.positions.size(), color);
      };
      for (int i = 0; i < pieces; ++i)
        for (int j = 0; i + j < pieces; ++j) {
          piece({point(i, j), point(i + 1, j), point(i, j + 1)});
          if (i + j + 1 < pieces) piece({point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)});
        }
    }
    base += mesh.positions.size();
  }
  result.character.meshes.push_back(std::move(out));
  return result;
}

}  // namespace cutis::cli
