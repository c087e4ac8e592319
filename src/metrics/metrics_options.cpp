// The table of MetricsOptions.
#include "base/option_table.h"
#include "cutis/metrics.h"

namespace cutis {
namespace {

constexpr OptionRow<MetricsOptions> kMetricsRows[] = {
    flag_row<&MetricsOptions::intersections>("intersections", "pairs of triangles that intersect"),
    flag_row<&MetricsOptions::overlap>("overlap", "vertices inside the body"),
    flag_row<&MetricsOptions::per_vertex>("per_vertex", "pairs and arrays per vertex, for pictures"),
};

}  // namespace

template <>
std::span<const OptionRow<MetricsOptions>> option_rows() {
  return kMetricsRows;
}

}  // namespace cutis
