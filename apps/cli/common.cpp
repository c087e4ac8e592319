#include "common.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cutis/error.h"

namespace cutis::cli {

void add_common_options(CLI::App& verb, CommonOptions& options) {
  verb.add_flag("--json", options.json, "Print one JSON document on stdout, everything else on stderr");
  verb.add_flag("-q,--quiet", options.quiet, "No warnings, no progress");
  verb.add_option("--threads", options.threads, "Number of threads; 0 takes all cores (results do not depend on it)")
      ->check(CLI::Range(0, 1024));
  verb.add_option("--backend", options.backend,
                  fmt::format("How vertices are computed: {}", fmt::join(backend_names(), ", ")))
      ->capture_default_str();
}

Session::Session(const CommonOptions& options)
    : options_(options),
      context_(options.threads, backend_from_string(options.backend)),
      terminal_(::isatty(STDERR_FILENO) == 1) {
  context_.on_warning = [this](std::string_view text) {
    warnings_.emplace_back(text);
    if (options_.quiet) return;
    clear_progress();
    fmt::print(stderr, "cutis: warning: {}\n", text);
  };
  if (terminal_ && !options_.quiet) {
    context_.on_progress = [this](std::string_view stage, double done) {
      const int percent = static_cast<int>(done * 100);
      if (percent == last_percent_) return;
      last_percent_ = percent;
      fmt::print(stderr, "\r\x1b[K{} {:3d}%", stage, percent);
      if (percent >= 100) clear_progress();
      std::fflush(stderr);
    };
  }
}

Session::~Session() { clear_progress(); }

void Session::clear_progress() {
  if (terminal_ && last_percent_ >= 0) fmt::print(stderr, "\r\x1b[K");
  last_percent_ = -1;
}

void Session::say(const std::string& text) const {
  if (!options_.json && !options_.quiet) fmt::print("{}\n", text);
}

void Session::print(const Json& document) const {
  if (options_.json) fmt::print("{}\n", document.dump(2, ' ', false, Json::error_handler_t::replace));
}

void Session::check_output(const std::string& input, const std::string& output) {
  std::error_code ignored;
  if (std::filesystem::equivalent(input, output, ignored))
    throw Error(ErrorCode::bad_argument, output, "is the input file; choose another name for the output");
}

double rounded(double value) {
  if (!std::isfinite(value) || value == 0) return value;
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(scale) ? std::round(value * scale) / scale : value;
}

Json vec(const Vec3d& v) { return {rounded(v.x), rounded(v.y), rounded(v.z)}; }

}  // namespace cutis::cli
