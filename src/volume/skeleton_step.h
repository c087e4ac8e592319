// From the control mesh to a correct skeleton and back: the paper's "determining Gamma".
#pragma once

#include <vector>

#include "volume/control_mesh.h"
#include "volume/joint_limits.h"

namespace cutis {

class SkeletonStep {
 public:
  SkeletonStep(const DrivenSkeleton& skeleton, const ControlMesh& mesh, const JointLimits& limits);

  /// Every bone's rotation from its samples (direction) and their cells (twist), limits applied, lengths restored.
  /// `pose` is the start. Returns how many joints the limits held. `guide`: rotations that the markers alone give,
  /// which then decide the twist in place of the cells, for bones marked in `guided` (empty: none).
  std::size_t find_pose(std::span<const Vec3d> positions, std::span<const Quatd> rotations, BonePose& pose,
                        std::span<const Quatd> guide = {}, std::span<const char> guided = {});
  /// a - b of every sample edge in that pose.
  void differentials(const BonePose& pose, std::vector<Vec3d>& gamma) const;
  /// Rods are soft: markers that pull against a limit bend them. What `positions` lack of `gamma` at joints that the
  /// last find_pose() held is added up (the multipliers of an augmented Lagrangian) and asked for on top, so that the
  /// limit holds in the end. Returns the largest angle that is lacking, radians.
  double press_limits(std::span<const Vec3d> positions, std::vector<Vec3d>& gamma);
  void forget_limits();

  struct LengthError {
    double mean = 0, worst = 0;
  };
  /// Of the bones between joints, in the control mesh, relative to rest.
  [[nodiscard]] LengthError length_error(std::span<const Vec3d> positions) const;
  /// Vertex of a bone's joint, -1 when it has none.
  [[nodiscard]] int joint_vertex(int bone) const { return joint_vertex_[static_cast<std::size_t>(bone)]; }

 private:
  const DrivenSkeleton& skeleton_;
  const ControlMesh& mesh_;
  const JointLimits& limits_;
  std::vector<int> joint_vertex_;
  std::vector<std::vector<std::uint32_t>> points_;  // per bone: its samples, its joint, its children's joints
  std::vector<std::vector<std::uint32_t>> cells_;   // per bone: vertices whose cells turn with it
  std::vector<char> held_;                          // per bone: by its limits
  std::vector<Vec3d> pressure_;                     // per sample edge
};

}  // namespace cutis
