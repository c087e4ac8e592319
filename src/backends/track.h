// ALL VERTICES of iso-surface tracking: what a back end offers to solve/tracker, a sub-step at a time.
//
// A back end owns its arrays, in whatever layout: the rest pose goes in once, poses and targets with every sub-step,
// numbers come out; positions when they are asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cutis/context.h"
#include "cutis/frame.h"
#include "cutis/method.h"
#include "cutis/types.h"
#include "rig/rig.h"

namespace cutis {

/// Motions of all bones relative to rest, rotation after stretch; always invertible; signs agree along shared skin.
struct PosedBones {
  std::vector<Affine3d> motion;
  std::vector<Quatd> rotation;
  std::vector<Mat3d> stretch;
};

/// A bone that holds a vertex by contact.
struct TrackHeld {
  std::uint32_t bone = 0;
  float contact = 0;
};

/// What a sub-step takes from the one before. Welded vertices.
struct TrackState {
  std::vector<Vec3f> p;                   ///< in the space that the pose's motions lead to
  std::vector<std::uint32_t> held_begin;  ///< of the rows of `held`
  std::vector<TrackHeld> held;            ///< bones that held each vertex
};

/// How the skin is to be shown.
struct TrackView {
  double frames = 0;     ///< of 1/30 s since it was shown last; 0: it goes where it is at once
  bool guarded = false;  ///< a contact pass follows; if not, skin that touches is shown where the fields have it
};

/// What is shown takes this from what was shown last. Welded vertices.
struct TrackShown {
  std::vector<Vec3f> off;        ///< from smooth skinning, in the rest space of its part
  std::vector<Vec3f> drift;      ///< the change of that, a frame of 1/30 s
  std::vector<Affine3f> motion;  ///< per bone, then; empty: nothing was shown
  std::vector<float> smooth;  ///< per coarse piece: how far it was shown where smooth skinning has it; or none at all
};

/// Where a target of the rig draws its vertices, in the rest space of its bone, and how firmly.
struct TrackAim {
  double weight = 0;
  Vec3d point;
};

/// From one pose to the next.
struct TrackWay {
  const PosedBones& last;
  const PosedBones& pose;
  std::span<const TrackAim> aims;               ///< per target of the rig
  bool from_smooth_skin = false;                ///< start where smooth skinning puts the skin, not where it is
  std::span<const std::uint32_t> unwound = {};  ///< bones: around their joints, start there too; unwind()
};

/// What a sub-step came to.
struct TrackOutcome {
  std::size_t active = 0;      ///< vertices
  std::size_t inverted = 0;    ///< triangles that face away from what all three of their target rotations say
  std::size_t missed = 0;      ///< active vertices that are off their surface, and not by contact
  std::size_t iterations = 0;  ///< relaxations
};

class TrackBackend {
 public:
  virtual ~TrackBackend() = default;

  /// The skin at rest; nothing is held.
  virtual void restart() = 0;
  virtual TrackOutcome substep(const TrackWay& way) = 0;
  /// Remembers the skin as it is, where it lies.
  virtual void keep() = 0;
  /// The skin as it was at the last keep().
  virtual void go_back() = 0;
  virtual void save(TrackState& to) const = 0;
  /// Of this or another back end of the same rig.
  virtual void restore(const TrackState& state) = 0;

  /// The skin as it is shown, of all input vertices, brought to the world by `root`: jumps are followed gently, it is
  /// smoothed around contact and made fair.
  virtual void show(const Affine3d& root, const TrackView& view, std::span<Vec3f> positions) = 0;
  /// These welded vertices instead, as they are.
  virtual void show_carried(const Affine3d& root, std::span<const Vec3f> carried, std::span<Vec3f> positions) = 0;
  virtual void save(TrackShown& to) const = 0;
  virtual void restore(const TrackShown& shown) = 0;
  /// Normals, states and residuals of what was shown last, in `pose`; and what the report says of them.
  virtual void describe(const Affine3d& root, const PosedBones& pose, Frame& frame, FrameReport& report) = 0;

  /// Times of the stages, and what they counted, since the last restart_profile().
  [[nodiscard]] virtual TrackingProfile profile() const = 0;
  virtual void restart_profile() = 0;
};

/// The one that the context names. Where that has not what the options ask for, the scalar one, and a warning says so.
/// The rig must have a skin; rig and context must outlive this.
[[nodiscard]] std::unique_ptr<TrackBackend> make_track_backend(const Rig& rig, const TrackingOptions& options,
                                                               const Context& context);

}  // namespace cutis
