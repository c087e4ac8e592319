#include "metrics/posed_surface.h"

#include <algorithm>

#include "base/math.h"
#include "geometry/predicates.h"

namespace cutis {

PosedSurface pose_surface(const WeldedCharacter& welded, std::span<const Vec3f> positions) {
  PosedSurface s;
  const std::vector<std::uint32_t>& first_of = welded.weld.first_of;
  s.positions.resize(first_of.size());
  s.finite.resize(first_of.size());
  for (std::size_t w = 0; w < first_of.size(); ++w) {
    const Vec3f& p = positions[first_of[w]];
    s.finite[w] = is_finite(p);
    if (s.finite[w]) s.positions[w] = p;
  }
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const std::uint32_t w = welded.weld.welded_of[v];
    if (!is_finite(positions[v])) {
      ++s.nonfinite_inputs;
    } else if (s.finite[w] && first_of[w] != v) {
      s.seam_gap = std::max(s.seam_gap, distance(static_cast<Vec3d>(positions[v]), static_cast<Vec3d>(s.positions[w])));
    }
  }
  const std::vector<Triangle>& triangles = welded.topology.triangles;
  s.usable.reserve(triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    const auto& [a, b, c] = triangles[t];
    if (a == b || b == c || c == a || !s.finite[a] || !s.finite[b] || !s.finite[c]) continue;
    if (!has_zero_area(s.positions[a], s.positions[b], s.positions[c])) s.usable.push_back(t);
  }
  return s;
}

}  // namespace cutis
