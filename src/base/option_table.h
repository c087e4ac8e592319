// Rows of a table of options (cutis/option_rows.h), one a field:
//
//   constexpr OptionRow<TrackingOptions> kRows[] = {
//       number_row<&TrackingOptions::step>("step", "rad", {.least = 0, .most = 1, .above_least = true}, "…"),
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "cutis/option_rows.h"

namespace cutis {

struct OptionRange {
  double least = 0, most = 1;
  bool above_least = false;
};

/// Any finite number that a float can hold.
inline constexpr OptionRange kAnyNumber{-1e30, 1e30};

namespace option_table {

template <class Member>
struct FieldOf;
template <class Options, class Value>
struct FieldOf<Value Options::*> {
  using Owner = Options;
  using Type = Value;
};
template <class Value>
inline constexpr bool kMayBeEmpty = false;
template <class Value>
inline constexpr bool kMayBeEmpty<std::optional<Value>> = true;

// Numbers that a field cannot hold become its largest: the check refuses them.
template <class Value>
Value converted(double value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
    constexpr double kMost = std::numeric_limits<int>::max();
    const double least = std::is_signed_v<Value> ? -kMost : 0;
    return static_cast<Value>(static_cast<int>(value >= least && value <= kMost ? value : kMost));
  } else {
    return value;
  }
}

template <auto Field>
constexpr auto row(const OptionInfo& info) {
  using Options = typename FieldOf<decltype(Field)>::Owner;
  using Value = typename FieldOf<decltype(Field)>::Type;
  OptionRow<Options> result;
  static_cast<OptionInfo&>(result) = info;
  if constexpr (kMayBeEmpty<Value>) {
    result.may_be_empty = true;
    result.has = [](const Options& o) { return (o.*Field).has_value(); };
    result.clear = [](Options& o) { (o.*Field).reset(); };
  } else {
    result.has = [](const Options&) { return true; };
  }
  if constexpr (std::is_same_v<Value, std::string>) {
    result.get_text = [](const Options& o) -> const std::string* { return &(o.*Field); };
    result.set_text = [](Options& o, std::string text) { o.*Field = std::move(text); };
  } else if constexpr (std::is_same_v<Value, std::optional<std::string>>) {
    result.get_text = [](const Options& o) -> const std::string* { return o.*Field ? &*(o.*Field) : nullptr; };
    result.set_text = [](Options& o, std::string text) { o.*Field = std::move(text); };
  } else if constexpr (kMayBeEmpty<Value>) {
    result.get = [](const Options& o) {
      return o.*Field ? static_cast<double>(*(o.*Field)) : std::numeric_limits<double>::quiet_NaN();
    };
    result.set = [](Options& o, double value) { o.*Field = converted<typename Value::value_type>(value); };
  } else {
    result.get = [](const Options& o) { return static_cast<double>(o.*Field); };
    result.set = [](Options& o, double value) { o.*Field = converted<Value>(value); };
  }
  return result;
}

}  // namespace option_table

template <auto Field>
constexpr auto number_row(std::string_view name, std::string_view unit, OptionRange range, std::string_view help) {
  return option_table::row<Field>({.name = name,
                                   .unit = unit,
                                   .least = range.least,
                                   .most = range.most,
                                   .above_least = range.above_least,
                                   .help = help});
}

template <auto Field>
constexpr auto count_row(std::string_view name, double least, double most, std::string_view help) {
  return option_table::row<Field>(
      {.name = name, .kind = OptionKind::count, .least = least, .most = most, .help = help});
}

template <auto Field>
constexpr auto flag_row(std::string_view name, std::string_view help) {
  return option_table::row<Field>({.name = name, .kind = OptionKind::flag, .help = help});
}

/// `names`: in the order of the enumeration, from 0 on.
template <auto Field>
constexpr auto choice_row(std::string_view name, std::span<const std::string_view> names, std::string_view help) {
  return option_table::row<Field>({.name = name,
                                   .kind = OptionKind::choice,
                                   .most = static_cast<double>(names.size()) - 1,
                                   .choices = names,
                                   .help = help});
}

template <auto Field>
constexpr auto text_row(std::string_view name, std::string_view help) {
  return option_table::row<Field>({.name = name, .kind = OptionKind::text, .help = help});
}

/// A list, or options of their own.
template <class Options>
constexpr OptionRow<Options> other_row(std::string_view name, std::string_view help) {
  OptionRow<Options> result;
  result.name = name;
  result.kind = OptionKind::other;
  result.help = help;
  result.has = [](const Options&) { return false; };
  return result;
}

/// The row with a flag of the command line.
template <class Options>
constexpr OptionRow<Options> on(std::string_view flag, OptionRow<Options> row) {
  row.flag = flag;
  return row;
}

/// What rows concern.
inline constexpr std::string_view kOfTracking[] = {"tracking"};
inline constexpr std::string_view kOfImplicit[] = {"implicit"};
inline constexpr std::string_view kOfBoth[] = {"implicit", "tracking"};
inline constexpr std::string_view kOfContact[] = {"contact"};
inline constexpr std::string_view kOfRelief[] = {"implicit", "contact"};
inline constexpr std::string_view kOfBudget[] = {"tracking", "contact"};
inline constexpr std::string_view kOfAtlas[] = {"atlas"};

/// The row of some methods alone.
template <class Options>
constexpr OptionRow<Options> of(std::span<const std::string_view> methods, OptionRow<Options> row) {
  row.concerns = methods;
  return row;
}

}  // namespace cutis
