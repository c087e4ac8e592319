// Frames parked on disk for formats that want all frames of one mesh together. The file has no name: it lies in the
// output's folder, on the disk that must have room anyway, and is gone with the process whatever happens.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cutis/types.h"

namespace cutis {

class FrameSpool {
 public:
  /// `output` is the file being made, for the folder and for messages. Throws Error(io).
  explicit FrameSpool(std::string output);
  ~FrameSpool();
  FrameSpool(const FrameSpool&) = delete;
  FrameSpool& operator=(const FrameSpool&) = delete;

  void append(std::span<const Vec3f> vectors);
  /// Vectors `first`, `first + 1`, … of all that were appended.
  void read(std::size_t first, std::span<Vec3f> vectors) const;

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string output_;
  int fd_ = -1;
  std::size_t bytes_ = 0;
};

}  // namespace cutis
