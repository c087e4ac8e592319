// The one way in: regular files of a bounded size. A pipe, a device or a file larger than memory never ends, or takes
// everything the machine has; each is refused in a sentence before a byte of it is read.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "cutis/files.h"

namespace cutis {

class InputFile {
 public:
  enum Limit { bounded, any_size };
  /// Opens it. Throws Error(io) at `place`; the sentence names the file where the place is another.
  InputFile(const std::string& path, const std::string& place, Limit limit = bounded);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// All size() bytes of it.
  void read(void* to);
  // Instead of read(), for files that are not taken whole; they are not recorded.
  [[nodiscard]] std::uint64_t hash();  ///< of all bytes, block by block
  void seek(std::uint64_t byte);
  /// The next ones; false when there are fewer.
  [[nodiscard]] bool read_next(void* to, std::size_t bytes);

 private:
  [[noreturn]] void fail(const std::string& sentence) const;

  std::string path_, place_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::size_t size_ = 0;
};

}  // namespace cutis
