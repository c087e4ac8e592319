// The table of OperatorOptions.
#include "base/option_table.h"
#include "cutis/compose.h"

namespace cutis {
namespace {

constexpr OptionRow<OperatorOptions> kOperatorRows[] = {
    other_row<OperatorOptions>("profile", "of a free-form operator"),
    on("!--plain", flag_row<&OperatorOptions::monotone>(
                       "monotone", "tables have bounds on slopes; off: the paper's plain bi-harmonic solution")),
    text_row<&OperatorOptions::cache_folder>(
        "cache_folder", "where tables are kept; empty: $XDG_CACHE_HOME/cutis or ~/.cache/cutis; \"\": nowhere"),
};

}  // namespace

template <>
std::span<const OptionRow<OperatorOptions>> option_rows() {
  return kOperatorRows;
}

}  // namespace cutis
