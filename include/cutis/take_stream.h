// A take that is read piece by piece: memory does not grow with its length.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cutis/context.h"
#include "cutis/io.h"
#include "cutis/take.h"

namespace cutis {

class TakeStream {
 public:
  /// Reads the head of a .c3d or a .trc; what else load_take() reads is held as a whole. Throws Error as it does.
  TakeStream(const std::string& file, const Context& context, const TakeOptions& options = {});
  ~TakeStream();
  TakeStream(TakeStream&&) noexcept;
  TakeStream& operator=(TakeStream&&) noexcept;

  [[nodiscard]] std::size_t frames() const;
  [[nodiscard]] double rate() const;  ///< frames a second
  /// `count` frames at most, every `step`-th from `first` on: what load_take() has there. Its rate is that of these
  /// frames. A .trc that is asked for earlier frames than before is read from its beginning.
  [[nodiscard]] MarkerTake read(std::size_t first, std::size_t count, std::size_t step = 1);
  /// So many frames at most, evenly over the take.
  [[nodiscard]] MarkerTake sample(std::size_t most);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
