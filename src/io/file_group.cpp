#include "io/file_group.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cutis/error.h"

namespace cutis {
namespace {

/// Not std::filesystem::copy_file: with the C++ library that browsers get, it brings streams and all locales.
std::error_code copy(const std::string& from, const std::string& to) {
  using Opened = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  const auto refused = [] { return std::error_code(errno, std::generic_category()); };
  const Opened in(std::fopen(from.c_str(), "rb"), &std::fclose);
  if (!in) return refused();
  Opened out(std::fopen(to.c_str(), "wbx"), &std::fclose);
  if (!out) return refused();
  std::array<char, 1 << 16> some{};
  for (std::size_t n = 0; (n = std::fread(some.data(), 1, some.size(), in.get())) > 0;)
    if (std::fwrite(some.data(), 1, n, out.get()) != n) return refused();
  if (std::ferror(in.get()) != 0 || std::fclose(out.release()) != 0) return refused();
  return {};
}

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
    if (error) error = copy(path_, name_);  // disks without links
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
  // These allocate nothing, as std::filesystem would: memory may be what ran out.
  ~Older() {
    if (!name_.empty()) std::remove(name_.c_str());
  }
  void put_back() noexcept {
    if (name_.empty()) {
      std::remove(path_.c_str());
    } else {
      std::rename(name_.c_str(), path_.c_str());
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
  } catch (...) {                                                  // of an error or for want of memory
    for (std::size_t i = 0; i < placed; ++i) older[i].put_back();  // the first failure is the one to tell
    throw;
  }
}

}  // namespace cutis
