// Limbs that got stuck beside what they should be on start again.
#pragma once

#include "cutis/context.h"
#include "register/body_model.h"
#include "register/model_fit.h"

namespace cutis {

/// One after the other; `state` is better afterwards, or as it was.
void restart_limbs(const BodyModel& model, const FitTarget& target, ModelState& state, const Context& context);

}  // namespace cutis
