#include "io/file_group.h"

#include <filesystem>

#include "cutis/error.h"

namespace cutis {

AtomicFile& FileGroup::add(const std::string& path) {
  // Found now, before any file of the group replaces an older one.
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    throw Error(ErrorCode::io, path, "is a folder; choose another name for the output");
  if (!files_.empty()) files_.back().close();
  return files_.emplace_back(path);
}

void FileGroup::commit() {
  for (AtomicFile& file : files_) file.close();
  std::size_t placed = 0;
  try {
    for (; placed < files_.size(); ++placed) files_[placed].commit();
  } catch (const Error&) {
    std::error_code ignored;  // the first failure is the one to tell
    for (std::size_t i = 0; i < placed; ++i) std::filesystem::remove(files_[i].path(), ignored);
    throw;
  }
}

}  // namespace cutis
