// Iso-surface tracking of one character over time (Tracking §5): the skin follows the moving fields.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backends/track.h"
#include "base/work_meter.h"
#include "cutis/context.h"
#include "cutis/solve.h"
#include "rig/rig.h"
#include "solve/bone_path.h"

namespace cutis {

/// What the tracker remembers from one frame to the next.
struct TrackerState {
  std::vector<JointMotion> joints;
  PosedBones pose;
  TrackState skin;                    ///< in the space of the first bone that has skin
  std::size_t inverted = 0;           ///< triangles
  std::vector<RigTargetKey> targets;  ///< where each is
  TrackShown shown;
};

class Tracker {
 public:
  /// The rig must have a skin and outlive this.
  Tracker(const Rig& rig, const TrackingOptions& options, const Context& context);

  /// The next frame starts from the rest pose.
  void reset();
  /// Of a frame; more where joints turn far.
  void set_least_steps(int steps) { least_steps_ = steps; }
  /// The next solve() goes straight to its pose, from smooth skinning there: no way on which skin could be caught.
  void go_straight() { straight_ = true; }
  /// `motions`: posed from rest, per bone, finite; `time`: of targets' keys. `positions`: out, all input vertices.
  /// `meter`: when it stops, the skin is left where it got to, to go on from there, and what is shown of it is carried
  /// on by the bones.
  void solve(std::span<const Affine3d> motions, double time, std::span<Vec3f> positions, WorkMeter* meter = nullptr,
             const TrackView& view = {});
  /// Bones whose skin went the short way round in the last solve().
  [[nodiscard]] std::span<const std::uint32_t> unwound() const { return unwound_; }
  /// Normals, states, residuals and the report of what solve() gave last.
  void describe(Frame& frame);

  /// Of all calls of solve() since the last restart_profile().
  [[nodiscard]] TrackingProfile profile() const { return backend_->profile(); }
  void restart_profile() { backend_->restart_profile(); }

  void save_state(TrackerState& state) const;
  /// Of this or another tracker of the same rig.
  void restore_state(const TrackerState& state);

 private:
  bool advance(std::span<const JointMotion> from, std::span<const JointMotion> to, double t0, double t1, int halvings);
  void stop_here();
  TrackOutcome substep(bool from_smooth_skin);
  void aim_at_targets(double t);
  [[nodiscard]] double way_of_targets() const;

  const Rig* rig_;
  TrackingOptions options_;
  const Context* context_;
  std::unique_ptr<TrackBackend> backend_;
  std::vector<JointMotion> at_rest_;
  std::size_t anchor_ = 0;  // the first bone that has skin: all is computed in its space

  Affine3d root_;
  std::vector<JointMotion> joints_, next_joints_;  // at the last frame, and at this one
  PosedBones pose_, last_pose_;
  TrackState stopped_;        // where the meter stopped
  std::vector<Vec3f> shown_;  // carried on from there
  std::vector<Affine3d> local_;
  std::vector<JointMotion> world_;
  PosedBones at_;
  std::size_t inverted_ = 0;  // after the last sub-step
  int least_steps_ = 1;
  bool straight_ = false;
  std::vector<RigTargetKey> targets_, next_targets_;  // at the last frame, and at this one
  WorkMeter* meter_ = nullptr;                        // of this frame
  double way_ = 0;                                    // in [0,1]: done of it
  std::vector<TrackAim> aims_;
  std::vector<std::uint32_t> unwound_now_, unwound_;  // bones: of this sub-step, of this frame
  FrameReport report_;
};

}  // namespace cutis
