// Benchmarks as rows: a name, the median of several runs, their spread, a budget, a hash of the result and numbers of
// its quality beside the time, so that a faster wrong answer is caught. What `cutis bench` runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/context.h"
#include "cutis/second_runs.h"

namespace cutis::bench {

struct Number {
  std::string name;
  double value = 0;
};

struct Row {
  std::string name;  ///< scene/…
  std::string unit;  ///< of `median`, e.g. "ns/vertex"
  double median = 0, best = 0, worst = 0;
  double spread = 0;  ///< from the 10th to the 90th percentile of the runs
  int runs = 0;
  double cpu = 0;     ///< median processor time of all threads, in the same unit; 0: not measured
  double budget = 0;  ///< 0: none
  bool more_is_better = false;
  std::uint64_t hash = 0;       ///< of the result; the same on every machine and for any number of threads
  std::vector<Number> quality;  ///< worst of all frames; empty where the hash says all
  std::vector<Number> profile;  ///< with Options::profile: what a frame took, stage by stage, and what it counted
  [[nodiscard]] bool met() const { return budget == 0 || (more_is_better ? median >= budget : median <= budget); }
};

struct Scene {
  std::string_view name, help;
};
[[nodiscard]] std::vector<Scene> scenes();

struct Options {
  std::vector<std::string> rows;  ///< scenes, or rows by the beginning of their name up to a '/'; empty: all
  std::string data;  ///< folder with makehuman_male/ and hand_webxr/; empty: rows that need it are left out
  bool profile = false;
  AlsoMeasure also = {};  ///< rows that play poses: what takes more runs
};

/// Rows as they are done. Scenes that need absent data warn in `context`. Throws Error(bad_argument) when `rows` names
/// a scene that there is not.
void run(const Options& options, const Context& context, const std::function<void(const Row&)>& emit);

}  // namespace cutis::bench
