// cutis: gives a character its skin over time. One verb, one file in commands/.
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "common.h"
#include "cutis/error.h"
#include "cutis/version.h"

namespace {

constexpr int kFailed = 1, kWrongUsage = 2;

// CLI11's own messages span lines; ours are one sentence and a pointer to the help.
int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);  // --help, --version
  std::string verb;
  for (const CLI::App* sub : app.get_subcommands()) verb = " " + sub->get_name();
  fmt::print(stderr, "cutis: {} (see 'cutis{} --help')\n", error.what(), verb);
  return kWrongUsage;
}

}  // namespace

int main(int argc, char** argv) {
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
  try {
    cutis::cli::add_animate(app);
    cutis::cli::add_bench(app);
    cutis::cli::add_bind(app);
    cutis::cli::add_compare(app);
    cutis::cli::add_demo(app);
    cutis::cli::add_fields(app);
    cutis::cli::add_info(app);
    cutis::cli::add_markers(app);
    cutis::cli::add_measure(app);
    cutis::cli::add_operators(app);
    cutis::cli::add_render(app);
    cutis::cli::add_weights(app);
    cutis::cli::add_shell(app);
    app.parse(argc, argv);
    if (std::fflush(stdout) != 0) throw cutis::Error(cutis::ErrorCode::io, "stdout", "could not be written");
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "cutis: not enough memory for this file\n");
    return kFailed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "cutis: {}\n", error.what());
    return kFailed;
  }
  return 0;
}
