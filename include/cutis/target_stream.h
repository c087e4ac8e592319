// Targets of a take that is too long to be held: what prepare_targets() and resample() give, a frame at a time.
//
//   TakeStream take("long.c3d", context);
//   const MarkerTake sample = take.sample(2000);
//   TargetStream targets(sample, take.frames(), take.rate(), [&](auto first, auto n) { return take.read(first, n); },
//                        map, 30, context);
//   for (std::size_t f = 0; f < targets.counts().frames; ++f) {
//     targets.seek(f);
//     solver.solve(targets.positions(), targets.confidence());
//   }
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "cutis/context.h"
#include "cutis/marker_solver.h"
#include "cutis/take.h"

namespace cutis {

class TargetStream {
 public:
  /// Frames [first, first + count) of the take, with the points of the sample in its order.
  using Read = std::function<MarkerTake(std::size_t first, std::size_t count)>;

  /// `sample`: frames evenly over the whole take, which say what distances between markers are usual. `frames` and
  /// `rate` are the take's, `output_rate` that of the targets. Memory holds half a minute. Differs from the whole take
  /// where no marker at all is seen for longer than gaps are filled: the last shape is held until one returns.
  TargetStream(const MarkerTake& sample, std::size_t frames, double rate, Read read, const MarkerMap& map,
               double output_rate, const Context& context, const TargetOptions& options = {});
  ~TargetStream();
  TargetStream(TargetStream&&) noexcept;
  TargetStream& operator=(TargetStream&&) noexcept;

  /// Frames, markers and rate of the targets, and what was found up to now; no positions.
  [[nodiscard]] const MarkerTargets& counts() const;
  /// Goes to a frame of the targets; quick when it is the next one. Throws what `read` throws.
  void seek(std::size_t frame);
  /// Of that frame, in the order of map.places.
  [[nodiscard]] std::span<const Vec3d> positions() const;
  [[nodiscard]] std::span<const double> confidence() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
