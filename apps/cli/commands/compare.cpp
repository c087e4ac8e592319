// What got better and worse between two reports of `cutis measure`, or two runs of `cutis bench`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "bench_comparing.h"
#include "common.h"
#include "cutis/error.h"
#include "cutis/metrics.h"

namespace cutis::cli {
namespace {

struct CompareArguments {
  CommonOptions common;
  std::string before, after;
  double tolerance = 1;  // per cent
};

Json read_report(const std::string& file) {
  std::ifstream in(file);
  if (!in)
    throw Error(ErrorCode::io, file,
                "cannot be opened; give a report written by 'cutis measure -o' or 'cutis bench --json'");
  Json json = Json::parse(in, nullptr, false);
  if (!json.is_discarded() && is_bench(json)) return json;
  if (json.is_discarded() || !json.is_object() || !json.contains("methods") || !json["methods"].is_object())
    throw Error(ErrorCode::bad_file, file,
                "is not a report of 'cutis measure' (no \"methods\") or of 'cutis bench' (no \"rows\"); write one with "
                "'measure -o' or 'bench --json'");
  return json;
}

std::optional<double> number_at(const Json& json, const char* key) {
  if (json.is_object() && json.contains(key) && json[key].is_number()) return json[key].get<double>();
  return std::nullopt;
}

// How bad a value is, so that more is worse, whatever the metric.
double badness(const std::string& metric, double value) {
  for (const MetricInfo& info : metric_table()) {
    if (info.name != metric.substr(0, metric.find('.'))) continue;
    if (info.worse == Worse::lower) return -value;
    if (info.worse == Worse::away_from_zero) return std::abs(value);
  }
  return value;
}

struct Change {
  std::string method, metric, statistic;
  double before, after;
  int verdict;  // -1 better, 0 same, 1 worse
};

std::vector<Change> compare(const Json& before, const Json& after, double tolerance) {
  std::vector<Change> changes;
  for (const auto& [method, old_data] : before["methods"].items()) {
    if (!after["methods"].contains(method) || !old_data.contains("summary")) continue;
    const Json& new_data = after["methods"][method];
    if (!new_data.contains("summary")) continue;
    for (const auto& [metric, old_value] : old_data["summary"].items()) {
      if (!new_data["summary"].contains(metric) || metric == "rest_overlap") continue;
      const Json& new_value = new_data["summary"][metric];
      const auto add = [&](const char* statistic, std::optional<double> a, std::optional<double> b) {
        if (!a || !b) return;
        const double x = badness(metric, *a), y = badness(metric, *b);
        const double scale = std::max(std::abs(x), std::abs(y));
        const int verdict = std::abs(y - x) <= tolerance / 100 * scale ? 0 : y < x ? -1 : 1;
        changes.push_back({method, metric, statistic, *a, *b, verdict});
      };
      if (old_value.is_number() && new_value.is_number())
        add("value", old_value.get<double>(), new_value.get<double>());
      for (const char* statistic : {"mean", "worst", "max", "median"})
        add(statistic, number_at(old_value, statistic), number_at(new_value, statistic));
    }
  }
  return changes;
}

void run_compare(const CompareArguments& options) {
  Session session(options.common);
  const Json before = read_report(options.before), after = read_report(options.after);
  if (is_bench(before) != is_bench(after))
    throw Error(ErrorCode::bad_argument, options.after,
                "is of another kind than " + options.before + "; compare two reports of 'measure', or two of 'bench'");
  if (is_bench(before))
    return compare_benches(session, options.before, before, options.after, after, options.tolerance);
  for (const char* key : {"file", "clip", "frames", "vertices"})
    if (before.value(key, Json()) != after.value(key, Json()))
      session.context().warn(fmt::format("the reports differ in \"{}\": {} and {}", key,
                                         before.value(key, Json()).dump(), after.value(key, Json()).dump()));
  const std::vector<Change> changes = compare(before, after, options.tolerance);
  if (changes.empty())
    throw Error(ErrorCode::bad_argument, options.after, "has no method and metric in common with " + options.before);

  int better = 0, worse = 0;
  Json rows = Json::array();
  for (const Change& c : changes) {
    better += c.verdict < 0;
    worse += c.verdict > 0;
    const char* verdict = c.verdict < 0 ? "better" : c.verdict > 0 ? "worse" : "same";
    rows.push_back({{"method", c.method},
                    {"metric", c.metric},
                    {"statistic", c.statistic},
                    {"before", c.before},
                    {"after", c.after},
                    {"verdict", verdict}});
    if (c.verdict != 0 && c.metric.find('.') == std::string::npos)
      session.say(fmt::format(
          "{:<7} {:<10} {:<22} {:<7} {:>12.5g} -> {:<12.5g} {:+.1f}%", verdict, c.method, c.metric, c.statistic,
          c.before, c.after,
          c.before == 0 ? 100.0 * (c.after > 0 ? 1 : -1) : 100 * (c.after - c.before) / std::abs(c.before)));
  }
  session.say(fmt::format("{} better, {} worse, {} the same within {}%", better, worse,
                          static_cast<int>(changes.size()) - better - worse, options.tolerance));
  session.print({{"before", options.before},
                 {"after", options.after},
                 {"better", better},
                 {"worse", worse},
                 {"same", static_cast<int>(changes.size()) - better - worse},
                 {"changes", rows}});
}

}  // namespace

void add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareArguments>();
  CLI::App* verb = app.add_subcommand(
      "compare", "What got better and worse between two reports of 'cutis measure', or two runs of 'cutis bench'");
  verb->add_option("BEFORE", options->before, "Report (JSON)")->required();
  verb->add_option("AFTER", options->after, "Report (JSON)")->required();
  verb->add_option("--tolerance", options->tolerance,
                   "Differences up to this many per cent are the same (bench: of the quality; times while their "
                   "spreads overlap)")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 100.0));
  add_common_options(*verb, options->common);
  verb->footer(
      "Example:\n"
      "  cutis measure a.glb --clip walk -o before.json\n"
      "  cutis measure b.glb --clip walk -o after.json\n"
      "  cutis compare before.json after.json\n"
      "  cutis bench body --json > faster.json");
  verb->callback([options] { run_compare(*options); });
}

}  // namespace cutis::cli
