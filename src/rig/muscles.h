// Muscles of a rig in a pose: how thick each is, and where.
#pragma once

#include <span>
#include <vector>

#include "rig/rig.h"

namespace cutis {

/// Angle between a bone and its parent's, radians; 0 where they are in line, or either has no length or no parent.
/// `posed_from_rest`: of every bone.
[[nodiscard]] double joint_angle(const Rig& rig, std::uint32_t bone, std::span<const Affine3d> posed_from_rest);

/// Of a muscle's curve, linear between its points.
[[nodiscard]] double inflation_at(std::span<const MuscleKnot> curve, double angle);

/// `posed_from_rest`: of its bone, invertible.
[[nodiscard]] MuscleView posed_muscle(const RigMuscle& muscle, double inflation, const Affine3d& posed_from_rest);

/// All of them. A muscle on a bone whose motion cannot be inverted is not there: it has no thickness.
void pose_muscles(const Rig& rig, std::span<const Affine3d> posed_from_rest, std::vector<MuscleView>& views);
/// The same with the thickness that they have at rest.
void pose_calm_muscles(const Rig& rig, std::span<const Affine3d> posed_from_rest, std::vector<MuscleView>& views);

/// Gives each bone's view its muscles. `muscles`: of all bones, in the order of the rig; must outlive the view.
void attach_muscles(const Rig& rig, std::uint32_t bone, std::span<const MuscleView> muscles, GridView& view);

}  // namespace cutis
