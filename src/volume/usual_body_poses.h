// Poses that people stand, sit and crouch in: where fits begin.
#pragma once

#include <span>
#include <vector>

#include "volume/body_roles.h"

namespace cutis {

/// Turns of all bones from rest, scene axes, of poses like T, arms down, sitting, squatting. `parent`: of each bone,
/// before its children. Empty when the body has no arms or no legs.
[[nodiscard]] std::vector<std::vector<Quatd>> usual_body_turns(const DrivenSkeleton& skeleton, const BodyRoles& roles,
                                                               std::span<const int> parent);
/// These, then more that single limbs are seen in: a knee up, a step, a hand at the head. To be put together limb by
/// limb.
[[nodiscard]] std::vector<std::vector<Quatd>> usual_limb_turns(const DrivenSkeleton& skeleton, const BodyRoles& roles,
                                                               std::span<const int> parent);

}  // namespace cutis
