// Automatic weights from a character to a character: problem ► method ► cleanup ► scatter ► report.
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/timer.h"
#include "cutis/error.h"
#include "weights/method.h"

namespace cutis {
namespace {

constexpr std::array kMethods{WeightMethod::heat, WeightMethod::atlas};

void check(const WeightOptions& options) {
  const auto refuse = [](const char* name, const char* range) {
    throw Error(ErrorCode::bad_argument, fmt::format("weights › {}", name), fmt::format("has to be {}", range));
  };
  if (options.max_influences < 1 || options.max_influences > 64) refuse("max_influences", "from 1 to 64");
  if (options.smooth_steps < 0 || options.smooth_steps > 1000) refuse("smooth_steps", "from 0 to 1000");
  if (!(options.min_weight >= 0 && options.min_weight <= 0.2)) refuse("min_weight", "from 0 to 0.2");
}

WeightMatrix run_method(WeightMethod method, const WeightProblem& problem, Fallbacks& fallbacks,
                        const Context& context) {
  switch (method) {
    case WeightMethod::heat:
      return heat_weights(problem, fallbacks, context);
    case WeightMethod::atlas:
      return atlas_weights(problem, fallbacks, context);
  }
  throw Error(ErrorCode::bad_argument, "weights", "unknown method");
}

}  // namespace

std::string_view to_string(WeightMethod method) { return method == WeightMethod::heat ? "heat" : "atlas"; }

std::vector<std::string> weight_method_names() {
  std::vector<std::string> names;
  for (const WeightMethod method : kMethods) names.emplace_back(to_string(method));
  return names;
}

WeightMethod weight_method_from_string(std::string_view name) {
  for (const WeightMethod method : kMethods)
    if (to_string(method) == name) return method;
  throw Error(ErrorCode::bad_argument, fmt::format("method '{}'", name),
              fmt::format("is not known; there are: {}", fmt::join(weight_method_names(), ", ")));
}

WeightReport make_weights(Character& character, const WeightOptions& options, const Context& context) {
  const Timer timer;
  check(options);
  WeightReport report;
  WeightProblem problem;
  problem.character = &character;
  const WeightMatrix matrix = run_method(options.method, problem, report.fallbacks, context);
  report.seconds = timer.milliseconds() / 1000;
  return report;
}

}  // namespace cutis
