// Files that are either complete or not there: written under a temporary name in the same folder, then renamed.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/unfinished_files.h"
#include "cutis/files.h"

namespace cutis {

class AtomicFile {
 public:
  /// Opens the temporary file, and removes those that dead processes left in its folder. Throws Error(io) when the
  /// folder is missing or not writable, or the name is that of a folder or a device.
  explicit AtomicFile(std::string path);
  ~AtomicFile();  ///< removes the temporary file unless commit() succeeded
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  void write(const void* data, std::size_t bytes);  ///< throws Error(io), e.g. when the disk is full
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Overwrites bytes at an earlier offset (headers whose counts are known at the end).
  void write_at(std::size_t offset, const void* data, std::size_t bytes);
  [[nodiscard]] std::size_t size() const { return size_; }
  void close();   ///< flushes and closes; the temporary file waits for commit(). No write may follow.
  void commit();  ///< closes unless that is done, and renames

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_, temporary_;
  UnfinishedFile listed_;  ///< for remove_unfinished_files()
  std::FILE* file_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cutis
