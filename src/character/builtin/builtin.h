// The built-in characters one by one; cutis/builtin.h makes them by name.
#pragma once

#include "cutis/builtin.h"
#include "cutis/character.h"
#include "cutis/context.h"

namespace cutis::builtin {

inline constexpr int kCylinderVertices = 2900;
/// A tube of two bones along +Y, of about so many vertices. Clips `bend` and `twist`.
[[nodiscard]] Character make_cylinder(const Context& context, int vertices = kCylinderVertices);
/// A left arm stretched along +X, thumb up, palm to the front. Clips `elbow`, `forearm_twist`, `wave`.
[[nodiscard]] Character make_arm(const Context& context);
inline constexpr int kHandVertices = 5900;
/// A left hand, fingers up, palm to the front, of about so many vertices. Clips `fist`, `pinch`, `wave`.
[[nodiscard]] Character make_hand(const Context& context, int vertices = kHandVertices);
/// A standing person with fingers. Clips `walk`, `squat`, `arms_crossed`, `arm_across_belly`, `fist`, `wave`.
[[nodiscard]] Character make_human(const Context& context);

}  // namespace cutis::builtin
