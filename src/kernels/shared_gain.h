// ONE VERTEX of what is shown of a tracked skin: how much speed it may gain against smooth skinning, on its way to
// where the tracked skin is (start_gently() in kernels/fair.h). docs/algorithms/tracking.md, "What is shown".
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/math.h"
#include "kernels/field_constants.h"

namespace cutis {

/// What a vertex and its neighbours gain on average.
CUTIS_HD inline Vec3f shared_gain(std::uint32_t v, const Vec3f* gains, const std::uint32_t* ring, std::size_t count) {
  Vec3f sum = gains[v];
  for (std::size_t k = 0; k < count; ++k) sum += gains[ring[k]];
  return sum / static_cast<float>(count + 1);
}

/// In a frame, metres. `off`: where it is, from smooth skinning; `shared`: what it and its neighbours would gain, on
/// average, to be where the tracked skin is at once. A vertex that jumps does so alone; skin that turns back to smooth
/// skinning as one does so with the pose, as a fold that opens, and must not be late.
CUTIS_HD inline float gentle_gain(float edge, float radius, const Vec3f& off, const Vec3f& shared) {
  constexpr float kShared = 0.03F;  // radii: what the fold of a limb gains that opens by 150 degrees in a second
  // Edges, in radii: a ring of long ones is half of the part, and jumps as one.
  constexpr float kFineTo = 0.2F, kCoarseFrom = 0.4F;
  const float by_edges = field_constants::kStartEdges * edge, by_radii = field_constants::kStartRadii * radius;
  const float alone = by_edges < by_radii ? by_edges : by_radii;
  const float far = length(off), most = kShared * radius;
  const float back = far > 0 ? -dot(shared, off) / far : 0.0F;
  if (!(back > 0)) return alone;
  return alone + (back < most ? back : most) * (1 - smooth_step(edge, kFineTo * radius, kCoarseFrom * radius));
}

}  // namespace cutis
