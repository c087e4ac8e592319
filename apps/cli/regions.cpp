#include "regions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace cutis::cli {
namespace {

// Half the width of a border, in sizes of the character.
constexpr float kBorder = 0.0012F;
// A triangle in which three regions meet is divided into four, so often.
constexpr int kDivisions = 4;

using VertexWeights = std::vector<std::pair<std::uint32_t, float>>;  // bone, weight

VertexWeights row_of(const Mesh& mesh, std::uint32_t v) {
  VertexWeights row;
  if (v + 1 < mesh.weights.row_begin.size())
    for (std::uint32_t i = mesh.weights.row_begin[v]; i < mesh.weights.row_begin[v + 1]; ++i)
      row.emplace_back(mesh.weights.joint[i], mesh.weights.weight[i]);
  return row;
}

using Place = std::array<float, 3>;  // of a point in a triangle: shares of the corners

Place between(const Place& a, const Place& b, float share) {
  return {a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share};
}

// The part of a polygon in which `side` (linear, given at its corners) is positive.
std::vector<Place> clipped(const std::vector<Place>& polygon, const auto& side) {
  std::vector<Place> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Place &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const float x = side(a), y = side(b);
    if (x >= 0) kept.push_back(a);
    if ((x >= 0) != (y >= 0)) kept.push_back(between(a, b, x / (x - y)));
  }
  return kept;
}

// A triangle and the weights at its corners; between them weights are linear.
struct Patch {
  std::array<VertexWeights, 3> rows;
  std::array<Vec3f, 3> p, n;

  [[nodiscard]] Place weights_of(int bone) const {
    Place w{};
    for (std::size_t c = 0; c < 3; ++c)
      for (const auto& [b, weight] : rows[c])
        if (static_cast<int>(b) == bone) w[c] += weight;
    return w;
  }
  // The bone with the largest weight, of equal ones the first; and the next one.
  [[nodiscard]] std::pair<int, int> largest(const Place& at) const {
    std::map<int, float> sum;
    for (std::size_t c = 0; c < 3; ++c)
      for (const auto& [bone, weight] : rows[c]) sum[static_cast<int>(bone)] += at[c] * weight;
    int best = -1, next = -1;
    float most = 0, then = -1;
    for (const auto& [bone, weight] : sum) {
      if (weight > most) next = best, then = most, best = bone, most = weight;
      else if (weight > then) next = bone, then = weight;
    }
    return {best, next};
  }
  // Length of the gradient of a function that is linear in the triangle.
  [[nodiscard]] float slope(const Place& f) const {
    const Vec3f u = p[1] - p[0], v = p[2] - p[0];
    const auto dot = [](const Vec3f& x, const Vec3f& y) { return x.x * y.x + x.y * y.y + x.z * y.z; };
    const float uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), det = uu * vv - uv * uv;
    if (!(det > 0)) return 0;
    const float a = f[1] - f[0], b = f[2] - f[0];
    return std::sqrt(std::max(0.0F, (a * a * vv - 2 * a * b * uv + b * b * uu) / det));
  }
};

}  // namespace

