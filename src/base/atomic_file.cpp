#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "cutis/error.h"

namespace cutis {

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)), temporary_(unfinished_name(path_)), listed_(temporary_) {
  // Renaming would put a file in the place of a device (/dev/null), and fail late on a folder.
  struct stat status{};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    temporary_.clear();
    throw Error(ErrorCode::io, path_,
                S_ISDIR(status.st_mode) ? "is a folder; choose another name for the output"
                                        : "is not a regular file; choose another name for the output");
  }
  remove_stale_files(path_);
  const int fd = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
  if (fd >= 0) file_ = ::fdopen(fd, "w+b");
  if (file_ == nullptr) {
    const int reason = errno;
    if (fd >= 0) {
      ::close(fd);
      ::unlink(temporary_.c_str());
    }
    errno = reason;
    fail(reason == ENOENT ? "the folder does not exist; make it first" : "cannot be created");
  }
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      listed_(std::move(other.listed_)),
      file_(other.file_),
      size_(other.size_) {
  other.file_ = nullptr;
  other.temporary_.clear();
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* what) const {
  throw Error(ErrorCode::io, path_, fmt::format("{} ({})", what, std::strerror(errno)));
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  if (std::fwrite(data, 1, bytes, file_) != bytes) fail("could not be written completely; nothing was kept");
  size_ += bytes;
}

void AtomicFile::write_at(std::size_t offset, const void* data, std::size_t bytes) {
  if (std::fseek(file_, static_cast<long>(offset), SEEK_SET) != 0) fail("could not be rewound");
  if (std::fwrite(data, 1, bytes, file_) != bytes) fail("could not be written completely; nothing was kept");
  if (std::fseek(file_, 0, SEEK_END) != 0) fail("could not be rewound");
}

void AtomicFile::close() {
  if (file_ == nullptr) return;
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fflush(file) != 0) {
    const int reason = errno;
    std::fclose(file);
    errno = reason;
    fail("could not be written completely; nothing was kept");
  }
  if (std::fclose(file) != 0) fail("could not be closed; nothing was kept");
}

void AtomicFile::commit() {
  close();
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("could not be put in place");
  temporary_.clear();
  listed_.forget();
}

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace cutis
