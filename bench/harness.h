// What the suites share.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "cutis/cutis.h"

namespace cutis::bench {

/// Handed to every suite.
class Bench {
 public:
  Bench(const Options& options, const Context& context, std::function<void(const Row&)> emit);

  [[nodiscard]] const Context& context() const { return context_; }        ///< with the threads that were asked for
  [[nodiscard]] const Context& alone() const { return alone_; }            ///< one core
  [[nodiscard]] const std::string& data() const { return options_.data; }  ///< the data folder; may be empty
  [[nodiscard]] bool profile() const { return options_.profile; }
  [[nodiscard]] const AlsoMeasure& also() const { return options_.also; }
  /// Whether a row of this name, or one below it, was asked for.
  [[nodiscard]] bool wants(std::string_view name) const;
  /// Hands the row out if it was asked for.
  void emit(const Row& row) const;
  /// A file of the data folder; empty when it is absent, after a remark of what that means.
  [[nodiscard]] std::string data_file(const std::string& path, std::string_view otherwise) const;

 private:
  const Options& options_;
  const Context& context_;
  Context alone_;
  std::function<void(const Row&)> emit_;
};

/// Fills median, best, worst, spread and runs.
void set_values(Row& row, std::vector<double> values);
[[nodiscard]] double median(std::vector<double> values);
/// Seconds of processor time that all threads of the process have used.
[[nodiscard]] double cpu_seconds();

/// Runs `body` (which returns the hash of its result) until `runs` timings are in, after one to warm up; `scale` turns
/// seconds into the unit.
[[nodiscard]] Row measure(std::string name, std::string unit, double scale, int runs,
                          const std::function<std::uint64_t()>& body);
[[nodiscard]] Row single_value(std::string name, std::string unit, double value, std::uint64_t hash);

// One a scene.
void skinning(const Bench& bench);
void body(const Bench& bench);
void implicit(const Bench& bench);
void contact(const Bench& bench);
void fields(const Bench& bench);
void binding(const Bench& bench);
void weights(const Bench& bench);
void markers(const Bench& bench);
void files(const Bench& bench);
void growth(const Bench& bench);
void avatars(const Bench& bench);
void machine(const Bench& bench);

}  // namespace cutis::bench
