// A row of a solver that plays poses: milliseconds a frame, the quality of what came out, and where the time went.
#pragma once

#include "bench/harness.h"

namespace cutis::bench {

struct Play {
  std::string name;
  SolveOptions options = {};
  std::vector<Pose> poses = {};
  int warm_up = 1;  ///< frames at the start that are not timed: they come from the rest pose
  double budget = 0;
};

/// A character, bound, and what measures it.
class Player {
 public:
  Player(const Bench& bench, const Character& character, const Context& context);

  [[nodiscard]] Row play(const Play& play) const;
  [[nodiscard]] std::size_t vertices() const { return metrics_.vertex_count(); }
  [[nodiscard]] const Character& character() const { return character_; }

 private:
  const Bench& bench_;
  const Character& character_;
  const Context& context_;
  std::shared_ptr<const Rig> rig_;
  Metrics metrics_;
};

/// What a mean frame took, stage by stage, and what it counted.
[[nodiscard]] std::vector<Number> profile_of(std::span<const FrameReport> frames);

/// At 30 a second, at most `most` frames.
[[nodiscard]] std::vector<Pose> poses_of(const Character& character, std::string_view clip, std::size_t most = 60);

}  // namespace cutis::bench
