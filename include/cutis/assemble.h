// Characters, poses and clips that are put together from what other programs have: arrays and matrices.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cutis/character.h"

namespace cutis {

/// Unit normals of a mesh without: the triangles around a vertex, weighted by their angles there.
[[nodiscard]] std::vector<Vec3f> smooth_normals(const Mesh& mesh);

/// The pose whose joints have these transforms to their parents (`local`) or frames in the scene (`world`); one a joint
/// of the skeleton. Exact to rounding. Throws Error(bad_argument) on another number of them, on what is not finite, on
/// frames that are scaled to nothing, and on shear, which a pose does not hold.
[[nodiscard]] Pose pose_from_local(const Skeleton& skeleton, std::span<const Affine3d> local);
[[nodiscard]] Pose pose_from_world(const Skeleton& skeleton, std::span<const Affine3d> world);

/// Poses at `times` (seconds, rising) as a clip with linear keys, in floats as files have them. Joints that keep their
/// default have none. Throws Error(bad_argument) when they are not as many, or do not fit the skeleton.
[[nodiscard]] Clip clip_from_poses(const Skeleton& skeleton, std::span<const Pose> poses, std::span<const double> times,
                                   const std::string& name);

}  // namespace cutis
