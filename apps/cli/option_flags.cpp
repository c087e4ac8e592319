#include "option_flags.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cutis/error.h"

namespace cutis::cli {
namespace {

constexpr std::string_view kOnOff = " on|off";

// What CLI11 is to show of the values: "{on,off}", "FLOAT in [0, 0.2]".
std::string shown_range(const OptionInfo& option) {
  if (option.kind == OptionKind::flag) return "{on,off}";
  if (option.kind == OptionKind::choice) return fmt::format("{{{}}}", fmt::join(option.choices, ","));
  if (option.kind == OptionKind::text) return "";
  return fmt::format("in {}{:g}, {:g}]", option.above_least ? "(" : "[", option.least, option.most);
}

std::string type_name(const OptionInfo& option) {
  return option.kind == OptionKind::count ? "INT" : option.kind == OptionKind::number ? "FLOAT" : "TEXT";
}

void set_all(const std::vector<OptionField>& fields, const OptionValue& value) {
  for (const OptionField& field : fields) field.set(value);
}

void add_switch(CLI::App& verb, std::string_view flag, const std::vector<OptionField>& fields) {
  verb.add_flag_function(
      std::string(flag), [fields](std::int64_t count) { set_all(fields, count > 0 ? 1.0 : 0.0); },
      flag_help(*fields.front().info));
}

void add_value(CLI::App& verb, std::string_view flag, const std::vector<OptionField>& fields) {
  const OptionInfo& option = *fields.front().info;
  CLI::Option* added = verb.add_option_function<std::string>(
      std::string(flag),
      [fields](const std::string& text) {
        OptionValue value;
        const std::string fault = read_option(*fields.front().info, text, value);
        if (!fault.empty()) throw Error(ErrorCode::bad_argument, flag_name(*fields.front().info), fault);
        set_all(fields, value);
      },
      flag_help(option));
  added->type_name(type_name(option));
  if (const std::string standard = option_text(option, fields.front().get()); !standard.empty())
    added->default_str(standard);
  const bool names_method = option.name == "method" || option.name == "embedding";
  added->check(CLI::Validator(
      [&option, names_method](const std::string& text) {
        OptionValue ignored;
        return names_method ? std::string() : read_option(option, text, ignored);
      },
      shown_range(option)));
}

}  // namespace

std::string flag_help(const OptionInfo& option) {
  std::string help(option.help);
  if (!option.unit.empty()) help = fmt::format("{} ({})", help, option.unit);
  if (!option.concerns.empty()) return fmt::format("{}: {}", fmt::join(option.concerns, ", "), help);
  if (!help.empty() && help[0] >= 'a' && help[0] <= 'z' && !help.starts_with("off:"))
    help[0] = static_cast<char>(help[0] - 'a' + 'A');
  return help;
}

std::string flag_name(const OptionInfo& option) {
  std::string_view flag = option.flag.substr(0, option.flag.find(','));
  if (flag.ends_with(kOnOff)) flag.remove_suffix(kOnOff.size());
  if (flag.starts_with('!')) flag.remove_prefix(1);
  return std::string(flag);
}

bool turns_off(const OptionInfo& option) { return option.flag.starts_with('!'); }

void add_option_flags(CLI::App& verb, const std::vector<OptionField>& fields,
                      const std::vector<std::string_view>& except) {
  std::vector<std::string_view> done = except;
  for (const OptionField& field : fields) {
    std::string_view flag = field.info->flag;
    if (flag.empty() || std::ranges::find(done, flag) != done.end()) continue;
    done.push_back(flag);
    std::vector<OptionField> together;
    for (const OptionField& other : fields)
      if (other.info->flag == flag) together.push_back(other);
    if (flag.ends_with(kOnOff)) {
      flag.remove_suffix(kOnOff.size());
      add_value(verb, flag, together);
    } else if (field.info->kind == OptionKind::flag) {
      add_switch(verb, flag, together);
    } else {
      add_value(verb, flag, together);
    }
  }
}

void add_set_flag(CLI::App& verb, std::vector<OptionGroup> groups) {
  verb.add_option_function<std::vector<std::string>>(
          "--set",
          [groups = std::move(groups)](const std::vector<std::string>& given) {
            for (const std::string& text : given) {
              const std::size_t equals = text.find('=');
              if (equals == std::string::npos)
                throw CLI::ValidationError("--set", fmt::format("'{}' is not NAME=VALUE", text));
              const std::string name = text.substr(0, equals);
              const OptionField* found = nullptr;
              for (const OptionGroup& group : groups)
                for (const OptionField& field : group.fields)
                  if (name == (group.name.empty() ? "" : group.name + ".") + std::string(field.info->name))
                    found = &field;
              if (found == nullptr)
                throw CLI::ValidationError("--set",
                                           fmt::format("there is no option '{}'; 'cutis options' lists them", name));
              OptionValue value;
              if (const std::string fault = read_option(*found->info, text.substr(equals + 1), value); !fault.empty())
                throw CLI::ValidationError("--set", fault);
              found->set(value);
            }
          },
          "Any option by its name, as tracking.step=0.05; 'cutis options' lists them. May be given several times")
      ->type_name("NAME=VALUE")
      ->type_size(1)
      ->allow_extra_args(false);
}

CLI::Option* flag_of(CLI::App& verb, const std::string& name) {
  for (CLI::Option* option : verb.get_options({}))
    if (option->check_name(name)) return option;
  throw CLI::OptionNotFound(name);
}

}  // namespace cutis::cli
