// Benchmarks as rows: a name, the median of several runs, their spread, a budget, and a hash of the result, so that a
// faster wrong answer is caught.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cutis::bench {

struct Row {
  std::string name;
  std::string unit;  ///< what `median` counts, e.g. "ns/vertex"
  double median = 0, best = 0, worst = 0;
  int runs = 0;
  double budget = 0;  ///< 0: none
  bool more_is_better = false;
  std::uint64_t hash = 0;  ///< of the result
};

/// Runs `body` (which returns the hash of its result) until `runs` timings are in, after one to warm up; `scale` turns
/// seconds into the unit.
[[nodiscard]] Row measure(std::string name, std::string unit, double scale, int runs,
                          const std::function<std::uint64_t()>& body);

using Suite = std::function<void(const std::function<void(const Row&)>& emit)>;
void skinning(const std::function<void(const Row&)>& emit);
void files(const std::function<void(const Row&)>& emit);
void markers(const std::function<void(const Row&)>& emit);
void weights(const std::function<void(const Row&)>& emit);
void fields(const std::function<void(const Row&)>& emit);
void implicit(const std::function<void(const Row&)>& emit);
void contact(const std::function<void(const Row&)>& emit);

}  // namespace cutis::bench
