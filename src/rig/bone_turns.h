// How every bone turns: the rotations that blends of bones are made of.
#pragma once

#include <span>
#include <vector>

#include "rig/rig.h"

namespace cutis {

/// Of motions (posed from rest) M p = R S p + t: the rotations R, nearest to M where that has an answer, and the
/// stretches S = R^-1 M, symmetric there. A bone that its motion flattens to a line or a point, or mirrors, leaves R
/// open; it then goes with the bone that it shares skin with. Signs of quaternions are those of the decomposition:
/// agree_on_signs() makes them fit.
void find_turns(const Rig& rig, std::span<const Affine3d> motions, std::span<Quatd> rotations,
                std::span<Mat3d> stretches);

/// The stretch that every bone has when the rest of its motion is rigid: what its bind matrix is off by.
[[nodiscard]] std::vector<Mat3d> bound_stretches(const Rig& rig);

/// q and -q are one rotation. Along the links of the rig every bone takes the sign that is nearer to its neighbour's,
/// so that bones with skin in common are blended the short way round.
void agree_on_signs(const Rig& rig, std::span<Quatd> rotations);

}  // namespace cutis
