// What is shown of a tracked skin. The skin itself goes on as it is; what is seen of it follows its jumps gently, is
// smoothed around contact, and is fair: as smooth as the bones' rotations, blended, would have it.
// docs/algorithms/tracking.md, "What is shown".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/track_step.h"
#include "kernels/fair.h"

namespace cutis {

/// Per bone: how much the joint above it is twisted, 0 to 1; false: none is. `rigid`: per bone, or none at all.
bool find_bone_twists(const Rig& rig, const TrackRest& rest, std::span<const SkinDualQuat> rigid,
                      std::vector<float>& twists);

class TrackShow {
 public:
  /// All must outlive this.
  TrackShow(const Rig& rig, const TrackRest& rest, const Context& context);

  /// Nothing was shown yet.
  void restart();
  /// The next time, skin of this region (per welded vertex, not 0) is shown where it is, however far it jumped.
  void show_at_once(std::span<const char> region);
  [[nodiscard]] const TrackShown& state() const { return state_; }
  void set_state(const TrackShown& state) { state_ = state; }

  /// After a sub-step; welded vertices. `smoothing`: passes around contact. Fills in turns of skin around
  /// `step.wanted`.
  void update(TrackStep& step, const TrackView& view, int smoothing, std::vector<Vec3f>& shown);

 private:
  void follow(const TrackStep& step, double frames, std::vector<Vec3f>& shown);
  void find_rows(TrackStep& step, bool guarded, const std::vector<Vec3f>& shown);
  void make_fair(std::vector<Vec3f>& shown);
  void keep_smooth(const TrackStep& step, std::vector<Vec3f>& shown);
  void take_the_fairer(const TrackStep& step, const TrackView& view, std::vector<Vec3f>& shown);
  bool find_twists(const TrackStep& step);  // any

  const Rig& rig_;
  const TrackRest& rest_;
  const Context& context_;
  TrackShown state_;
  std::vector<char> at_once_;  // per vertex
  // Scratch.
  std::vector<Mat3f> to_rest_;             // per bone: turns
  std::vector<std::uint32_t> list_;        // vertices that follow; those made fair: the active, and those that are late
  std::vector<FairRow> rows_;              // of these
  std::vector<float> bone_twist_;          // per bone: how much the joint above it is twisted, 0 to 1
  std::vector<float> twist_, next_twist_;  // per vertex
  std::vector<Vec3f> next_, previous_;
  std::vector<float> keep_;           // per vertex: how far it is shown where smooth skinning has it
  std::vector<char> beside_contact_;  // per vertex of coarse pieces
  TrackSmoothing smoothing_;
  bool touches_ = false;  // so that smoothing_ knows where
};

}  // namespace cutis
