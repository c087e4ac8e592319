#include "metrics/tears.h"

#include <algorithm>
#include <cmath>

namespace cutis {
namespace {

constexpr double kTorn = 3;
constexpr double kLeastOfMean = 0.25;

}  // namespace

std::vector<std::uint8_t> torn_edges(std::span<const double> lengths, std::span<const double> smooth,
                                     std::span<const double> rest, const Topology& topology) {
  std::vector<double> sum(topology.vertex_count, 0.0), count(topology.vertex_count, 0.0);
  for (std::size_t e = 0; e < rest.size(); ++e)
    for (const std::uint32_t v : {topology.edges[e].a, topology.edges[e].b}) {
      if (std::isnan(rest[e])) continue;
      sum[v] += rest[e];
      count[v] += 1;
    }
  std::vector<std::uint8_t> torn(lengths.size(), 0);
  for (std::size_t e = 0; e < lengths.size(); ++e) {
    const Edge& edge = topology.edges[e];
    const double mean = (sum[edge.a] + sum[edge.b]) / std::max(1.0, count[edge.a] + count[edge.b]);
    // An edge that smooth skinning crushes, in a crease, is not torn where it is as long as at rest.
    torn[e] = lengths[e] > std::max(kTorn * std::max(smooth[e], kLeastOfMean * mean), rest[e]) ? 1 : 0;
  }
  return torn;
}

}  // namespace cutis
