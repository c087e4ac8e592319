// What plays a motion a second time: how far the contact pass moves what it does not hold, how far a frame depends on
// those before it, what is left when the pose is back at rest. docs/algorithms/metrics.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cutis/metrics.h"
#include "cutis/play.h"

namespace cutis {

/// What is measured by a second run, where it has a meaning.
struct AlsoMeasure {
  bool untouched = false, memory = false, settled = false;
};
[[nodiscard]] std::vector<std::string> also_names();
/// Splits "untouched,settled"; throws Error on an unknown name.
[[nodiscard]] AlsoMeasure parse_also(const std::string& list);

/// Solvers beside a method's own, in step with it.
class SecondRuns {
 public:
  /// What a method does not have is left out: `untouched` needs the contact pass, `memory` tracking in playback.
  SecondRuns(std::shared_ptr<const Rig> rig, const SolveOptions& options, const AlsoMeasure& also,
             const Context& context);
  /// A pose that is solved and not shown.
  void pass(const Pose& pose);
  /// The pose of `frame`, the method's own.
  void solve(const Pose& pose, const Frame& frame, const Metrics& metrics);

  /// Of the last solve(); empty where they have no meaning: without the second run, where relief moved bones, and
  /// `memory` where skin touches skin.
  [[nodiscard]] const std::optional<ShapeDifference>& untouched() const { return untouched_; }
  [[nodiscard]] const std::optional<ShapeDifference>& memory() const { return memory_; }

 private:
  std::unique_ptr<Solver> plain_, canonical_;
  std::optional<ShapeDifference> untouched_, memory_;
};

/// Takes `solver` from `pose` back to rest and holds it there: the distance from what a new solver has in that pose,
/// in the frame that is first at rest (where `pose` is not) and in the two after it.
[[nodiscard]] std::vector<ShapeDifference> settle(Solver& solver, std::shared_ptr<const Rig> rig,
                                                  const SolveOptions& options, const Skeleton& skeleton,
                                                  const Pose& pose, const Metrics& metrics, const Context& context);

}  // namespace cutis
