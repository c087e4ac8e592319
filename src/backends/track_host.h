// Tracking on the host: the order of the stages of a sub-step, and all of them that back ends share. Those have their
// own control, projection and relaxation.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backends/joint_shapes.h"
#include "backends/track.h"
#include "backends/track_show.h"
#include "backends/track_step.h"

namespace cutis {

class HostTracking : public TrackBackend {
 public:
  HostTracking(const Rig& rig, const TrackingOptions& options, const Context& context);

  void restart() override;
  TrackOutcome substep(const TrackWay& way) override;
  void keep() override { save(kept_); }
  void go_back() override { restore(kept_); }
  void save(TrackState& to) const override;
  void restore(const TrackState& state) override;
  void show(const Affine3d& root, const TrackView& view, std::span<Vec3f> positions) override;
  void show_carried(const Affine3d& root, std::span<const Vec3f> carried, std::span<Vec3f> positions) override;
  void save(TrackShown& to) const override { to = show_.state(); }
  void restore(const TrackShown& shown) override { show_.set_state(shown); }
  void describe(const Affine3d& root, const PosedBones& pose, Frame& frame, FrameReport& report) override;
  [[nodiscard]] TrackingProfile profile() const override;
  void restart_profile() override;

 protected:
  [[nodiscard]] virtual TrackStep& step() = 0;
  [[nodiscard]] virtual const TrackStep& step() const = 0;
  /// Of a pose, before any projection in it.
  virtual void set_pose(const PosedBones& pose) = 0;
  /// Target rotations, smooth skinning, the parts near each vertex and their contact, levels.
  virtual void control() = 0;
  /// All active vertices are live. From here on to settle(), positions and samples are the back end's.
  virtual void awake() = 0;
  /// Of live vertices: at most `steps` Newton steps each, no longer than `limit` local edges.
  virtual void project(int steps, float limit) = 0;
  /// Tangential relaxation of live vertices: conjugate gradients, or one damped Jacobi step.
  virtual void relax() = 0;
  /// Of the active vertices those go on living that moved by `least` local edges or more since the last relaxation
  /// began, and their neighbours: what comes to rest is left alone until something near it moves.
  virtual void narrow(float least) = 0;
  [[nodiscard]] virtual std::size_t live() const = 0;
  /// step().p and step().samples hold what the iteration came to.
  virtual void settle() = 0;

  const Rig& rig_;
  TrackingOptions options_;
  const Context& context_;
  std::shared_ptr<const TrackRest> shared_;
  const TrackRest& rest_;
  JointShapes shapes_;  // of the own side; the composed field has them in its tree

 private:
  void start_over(std::span<const std::uint32_t> unwound);
  void bring_to_world(const Affine3d& root, std::span<Vec3f> positions) const;
  void assess(FrameReport& report);
  void turn_normals(const PosedBones& pose);

  TrackingProfile profile_;
  TrackState kept_;
  std::vector<Vec3f> shown_;  // welded vertices
  TrackShow show_;
  std::vector<char> region_;  // per welded vertex: unwound in this sub-step
  std::vector<Vec3f> triangle_normals_;
  std::vector<Quatf> bend_;  // per welded vertex: of its rest normal
  std::vector<VertexState> states_;
  std::vector<float> residuals_, sizes_;
};

}  // namespace cutis
