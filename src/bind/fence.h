// Keeps a part's field near the part.
//
// A part that does not go around its bone (the strip of a metacarpal, a shoulder blade) has a field that is open
// sideways; fitting closes it with the surface of other parts, however far they are. When those parts move, the field
// stays behind in the air. The fence raises the distance of what is too far from the part's own surface and bone.
#pragma once

#include <span>

#include "cutis/types.h"
#include "rig/rig.h"

namespace cutis {

/// `own`: the part's vertices at rest; `from`, `to`: its bone; `edge`: length of its edges, metres.
void fence_field(RigField& field, std::span<const Vec3f> own, const Vec3d& from, const Vec3d& to, double edge);

}  // namespace cutis
