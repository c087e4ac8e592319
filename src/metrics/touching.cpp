// What `overlap` decides with a winding number per vertex, with one per piece of skin: between triangles that
// intersect, skin is inside or outside as a whole. A short way out along the normal then tells whether other skin is
// near.
#include "metrics/touching.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"
#include "geometry/disjoint_sets.h"
#include "geometry/normals.h"
#include "geometry/winding_number.h"

namespace cutis {
namespace {

constexpr std::size_t kWaysPerChunk = 128;

// From `p` along `way`, the whole of it.
struct Way {
  Vec3d p, way;
  [[nodiscard]] Boxf box() const {
    const Vec3d q = p + way;
    const auto down = [](double x) { return std::nextafter(static_cast<float>(x), -INFINITY); };
    const auto up = [](double x) { return std::nextafter(static_cast<float>(x), INFINITY); };
    return {{down(std::min(p.x, q.x)), down(std::min(p.y, q.y)), down(std::min(p.z, q.z))},
            {up(std::max(p.x, q.x)), up(std::max(p.y, q.y)), up(std::max(p.z, q.z))}};
  }
  [[nodiscard]] bool meets(const Vec3f& a, const Vec3f& b, const Vec3f& c) const {
    const Vec3d origin = static_cast<Vec3d>(a), u = static_cast<Vec3d>(b) - origin, v = static_cast<Vec3d>(c) - origin;
    const Vec3d side = cross(way, v), from = p - origin;
    const double area = dot(u, side);
    if (area == 0) return false;
    const double s = dot(from, side) / area;
    const Vec3d across = cross(from, u);
    const double t = dot(way, across) / area, along = dot(v, across) / area;
    return s >= 0 && t >= 0 && s + t <= 1 && along >= 0 && along <= 1;
  }
};

bool meets_other_skin(const Way& way, std::uint32_t place, const PosedSurface& surface, const Topology& topology,
                      const TriangleBvh& bvh, std::span<const std::uint32_t> place_of) {
  const Boxf box = way.box();
  std::array<std::uint32_t, TriangleBvh::kMaxDepth> stack;
  std::size_t size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const std::uint32_t index = stack[--size];
    const TriangleBvh::Node& node = bvh.nodes()[index];
    if (!overlap(node.box, box)) continue;
    if (!node.is_leaf()) {
      stack[size++] = node.right;
      stack[size++] = index + 1;
      continue;
    }
    for (std::uint32_t slot = node.begin; slot < node.end; ++slot) {
      if (!overlap(bvh.box(slot), box)) continue;
      const auto& [a, b, c] = topology.triangles[bvh.triangle(slot)];
      if (place_of[a] == place || place_of[b] == place || place_of[c] == place) continue;
      if (way.meets(surface.positions[a], surface.positions[b], surface.positions[c])) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::uint8_t> find_touching(const PosedSurface& surface, const Topology& topology, const TriangleBvh& bvh,
                                        std::span<const std::array<std::uint32_t, 2>> pairs,
                                        std::span<const std::uint32_t> place_of, double reach, const Context& context) {
  std::vector<std::uint8_t> touching(surface.positions.size(), 0);
  if (bvh.empty()) return touching;
  for (const auto& pair : pairs)
    for (const std::uint32_t t : pair)
      for (const std::uint32_t v : topology.triangles[t]) touching[v] = 1;
  const std::vector<std::uint8_t> cut = touching;

  std::vector<Triangle> usable;
  usable.reserve(surface.usable.size());
  std::vector<std::uint8_t> has_normal(surface.positions.size(), 0);
  for (const std::uint32_t t : surface.usable) {
    usable.push_back(topology.triangles[t]);
    for (const std::uint32_t v : topology.triangles[t]) has_normal[v] = 1;
  }
  const std::vector<Vec3f> normals = vertex_normals(surface.positions, usable);
  const auto way_out = [&](std::size_t v) {
    return Way{static_cast<Vec3d>(surface.positions[v]), static_cast<Vec3d>(normals[v]) * reach};
  };
  parallel_for(context, touching.size(), kWaysPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      if (has_normal[v] && !touching[v])
        touching[v] = meets_other_skin(way_out(v), place_of[v], surface, topology, bvh, place_of);
  });
  if (pairs.empty()) return touching;

  // Pieces of skin between intersecting triangles. Its first vertex with a free way out speaks for a piece.
  DisjointSets pieces(touching.size());
  for (const Edge& e : topology.edges)
    if (!cut[e.a] && !cut[e.b]) pieces.join(e.a, e.b);
  enum : std::uint8_t { unknown, outside, inside };
  std::vector<std::uint8_t> verdict(touching.size(), unknown);  // of each piece, at its first vertex
  const WindingNumber winding(bvh, surface.positions, topology.triangles);
  for (std::uint32_t v = 0; v < touching.size(); ++v) {
    if (touching[v] || !has_normal[v]) continue;
    std::uint8_t& known = verdict[pieces.find(v)];
    if (known != unknown) continue;
    const Way way = way_out(v);
    known = winding.exceeds(way.p + way.way, 0.5) ? inside : outside;
  }
  for (std::uint32_t v = 0; v < touching.size(); ++v)
    if (!cut[v] && verdict[pieces.find(v)] == inside) touching[v] = 1;
  return touching;
}

void grow_by_rings(std::vector<std::uint8_t>& marked, const Topology& topology, int rings) {
  for (int ring = 0; ring < rings; ++ring) {
    const std::vector<std::uint8_t> before = marked;
    for (const Edge& e : topology.edges) {
      if (before[e.a]) marked[e.b] = 1;
      if (before[e.b]) marked[e.a] = 1;
    }
  }
}

}  // namespace cutis
