// The tables of reading.
#include "base/option_table.h"

namespace cutis {
namespace {

constexpr OptionRow<ReadOptions> kReadRows[] = {
    flag_row<&ReadOptions::ignore_weights>("ignore_weights", "drop the file's weights unread"),
};

constexpr OptionRow<MotionOptions> kMotionRows[] = {
    on("--bvh-map", text_row<&MotionOptions::map_file>("map_file",
                                                       "JSON file {\"character joint\": \"BVH joint\", ...}; empty: "
                                                       "joints of equal names correspond")),
};

}  // namespace

template <>
std::span<const OptionRow<ReadOptions>> option_rows() {
  return kReadRows;
}
template <>
std::span<const OptionRow<MotionOptions>> option_rows() {
  return kMotionRows;
}

}  // namespace cutis
