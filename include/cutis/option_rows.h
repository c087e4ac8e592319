// Options as data: name, unit, range, default and help of the fields of an options struct, and the check against them.
// Every function of the library that takes options runs the check; tools make command lines, files and sliders of the
// rows.
//
//   for (const OptionRow<TrackingOptions>& row : option_rows<TrackingOptions>())
//     std::printf("%s: %g to %g\n", row.name.data(), row.least, row.most);
//
// Texts, lists and options within options are not in the tables; what takes them checks them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cutis {

enum class OptionKind {
  flag,    ///< 0 or 1
  count,   ///< a whole number
  number,  ///< finite
  choice,  ///< the number of one of `choices`
};

/// What is known of an option, whatever struct it is in.
struct OptionInfo {
  std::string_view name;  ///< of the field
  OptionKind kind = OptionKind::number;
  std::string_view unit;       ///< "" for counts, shares, flags and choices
  double least = 0, most = 1;  ///< both allowed
  bool above_least = false;    ///< `least` itself is not allowed
  std::span<const std::string_view> choices;
  std::string_view help;
};

/// Throws Error(bad_argument) that names place, option, value and range.
void check_option(const OptionInfo& option, double value, const std::string& place);

/// One field of `Options`. Every value is a number here: flags 0 or 1, choices their place in the list.
template <class Options>
struct OptionRow : OptionInfo {
  bool (*has)(const Options&) = nullptr;  ///< false: it may be left empty, and is
  double (*get)(const Options&) = nullptr;
  void (*set)(Options&, double) = nullptr;  ///< takes any number; check_options() is for later
  [[nodiscard]] double standard() const { return get(Options{}); }
};

template <class Options>
[[nodiscard]] std::span<const OptionRow<Options>> option_rows();  // beside each struct, for that struct

/// Every row of the table. Throws Error(bad_argument): "tracking: step is 0; it must be more than 0 and at most 1 rad".
template <class Options>
void check_options(const Options& options, const std::string& place) {
  for (const OptionRow<Options>& row : option_rows<Options>())
    if (row.has(options)) check_option(row, row.get(options), place);
}

}  // namespace cutis
