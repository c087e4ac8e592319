// The temporary files that exist right now, so that a signal handler can remove them: no lock, no memory taken or given
// back there. Entries are never freed, only used again.
#pragma once

#include <string>

namespace cutis {

class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  /// Lists the name; before the file is made, so that no signal falls between. Makes no file.
  explicit UnfinishedFile(const std::string& name);
  UnfinishedFile(UnfinishedFile&& other) noexcept : entry_(other.entry_) { other.entry_ = nullptr; }
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile() { forget(); }

  /// Takes it off the list: it was renamed or removed.
  void forget() noexcept;

  struct Entry;

 private:
  Entry* entry_ = nullptr;
};

/// A name beside `path` that no other process uses: PATH.tmpPID-N-HOST.
[[nodiscard]] std::string unfinished_name(const std::string& path);
/// Removes what processes of this machine that are no more left in the folder of `path` under such names. Looks into a
/// folder once in the life of a process.
void remove_stale_files(const std::string& path);

}  // namespace cutis
