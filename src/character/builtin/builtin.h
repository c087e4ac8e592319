// Characters made by code: no files, no licences, the same bits everywhere.
#pragma once

#include <string_view>

#include "cutis/character.h"
#include "cutis/context.h"

namespace cutis {

/// One of builtin_names() (cutis/io.h), with weights and clips; "cylinder:12000" and "hand:12000" have about that many
/// vertices. Throws Error(bad_argument) listing the names.
[[nodiscard]] Character make_builtin(std::string_view name, const Context& context);

namespace builtin {

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

}  // namespace builtin
}  // namespace cutis
