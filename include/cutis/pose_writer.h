// Poses into files: BVH, which every animation program reads. As clips of a glTF they are written with the character:
// write_character() of cutis/io.h, with clip_of_poses() of cutis/marker_solver.h.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cutis/character.h"

namespace cutis {

/// Takes poses in order; memory does not grow with their number. Nothing exists under the final name until finish()
/// returns. Offsets are those of the rest pose in metres, +Y up; joints turn, and those without a parent move too.
/// Joints of one name, and names with spaces, get others (`_2`, `_`).
class BvhWriter {
 public:
  /// `frames`: how many poses there will be; `rate`: of them a second, positive. Throws Error(bad_argument) without
  /// joints.
  BvhWriter(const std::string& file, const Skeleton& skeleton, std::size_t frames, double rate);
  ~BvhWriter();
  BvhWriter(BvhWriter&&) noexcept;
  BvhWriter& operator=(BvhWriter&&) noexcept;

  void add(const Pose& pose);
  /// Throws Error(bad_argument) when fewer or more poses were added than announced.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
