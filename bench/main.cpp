// cutis_bench: one JSON row a line on stdout, a readable line on stderr. Exits 0 whatever the times: machines are
// noisy; budgets are for reading. With an argument, only that group of rows: cutis_bench implicit.
#include <cstdio>
#include <exception>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness.h"

int main(int argc, char** argv) try {
  const auto emit = [](const cutis::bench::Row& row) {
    const bool met = row.budget == 0 || (row.more_is_better ? row.median >= row.budget : row.median <= row.budget);
    const nlohmann::ordered_json json{
        {"name", row.name},
        {"unit", row.unit},
        {"median", row.median},
        {"best", row.best},
        {"worst", row.worst},
        {"runs", row.runs},
        {"budget", row.budget == 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(row.budget)},
        {"met", met},
        {"hash", fmt::format("{:016x}", row.hash)}};
    fmt::print("{}\n", json.dump());
    std::fflush(stdout);
    fmt::print(stderr, "{:<34} {:>10.4g} {:<10} best {:<10.4g} {}\n", row.name, row.median, row.unit, row.best,
               row.budget == 0 ? "" : fmt::format("budget {}{}", row.budget, met ? "" : "  MISSED"));
  };
  const std::pair<std::string_view, void (*)(const std::function<void(const cutis::bench::Row&)>&)> groups[] = {
      {"skinning", cutis::bench::skinning}, {"files", cutis::bench::files},   {"weights", cutis::bench::weights},
      {"markers", cutis::bench::markers},   {"fields", cutis::bench::fields}, {"implicit", cutis::bench::implicit},
      {"contact", cutis::bench::contact},
  };
  for (const auto& [name, run] : groups)
    if (argc < 2 || name == argv[1]) run(emit);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "cutis_bench: {}\n", error.what());
  return 1;
}
