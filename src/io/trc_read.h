// TRC (Track Row Column): marker positions as a table of tab-separated text, as Motion Analysis and OpenSim write it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cutis/context.h"
#include "cutis/io.h"

namespace cutis {

/// Throws Error with the line number. Empty cells and NaN are points that were not seen. Y is up unless told otherwise.
[[nodiscard]] MarkerTake read_trc(const std::string& path, const Context& context, const TakeOptions& options);
[[nodiscard]] MarkerTake read_trc_memory(std::string_view text, const std::string& name, const Context& context,
                                         const TakeOptions& options);

/// Frames of a file as they are asked for, from first to last; others start over.
class TrcStream {
 public:
  TrcStream(const std::string& path, const Context& context, const TakeOptions& options);
  ~TrcStream();
  [[nodiscard]] std::size_t frames() const;
  [[nodiscard]] double rate() const;
  /// `count` frames at most, every `step`-th from `first` on.
  [[nodiscard]] MarkerTake read(std::size_t first, std::size_t count, std::size_t step);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
