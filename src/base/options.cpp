#include "cutis/option_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cutis/error.h"

namespace cutis {
namespace {

std::string refusal(const OptionInfo& option, const std::string& value) {
  return fmt::format("{} is {}; it must be {}", option.name, value, option_range(option));
}

}  // namespace

std::string_view to_string(OptionKind kind) {
  constexpr std::string_view kNames[] = {"flag", "count", "number", "choice", "text", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string option_range(const OptionInfo& option) {
  if (option.kind == OptionKind::flag) return "on or off";
  if (option.kind == OptionKind::text) return "text";
  if (option.kind == OptionKind::choice) return fmt::format("one of: {}", fmt::join(option.choices, ", "));
  const std::string unit = option.unit.empty() ? std::string() : fmt::format(" {}", option.unit);
  if (option.above_least) return fmt::format("more than {:g} and at most {:g}{}", option.least, option.most, unit);
  return fmt::format("between {:g} and {:g}{}", option.least, option.most, unit);
}

std::string option_fault(const OptionInfo& option, double value) {
  const bool whole = option.kind != OptionKind::number;
  const bool inside = value <= option.most && (option.above_least ? value > option.least : value >= option.least);
  if (!inside) return refusal(option, fmt::format("{:g}", value));
  if (whole && value != std::round(value)) return fmt::format("{} is {:g}; it must be whole", option.name, value);
  return {};
}

void check_option(const OptionInfo& option, double value, const std::string& place) {
  if (const std::string fault = option_fault(option, value); !fault.empty())
    throw Error(ErrorCode::bad_argument, place, fault);
}

std::string option_text(const OptionInfo& option, const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr) return {};
  if (option.kind == OptionKind::flag) return *number != 0 ? "on" : "off";
  if (option.kind == OptionKind::choice && option_fault(option, *number).empty())
    return std::string(option.choices[static_cast<std::size_t>(*number)]);
  return fmt::format("{}", *number);
}

std::string read_option(const OptionInfo& option, std::string_view text, OptionValue& value) {
  if (option.kind == OptionKind::text) {
    value = std::string(text);
    return {};
  }
  if (option.kind == OptionKind::flag) {
    const bool yes = text == "on" || text == "true" || text == "1";
    const bool no = text == "off" || text == "false" || text == "0";
    if (!yes && !no) return refusal(option, fmt::format("'{}'", text));
    value = yes ? 1.0 : 0.0;
    return {};
  }
  if (option.kind == OptionKind::choice) {
    const auto found = std::ranges::find(option.choices, text);
    if (found == option.choices.end()) return refusal(option, fmt::format("'{}'", text));
    value = static_cast<double>(found - option.choices.begin());
    return {};
  }
  const std::string copy(text);
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  if (copy.empty() || end != copy.c_str() + copy.size()) return refusal(option, fmt::format("'{}'", text));
  std::string fault = option_fault(option, number);
  if (fault.empty()) value = number;
  return fault;
}

}  // namespace cutis
