// ONE VERTEX: how far skin may be stretched, and how it is drawn together beyond that.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/math.h"
#include "kernels/whole.h"

namespace cutis {

/// An edge is never drawn together below its length at rest: where smooth skinning crushes it, that is whole skin. Else
/// it may be so many times as long as smooth skinning has it (tears are counted from 3 on) …
inline constexpr float kMoreThanSmooth = 2.8F;
/// … and stretched so many times as far as smooth skinning stretches anything in the pose (1.5 is too far), …
inline constexpr float kMoreThanWorst = 1.4F;
/// … and so far at all (8 is too far). The distance to what is counted is what bounded passes leave.
inline constexpr float kMostStretch = 7.5F;
/// Edges below this part of those around them can hardly be seen and count as that long: files have pairs of vertices
/// that should be one, 2e-9 m apart.
inline constexpr float kNoEdge = 0.05F;

/// How long an edge may be, metres: `rest` and `smooth` long at rest and in smooth skinning, `local` the mean of those
/// around it at rest; `worst` is how far smooth skinning stretches anything, at least 1.
CUTIS_HD inline float longest_edge(float rest, float smooth, float local, float worst) {
  const auto larger = [](float a, float b) { return a > b ? a : b; };
  const auto smaller = [](float a, float b) { return a < b ? a : b; };
  const float length = larger(rest, kNoEdge * local);
  const float here = larger(length, kMoreThanSmooth * larger(smooth, kShortEdge * local));
  const float anywhere = smaller(kMoreThanWorst * worst, kMostStretch) * length;
  return larger(smaller(here, anywhere), smooth);
}

/// Longer than this, metres, an edge is torn, as the metric of that name counts; arguments as above.
CUTIS_HD inline float torn_from(float rest, float smooth, float local) {
  constexpr float kTorn = 3;
  const float length = kTorn * (smooth > kShortEdge * local ? smooth : kShortEdge * local);
  return length > rest ? length : rest;
}

/// What a surface is like where edges are held against it; per vertex.
struct StrainSurface {
  const Vec3f *rest, *smooth;  ///< positions
  const float* edge;           ///< mean length of the edges at it, at rest
  float worst;                 ///< how far smooth skinning stretches anything, at least 1
};

CUTIS_HD inline float longest_edge(const StrainSurface& s, std::uint32_t v, std::uint32_t w) {
  return longest_edge(distance(s.rest[v], s.rest[w]), distance(s.smooth[v], s.smooth[w]),
                      0.5F * (s.edge[v] + s.edge[w]), s.worst);
}

/// Where the edges around vertex `v` draw it: the mean of what each of those that are too long asks of it, which is
/// half of what is too much. Where it is when none is.
CUTIS_HD inline Vec3f drawn_together(const StrainSurface& surface, std::uint32_t v, const Vec3f* at,
                                     const std::uint32_t* ring, std::size_t count) {
  Vec3f sum;
  float asked = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const Vec3f way = at[ring[k]] - at[v];
    const float length = std::sqrt(dot(way, way)), longest = longest_edge(surface, v, ring[k]);
    if (!(length > longest)) continue;
    sum += way * (0.5F * (1 - longest / length));
    asked += 1;
  }
  return asked > 0 ? at[v] + sum / asked : at[v];
}

}  // namespace cutis
