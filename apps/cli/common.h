// What all verbs share: common options, messages, the shape of a verb.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cutis/context.h"
#include "cutis/types.h"

namespace cutis::cli {

using Json = nlohmann::ordered_json;

inline constexpr double kDegree = 3.14159265358979323846 / 180;

struct CommonOptions {
  bool json = false;
  bool quiet = false;
  int threads = 0;
  std::string backend = "simd";
  std::uint64_t max_memory = 0;    ///< bytes; 0: no limit but that of inputs
  std::uint64_t max_vertices = 0;  ///< of a character; 0: any number
  bool progress_lines = false;     ///< progress on stdout, for a program: "PERCENT STAGE"
};

/// A context that reports on stderr: warnings, and progress when stderr is a terminal. Also collects the warnings. Work
/// is cancelled by the signals of signals.h.
class Session {
 public:
  explicit Session(const CommonOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const Context& context() const { return context_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  [[nodiscard]] const CommonOptions& options() const { return options_; }
  /// One line for people on stdout; nothing when --json or --quiet.
  void say(const std::string& text) const;
  /// The one document on stdout, when --json.
  void print(const Json& document) const;
  /// A file name that nothing should overwrite: throws Error when OUT is the input itself.
  static void check_output(const std::string& input, const std::string& output);

 private:
  void clear_progress();

  CommonOptions options_;
  Context context_;
  std::vector<std::string> warnings_;
  bool terminal_ = false;
  int last_percent_ = -1;
};

/// Adds --json, --quiet, --threads, --backend, --max-memory, --max-vertices to a verb.
void add_common_options(CLI::App& verb, CommonOptions& options);

/// Switches of the verb, or of all verbs, that are given a value (--quiet=no) refuse what is neither true nor false;
/// CLI11 itself throws what is no ParseError there.
void check_switches(CLI::App& app);

/// One verb: registers its options and, as the callback, its work.
void add_animate(CLI::App& app);
void add_batch(CLI::App& app);
void add_bench(CLI::App& app);
void add_bind(CLI::App& app);
void add_compare(CLI::App& app);
void add_demo(CLI::App& app);
void add_fields(CLI::App& app);
void add_info(CLI::App& app);
void add_join(CLI::App& app);
void add_markers(CLI::App& app);
void add_measure(CLI::App& app);
void add_operators(CLI::App& app);
void add_options(CLI::App& app);
void add_register(CLI::App& app);
void add_render(CLI::App& app);
void add_shell(CLI::App& app);  ///< completions, man
void add_spheres(CLI::App& app);
void add_view(CLI::App& app);
void add_weights(CLI::App& app);

/// A document as text; names that are not UTF-8 have their bytes replaced.
[[nodiscard]] std::string json_text(const Json& document, int indent);

/// JSON numbers that people read: six significant digits. What is not finite stays so, and is null in the text.
[[nodiscard]] double rounded(double value);
[[nodiscard]] Json vec(const Vec3d& v);

}  // namespace cutis::cli
