// A motion, played: everything between a clip and its frames. `cutis animate` is this.
//
//   const Clip& clip = character.clip("walk");
//   play(character, bind(character, context), {clip, sample_times(clip, 0, 30)}, {}, context,
//        [&](std::size_t, const Frame& frame) { … });
//
// Methods with a history want more than the poses that are shown: the solver foresees the whole motion, comes to the
// first frame from the beginning of the clip, and goes the way between frames that are far apart.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "cutis/solve.h"

namespace cutis {

struct Motion {
  Clip clip;
  std::vector<double> times;  ///< of the frames that are shown, seconds, rising; see sample_times()
};

/// The poses of the motion in order, dense enough for Solver::foresee.
[[nodiscard]] std::vector<Pose> foreseen_poses(const Character& character, const Motion& motion);

/// Poses on the way to frame `i` that are solved and not shown, so that a frame looks the same however many are shown:
/// none when frames are as dense as 30 a second or do not depend on earlier ones, at most the last two seconds. Before
/// the first frame: from the beginning of the clip on.
[[nodiscard]] std::vector<Pose> poses_before(const Character& character, const Motion& motion, std::size_t i,
                                             const SolveOptions& options);

/// The way back: from a pose to the default pose, 30 poses a second, every joint at a steady pace of at most ten
/// degrees a pose; then two in which it is held. At rest already: those two alone.
[[nodiscard]] std::vector<Pose> poses_back_to_rest(const Skeleton& skeleton, const Pose& from);

/// Whether a frame looks different when others before it are left out: playback, and contact after other methods than
/// tracking. Motions of options where it does not can be solved in pieces, in any order, with the same bits.
[[nodiscard]] bool depends_on_earlier_frames(const SolveOptions& options);

/// Frames [first, end) of a motion; `end` is brought down to their number.
struct FrameRange {
  std::size_t first = 0;
  std::size_t end = static_cast<std::size_t>(-1);
};

struct PlayReport {
  std::size_t frames = 0;       ///< shown
  double median_ms = 0;         ///< of a frame
  std::size_t out_of_time = 0;  ///< frames that SolveOptions::frame_budget_ms cut short; a warning tells
  std::size_t let_go = 0;       ///< frames that contact let go: ContactLimit::pose, work; likewise
  std::size_t nonfinite = 0;    ///< sum of FrameReport::nonfinite; a warning tells when there are any
};

/// Solves the motion in order and hands out each frame; it is valid during the call. `rig`: bind() of the character,
/// with an implicit skin where needs_skin(options) says so. Throws as Solver does, and when the clip does not fit the
/// character or a time is not finite; what `take` throws comes through. `range`: the frames to show, with their numbers
/// in the whole motion; Error(bad_argument) when there are none, or when it begins later than the motion and frames
/// depend on earlier ones.
PlayReport play(const Character& character, std::shared_ptr<const Rig> rig, const Motion& motion,
                const SolveOptions& options, const Context& context,
                const std::function<void(std::size_t index, const Frame& frame)>& take, const FrameRange& range = {});

}  // namespace cutis
