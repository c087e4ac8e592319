// Skin that is not solved for: a mesh of one pose, carried to another.
#pragma once

#include <span>
#include <vector>

#include "cutis/context.h"
#include "rig/rig.h"

namespace cutis {

/// Every welded vertex goes where linear blending (with the surface's turn weights) takes it, and what it was off that
/// goes along with its bone. `from`, `to`: motions of the bones, posed from rest. Stays where no bone owns it.
void carry_on(const RigSurface& surface, std::span<const Vec3f> skin, std::span<const Affine3d> from,
              std::span<const Affine3d> to, std::vector<Vec3f>& out, const Context& context);

}  // namespace cutis
