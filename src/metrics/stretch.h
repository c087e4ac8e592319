// Edge lengths against the rest pose.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "geometry/topology.h"
#include "metrics/posed_surface.h"

namespace cutis {

/// Per edge, metres; NaN where an end is not finite.
[[nodiscard]] std::vector<double> edge_lengths(const PosedSurface& surface, const Topology& topology);

struct Stretch {
  std::vector<float> ratio;  ///< per edge: length over rest length; NaN where either is unknown or the latter is 0
  std::optional<double> p1, p95, max;
};
[[nodiscard]] Stretch measure_stretch(std::span<const double> lengths, std::span<const double> rest_lengths);

/// Per vertex: the ratio, of the edges at it, that is farthest from 1 as a factor; 1 without one.
[[nodiscard]] std::vector<float> vertex_stretch(std::span<const float> ratio, const Topology& topology);

}  // namespace cutis
