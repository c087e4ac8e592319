// From a pose to the motion of every bone relative to rest, in the forms that skinning takes.
#pragma once

#include <vector>

#include "backends/engine.h"
#include "cutis/character.h"
#include "rig/rig.h"

namespace cutis {

/// Keeps its arrays, and the last good motion of every bone, between frames.
class BoneMotion {
 public:
  explicit BoneMotion(const Rig& rig);

  /// Bones whose transform is not finite, or too large for float, keep their last good motion.
  void update(const Rig& rig, const Pose& pose);

  /// Until the next update() everything is in these units: of a character that a pose scales, lengths are then what
  /// they were at rest.
  void set_unit(const Rig& rig, double unit);

  [[nodiscard]] BonePalette palette() const;
  [[nodiscard]] const std::vector<Affine3d>& motions() const { return motions_; }  ///< per bone: posed from rest
  /// Per bone: the motion's rotation; signs agree along shared skin.
  [[nodiscard]] const std::vector<Quatd>& rotations() const { return rotations_; }
  [[nodiscard]] const std::vector<Mat3d>& stretches() const { return linear_; }  ///< per bone: before its rotation
  [[nodiscard]] const std::vector<char>& kept() const { return kept_; }  ///< per bone: kept its last good motion
  [[nodiscard]] bool any_kept() const { return any_kept_; }

 private:
  void split(const Rig& rig);  // motions_ into all the rest

  double unit_ = 1;
  Pose full_;                      // of all joints, where the pose has fewer
  std::vector<Affine3d> world_;    // per joint
  std::vector<Affine3d> motions_;  // per bone: posed from rest
  std::vector<SkinMatrix> matrices_;
  std::vector<Quatd> rotations_;  // signs agree along shared skin
  std::vector<Mat3d> linear_;     // per bone: its motion before the rotation
  std::vector<SkinDualQuat> rigid_;
  std::vector<SkinMatrix> stretches_;
  std::vector<char> kept_;
  bool any_kept_ = false;
  std::vector<Mat3d> bound_;                   // per bone: bound_stretches()
  bool any_stretch_ = false, scaled_ = false;  // scaled: more than the rounding of a file
  bool as_bound_ = false;                      // the rounding of its bind matrices alone
};

}  // namespace cutis
