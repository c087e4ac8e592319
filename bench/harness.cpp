#include "harness.h"

#include <algorithm>
#include <chrono>

namespace cutis::bench {

Row measure(std::string name, std::string unit, double scale, int runs, const std::function<std::uint64_t()>& body) {
  Row row;
  row.name = std::move(name);
  row.unit = std::move(unit);
  row.runs = runs;
  row.hash = body();
  std::vector<double> values;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    row.hash = body();
    values.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() * scale);
  }
  std::sort(values.begin(), values.end());
  row.median = values[values.size() / 2];
  row.best = values.front();
  row.worst = values.back();
  return row;
}

}  // namespace cutis::bench
