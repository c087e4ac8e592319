// Flags of the program from the tables of options (cutis/options.h): names, ranges, defaults, choices and help are the
// tables'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "cutis/options.h"

namespace cutis::cli {

/// What `--help` says of a flag: the methods it concerns, its help, its unit.
[[nodiscard]] std::string flag_help(const OptionInfo& option);
/// The long name of its flag, "--contact-pass"; "" when it has none.
[[nodiscard]] std::string flag_name(const OptionInfo& option);
/// Whether it turns an option off: "!--no-cage".
[[nodiscard]] bool turns_off(const OptionInfo& option);

/// Adds the flag of every field that has one. Fields of the same flag are set together. What `fields` point to must
/// live as long as the verb. A value out of range is wrong usage, a method that does not exist bad input.
void add_option_flags(CLI::App& verb, const std::vector<OptionField>& fields,
                      const std::vector<std::string_view>& except = {});

/// A flag that was added before, by its long name. CLI11's own look-up ends the process where memory runs out.
[[nodiscard]] CLI::Option* flag_of(CLI::App& verb, const std::string& name);

/// Adds --set NAME=VALUE for options of any of the groups: "tracking.step"; of the group "" by their names alone.
struct OptionGroup {
  std::string name;
  std::vector<OptionField> fields;
};
void add_set_flag(CLI::App& verb, std::vector<OptionGroup> groups);

}  // namespace cutis::cli
