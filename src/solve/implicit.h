// Implicit skinning, each frame by itself: geometric skinning ► project ► relax ► smooth.
#pragma once

#include <memory>
#include <vector>

#include "backends/engine.h"
#include "cutis/solve.h"
#include "relief/bend_relief.h"
#include "rig/rig.h"
#include "solve/bone_motion.h"
#include "solve/hinges.h"

namespace cutis {

class ImplicitSkin {
 public:
  /// The rig must outlive it and have a skin. `relief_cap`: SolveOptions; 0: poses are taken as they are.
  ImplicitSkin(const Rig& rig, const ImplicitOptions& options, double relief_cap, const Context& context);

  /// Fills `positions`, and the frame's normals, states, residuals and counts. `motion` is that of `pose`; where relief
  /// changes the pose, that of the new one afterwards.
  void solve(const Pose& pose, BoneMotion& motion, std::span<Vec3f> positions, Frame& frame);

 private:
  void start(const BoneMotion& motion, std::span<Vec3f> positions, std::span<Vec3f> normals);
  void pose_fields(const BoneMotion& motion);
  void pose_joints(const BoneMotion& motion);
  template <class Inset>
  void pair_parts(const BoneMotion& motion, std::span<const float> farther, const Inset& inset, BoxRows& rows) const;
  [[nodiscard]] bool relieve(const Pose& pose, const ImplicitPose& now, BoneMotion& motion, FrameReport& report);
  [[nodiscard]] ImplicitPose pose_now(const BoneMotion& motion) const;
  void report(FrameReport& report);

  const Rig& rig_;
  ImplicitOptions options_;
  const Context& context_;
  double unit_ = 1;  // metres: of all lengths while a frame is solved
  std::shared_ptr<const ImplicitRest> shared_;
  const ImplicitRest& rest_;
  std::unique_ptr<Hinges> hinges_;
  std::unique_ptr<BendRelief> relief_;
  // Of the frame.
  PosedField field_;
  PosedParts parts_;
  std::vector<float> ways_;  // per bone: the farthest that the guess lies off the carried vertex
  BoxRows meet_, press_;
  std::vector<PartPair> pairs_;  // matrix
  std::vector<double> bends_;    // per bone: scratch
  std::vector<float> gates_;     // matrix
  std::vector<DeepVertex> deep_;
  ImplicitVertices vertices_;
  std::size_t evaluations_ = 0;
};

}  // namespace cutis
