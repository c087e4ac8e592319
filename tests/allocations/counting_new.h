// Counts what the whole program allocates: counting_new.cpp replaces the global operator new.
#pragma once

#include <cstddef>

namespace cutis::test {

/// Of all threads, since the program began.
[[nodiscard]] std::size_t allocations();
[[nodiscard]] std::size_t allocated_bytes();
/// While set, an allocation prints where it came from (backtrace) on stderr: to find what a failing test found.
void trace_allocations(bool on);

}  // namespace cutis::test
