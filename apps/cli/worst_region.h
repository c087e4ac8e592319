// Where a frame's skin is worst, for close-ups.
#pragma once

#include <cstdint>
#include <vector>

#include "cutis/metrics.h"

namespace cutis::cli {

/// A close-up's radius, as a share of the character's size: at least, and at most.
inline constexpr double kLeastZoom = 0.085, kMostZoom = 0.3;

/// The densest cluster of faulty vertices of a frame: intersecting ones, or, where there are none, the most stretched
/// hundredth.
struct WorstRegion {
  std::vector<std::uint32_t> vertices;  ///< the cluster
  double extent = 0;                    ///< how far the faults reach around it, metres
};
/// `metrics` with MetricsOptions::per_vertex; `size` of the character, metres.
[[nodiscard]] WorstRegion worst_region(const std::vector<Vec3f>& positions, const FrameMetrics& metrics, double size);

/// Of the positions of some vertices.
[[nodiscard]] Vec3d mean_of(const std::vector<Vec3f>& positions, const std::vector<std::uint32_t>& vertices);

}  // namespace cutis::cli
