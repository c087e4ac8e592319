#include "signals.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

#include "cutis/files.h"

namespace cutis::cli {
namespace {

constexpr unsigned kGraceSeconds = 1;

std::atomic<int> requested{0};
static_assert(std::atomic<int>::is_always_lock_free);

// Only calls that are safe in a signal handler, from here to end_by_signal().
void on_stop(int signal) {
  const int saved = errno;
  int none = 0;
  if (!requested.compare_exchange_strong(none, signal)) end_by_signal(signal);
  ::alarm(kGraceSeconds);
  errno = saved;
}

void on_alarm(int signal) {
  const int asked = requested.load();
  end_by_signal(asked != 0 ? asked : signal);
}

void set_action(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void watch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now{};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) set_action(signal, on_stop);
  }
  set_action(SIGALRM, on_alarm);
  set_action(SIGPIPE, SIG_IGN);
  set_action(SIGXFSZ, SIG_IGN);  // a limit on the size of files (ulimit -f) becomes a failed write
}

int stop_signal() noexcept { return requested.load(); }

void end_by_signal(int signal) noexcept {
  remove_unfinished_files();
  set_action(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace cutis::cli
