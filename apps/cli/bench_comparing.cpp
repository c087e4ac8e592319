#include "bench_comparing.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cutis/error.h"

namespace cutis::cli {
namespace {

double number(const Json& row, const char* key) {
  return row.contains(key) && row[key].is_number() ? row[key].get<double>() : 0;
}

std::string text(const Json& row, const char* key) {
  return row.contains(key) && row[key].is_string() ? row[key].get<std::string>() : std::string();
}

// "faster", "slower" or "same".
std::string verdict(const Json& before, const Json& after) {
  const double a = number(before, "median"), b = number(after, "median");
  const double noise = (number(before, "spread") + number(after, "spread")) / 2;
  if (a == b || std::abs(a - b) <= noise) return "same";
  const bool more_is_better = text(before, "unit").ends_with("/s");
  return (b < a) != more_is_better ? "faster" : "slower";
}

Json changed_quality(const Json& before, const Json& after, double tolerance) {
  Json changes = Json::array();
  const Json empty = Json::object();
  const Json &a = before.value("quality", empty), &b = after.value("quality", empty);
  if (!a.is_object() || !b.is_object()) return changes;
  for (const auto& [name, value] : a.items()) {
    if (!value.is_number() || !b.contains(name) || !b[name].is_number()) continue;
    const double x = value.get<double>(), y = b[name].get<double>();
    if (std::abs(x - y) > tolerance / 100 * std::max(std::abs(x), std::abs(y)))
      changes.push_back({{"name", name}, {"before", x}, {"after", y}});
  }
  return changes;
}

}  // namespace

bool is_bench(const Json& document) {
  return document.is_object() && document.contains("rows") && document["rows"].is_array();
}

void compare_benches(const Session& session, const std::string& before_file, const Json& before,
                     const std::string& after_file, const Json& after, double tolerance) {
  for (const char* key : {"backend", "threads"})
    if (before.value(key, Json()) != after.value(key, Json()))
      session.context().warn(fmt::format("the runs differ in \"{}\": {} and {}", key, before.value(key, Json()).dump(),
                                         after.value(key, Json()).dump()));
  Json rows = Json::array();
  int faster = 0, slower = 0, hashes = 0, qualities = 0;
  for (const Json& old_row : before["rows"]) {
    const std::string name = text(old_row, "name");
    const auto found = std::ranges::find_if(
        after["rows"], [&](const Json& row) { return !name.empty() && text(row, "name") == name; });
    if (found == after["rows"].end()) continue;
    const double a = number(old_row, "median"), b = number(*found, "median");
    const std::string what = verdict(old_row, *found);
    const bool same_hash = text(old_row, "hash") == text(*found, "hash");
    const Json quality = changed_quality(old_row, *found, tolerance);
    faster += what == "faster";
    slower += what == "slower";
    hashes += same_hash ? 0 : 1;
    qualities += quality.empty() ? 0 : 1;
    const double ratio = a != 0 ? b / a : 0;
    const double cpu_a = number(old_row, "cpu"), cpu_b = number(*found, "cpu");
    const Json cpu_ratio = cpu_a > 0 && cpu_b > 0 ? Json(rounded(cpu_b / cpu_a)) : Json();
    std::string line = fmt::format("{:<44} {:>9.4g} -> {:<9.4g} {:<10} x{:<6.3f} {:<6}", name, a, b,
                                   text(old_row, "unit"), ratio, what);
    if (cpu_ratio.is_number()) line += fmt::format(" cpu x{:<6.3f}", cpu_ratio.get<double>());
    if (!same_hash) line += "  other result";
    for (const Json& q : quality)
      line += fmt::format("  {} {:.4g} -> {:.4g}", text(q, "name"), number(q, "before"), number(q, "after"));
    session.say(line);
    rows.push_back({{"name", name},
                    {"unit", text(old_row, "unit")},
                    {"before", a},
                    {"after", b},
                    {"ratio", rounded(ratio)},
                    {"cpu_ratio", cpu_ratio},
                    {"verdict", what},
                    {"same_hash", same_hash},
                    {"quality", quality}});
  }
  if (rows.empty()) throw Error(ErrorCode::bad_argument, after_file, "has no row in common with " + before_file);
  session.say(fmt::format("{} rows: {} faster, {} slower; {} with another result, {} with another quality", rows.size(),
                          faster, slower, hashes, qualities));
  session.print({{"before", before_file},
                 {"after", after_file},
                 {"faster", faster},
                 {"slower", slower},
                 {"other_result", hashes},
                 {"other_quality", qualities},
                 {"rows", rows}});
}

}  // namespace cutis::cli
