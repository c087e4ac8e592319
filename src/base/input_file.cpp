#include "base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "cutis/error.h"

namespace cutis {
namespace {

std::uint64_t default_largest_input() {
  constexpr std::uint64_t kMost = std::uint64_t{8} << 30;
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return kMost;
  return std::min(kMost, static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 2);
}

std::atomic<std::uint64_t>& input_limit() {
  static std::atomic<std::uint64_t> limit{default_largest_input()};
  return limit;
}

std::string in_units(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit < 6; ++unit) value /= 1024;
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

const char* kind_of(mode_t mode) {
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

std::uint64_t largest_input() noexcept { return input_limit().load(); }
void set_largest_input(std::uint64_t bytes) noexcept { input_limit().store(bytes); }

InputFile::InputFile(const std::string& path, const std::string& place)
    : path_(path), place_(place.empty() ? path : place), file_(nullptr, &std::fclose) {
  const auto refuse = [&](int reason) {
    if (reason == ENOENT || reason == ENOTDIR) fail("does not exist; check its name and folder");
    fail(fmt::format("cannot be read ({}); check the name and the permissions", std::strerror(reason)));
  };
  struct stat status{};
  // Looked at before it is opened, since opening a device can do things; and once more after, since names can change.
  const auto check = [&] {
    if (S_ISDIR(status.st_mode)) fail("is a folder; name a file inside it");
    if (!S_ISREG(status.st_mode))
      fail(fmt::format("is not a regular file but {}; save what it gives as a file first", kind_of(status.st_mode)));
  };
  if (::stat(path.c_str(), &status) != 0) refuse(errno);
  check();
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) refuse(errno);
  file_.reset(::fdopen(fd, "rb"));
  if (!file_) {
    const int reason = errno;
    ::close(fd);
    refuse(reason);
  }
  if (::fstat(fd, &status) != 0) refuse(errno);
  check();
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (bytes > largest_input())
    fail(fmt::format("has {}, and at most {} of a file are read; make it smaller, or give more with --max-memory",
                     in_units(bytes), in_units(largest_input())));
  size_ = static_cast<std::size_t>(bytes);
}

void InputFile::fail(const std::string& sentence) const {
  throw Error(ErrorCode::io, place_, place_ == path_ ? sentence : fmt::format("the file '{}' {}", path_, sentence));
}

void InputFile::read(void* to) {
  if (size_ > 0 && std::fread(to, 1, size_, file_.get()) != size_)
    fail(std::ferror(file_.get()) != 0 ? fmt::format("could not be read to its end ({})", std::strerror(errno))
                                       : "became shorter while it was read; try again");
}

std::string read_file(const std::string& path, const std::string& place) {
  InputFile file(path, place);
  std::string bytes(file.size(), '\0');
  file.read(bytes.data());
  return bytes;
}

}  // namespace cutis
