// The welded surface with what relaxation needs: weights of edges, weights of bones.
#pragma once

#include <span>

#include "character/welded_character.h"
#include "cutis/context.h"
#include "rig/rig.h"

namespace cutis {

/// `owner`: bone of every welded vertex; without turn weights.
[[nodiscard]] RigSurface make_surface(const WeldedCharacter& welded, std::span<const std::uint32_t> owner);

/// From the packed influences of the input vertices.
void take_turns(const Rig& rig, RigSurface& surface);
/// Spread from the parts over `width` times their thickness; 0: rigid. `radius`: of every bone's part, metres.
void spread_turns(std::span<const double> radius, double width, const Context& context, RigSurface& surface);

}  // namespace cutis
