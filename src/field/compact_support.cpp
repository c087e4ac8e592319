#include "field/compact_support.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/segment.h"

namespace cutis {

FieldSample<double> CompactSupport::apply(const DistanceSample& d) const {
  const CompactSample<double> f = compact(map, d.value, radius);
  return {f.value, d.gradient * f.slope};
}

double CompactSupport::distance_at(double f) const {
  if (f <= 0) return radius;
  if (f >= 1) return -radius;
  double lo = -radius, hi = radius;  // f falls from lo to hi
  for (int i = 0; i < 60; ++i) {
    const double mid = (lo + hi) / 2;
    (compact(map, mid, radius).value > f ? lo : hi) = mid;
  }
  return (lo + hi) / 2;
}

CompactSupport choose_support(std::span<const Vec3d> points, const Vec3d& bone_from, const Vec3d& bone_to,
                              double smallest, const SupportOptions& options) {
  if (options.radius > 0) return {options.map, options.radius};
  std::vector<double> distances;
  Box box;
  for (const Vec3d& p : points) {
    distances.push_back(distance_to_segment(p, bone_from, bone_to));
    box.add(p);
  }
  double thickness = 0;
  if (!distances.empty()) {
    const auto rank =
        static_cast<std::size_t>(std::clamp(options.quantile, 0.0, 1.0) * static_cast<double>(distances.size() - 1));
    std::nth_element(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(rank), distances.end());
    const double extent = diagonal(box);
    thickness = std::clamp(distances[rank], extent / 20, extent / 2);
  }
  return {options.map, std::max(thickness * options.factor, smallest)};
}

}  // namespace cutis
