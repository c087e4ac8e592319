// Tables of bi-harmonic operators: slices over d, built on all threads, kept on disk by content.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compose/profile.h"
#include "cutis/context.h"
#include "kernels/compose.h"

namespace cutis {

inline constexpr int kTableCells = 32;
inline constexpr int kTableSlices = kContactSteps + 1;  // the contact line grows by one node a slice

struct OperatorTable {
  int side = 0, slices = 0;
  std::vector<OperatorNode> nodes;

  [[nodiscard]] OperatorTableView view() const { return {nodes.data(), side, slices}; }
};

/// The same bits for any number of threads.
[[nodiscard]] OperatorTable build_table(const OperatorProfile& profile, bool monotone, const Context& context);

/// Changes with anything that changes the table.
[[nodiscard]] std::uint64_t table_key(const OperatorProfile& profile, bool monotone);

/// $XDG_CACHE_HOME/cutis or ~/.cache/cutis; empty when the environment names neither.
[[nodiscard]] std::string default_cache_folder();

/// The table of that profile, from `folder` (no cache when empty) or built and stored there. Never fails because of
/// the cache: `use` tells what became of it.
[[nodiscard]] OperatorTable cached_table(const OperatorProfile& profile, bool monotone, const std::string& folder,
                                         const Context& context, CacheUse& use);

}  // namespace cutis
