#include "worst_region.h"

#include <algorithm>
#include <cmath>

namespace cutis::cli {
namespace {

// Faults within this share of the size belong to one region.
constexpr double kClusterRadius = 0.05;

double squared_distance(const Vec3f& a, const Vec3f& b) {
  const Vec3f d = a - b;
  return static_cast<double>(d.x) * d.x + static_cast<double>(d.y) * d.y + static_cast<double>(d.z) * d.z;
}

std::vector<std::uint32_t> faulty_vertices(const FrameMetrics& metrics, std::size_t count) {
  std::vector<std::uint32_t> faulty;
  for (std::uint32_t v = 0; v < count; ++v)
    if (metrics.intersecting_pairs.value_or(0) > 0 && metrics.vertex_intersects[v]) faulty.push_back(v);
  if (!faulty.empty()) return faulty;
  faulty.resize(count);
  for (std::uint32_t v = 0; v < count; ++v) faulty[v] = v;
  const auto strain = [&](std::uint32_t v) { return std::abs(std::log(std::max(metrics.vertex_stretch[v], 1e-6F))); };
  const auto keep = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, count / 100));
  std::nth_element(faulty.begin(), faulty.begin() + keep - 1, faulty.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return strain(a) > strain(b); });
  faulty.resize(static_cast<std::size_t>(keep));
  return faulty;
}

}  // namespace

Vec3d mean_of(const std::vector<Vec3f>& positions, const std::vector<std::uint32_t>& vertices) {
  Vec3d sum;
  for (const std::uint32_t v : vertices) sum += static_cast<Vec3d>(positions[v]);
  return sum / static_cast<double>(vertices.size());
}

WorstRegion worst_region(const std::vector<Vec3f>& positions, const FrameMetrics& metrics, double size) {
  const std::vector<std::uint32_t> faulty = faulty_vertices(metrics, positions.size());
  const double reach = kClusterRadius * size;
  std::vector<std::uint32_t> best;
  const std::size_t step = std::max<std::size_t>(1, faulty.size() / 200);  // centres to try; enough to find the densest
  for (std::size_t c = 0; c < faulty.size(); c += step) {
    std::vector<std::uint32_t> cluster;
    for (const std::uint32_t v : faulty)
      if (squared_distance(positions[v], positions[faulty[c]]) <= reach * reach) cluster.push_back(v);
    if (cluster.size() > best.size()) best = std::move(cluster);
  }
  // All faults of the neighbourhood should be in the picture, with some of the sound skin around them.
  const auto center = static_cast<Vec3f>(mean_of(positions, best));
  double farthest = 0;
  for (const std::uint32_t v : faulty) {
    const double d = squared_distance(positions[v], center);
    if (d <= kMostZoom * size * kMostZoom * size) farthest = std::max(farthest, d);
  }
  return {std::move(best), 1.5 * std::sqrt(farthest)};
}

}  // namespace cutis::cli
