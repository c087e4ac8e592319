// The one parallel loop, and a reduction whose bits do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "cutis/context.h"

namespace cutis {

/// body(begin, end) over [0, n) in chunks of `grain` items; the chunks depend on n and grain alone. Throws
/// Error(cancelled) between chunks when the context says so.
template <class Body>
void parallel_for(const Context& context, std::size_t n, std::size_t grain, Body&& body) {
  if (n == 0) return;
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t chunks = (n + grain - 1) / grain;
  const auto one = [&](std::size_t chunk) {
    context.check_cancelled();
    const std::size_t begin = chunk * grain;
    body(begin, std::min(n, begin + grain));
  };
  context.pool().run(chunks, ChunkBody(one));
}

/// Sums body(begin, end) over the chunks, in the order of the chunks. Up to a thousand chunks need no memory.
template <class T, class Body>
T ordered_sum(const Context& context, std::size_t n, std::size_t grain, T zero, Body&& body) {
  if (n == 0) return zero;
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t chunks = (n + grain - 1) / grain;
  std::array<T, 1024> few;
  std::vector<T> many(chunks > few.size() ? chunks : 0, zero);
  const std::span<T> parts = many.empty() ? std::span<T>(few).first(chunks) : std::span<T>(many);
  parallel_for(context, n, grain, [&](std::size_t begin, std::size_t end) { parts[begin / grain] = body(begin, end); });
  for (const T& part : parts) zero += part;
  return zero;
}

/// The largest of body(begin, end) over the chunks and `least`.
template <class T, class Body>
T largest_of(const Context& context, std::size_t n, std::size_t grain, T least, Body&& body) {
  struct Largest {
    T value;
    void operator+=(const Largest& b) { value = std::max(value, b.value); }
  };
  return ordered_sum(context, n, grain, Largest{least},
                     [&](std::size_t begin, std::size_t end) { return Largest{body(begin, end)}; })
      .value;
}

}  // namespace cutis
