// Relief (relief/relief.h) of a rig's poses: pose in, pose out, so that every method can use it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "relief/relief.h"
#include "rig/rig.h"

namespace cutis {

/// The pose in which every bone of the rig is turned about its joint, in the world as posed, and takes along what hangs
/// on it. `world`: of all joints in that pose; `loose`: loose_bones().
void relieve_pose(const Rig& rig, std::span<const Affine3d> world, std::span<const Quatd> bone_turn,
                  std::span<const char> loose, Pose& pose);

class PoseRelief {
 public:
  /// The rig must have a skin and outlive this. apply() and foresee() throw Error(cancelled) when the context says so.
  PoseRelief(const Rig& rig, const ReliefOptions& options, const Context& context);

  /// Follows the last call; the reference is valid until the next.
  const Pose& apply(const Pose& pose);
  /// A pose near this one with the limbs apart whose skins meet (Relief::open); null where none are. Nothing is
  /// remembered, and what apply() gave stays. Valid until the next call.
  const Pose* open(const Pose& pose, std::span<const SkinMeeting> meetings, double far);
  /// The poses to come, in order of their times: apply() then plans ahead for them. Empty: nothing is known.
  void foresee(std::span<const Pose> poses);
  [[nodiscard]] const ReliefReport& report() const { return relief_.report(); }
  void restart() { relief_.restart(); }
  [[nodiscard]] ReliefState save_state() const { return relief_.save_state(); }
  void restore_state(const ReliefState& state) { relief_.restore_state(state); }

 private:
  void complete(const Pose& pose, Pose& out) const;  // of all joints
  void find_motions(const Pose& pose);               // and world_
  [[nodiscard]] bool is_foreseen(const Pose& pose) const;

  const Rig& rig_;
  std::vector<char> loose_;
  Relief relief_;
  Pose rest_, pose_, opened_;
  std::vector<Affine3d> world_, motion_;  // of joints; of bones
  std::vector<Pose> foreseen_;
};

}  // namespace cutis
