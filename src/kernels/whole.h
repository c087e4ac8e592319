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
  std::size_t torn = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t w = ring[k];
    const float here = distance(p, at[w]), length = distance(rest_p, rest[w]), least = kShortEdge * local_edge;
    torn += here > kTornEdge * (length < least ? least : length) && here > kTornMore * distance(smooth_p, smooth[w])
                ? 1
                : 0;
  }
  return 2 * torn > count;
}

/// Where smooth skinning has it, and beyond that as its neighbours are.
CUTIS_HD inline Vec3f among_neighbours(const Vec3f& smooth_p, const Vec3f* at, const Vec3f* smooth,
                                       const std::uint32_t* ring, std::size_t count) {
  Vec3f off;
  for (std::size_t k = 0; k < count; ++k) off += at[ring[k]] - smooth[ring[k]];
  return count > 0 ? smooth_p + off / static_cast<float>(count) : smooth_p;
}

}  // namespace cutis
