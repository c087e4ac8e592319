// What the machine can do: the ceilings that docs/performance.md holds the solver against. One core.
#include <cstring>

#include "base/hash.h"
#include "bench/harness.h"

namespace cutis::bench {
namespace {

// Copies within a block until 256 MB have gone through; bytes read and written both count.
void copy_rate(const Bench& bench, const char* name, std::size_t block) {
  constexpr std::size_t kThrough = std::size_t{256} << 20U;
  std::vector<char> from(block / 2, 1), to(block / 2);
  const std::size_t times = kThrough / (block / 2);
  Row row = measure(name, "s", 1, 9, [&] {
    for (std::size_t i = 0; i < times; ++i) {
      from[i % from.size()] = static_cast<char>(i);  // no copy is like the last
      std::memcpy(to.data(), from.data(), from.size());
    }
    return hash_bytes(to.data(), 64);
  });
  const double bytes = 2.0 * static_cast<double>(times * (block / 2)) / 1e9;
  row.unit = "GB/s";
  row.more_is_better = true;
  const double slowest = bytes / row.worst;
  row.spread = bytes / row.median * row.spread / row.median;
  row.median = bytes / row.median;
  row.best = bytes / row.best;
  row.worst = slowest;
  row.cpu = 0;
  bench.emit(row);
}

}  // namespace

void machine(const Bench& bench) {
  copy_rate(bench, "machine/copy_512k", std::size_t{512} << 10U);
  copy_rate(bench, "machine/copy_8m", std::size_t{8} << 20U);
  copy_rate(bench, "machine/copy_256m", std::size_t{256} << 20U);
}

}  // namespace cutis::bench
