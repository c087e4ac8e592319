#include "io/trial_run.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

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

bool survives_trial(const std::function<void()>& work, unsigned cpu_seconds) {
  const pid_t child = fork();
  if (child < 0) return true;
  if (child == 0) run_in_child(work, cpu_seconds);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return true;  // somebody else collects our children
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace cutis
