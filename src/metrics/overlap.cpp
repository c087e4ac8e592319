#include "metrics/overlap.h"

#include "base/parallel_for.h"
#include "geometry/normals.h"
#include "geometry/winding_number.h"

namespace cutis {

Overlap find_overlap(const PosedSurface& surface, std::span<const Triangle> triangles, const TriangleBvh& bvh,
                     double offset, const Context& context) {
  Overlap result;
  result.inside.assign(surface.positions.size(), 0);
  std::vector<Triangle> usable;
  usable.reserve(surface.usable.size());
  std::vector<std::uint8_t> has_normal(surface.positions.size(), 0);
  for (const std::uint32_t t : surface.usable) {
    usable.push_back(triangles[t]);
    for (const std::uint32_t v : triangles[t]) has_normal[v] = 1;
  }
  const std::vector<Vec3f> normals = vertex_normals(surface.positions, usable);
  const WindingNumber winding(bvh, surface.positions, triangles);
  parallel_for(context, surface.positions.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (!has_normal[v]) continue;
      const Vec3d moved = static_cast<Vec3d>(surface.positions[v]) + static_cast<Vec3d>(normals[v]) * offset;
      result.inside[v] = winding.exceeds(moved, 0.5);
    }
  });
  for (std::size_t v = 0; v < has_normal.size(); ++v) {
    result.tested += has_normal[v];
    result.count += result.inside[v];
  }
  return result;
}

}  // namespace cutis
