// Several files that appear together or not at all.
#pragma once

#include <string>
#include <vector>

#include "base/atomic_file.h"

namespace cutis {

class FileGroup {
 public:
  /// Opens the next file; the reference is valid until the next call. The file before it is closed, so a long sequence
  /// needs one descriptor.
  AtomicFile& add(const std::string& path);
  [[nodiscard]] AtomicFile& last() { return files_.back(); }
  /// Puts all files in place, in the order of add(). When one cannot be, those before it are as they were.
  void commit();

 private:
  std::vector<AtomicFile> files_;
};

}  // namespace cutis
