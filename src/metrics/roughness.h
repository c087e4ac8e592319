// How much the skin's small-scale shape changed: angles between neighbouring triangles against the rest pose.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "geometry/topology.h"
#include "metrics/posed_surface.h"

namespace cutis {

/// Per edge, degrees in [-180, 180]: the turn from one triangle's normal to the other's about the edge; 0 where they
/// lie in one plane. NaN where the edge has not exactly two triangles with an area. Two triangles that run along the
/// edge in the same direction are compared as if one of them were turned over.
[[nodiscard]] std::vector<double> dihedral_angles(const PosedSurface& surface, const Topology& topology);

/// Per edge, degrees in [0, 180]: how far the angle is from that at rest; NaN where either is unknown.
[[nodiscard]] std::vector<float> dihedral_changes(std::span<const double> angles, std::span<const double> rest_angles);

/// Root mean square of the changes, weighted by the rest lengths, over edges with no end in `leave_out`; empty where
/// there are none.
[[nodiscard]] std::optional<double> roughness(std::span<const float> changes, std::span<const double> rest_lengths,
                                              std::span<const std::uint8_t> leave_out, const Topology& topology);

/// Edges bent by more than `angle` degrees, with no end in `leave_out`, that `smooth`, the changes of another shape in
/// the same pose, bends by less than half as much.
[[nodiscard]] std::vector<std::uint32_t> scarred_edges(std::span<const float> changes, std::span<const float> smooth,
                                                       float angle, std::span<const std::uint8_t> leave_out,
                                                       const Topology& topology);

/// Per vertex, degrees: the mean change over the edges at it; 0 without one.
[[nodiscard]] std::vector<float> vertex_roughness(std::span<const float> changes, const Topology& topology);

}  // namespace cutis
