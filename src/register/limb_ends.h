// Poses that bring the ends of the character's limbs to those of the scan.
#pragma once

#include <vector>

#include "register/body_model.h"
#include "register/model_fit.h"

namespace cutis {

[[nodiscard]] std::vector<ModelState> starts_from_ends(const BodyModel& model, const FitTarget& target);

}  // namespace cutis
