// Edges that are torn open: much longer than smooth skinning has them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/topology.h"

namespace cutis {

/// Per edge: 1 when it is longer than 3 times what it is in smooth skinning. Lengths that are shorter than a quarter of
/// the mean rest length around count as that long: files have pairs of vertices that should be one. Lengths that are
/// not known (NaN) make no tear.
[[nodiscard]] std::vector<std::uint8_t> torn_edges(std::span<const double> lengths, std::span<const double> smooth,
                                                   std::span<const double> rest, const Topology& topology);

}  // namespace cutis
