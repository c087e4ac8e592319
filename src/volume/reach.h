// The pose that brings markers to their targets within the joints' limits, from frame to frame.
//
// A fit that goes downhill gets trapped by limits: a straight knee that has to bend starts at the end of its range, and
// the way that the foot's target pulls it may lead beyond. Where limits cost something, other starts are tried (hinges
// bent; the pose that no limit held, brought back), and the best one is kept. Targets that are fewer than what the
// joints leave open are reached all the way: what pulls joints to rest chooses among the poses that reach, it does not
// keep from reaching.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "volume/pose_fit.h"

namespace cutis {

/// A target that the pose does not reach.
struct Missed {
  std::size_t marker = 0;
  double distance = 0;  ///< metres
  std::optional<HeldAngle>
      held;  ///< the limit that keeps it away; none: bones are too short, or other markers want else
};

/// Markers nearer than this to their targets are there, in sizes of the character: a centimetre on a person.
inline constexpr double kReached = 0.004;

class ReachFit {
 public:
  ReachFit(const DrivenSkeleton& skeleton, const JointLimits& limits, double size, std::span<const BoneMarker> markers)
      : skeleton_(skeleton), limits_(limits), size_(size), markers_(markers) {}

  /// Forgets the last frame.
  void reset();
  /// Goes on from that pose, and what targets leave open stays near it instead of rest. Until reset().
  void stand(const BonePose& home);
  /// Improves `pose`, that of the last frame; the first frame after a reset is placed as one piece before.
  void fit(std::span<const Vec3d> targets, std::span<const double> weights, BonePose& pose);

  /// The weights of markers that count fully, or nearly; 0 for those that give way to them.
  [[nodiscard]] static std::vector<double> held_weights(std::span<const double> weights);
  /// Of the last fit: fewer targets are held than what the joints leave open.
  [[nodiscard]] bool is_edit() const { return is_edit_; }
  /// Of the last fit, farther than kReached, farthest first.
  [[nodiscard]] std::vector<Missed> missed(std::span<const Vec3d> targets, std::span<const double> weights,
                                           const BonePose& pose) const;

 private:
  [[nodiscard]] double worst(std::span<const Vec3d> targets, std::span<const double> weights,
                             const BonePose& pose) const;
  [[nodiscard]] BonePose with_bent_hinges(std::span<const Vec3d> targets, std::span<const double> weights,
                                          const BonePose& pose) const;

  const DrivenSkeleton& skeleton_;
  const JointLimits& limits_;
  double size_;
  std::span<const BoneMarker> markers_;
  bool started_ = false, is_edit_ = false;
  std::optional<BonePose> home_;
  double given_up_ = 0;  // cost at which no other start was better
};

}  // namespace cutis
