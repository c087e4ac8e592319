#include "metrics/stretch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "metrics/percentile.h"

namespace cutis {

std::vector<double> edge_lengths(const PosedSurface& surface, const Topology& topology) {
  std::vector<double> lengths(topology.edges.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t e = 0; e < lengths.size(); ++e) {
    const Edge& edge = topology.edges[e];
    if (surface.finite[edge.a] && surface.finite[edge.b])
      lengths[e] =
          distance(static_cast<Vec3d>(surface.positions[edge.a]), static_cast<Vec3d>(surface.positions[edge.b]));
  }
  return lengths;
}

Stretch measure_stretch(std::span<const double> lengths, std::span<const double> rest_lengths) {
  Stretch s;
  s.ratio.assign(lengths.size(), std::numeric_limits<float>::quiet_NaN());
  std::vector<float> known;
  known.reserve(lengths.size());
  for (std::size_t e = 0; e < lengths.size(); ++e) {
    if (std::isnan(lengths[e]) || !(rest_lengths[e] > 0)) continue;
    // A ratio beyond float is capped, so that what comes out is finite.
    const double ratio = std::min<double>(lengths[e] / rest_lengths[e], std::numeric_limits<float>::max());
    s.ratio[e] = static_cast<float>(ratio);
    known.push_back(s.ratio[e]);
  }
  if (known.empty()) return s;
  s.p1 = percentile(known, 0.01);
  s.p95 = percentile(known, 0.95);
  s.max = *std::max_element(known.begin(), known.end());
  return s;
}

std::vector<float> vertex_stretch(std::span<const float> ratio, const Topology& topology) {
  const auto severity = [](float r) { return r >= 1 ? r : r > 0 ? 1 / r : std::numeric_limits<float>::infinity(); };
  std::vector<float> worst(topology.vertex_count, 1.0F);
  for (std::size_t e = 0; e < ratio.size(); ++e) {
    if (std::isnan(ratio[e])) continue;
    for (const std::uint32_t v : {topology.edges[e].a, topology.edges[e].b})
      if (severity(ratio[e]) > severity(worst[v])) worst[v] = ratio[e];
  }
  return worst;
}

}  // namespace cutis
