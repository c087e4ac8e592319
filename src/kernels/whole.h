// ONE VERTEX: whether it flew off its surface, and where it belongs then.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/math.h"

namespace cutis {

/// Edges count as torn that are so many times as long as at rest, and as in smooth skinning.
inline constexpr float kTornEdge = 2.5F, kTornMore = 1.5F;
/// Edges much shorter than those around them are not torn before they are as long as so much of a local edge.
inline constexpr float kShortEdge = 0.25F;

/// Whether more than half of the edges around a vertex at `p` are torn: it has left its neighbours.
CUTIS_HD inline bool flew_off(const Vec3f& p, const Vec3f& smooth_p, const Vec3f& rest_p, float local_edge,
                              const Vec3f* at, const Vec3f* smooth, const Vec3f* rest, const std::uint32_t* ring,
                              std::size_t count) {
  const auto squared = [](const Vec3f& a, const Vec3f& b) {
    const Vec3f d = a - b;
    return dot(d, d);
  };
  const float least = kShortEdge * local_edge * (kShortEdge * local_edge);
  std::size_t whole = 0;
  for (std::size_t k = 0; k < count && 2 * whole < count; ++k) {
    const std::uint32_t w = ring[k];
    const float here = squared(p, at[w]), length = squared(rest_p, rest[w]);
    const bool torn = here > kTornEdge * kTornEdge * (length < least ? least : length) &&
                      here > kTornMore * kTornMore * squared(smooth_p, smooth[w]);
    whole += torn ? 0 : 1;
  }
  return 2 * whole < count;
}

/// Where smooth skinning has it, and beyond that as its neighbours are.
CUTIS_HD inline Vec3f among_neighbours(const Vec3f& smooth_p, const Vec3f* at, const Vec3f* smooth,
                                       const std::uint32_t* ring, std::size_t count) {
  Vec3f off;
  for (std::size_t k = 0; k < count; ++k) off += at[ring[k]] - smooth[ring[k]];
  return count > 0 ? smooth_p + off / static_cast<float>(count) : smooth_p;
}

}  // namespace cutis
