#include "io/frame_spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/unfinished_files.h"
#include "cutis/error.h"

namespace cutis {

FrameSpool::FrameSpool(std::string output) : output_(std::move(output)) {
  const std::string name = unfinished_name(output_);
  const UnfinishedFile listed(name);
  fd_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ < 0) fail(errno == ENOENT ? "the folder does not exist; make it first" : "cannot be created");
  if (::unlink(name.c_str()) != 0) {
    const int reason = errno;
    ::close(fd_);
    errno = reason;
    fail("its temporary file cannot be hidden");
  }
}

FrameSpool::~FrameSpool() { ::close(fd_); }

void FrameSpool::fail(const char* what) const {
  throw Error(ErrorCode::io, output_, fmt::format("{} ({})", what, std::strerror(errno)));
}

void FrameSpool::append(std::span<const Vec3f> vectors) {
  const auto* data = reinterpret_cast<const char*>(vectors.data());
  std::size_t left = vectors.size_bytes();
  while (left > 0) {
    const ssize_t n = ::pwrite(fd_, data, left, static_cast<off_t>(bytes_));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("could not be written completely; nothing was kept");
    data += n;
    bytes_ += static_cast<std::size_t>(n);
    left -= static_cast<std::size_t>(n);
  }
}

void FrameSpool::read(std::size_t first, std::span<Vec3f> vectors) const {
  auto* data = reinterpret_cast<char*>(vectors.data());
  std::size_t left = vectors.size_bytes(), offset = first * sizeof(Vec3f);
  while (left > 0) {
    const ssize_t n = ::pread(fd_, data, left, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("its temporary frames could not be read back");
    data += n;
    offset += static_cast<std::size_t>(n);
    left -= static_cast<std::size_t>(n);
  }
}

}  // namespace cutis
