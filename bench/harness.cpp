#include "bench/harness.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include <fmt/format.h>

namespace cutis::bench {
namespace {

// `inner` is `outer`, or below it.
bool is_below(std::string_view inner, std::string_view outer) {
  return inner == outer || (inner.starts_with(outer) && inner.size() > outer.size() && inner[outer.size()] == '/');
}

double percentile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

}  // namespace

Bench::Bench(const Options& options, const Context& context, std::function<void(const Row&)> emit)
    : options_(options), context_(context), alone_(1, context.backend()), emit_(std::move(emit)) {}

bool Bench::wants(std::string_view name) const {
  return options_.rows.empty() || std::ranges::any_of(options_.rows, [&](const std::string& asked) {
           return is_below(name, asked) || is_below(asked, name);
         });
}

void Bench::emit(const Row& row) const {
  const bool asked = options_.rows.empty() ||
                     std::ranges::any_of(options_.rows, [&](const std::string& r) { return is_below(row.name, r); });
  if (asked) emit_(row);
}

std::string Bench::data_file(const std::string& path, std::string_view otherwise) const {
  const std::filesystem::path file = std::filesystem::path(options_.data) / path;
  if (!options_.data.empty() && std::filesystem::exists(file)) return file.string();
  context_.warn(fmt::format("{} is not in the data folder (--data names it): {}", path, otherwise));
  return {};
}

void set_values(Row& row, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  row.runs = static_cast<int>(values.size());
  if (values.empty()) return;
  row.median = values[values.size() / 2];
  row.best = row.more_is_better ? values.back() : values.front();
  row.worst = row.more_is_better ? values.front() : values.back();
  row.spread = percentile(values, 0.9) - percentile(values, 0.1);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Row measure(std::string name, std::string unit, double scale, int runs, const std::function<std::uint64_t()>& body) {
  Row row;
  row.name = std::move(name);
  row.unit = std::move(unit);
  row.hash = body();
  std::vector<double> values, cpu;
  for (int i = 0; i < runs; ++i) {
    const double cpu_start = cpu_seconds();
    const auto start = std::chrono::steady_clock::now();
    row.hash = body();
    values.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() * scale);
    cpu.push_back((cpu_seconds() - cpu_start) * scale);
  }
  set_values(row, std::move(values));
  row.cpu = median(std::move(cpu));
  return row;
}

Row single_value(std::string name, std::string unit, double value, std::uint64_t hash) {
  Row row;
  row.name = std::move(name);
  row.unit = std::move(unit);
  row.hash = hash;
  set_values(row, {value});
  return row;
}

}  // namespace cutis::bench
