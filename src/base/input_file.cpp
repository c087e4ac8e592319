#include "base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/hash.h"
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

std::atomic<std::uint64_t>& vertex_limit() {
  static std::atomic<std::uint64_t> limit{~std::uint64_t{0}};
  return limit;
}

// None: nobody asked.
struct Recorder {
  std::mutex mutex;
  std::optional<std::set<std::pair<std::string, std::uint64_t>>> inputs;
};
Recorder& recorder() {
  static Recorder only;
  return only;
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

std::uint64_t most_vertices() noexcept { return vertex_limit().load(); }
void set_most_vertices(std::uint64_t vertices) noexcept { vertex_limit().store(vertices); }

InputFile::InputFile(const std::string& path, const std::string& place, Limit limit)
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
  if (limit == bounded && bytes > largest_input())
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
  Recorder& record = recorder();
  const std::lock_guard lock(record.mutex);
  if (record.inputs) record.inputs->emplace(path_, hash_bytes(to, size_));
}

std::uint64_t InputFile::hash() {
  std::vector<char> block(std::size_t{1} << 20U);
  std::uint64_t hash = kHashSeed;
  while (const std::size_t bytes = std::fread(block.data(), 1, block.size(), file_.get()))
    hash = hash_bytes(block.data(), bytes, hash);
  if (std::ferror(file_.get()) != 0) fail(fmt::format("could not be read to its end ({})", std::strerror(errno)));
  return hash;
}

void InputFile::seek(std::uint64_t byte) {
  if (::fseeko(file_.get(), static_cast<off_t>(byte), SEEK_SET) != 0)
    fail(fmt::format("could not be read ({})", std::strerror(errno)));
}

bool InputFile::read_next(void* to, std::size_t bytes) {
  if (bytes == 0 || std::fread(to, 1, bytes, file_.get()) == bytes) return true;
  if (std::ferror(file_.get()) != 0) fail(fmt::format("could not be read to its end ({})", std::strerror(errno)));
  return false;
}

void record_inputs() {
  const std::lock_guard lock(recorder().mutex);
  if (!recorder().inputs) recorder().inputs.emplace();
}

std::vector<InputRecord> recorded_inputs() {
  const std::lock_guard lock(recorder().mutex);
  std::vector<InputRecord> inputs;
  if (recorder().inputs)
    for (const auto& [file, hash] : *recorder().inputs) inputs.push_back({file, hash});
  return inputs;
}

std::uint64_t file_hash(const std::string& path) {
  InputFile file(path, path, InputFile::any_size);
  return file.hash();
}

std::string read_file(const std::string& path, const std::string& place) {
  InputFile file(path, place);
  std::string bytes(file.size(), '\0');
  file.read(bytes.data());
  return bytes;
}

}  // namespace cutis
