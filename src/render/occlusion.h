// What blocks the light: rays against the drawn triangles.
//
// One fixed set of directions, evenly spread over the sphere, serves every vertex: results vary smoothly over the
// skin, and do not depend on the number of threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cutis/context.h"
#include "cutis/types.h"

namespace cutis {

/// Shares of light that reach a point, in [0,1].
struct Visibility {
  float sky = 1;  ///< of an even sky over the surface, weighted with the cosine
  float key = 1;  ///< of the soft key light
};

class OcclusionScene {
 public:
  /// Triangles with non-finite corners, or corners beyond 1e17, must have been left out. Throws Error(io) when there is
  /// no memory.
  OcclusionScene(std::span<const Vec3f> positions, std::span<const Triangle> triangles);
  ~OcclusionScene();
  OcclusionScene(const OcclusionScene&) = delete;
  OcclusionScene& operator=(const OcclusionScene&) = delete;

  [[nodiscard]] bool blocked(const Vec3f& origin, const Vec3f& direction) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct OcclusionOptions {
  Vec3f to_key{0, 1, 0};  ///< unit vector towards the middle of the key light
  float offset = 0;       ///< how far rays start above the surface, metres
  int directions = 160;   ///< over the whole sphere; about half of them are above a surface
};

/// For the vertices with `wanted` != 0; the others stay fully lit.
[[nodiscard]] std::vector<Visibility> vertex_visibility(const OcclusionScene& scene, std::span<const Vec3f> positions,
                                                        std::span<const Vec3f> normals,
                                                        std::span<const Triangle> triangles,
                                                        std::span<const std::uint8_t> wanted,
                                                        const OcclusionOptions& options, const Context& context);

/// Darkness of the floor around a character: 0 lit, 1 black; fades to 0 at its borders.
class GroundShadow {
 public:
  GroundShadow() = default;  ///< no shadow anywhere
  /// `draft`: coarser, at a twentieth of the rays.
  GroundShadow(const OcclusionScene& scene, const Box& bounds, double height, const Vec3f& to_key, bool draft,
               const Context& context);

  [[nodiscard]] float at(double x, double z) const;

 private:
  double x0_ = 0, z0_ = 0, cells_per_metre_ = 0;
  int nx_ = 0, nz_ = 0;
  std::vector<float> dark_;
};

}  // namespace cutis
