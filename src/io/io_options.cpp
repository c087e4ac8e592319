// The tables of readers.
#include "base/option_table.h"
#include "cutis/io.h"

namespace cutis {
namespace {

constexpr OptionRow<TakeOptions> kTakeRows[] = {
    number_row<&TakeOptions::unit>("unit", "m", {.least = 0, .most = 1e6, .above_least = true},
                                   "metres a unit of the file; empty: what the file says"),
};

}  // namespace

template <>
std::span<const OptionRow<TakeOptions>> option_rows() {
  return kTakeRows;
}

}  // namespace cutis
