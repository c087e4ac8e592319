#include "terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

#include "cutis/error.h"

namespace cutis::cli {
namespace {

constexpr std::size_t kLongestShownName = 80;
bool pipe_is_broken = false;

[[noreturn]] void lost() {
  pipe_is_broken = errno == EPIPE;
  throw Error(ErrorCode::io, "stdout", fmt::format("could not be written ({})", std::strerror(errno)));
}

}  // namespace

void guard_standard_streams() {
  // Open the wrong way round: what is written to 1 and 2 is refused, as it is when they are closed.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF)
      static_cast<void>(::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

void complain(std::string_view line) noexcept {
  show_progress(line);
  show_progress("\n");
}

void show_progress(std::string_view text) noexcept {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

void put(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) lost();
}

void flush_output() {
  if (std::fflush(stdout) != 0) lost();
}

bool reader_is_gone() noexcept { return pipe_is_broken; }

std::vector<std::string> shown(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::string& name : names) result.push_back(printable(name, kLongestShownName));
  return result;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t end = text.find('\n');
    result += printable(text.substr(0, end), std::numeric_limits<std::size_t>::max());
    if (end == std::string_view::npos) return result;
    result += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace cutis::cli
