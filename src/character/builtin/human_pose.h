// Poses of the human's limbs; `right` mirrors what is said for the left side.
#pragma once

#include <string>

#include "character/builtin/human_model.h"
#include "character/builtin/skeleton_builder.h"

namespace cutis::builtin::human {

/// "thigh_l", or "thigh_r" for the right.
[[nodiscard]] std::string side(const char* left_name, bool right);

/// Ankle to a point in the world, knee towards `knee` (a direction in the world; not mirrored).
void pose_leg(PoseWriter& pose, const Skeleton& skeleton, bool right, const Vec3d& ankle, const Vec3d& knee);

/// What an arm shall do; all in the world, for the left side.
struct ArmPose {
  Vec3d wrist;    ///< target
  Vec3d elbow;    ///< direction in which the elbow points
  Vec3d palm;     ///< direction that the palm faces
  Vec3d fingers;  ///< direction of the hand
};
void pose_arm(PoseWriter& pose, const Skeleton& skeleton, bool right, const ArmPose& arm);

/// The arm hangs from the shoulder, swung to the front by `swing` and bent at the elbow by `flexion` (radians).
void pose_hanging_arm(PoseWriter& pose, bool right, double swing, double flexion);

[[nodiscard]] Clip make_walk(const Skeleton& skeleton);

}  // namespace cutis::builtin::human
