// Characters of one mesh, and pixels by place.
#pragma once

#include <utility>

#include "cutis/render.h"
#include "geometry/normals.h"
#include "support/support.h"

namespace cutis::test {

inline Character character_of(Surface surface) {
  Character c;
  c.source = "test";
  Mesh mesh;
  mesh.name = "shape";
  mesh.positions = std::move(surface.positions);
  mesh.triangles = std::move(surface.triangles);
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  c.meshes.push_back(std::move(mesh));
  return c;
}

inline void append(Surface& to, const Surface& from, const Vec3f& offset) {
  const auto base = static_cast<std::uint32_t>(to.positions.size());
  for (const Vec3f& p : from.positions) to.positions.push_back(p + offset);
  for (const Triangle& t : from.triangles) to.triangles.push_back({base + t[0], base + t[1], base + t[2]});
}

/// Flat square in the plane z, facing +Z, centred.
inline Surface make_square(float half, float z) {
  return {{{-half, -half, z}, {half, -half, z}, {half, half, z}, {-half, half, z}}, {{0, 1, 2}, {0, 2, 3}}};
}

struct Pixel {
  int r, g, b;
  [[nodiscard]] int sum() const { return r + g + b; }
};
inline Pixel pixel(const Image& image, int x, int y) {
  const std::size_t i =
      (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)) * 3;
  return {image.rgb[i], image.rgb[i + 1], image.rgb[i + 2]};
}

/// No floor, no occlusion: what is not the shape is the background alone.
inline RenderOptions plain(int width, int height) {
  RenderOptions options;
  options.width = width;
  options.height = height;
  options.ambient_occlusion = false;
  options.ground_shadow = false;
  return options;
}

/// Pixels that differ from the picture of nothing.
inline int covered_pixels(const Image& image, const Image& empty) {
  int count = 0;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3)
    count +=
        image.rgb[i] != empty.rgb[i] || image.rgb[i + 1] != empty.rgb[i + 1] || image.rgb[i + 2] != empty.rgb[i + 2];
  return count;
}

}  // namespace cutis::test
