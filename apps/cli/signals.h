// Signals that ask the program to stop. The first one lets the work end by itself, so that nothing is half done; a
// second one, or a second without an end, removes unfinished files and ends at once. Either way the exit status names
// the signal.
#pragma once

namespace cutis::cli {

/// For SIGINT, SIGTERM and SIGHUP, where the caller does not have them ignored (nohup). A reader of stdout or stderr
/// that goes away (SIGPIPE), and a file that may not grow further (SIGXFSZ), become failed writes.
void watch_signals();

/// The signal that asked to stop; 0 while none did.
[[nodiscard]] int stop_signal() noexcept;

/// Ends the process by the signal's own action, after unfinished files are removed.
[[noreturn]] void end_by_signal(int signal) noexcept;

}  // namespace cutis::cli
