// Rays from each vertex into the half space that it faces: where nearly all meet skin again, it lies in a cavity.
#include "register/outer_skin.h"

#include <array>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"
#include "character/welded_character.h"
#include "cutis/roles.h"
#include "geometry/normals.h"
#include "geometry/triangle_bvh.h"
#include "geometry/weld.h"

namespace cutis {
namespace {

constexpr int kRays = 16;           // spread over the half space
constexpr int kLeastEscaping = 2;   // of them: between fingers, under arms and in folds more do
constexpr double kRayStart = 1e-4;  // above the skin, in extents: not to meet the triangles at the vertex

bool meets(const TriangleBvh& bvh, std::span<const Vec3f> positions, std::span<const Triangle> triangles,
           const Vec3d& from, const Vec3d& along) {
  std::array<std::uint32_t, TriangleBvh::kMaxDepth> stack;
  std::size_t size = 0;
  stack[size++] = 0;
  const Vec3d inverse{1 / along.x, 1 / along.y, 1 / along.z};
  while (size > 0) {
    const std::uint32_t at = stack[--size];
    const TriangleBvh::Node& node = bvh.nodes()[at];
    double enter = 0, leave = 1e300;
    for (int k = 0; k < 3; ++k) {
      const double a = (static_cast<double>(node.box.lo[k]) - from[k]) * inverse[k],
                   b = (static_cast<double>(node.box.hi[k]) - from[k]) * inverse[k];
      enter = std::max(enter, std::min(a, b));
      leave = std::min(leave, std::max(a, b));
    }
    if (!(enter <= leave)) continue;
    if (!node.is_leaf()) {
      stack[size++] = node.right;
      stack[size++] = at + 1;
      continue;
    }
    for (std::uint32_t s = node.begin; s < node.end; ++s) {
      // Möller and Trumbore.
      const Triangle& t = triangles[bvh.triangle(s)];
      const auto a = static_cast<Vec3d>(positions[t[0]]);
      const Vec3d u = static_cast<Vec3d>(positions[t[1]]) - a, v = static_cast<Vec3d>(positions[t[2]]) - a;
      const Vec3d p = cross(along, v);
      const double det = dot(u, p);
      if (det == 0) continue;
      const Vec3d d = from - a;
      const double x = dot(d, p) / det;
      if (!(x >= 0 && x <= 1)) continue;
      const Vec3d q = cross(d, u);
      const double y = dot(along, q) / det;
      if (y >= 0 && x + y <= 1 && dot(v, q) / det > 0) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<char> outer_vertices(const Character& character, const Context& context) {
  const Roles roles = find_roles(character);
  const JoinedMeshes joined = join_meshes(character);
  std::vector<std::uint32_t> use;
  for (std::uint32_t t = 0; t < joined.input_triangles.size(); ++t) use.push_back(t);
  const TriangleBvh bvh(joined.input_positions, joined.input_triangles, use);
  const Weld welded = weld(joined.input_positions);
  const std::vector<Vec3f> normals = vertex_normals(joined.input_positions, joined.input_triangles, welded.welded_of);
  const double start = kRayStart * diagonal(character.bounds());
  std::vector<char> outer(joined.input_positions.size(), 0);
  parallel_for(context, outer.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (roles.pieces[roles.piece[v]].role == PieceRole::inner) continue;
      const auto n = static_cast<Vec3d>(normals[v]);
      const Vec3d s = any_perpendicular(n), t = cross(n, s),
                  from = static_cast<Vec3d>(joined.input_positions[v]) + n * start;
      int escaping = 0;
      for (int k = 0; k < kRays && escaping < kLeastEscaping; ++k) {
        // Even over the half space: heights in steps, turned by the golden angle.
        const double up = (k + 0.5) / kRays, out = std::sqrt(1 - up * up), angle = 2.399963229728653 * k;
        const Vec3d along = n * up + s * (out * std::cos(angle)) + t * (out * std::sin(angle));
        if (!meets(bvh, joined.input_positions, joined.input_triangles, from, along)) ++escaping;
      }
      outer[v] = escaping >= kLeastEscaping;
    }
  });
  return outer;
}

}  // namespace cutis
