// Options as data: each field of an options struct is described once (name, kind, unit, range, default, help, the
// methods it concerns, its flag on the command line). The check, the program's flags, JSON in and out and
// docs/options.md come from these rows; sliders and bindings can.
//
//   for (const OptionRow<TrackingOptions>& row : option_rows<TrackingOptions>())
//     std::printf("%s: %g to %g\n", row.name.data(), row.least, row.most);
//
// Every function of the library that takes options runs the check. Lists and options within options have a row too
// (OptionKind::other), without a value; what takes them checks them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cutis {

enum class OptionKind {
  flag,    ///< 0 or 1
  count,   ///< a whole number
  number,  ///< finite
  choice,  ///< the number of one of `choices`
  text,    ///< a name or a file; what takes it checks it
  other,   ///< a list, or options of their own: described here, set elsewhere
};
[[nodiscard]] std::string_view to_string(OptionKind kind);

/// What is known of an option, whatever struct it is in.
struct OptionInfo {
  std::string_view name = {};  ///< of the field, and in files
  OptionKind kind = OptionKind::number;
  std::string_view unit = {};  ///< "" for counts, shares, flags and choices
  double least = 0, most = 1;  ///< both allowed
  bool above_least = false;    ///< `least` itself is not allowed
  std::span<const std::string_view> choices = {};
  std::string_view help = {};
  bool may_be_empty = false;  ///< then the library decides, as the help says
  /// Of the methods of solving or of weights; "contact" is the contact pass. None: all that take the struct.
  std::span<const std::string_view> concerns = {};
  /// On the command line: "--relief-cap", "--contact-pass,!--no-contact-pass", "!--no-cage" (turns it off). Empty:
  /// none.
  std::string_view flag = {};
};

/// Empty, a number (flags 0 or 1, choices their place in the list), or a text.
using OptionValue = std::variant<std::monostate, double, std::string>;

/// Empty when the value is allowed; else "step is 0; it must be more than 0 and at most 1 rad".
[[nodiscard]] std::string option_fault(const OptionInfo& option, double value);
/// Throws Error(bad_argument) with that sentence and the place.
void check_option(const OptionInfo& option, double value, const std::string& place);
/// "between 0 and 0.2 m", "on or off", "one of: lbs, dqs".
[[nodiscard]] std::string option_range(const OptionInfo& option);

/// As people write it: "0.03", "on", "own-side"; "" when empty.
[[nodiscard]] std::string option_text(const OptionInfo& option, const OptionValue& value);
/// The value that a text stands for. Returns the sentence of option_fault(): empty when it is one.
[[nodiscard]] std::string read_option(const OptionInfo& option, std::string_view text, OptionValue& value);

/// One field of `Options`. Every value but texts is a number here: flags 0 or 1, choices their place in the list.
template <class Options>
struct OptionRow : OptionInfo {
  bool (*has)(const Options&) = nullptr;    ///< false: it may be left empty, and is; always of OptionKind::other
  double (*get)(const Options&) = nullptr;  ///< none of texts and others
  void (*set)(Options&, double) = nullptr;  ///< takes any number; check_options() is for later
  const std::string* (*get_text)(const Options&) = nullptr;  ///< of texts alone; null: empty
  void (*set_text)(Options&, std::string) = nullptr;
  void (*clear)(Options&) = nullptr;  ///< of what may be empty
  [[nodiscard]] double standard() const { return get(Options{}); }
};

template <class Options>
[[nodiscard]] std::span<const OptionRow<Options>> option_rows();  // declared beside each struct, for that struct

/// Every row of the table. Throws Error(bad_argument): "tracking: step is 0; it must be more than 0 and at most 1 rad".
template <class Options>
void check_options(const Options& options, const std::string& place) {
  for (const OptionRow<Options>& row : option_rows<Options>())
    if (row.get != nullptr && row.has(options)) check_option(row, row.get(options), place);
}

// ---- whatever struct it is in ----

/// A field of some options: what command lines and files work on. The options must outlive it.
struct OptionField {
  const OptionInfo* info = nullptr;
  std::function<OptionValue()> get;
  std::function<void(const OptionValue&)> set;  ///< takes any number, see check_options(); empties what may be empty
};

/// All that have a value.
template <class Options>
[[nodiscard]] std::vector<OptionField> option_fields(Options& options) {
  std::vector<OptionField> fields;
  for (const OptionRow<Options>& row : option_rows<Options>()) {
    if (row.kind == OptionKind::other) continue;
    fields.push_back({&row,
                      [&options, &row]() -> OptionValue {
                        if (!row.has(options)) return {};
                        if (row.get_text != nullptr) return *row.get_text(options);
                        return row.get(options);
                      },
                      [&options, &row](const OptionValue& value) {
                        if (const auto* number = std::get_if<double>(&value); number && row.set)
                          row.set(options, *number);
                        else if (const auto* text = std::get_if<std::string>(&value); text && row.set_text)
                          row.set_text(options, *text);
                        else if (row.clear != nullptr)
                          row.clear(options);
                      }});
  }
  return fields;
}

// ---- JSON ----

/// {"step": 0.0873, "history": "playback", ...}; null: empty. Of every field that has a value.
[[nodiscard]] std::string options_to_json(std::span<const OptionField> fields);
/// Sets the fields that the text names and checks them. Throws Error(bad_file) with the sentence of option_fault(), or
/// with the key that is not known.
void options_from_json(std::string_view text, std::span<const OptionField> fields, const std::string& place);

/// One row, for whoever shows options: {"name", "kind", "default", "may_be_empty", "unit", "least", "most",
/// "above_least", "choices", "concerns", "help"}; what a kind does not have is left out.
[[nodiscard]] std::string option_to_json(const OptionInfo& option, const OptionValue& standard);
/// All rows of a struct, with its defaults: [{...}, ...].
template <class Options>
[[nodiscard]] std::string option_table_to_json() {
  Options options;
  std::string text;
  for (const OptionRow<Options>& row : option_rows<Options>()) {
    OptionValue standard;
    if (row.kind != OptionKind::other && row.has(options))
      standard = row.get_text != nullptr ? OptionValue{*row.get_text(options)} : OptionValue{row.get(options)};
    text += (text.empty() ? "[" : ", ") + option_to_json(row, standard);
  }
  return text.empty() ? "[]" : text + "]";
}

}  // namespace cutis
