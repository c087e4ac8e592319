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
  /// Opens it. Throws Error(io) at `place`; the sentence names the file where the place is another.
  InputFile(const std::string& path, const std::string& place);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// All size() bytes of it.
  void read(void* to);

 private:
  [[noreturn]] void fail(const std::string& sentence) const;

  std::string path_, place_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::size_t size_ = 0;
};

}  // namespace cutis