RegionMesh cut_regions(const Character& character, std::span<const Vec3f> positions, std::span<const Vec3f> normals) {
  const std::vector<Color> joints = joint_colors(character.skeleton);
  const Color none = color_from_srgb(0xb9b3aa), border = color_from_srgb(0x26221e);
  RegionMesh result;
  Mesh out;
  const Box box = character.bounds();
  const Vec3d extent = box.hi - box.lo;
  const auto size = static_cast<float>(std::sqrt(extent.x * extent.x + extent.y * extent.y + extent.z * extent.z));
  const float half = kBorder * size;
  const auto emit = [&](const Patch& patch, const std::vector<Place>& polygon, Color color) {
    for (std::size_t i = 2; i < polygon.size(); ++i)
      for (const Place* at : {&polygon[0], &polygon[i - 1], &polygon[i]}) {
        const auto mixed = [&](const std::array<Vec3f, 3>& v) {
          return v[0] * (*at)[0] + v[1] * (*at)[1] + v[2] * (*at)[2];
        };
        out.positions.push_back(mixed(patch.p));
        out.normals.push_back(mixed(patch.n));
        result.colors.push_back(color);
        const auto count = static_cast<std::uint32_t>(out.positions.size());
        if (count % 3 == 0) out.triangles.push_back({count - 3, count - 2, count - 1});
      }
  };
  const auto cut = [&](const auto& self, const Patch& patch, const std::array<Place, 3>& at, int divisions) -> void {
    const std::vector<Place> whole(at.begin(), at.end());
    std::array<int, 3> owner{}, rival{};
    for (std::size_t c = 0; c < 3; ++c) std::tie(owner[c], rival[c]) = patch.largest(at[c]);
    if (std::ranges::min(owner) < 0) return emit(patch, whole, none);
    const int a = owner[0];
    const bool alone = owner[1] == a && owner[2] == a;
    const int other = owner[1] != a ? owner[1] : owner[2];
    if (!alone && owner[1] != a && owner[2] != a && owner[1] != owner[2]) {  // three regions
      if (divisions == 0) return emit(patch, whole, border);
      const Place x = between(at[0], at[1], 0.5F), y = between(at[1], at[2], 0.5F), z = between(at[2], at[0], 0.5F);
      for (const std::array<Place, 3>& quarter :
           {std::array{at[0], x, z}, std::array{x, at[1], y}, std::array{z, y, at[2]}, std::array{x, y, z}})
        self(self, patch, quarter, divisions - 1);
      return;
    }
    // How far a point is from the border, positive on the side of a: exact, since weights are linear.
    const auto distance_from = [&](int b) {
      const Place w = patch.weights_of(a), v = patch.weights_of(b), f{w[0] - v[0], w[1] - v[1], w[2] - v[2]};
      const float slope = patch.slope(f);
      return [f, slope](const Place& q) {
        const float value = f[0] * q[0] + f[1] * q[1] + f[2] * q[2];
        return slope > 0 ? value / slope : value > 0 ? 1e9F : value < 0 ? -1e9F : 0.0F;
      };
    };
    int b = other;
    if (alone) {  // the border of a neighbour may reach into it
      float nearest = half;
      b = -1;
      for (std::size_t c = 0; c < 3; ++c)
        if (rival[c] >= 0)
          if (const float d = distance_from(rival[c])(at[c]); d < nearest) nearest = d, b = rival[c];
      if (b < 0) return emit(patch, whole, joints[static_cast<std::size_t>(a)]);
    }
    const auto distance = distance_from(b);
    emit(patch, clipped(whole, [&](const Place& q) { return distance(q) - half; }), joints[static_cast<std::size_t>(a)]);
    emit(patch, clipped(whole, [&](const Place& q) { return -distance(q) - half; }), joints[static_cast<std::size_t>(b)]);
    emit(patch, clipped(clipped(whole, [&](const Place& q) { return half - distance(q); }),
                        [&](const Place& q) { return half + distance(q); }),
         border);
  };
  std::size_t base = 0;  // of the mesh's vertices among all
  for (const Mesh& mesh : character.meshes) {
    for (const Triangle& t : mesh.triangles) {
      Patch patch;
      for (std::size_t c = 0; c < 3; ++c) {
        patch.rows[c] = row_of(mesh, t[c]);
        patch.p[c] = positions[base + t[c]];
        patch.n[c] = base + t[c] < normals.size() ? normals[base + t[c]] : Vec3f{};
      }
      cut(cut, patch, {Place{1, 0, 0}, Place{0, 1, 0}, Place{0, 0, 1}}, kDivisions);
    }
    base += mesh.positions.size();
  }
  result.character.meshes.push_back(std::move(out));
  return result;
}

}  // namespace cutis::cli
