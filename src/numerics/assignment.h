// Who goes where, at the least cost.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cutis {

/// `cost` is rows x columns, row after row, finite; rows <= columns. The column of every row, each taken once, with the
/// least sum (shortest augmenting paths, Jonker and Volgenant 1987). Of equal sums one that depends on the order alone.
[[nodiscard]] std::vector<std::size_t> least_cost_assignment(std::size_t rows, std::size_t columns,
                                                             std::span<const double> cost);

}  // namespace cutis
