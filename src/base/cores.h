#pragma once

namespace cutis {

/// Cores that this process may run on, at least 1: fewer than the machine has where a scheduler or `taskset` says so.
[[nodiscard]] int available_cores() noexcept;

}  // namespace cutis
