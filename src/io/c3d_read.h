// C3D: the binary format of motion capture laboratories (www.c3d.org): points, analogue channels, parameters.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cutis/context.h"
#include "cutis/io.h"

namespace cutis {

/// Integer and floating-point files of Intel, DEC and MIPS machines. Analogue data and events are passed over.
/// Throws Error naming the file. A file that ends early gives the frames that are whole, with a warning.
[[nodiscard]] MarkerTake read_c3d(const std::string& path, const Context& context, const TakeOptions& options);
[[nodiscard]] MarkerTake read_c3d_memory(std::string_view bytes, const std::string& name, const Context& context,
                                         const TakeOptions& options);

/// Frames of a file as they are asked for.
class C3dStream {
 public:
  C3dStream(const std::string& path, const Context& context, const TakeOptions& options);
  ~C3dStream();
  [[nodiscard]] std::size_t frames() const;
  [[nodiscard]] double rate() const;
  /// `count` frames at most, every `step`-th from `first` on.
  [[nodiscard]] MarkerTake read(std::size_t first, std::size_t count, std::size_t step);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
