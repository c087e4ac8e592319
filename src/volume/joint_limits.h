// How far joints turn: swing about two axes and twist about the bone.
//
// Le Naour 2018, section IV-C, after Blow. The rotation of a bone against its parent, from rest, is a twist about the
// bone followed by a swing; the swing is a vector across the bone, with a share about the joint's bending axis
// (flexion) and one across it (sideways). Each of the three has its range.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/character.h"
#include "volume/driven_skeleton.h"

namespace cutis {

struct AngleRange {
  double low = -10, high = 10;  ///< radians; beyond pi: free
};

struct JointLimit {
  Vec3d along;                          ///< unit, the bone at rest, scene axes
  Vec3d hinge;                          ///< unit, at right angles to it: positive turns about it flex
  AngleRange flexion, sideways, twist;  ///< from rest
};

class JointLimits {
 public:
  JointLimits() = default;
  explicit JointLimits(std::size_t bones) : limits_(bones) {}

  void set(int bone, const JointLimit& limit) { limits_[static_cast<std::size_t>(bone)] = limit; }
  [[nodiscard]] const std::optional<JointLimit>& of(int bone) const { return limits_[static_cast<std::size_t>(bone)]; }
  [[nodiscard]] bool empty() const;

  /// Turns every bone back into its range, from the root down. Bones keep their direction in space where they can.
  /// Returns how many were out of it; `held`, one a bone, marks those and the ones at the end of a range.
  std::size_t apply(const DrivenSkeleton& skeleton, BonePose& pose, std::span<char> held = {}) const;

  struct Angles {
    double flexion = 0, sideways = 0, twist = 0;
  };
  [[nodiscard]] static Angles angles(const JointLimit& limit, const Quatd& relative);
  [[nodiscard]] static Angles clamped(const JointLimit& limit, const Angles& angles);
  [[nodiscard]] static Quatd rotation(const JointLimit& limit, const Angles& angles);

 private:
  std::vector<std::optional<JointLimit>> limits_;
};

/// Usual ranges of a human body and hand, for joints with usual names; the others are free.
[[nodiscard]] JointLimits human_limits(const Skeleton& skeleton, const DrivenSkeleton& driven);
/// The same for joints that are known to be these.
struct BodyRoles;
[[nodiscard]] JointLimits human_limits(const DrivenSkeleton& driven, const BodyRoles& body);

/// {"JOINT": {"flexion": [low, high], "sideways": [low, high], "twist": [low, high], "hinge": [x, y, z]}, ...}: degrees
/// from rest, every entry optional; over the usual ranges. "free": true lifts a joint's limits. Throws Error.
[[nodiscard]] JointLimits read_limits(const std::string& file, const Skeleton& skeleton, const DrivenSkeleton& driven);
/// The same over other ranges than those that names tell.
[[nodiscard]] JointLimits read_limits(const std::string& file, JointLimits limits, const Skeleton& skeleton,
                                      const DrivenSkeleton& driven);
/// The same of text; `file` stands for it in messages.
[[nodiscard]] JointLimits limits_from_json(std::string_view text, const std::string& file, JointLimits limits,
                                           const Skeleton& skeleton, const DrivenSkeleton& driven);
[[nodiscard]] std::string limits_to_json(const JointLimits& limits, const Skeleton& skeleton,
                                         const DrivenSkeleton& driven);

}  // namespace cutis
