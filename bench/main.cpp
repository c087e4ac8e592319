// cutis_bench: one JSON row a line on stdout, a readable line on stderr. Exits 0 whatever the times: machines are
// noisy; budgets are for reading.
#include <cstdio>
#include <exception>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness.h"

int main() try {
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
  cutis::bench::skinning(emit);
  cutis::bench::files(emit);
  cutis::bench::weights(emit);
  cutis::bench::markers(emit);
  cutis::bench::fields(emit);
  cutis::bench::implicit(emit);
  cutis::bench::contact(emit);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "cutis_bench: {}\n", error.what());
  return 1;
}
