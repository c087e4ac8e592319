// Poses that people are scanned in.
#pragma once

#include <vector>

#include "register/body_model.h"

namespace cutis {

/// Turns of all bones from rest, scene axes: at rest first, then usual poses of bodies, or curls of fingers.
[[nodiscard]] std::vector<std::vector<Quatd>> usual_turns(const BodyModel& model);

}  // namespace cutis
