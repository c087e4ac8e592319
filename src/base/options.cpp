#include "cutis/option_rows.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cutis/error.h"

namespace cutis {

void check_option(const OptionInfo& option, double value, const std::string& place) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::bad_argument, place, fmt::format("{} is {:g}; it must be {}", option.name, value, what));
  };
  const bool whole = option.kind != OptionKind::number;
  const bool inside = value <= option.most && (option.above_least ? value > option.least : value >= option.least);
  if (inside && (!whole || value == std::round(value))) return;
  if (option.kind == OptionKind::choice) refuse(fmt::format("one of: {}", fmt::join(option.choices, ", ")));
  const std::string unit = option.unit.empty() ? std::string() : fmt::format(" {}", option.unit);
  if (option.above_least) refuse(fmt::format("more than {:g} and at most {:g}{}", option.least, option.most, unit));
  refuse(fmt::format("between {:g} and {:g}{}", option.least, option.most, unit));
}

}  // namespace cutis
