// Controllers d(alpha), theta(alpha): monotone C1 splines.
#pragma once

#include <vector>

#include "cutis/compose.h"
#include "kernels/compose.h"

namespace cutis {

/// Throws Error(bad_argument) with `place` when the points cannot be used; values must be in [lo, hi].
void check_controller(const Controller& controller, double lo, double hi, const std::string& place);

/// The points with slopes (Fritsch and Carlson 1980): between two points the curve is monotone, and flat at the ends,
/// where constants follow. For evaluate_controller().
[[nodiscard]] std::vector<ControllerKnot> controller_knots(const Controller& controller);

}  // namespace cutis
