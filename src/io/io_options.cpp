// The tables of reading.
#include "base/option_table.h"
#include "cutis/io.h"

namespace cutis {
namespace {

constexpr std::string_view kAxisNames[] = {"x", "y", "z"};

constexpr OptionRow<ReadOptions> kReadRows[] = {
    flag_row<&ReadOptions::ignore_weights>("ignore_weights", "drop the file's weights unread"),
    on("--attached",
       flag_row<&ReadOptions::attached>("attached",
                                        "meshes without a skin that hang on bones (a weapon, the head of a "
                                        "robot) come along, rigid, after the skinned ones")),
};

constexpr OptionRow<MotionOptions> kMotionRows[] = {
    on("--bvh-map", text_row<&MotionOptions::map_file>("map_file",
                                                       "JSON file {\"character joint\": \"motion joint\", ...}; empty: "
                                                       "found by names and by the shape of both skeletons")),
    on("--bvh-clip", text_row<&MotionOptions::clip>("clip",
                                                    "of a motion file with several clips: which, by name or number; "
                                                    "empty: the first of more than one key")),
};

// The axis is a letter: 0 when it is left to the file.
constexpr OptionRow<TakeOptions> up_row() {
  OptionRow<TakeOptions> row;
  row.name = "up";
  row.kind = OptionKind::choice;
  row.most = 2;
  row.choices = kAxisNames;
  row.help = "the take's vertical axis; empty: what the file says, else what is usual for its format";
  row.may_be_empty = true;
  row.has = [](const TakeOptions& o) { return o.up != 0; };
  row.get = [](const TakeOptions& o) { return static_cast<double>(o.up - 'x'); };
  row.set = [](TakeOptions& o, double axis) { o.up = static_cast<char>('x' + option_table::converted<int>(axis)); };
  row.clear = [](TakeOptions& o) { o.up = 0; };
  return row;
}

constexpr OptionRow<TakeOptions> kTakeRows[] = {
    on("--up", up_row()),
    on("--unit", number_row<&TakeOptions::unit>("unit", "m", {.least = 0, .most = 1e6, .above_least = true},
                                                "metres a unit of the file; empty: what the file says")),
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
template <>
std::span<const OptionRow<TakeOptions>> option_rows() {
  return kTakeRows;
}

}  // namespace cutis
