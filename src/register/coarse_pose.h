// Where the body is in a scan, and how it stands, about. docs/algorithms/register.md, "The coarse pose".
#pragma once

#include <span>
#include <vector>

#include "cutis/context.h"
#include "register/body_model.h"
#include "register/model_fit.h"

namespace cutis {

/// The best `count` explanations that differ, best first. `ups`: directions that may be up in the scan; none: any.
[[nodiscard]] std::vector<ModelState> coarse_poses(const BodyModel& model, const FitTarget& target,
                                                   std::span<const Vec3d> ups, std::size_t count,
                                                   const Context& context);

}  // namespace cutis
