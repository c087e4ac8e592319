// cutis: gives a character its skin over time. One verb, one file in commands/.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>

#include <unistd.h>

#include "common.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "cutis/version.h"
#include "signals.h"
#include "terminal.h"

namespace {

constexpr int kFailed = 1, kWrongUsage = 2;
constexpr const char* kNoMemory =
    "there is not enough memory for this; use a smaller input, or give more with --max-memory";

// Needs no memory.
void say_no_memory() { std::fprintf(stderr, "cutis: %s\n", kNoMemory); }

// The JSON library allocates in destructors, where nobody can catch: there, too, the program ends with a sentence, and
// nothing half-written stays.
std::terminate_handler usual_end = nullptr;
[[noreturn]] void end_in_order() {
  try {
    if (const std::exception_ptr fault = std::current_exception()) std::rethrow_exception(fault);
  } catch (const std::bad_alloc&) {
    cutis::remove_unfinished_files();
    say_no_memory();
    ::_exit(kFailed);
  } catch (...) {  // NOLINT(bugprone-empty-catch): the usual end tells of it
  }
  usual_end();
  std::abort();
}

// CLI11's own messages span lines; ours are one sentence and a pointer to the help.
int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {  // --help, --version
    std::ostringstream text;
    const int status = app.exit(error, text, text);
    cutis::cli::put(text.str());
    return status;
  }
  std::string verb, sentence = error.what();
  for (const CLI::App* sub : app.get_subcommands()) verb = " " + sub->get_name();
  std::ranges::replace(sentence, '\n', ' ');
  cutis::cli::complain(fmt::format("cutis: {} (see 'cutis{} --help')", cutis::printable(sentence), verb));
  return kWrongUsage;
}

int run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  usual_end = std::set_terminate(end_in_order);
  cutis::cli::guard_standard_streams();
  cutis::cli::watch_signals();
  CLI::App app{"Cutis gives a character its skin over time: a mesh, a skeleton and a motion in, the deformed mesh out.",
               "cutis"};
  app.footer(
      "Examples:\n"
      "  cutis demo -o demo\n"
      "  cutis info character.glb\n"
      "  cutis animate character.glb --clip walk -o walk.glb\n"
      "  cutis render builtin:hand --clip fist -o fist.png\n"
      "FILE may be builtin:NAME (cylinder, arm, hand, human). 'cutis VERB --help' tells more.");
  app.set_version_flag("--version", std::string(cutis::version()));
  app.require_subcommand(1);
  int status = 0;
  std::string sentence;
  const char* fault = nullptr;
  try {
    cutis::cli::add_animate(app);
    cutis::cli::add_batch(app);
    cutis::cli::add_bench(app);
    cutis::cli::add_bind(app);
    cutis::cli::add_compare(app);
    cutis::cli::add_demo(app);
    cutis::cli::add_fields(app);
    cutis::cli::add_info(app);
    cutis::cli::add_join(app);
    cutis::cli::add_markers(app);
    cutis::cli::add_measure(app);
    cutis::cli::add_operators(app);
    cutis::cli::add_options(app);
    cutis::cli::add_register(app);
    cutis::cli::add_render(app);
    cutis::cli::add_spheres(app);
    cutis::cli::add_view(app);
    cutis::cli::add_weights(app);
    cutis::cli::add_shell(app);
    cutis::cli::check_switches(app);
    status = run(app, argc, argv);
    cutis::cli::flush_output();
  } catch (const std::bad_alloc&) {
    fault = kNoMemory;
  } catch (const std::exception& error) {
    try {
      sentence = cutis::printable(error.what());
      fault = sentence.c_str();
    } catch (const std::bad_alloc&) {
      fault = kNoMemory;
    }
  }
  // Whatever became of the work: who asked to stop is answered by the signal's own status.
  if (const int signal = cutis::cli::stop_signal(); signal != 0) cutis::cli::end_by_signal(signal);
  if (fault == nullptr) return status;
  if (cutis::cli::reader_is_gone()) cutis::cli::end_by_signal(SIGPIPE);
  try {
    cutis::cli::complain(std::string("cutis: ") + fault);
  } catch (const std::bad_alloc&) {  // what needs no memory
    say_no_memory();
  }
  return kFailed;
}
