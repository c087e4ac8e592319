// The pose of a skeleton that brings points fixed to its bones to where markers are: damped Gauss-Newton.
#pragma once

#include <span>
#include <vector>

#include "cutis/context.h"
#include "volume/driven_skeleton.h"
#include "volume/joint_limits.h"

namespace cutis {

/// A marker on a bone.
struct BoneMarker {
  int bone = -1;
  Vec3d offset;  ///< from the bone's joint, at rest, scene axes
};

struct PoseFitOptions {
  int iterations = 4;
  /// Pull of every joint towards its rest angle, as a lever in shares of the character's size: what markers leave open
  /// (the turns of a spine with few of them) stays near rest.
  double rest_pull = 0.01;
  bool fit_scale = false;
};

struct PoseFitReport {
  double rms = 0;  ///< distance of markers from their targets, metres
  int iterations = 0;
};

/// Improves `pose` (and `scale`, by which targets are multiplied). Targets that are not finite or have no weight are
/// passed over. Joints that move no marker keep their angles to their parents.
PoseFitReport fit_pose(const DrivenSkeleton& skeleton, const JointLimits& limits, double size,
                       std::span<const BoneMarker> markers, std::span<const Vec3d> targets,
                       std::span<const double> weights, const PoseFitOptions& options, BonePose& pose, double& scale);

/// Turns and moves the whole pose, as one piece, to the markers; returns the best scale of the targets (1 unless
/// `with_scale`). Leaves it alone when no marker has a weight.
double place_as_one(const DrivenSkeleton& skeleton, std::span<const BoneMarker> markers, std::span<const Vec3d> targets,
                    std::span<const double> weights, BonePose& pose, bool with_scale);

}  // namespace cutis
