#include "io/file_group.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "cutis/error.h"

namespace cutis {
namespace {

/// A second name for a file that is about to be replaced, for as long as it may have to come back.
class Older {
 public:
  explicit Older(const std::string& path) : path_(path), name_(unfinished_name(path)), listed_(name_) {
    std::error_code error;
    if (!std::filesystem::exists(path_, error)) {
      name_.clear();
      return;
    }
    std::filesystem::create_hard_link(path_, name_, error);
    if (error) std::filesystem::copy_file(path_, name_, error);  // disks without links
    if (!error) return;
    std::error_code ignored;
    std::filesystem::remove(name_, ignored);
    throw Error(
        ErrorCode::io, path_,
        "could not be kept aside while new files are put in place (" + error.message() + "); nothing was changed");
  }
  Older(Older&& other) noexcept
      : path_(std::move(other.path_)), name_(std::exchange(other.name_, {})), listed_(std::move(other.listed_)) {}
  Older& operator=(Older&&) = delete;
  ~Older() {
    std::error_code ignored;
    if (!name_.empty()) std::filesystem::remove(name_, ignored);
  }
  void put_back() noexcept {
    std::error_code ignored;
    if (name_.empty()) {
      std::filesystem::remove(path_, ignored);
    } else {
      std::filesystem::rename(name_, path_, ignored);
      name_.clear();
    }
  }

 private:
  std::string path_, name_;
  UnfinishedFile listed_;
};

}  // namespace

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
  std::vector<Older> older;
  older.reserve(files_.size());
  std::size_t placed = 0;
  try {
    for (; placed < files_.size(); ++placed) {
      // The last one takes the place of its older self in one step; those before it may have to come back.
      if (placed + 1 < files_.size()) older.emplace_back(files_[placed].path());
      files_[placed].commit();
    }
  } catch (const Error&) {
    for (std::size_t i = 0; i < placed; ++i) older[i].put_back();  // the first failure is the one to tell
    throw;
  }
}

}  // namespace cutis
