// A short way out of every vertex against a box tree. Only the outer sides of triangles count: skin that has passed
// through other skin looks at it from behind, and is not excused.
#include "metrics/touching.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"
#include "geometry/normals.h"
#include "geometry/visit_box.h"

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
  /// From the outer side, the one that the normal points to.
  [[nodiscard]] bool meets(const Vec3f& a, const Vec3f& b, const Vec3f& c) const {
    const Vec3d origin = static_cast<Vec3d>(a), u = static_cast<Vec3d>(b) - origin, v = static_cast<Vec3d>(c) - origin;
    const Vec3d side = cross(way, v), from = p - origin;
    const double facing = dot(u, side);  // -way . (u x v)
    if (!(facing > 0)) return false;
    const double s = dot(from, side);
    const Vec3d across = cross(from, u);
    const double t = dot(way, across), along = dot(v, across);
    return s >= 0 && t >= 0 && s + t <= facing && along >= 0 && along <= facing;
  }
};

bool meets_other_skin(const Way& way, std::uint32_t place, const PosedSurface& surface, const Topology& topology,
                      const TriangleBvh& bvh, std::span<const std::uint32_t> place_of) {
  const Boxf box = way.box();
  return !visit_box(bvh, box, [&](std::uint32_t triangle) {
    const auto& [a, b, c] = topology.triangles[triangle];
    return place_of[a] == place || place_of[b] == place || place_of[c] == place ||
           !way.meets(surface.positions[a], surface.positions[b], surface.positions[c]);
  });
}

}  // namespace

std::vector<std::uint8_t> find_touching(const PosedSurface& surface, const Topology& topology, const TriangleBvh& bvh,
                                        std::span<const std::uint32_t> place_of, double reach, const Context& context) {
  std::vector<std::uint8_t> touching(surface.positions.size(), 0);
  if (bvh.empty()) return touching;
  std::vector<Triangle> usable;
  usable.reserve(surface.usable.size());
  std::vector<std::uint8_t> has_normal(surface.positions.size(), 0);
  for (const std::uint32_t t : surface.usable) {
    usable.push_back(topology.triangles[t]);
    for (const std::uint32_t v : topology.triangles[t]) has_normal[v] = 1;
  }
  const std::vector<Vec3f> normals = vertex_normals(surface.positions, usable);
  parallel_for(context, touching.size(), kWaysPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (!has_normal[v]) continue;
      const Way way{static_cast<Vec3d>(surface.positions[v]), static_cast<Vec3d>(normals[v]) * reach};
      touching[v] = meets_other_skin(way, place_of[v], surface, topology, bvh, place_of);
    }
  });
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
