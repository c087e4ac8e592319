// A small character of several pieces with known roles.
#pragma once

#include "cutis/character.h"

namespace cutis::test {

/// make_two_bone_tube() with meshes around and in it, in this order: "tube", the body; "sleeve", an open tube 0.03 over
/// it from y = 0.3 to 1.7, with the body's weights; "eye", a ball inside at y = 1.6 that "upper" owns; "cards", four
/// open sheets that cross each other on the body's side at y = 1.8, of "upper"; "buckle", a closed cube on the body at
/// y = 0.15, of "lower".
[[nodiscard]] Character make_dressed_tube();

/// make_two_bone_tube() in two meshes, "lower" and "upper", cut across the middle, as two primitives are that were
/// quantised apart: every vertex is up to `by` away from where it was, in each axis.
[[nodiscard]] Character make_cut_tube(float by);

/// Every vertex gets so much of "upper", the rest of "lower".
void weigh_alike(Mesh& mesh, float upper);

}  // namespace cutis::test
