#include "common.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cutis/device.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "signals.h"
#include "terminal.h"

// The shadow memory of sanitizers counts as data: no limit leaves room for it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CUTIS_HAS_SHADOW_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define CUTIS_HAS_SHADOW_MEMORY 1
#endif
#endif

namespace cutis::cli {
namespace {

// Beyond what the process has now: the stacks of its threads count as data, and are hardly used.
void limit_memory(std::uint64_t bytes) {
  set_largest_input(bytes);
#ifndef CUTIS_HAS_SHADOW_MEMORY
  std::uint64_t skipped = 0, pages = 0;
  std::ifstream statm("/proc/self/statm");
  for (int i = 0; i < 5; ++i) statm >> skipped;
  if (!(statm >> pages)) return;
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const rlim_t wanted = bytes + pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  limit.rlim_cur = std::min(limit.rlim_max, wanted);
  ::setrlimit(RLIMIT_DATA, &limit);
#endif
}

}  // namespace

void check_switches(CLI::App& app) {
  const auto fault = [](const std::string& value) -> std::string {
    try {
      (void)CLI::detail::to_flag_value(value);
      return {};
    } catch (const std::exception&) {
      return fmt::format("'{}' is neither true nor false", printable(value));
    }
  };
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() == 0) option->check(fault);
  for (CLI::App* verb : app.get_subcommands({})) check_switches(*verb);
}

void add_common_options(CLI::App& verb, CommonOptions& options) {
  verb.add_flag("--json", options.json, "Print one JSON document on stdout, everything else on stderr");
  verb.add_flag("-q,--quiet", options.quiet, "No warnings, no progress");
  verb.add_option("--threads", options.threads,
                  "Number of threads; 0 takes all cores the process may use (results do not depend on it)")
      ->check(CLI::Range(0, 1024));
  verb.add_option("--backend", options.backend,
                  fmt::format("How vertices are computed: {}", fmt::join(backend_names(), ", ")))
      ->capture_default_str();
  verb.add_option(
          "--max-memory", options.max_memory,
          "Most memory to take, 64M or more, as 512M or 4G; larger inputs are refused. Without it: inputs of up to "
          "8G, or half of the machine's memory")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{64} << 20, std::uint64_t{1} << 50));
  verb.add_option("--max-vertices", options.max_vertices, "Refuse characters of more vertices; 0 takes any number")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40));
}

Session::Session(const CommonOptions& options)
    : options_(options),
      context_(options.threads, backend_from_string(options.backend)),
      terminal_(::isatty(STDERR_FILENO) == 1) {
  if (const std::string why = why_unusable(context_.backend()); !why.empty())
    throw Error(ErrorCode::bad_argument, "back end " + options.backend, why);
  if (options_.max_memory > 0) limit_memory(options_.max_memory);
  if (options_.max_vertices > 0) set_most_vertices(options_.max_vertices);
  context_.is_cancelled = [] { return stop_signal() != 0; };
  context_.on_warning = [this](std::string_view text) {
    warnings_.emplace_back(text);
    if (options_.quiet) return;
    clear_progress();
    complain(fmt::format("cutis: warning: {}", printable(text)));
  };
  if (options_.progress_lines) {
    context_.on_progress = [this](std::string_view stage, double done) {
      const int percent = static_cast<int>(done * 100);
      if (percent == last_percent_) return;
      last_percent_ = percent;
      put(fmt::format("{} {}\n", percent, printable(stage, 60)));
      flush_output();
    };
  } else if (terminal_ && !options_.quiet) {
    context_.on_progress = [this](std::string_view stage, double done) {
      const int percent = static_cast<int>(done * 100);
      if (percent == last_percent_) return;
      last_percent_ = percent;
      show_progress(fmt::format("\r\x1b[K{} {:3d}%", printable(stage, 60), percent));
      if (percent >= 100) clear_progress();
      std::fflush(stderr);
    };
  }
}

Session::~Session() { clear_progress(); }

void Session::clear_progress() {
  if (terminal_ && last_percent_ >= 0) show_progress("\r\x1b[K");
  last_percent_ = -1;
}

void Session::say(const std::string& text) const {
  if (!options_.json && !options_.quiet) tell("{}\n", text);
}

void Session::print(const Json& document) const {
  if (options_.json) put(json_text(document, 2));
}

void Session::check_output(const std::string& input, const std::string& output) {
  std::error_code ignored;
  if (std::filesystem::equivalent(input, output, ignored))
    throw Error(ErrorCode::bad_argument, output, "is the input file; choose another name for the output");
}

std::string json_text(const Json& document, int indent) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

double rounded(double value) {
  if (!std::isfinite(value) || value == 0) return value;
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(scale) ? std::round(value * scale) / scale : value;
}

Json vec(const Vec3d& v) { return {rounded(v.x), rounded(v.y), rounded(v.z)}; }

}  // namespace cutis::cli
