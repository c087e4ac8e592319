// The welded surface with what relaxation needs: weights of edges, smooth weights of bones.
#pragma once

#include <span>

#include "character/welded_character.h"
#include "cutis/context.h"
#include "rig/rig.h"

namespace cutis {

/// `owner`: bone of every welded vertex; `radius`: thickness of every bone's part, metres.
[[nodiscard]] RigSurface make_surface(const WeldedCharacter& welded, std::span<const std::uint32_t> owner,
                                      std::span<const double> radius, const Context& context);

}  // namespace cutis
