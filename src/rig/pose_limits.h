// Poses that are far away, and poses that contact cannot follow.
#pragma once

#include <optional>
#include <span>

#include "cutis/character.h"
#include "rig/rig.h"

namespace cutis {

/// Farther from its rest place than this, in sizes, a figure is solved near the origin and shifted afterwards: floats
/// there are coarse. Nearer, all is as it is.
inline constexpr double kFarSizes = 100;
/// Bones that are stretched by less or more than this are beyond what skin can follow …
inline constexpr double kLeastBoneStretch = 0.1, kMostBoneStretch = 10;
/// … and so are parts that are so many sizes away from each other.
inline constexpr double kFarthestParts = 100;

/// Whether a bone's motion keeps skin skin: finite, not mirrored, its stretches within the limits above.
[[nodiscard]] bool keeps_skin(const Affine3d& motion);

/// Looks after figures that are far from the origin.
class PoseOrigin {
 public:
  /// The rig must outlive this.
  explicit PoseOrigin(const Rig& rig);

  /// The pose with its figure near the rest place, and how far it was shifted in `offset`: 0, and the pose as it is,
  /// unless the figure is far away. The reference is valid until the next call.
  const Pose& nearby(const Pose& pose, Vec3d& offset);
  /// Diagonal of the rest pose's box.
  [[nodiscard]] double size() const { return size_; }

 private:
  const Rig& rig_;
  double size_ = 0;
  Vec3d center_;     // of the rest pose
  int anchor_ = -1;  // bone that says where the figure is; -1: skin that no bone moves, there is no shifting
  Pose rest_, shifted_;
};

}  // namespace cutis
