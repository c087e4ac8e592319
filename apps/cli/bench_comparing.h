// Two runs of `cutis bench`, row by row.
#pragma once

#include "common.h"

namespace cutis::cli {

/// Whether the document is one of `cutis bench --json`.
[[nodiscard]] bool is_bench(const Json& document);

/// Says and prints what got faster and slower, and which results changed. Times count as the same while their spreads
/// overlap; numbers of quality while they differ by at most `tolerance` per cent. Throws Error when they have no row in
/// common.
void compare_benches(const Session& session, const std::string& before_file, const Json& before,
                     const std::string& after_file, const Json& after, double tolerance);

}  // namespace cutis::cli
