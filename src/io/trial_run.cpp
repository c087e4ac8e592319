#include "io/trial_run.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

namespace cutis {
namespace {

[[noreturn]] void run_in_child(const std::function<void()>& work, unsigned cpu_seconds) {
  // Die quietly: no handlers of the program around us, no core file, no messages.
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGXCPU}) std::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0}, time{cpu_seconds, cpu_seconds};
  setrlimit(RLIMIT_CORE, &no_core);
  setrlimit(RLIMIT_CPU, &time);
  if (const int null = open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  try {
    work();
  } catch (...) {
    // An exception is an orderly end; the caller meets it again when it does the work itself.
  }
  _exit(0);
}

}  // namespace

bool survives_trial(const std::function<void()>& work, unsigned cpu_seconds, const Context& context) {
  context.check_cancelled();
  const pid_t child = fork();
  if (child < 0) return true;
  if (child == 0) run_in_child(work, cpu_seconds);
  int status = 0;
  auto nap = std::chrono::microseconds(100);  // longer and longer, up to 10 ms
  for (pid_t ended = 0; ended == 0;) {
    ended = waitpid(child, &status, WNOHANG);
    if (ended < 0 && errno != EINTR) return true;  // somebody else collects our children
    if (ended > 0) break;
    ended = 0;
    if (context.is_cancelled && context.is_cancelled()) {
      kill(child, SIGKILL);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
      context.check_cancelled();
    }
    std::this_thread::sleep_for(nap);
    nap = std::min(nap * 2, std::chrono::microseconds(10'000));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace cutis
