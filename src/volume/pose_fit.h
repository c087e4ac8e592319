// The pose of a skeleton that brings points fixed to its bones to where markers are: damped Gauss-Newton.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/math.h"
#include "cutis/context.h"
#include "volume/driven_skeleton.h"
#include "volume/joint_limits.h"

namespace cutis {

/// A marker on a bone, or on skin near a joint that goes with two or three of them.
struct BoneMarker {
  struct Share {
    int bone = -1;
    double weight = 0;
    Vec3d offset;  ///< from the bone's joint, at rest, scene axes
  };
  int bone = -1;  ///< the one that moves it most
  Vec3d offset;   ///< from that bone's joint, at rest, scene axes
  double weight = 1;
  std::vector<Share> others = {};  ///< the rest of the weight

  [[nodiscard]] Vec3d at(const BonePose& pose) const;
  /// visit(bone, weight, where that bone alone would have it)
  template <class Visit>
  void for_each_share(const BonePose& pose, Visit&& visit) const {
    const auto place = [&](int b, const Vec3d& o) {
      const auto i = static_cast<std::size_t>(b);
      return pose.position[i] + rotate(pose.rotation[i], o);
    };
    visit(bone, weight, place(bone, offset));
    for (const Share& s : others) visit(s.bone, s.weight, place(s.bone, s.offset));
  }
};

struct PoseFitOptions {
  int iterations = 4;
  /// Pull of every joint towards its rest angle, as a lever in shares of the character's size: what markers leave open
  /// stays near rest. `open_pull` is for bones without a marker of their own (the middle of a spine), which would fold
  /// up to make good for other proportions.
  double rest_pull = 0.003, open_pull = 0.03;
  bool fit_scale = false;
  /// Pull of the root towards the direction it had, a lever as above: a few targets leave open where a body faces.
  double facing_pull = 0;
  /// Pulls lead to the joint angles of this pose instead of those at rest.
  const BonePose* anchor = nullptr;
};

/// An angle that stands at an end of its range, and would go on.
struct HeldAngle {
  enum class Which { flexion, sideways, twist };
  int bone = -1;
  Which which = Which::flexion;
  bool at_high = false;
};

struct PoseFitReport {
  double rms = 0;   ///< distance of markers from their targets, metres
  double cost = 0;  ///< what was minimised: squared distances with their weights, and pulls
  int iterations = 0;
  std::size_t unknowns = 0, used = 0;  ///< angles and shifts; markers
};

/// Improves `pose` (and `scale`, by which targets are multiplied) within the limits: a pose that starts beyond them is
/// brought in first, and every step is the best one that stays in. Targets that are not finite or have no weight are
/// passed over. Joints that move no marker keep their angles to their parents.
PoseFitReport fit_pose(const DrivenSkeleton& skeleton, const JointLimits& limits, double size,
                       std::span<const BoneMarker> markers, std::span<const Vec3d> targets,
                       std::span<const double> weights, const PoseFitOptions& options, BonePose& pose, double& scale);

/// Of the angles between that marker and the root that stand at an end of their range, the one whose next degree beyond
/// would bring the marker nearer to its target most; none: no limit keeps it away.
[[nodiscard]] std::optional<HeldAngle> what_holds(const DrivenSkeleton& skeleton, const JointLimits& limits,
                                                  const BonePose& pose, const BoneMarker& marker, const Vec3d& target);

/// Turns and moves the whole pose, as one piece, to the markers; returns the best scale of the targets (1 unless
/// `with_scale`). Leaves it alone when no marker has a weight.
double place_as_one(const DrivenSkeleton& skeleton, std::span<const BoneMarker> markers, std::span<const Vec3d> targets,
                    std::span<const double> weights, BonePose& pose, bool with_scale);

}  // namespace cutis
