// The table of RegisterOptions.
#include "base/option_table.h"
#include "cutis/register.h"

namespace cutis {
namespace {

constexpr std::string_view kScanAxes[] = {"x", "y", "z"};

constexpr OptionRow<RegisterOptions> kRegisterRows[] = {
    on("--unit", number_row<&RegisterOptions::unit>("unit", "m", {.least = 0, .most = 1e6, .above_least = true},
                                                    "metres a unit of the scan; empty: the usual one that brings it "
                                                    "nearest to the character's size")),
    on("--up", choice_row<&RegisterOptions::up>("up", kScanAxes, "the scan's vertical axis; empty: found")),
    on("!--no-floor",
       flag_row<&RegisterOptions::floor>("floor", "off: planes (floor, table, wall) are not looked for and left out")),
    on("--scan-points", count_row<&RegisterOptions::points>(
                            "points", 500, 1000000, "of the scan are looked at; the others are thinned out evenly")),
    on("!--no-layer",
       flag_row<&RegisterOptions::layer>("layer", "off: bones and their thickness alone, the skin stays as it is")),
    on("--smoothing",
       number_row<&RegisterOptions::smoothing>("smoothing", "sizes of the character", {.least = 1e-5, .most = 1},
                                               "how far the skin smooths what it takes over from the scan")),
    on("--candidates", count_row<&RegisterOptions::candidates>(
                           "candidates", 1, 100, "coarse poses that are fitted to the end; the best one is kept")),
    on("--anyway", flag_row<&RegisterOptions::anyway>("anyway", "a fit that is no good is written too")),
};

}  // namespace

template <>
std::span<const OptionRow<RegisterOptions>> option_rows() {
  return kRegisterRows;
}

}  // namespace cutis
