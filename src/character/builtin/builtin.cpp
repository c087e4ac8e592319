#include "character/builtin/builtin.h"

#include <array>
#include <charconv>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cutis/error.h"
#include "cutis/io.h"

namespace cutis {
namespace {

struct Entry {
  std::string_view name;
  Character (*make)(const Context&);
};
constexpr std::array<Entry, 4> kEntries = {{{"cylinder", [](const Context& c) { return builtin::make_cylinder(c); }},
                                            {"arm", builtin::make_arm},
                                            {"hand", builtin::make_hand},
                                            {"human", builtin::make_human}}};

}  // namespace

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) names.emplace_back(entry.name);
  return names;
}

Character make_builtin(std::string_view name, const Context& context) {
  constexpr std::string_view kFine = "cylinder:";
  constexpr int kFewest = 500, kMost = 500'000;
  if (name.starts_with(kFine)) {
    int vertices = 0;
    const std::string_view number = name.substr(kFine.size());
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), vertices);
    if (error != std::errc{} || end != number.data() + number.size() || vertices < kFewest || vertices > kMost)
      throw Error(ErrorCode::bad_argument, fmt::format("builtin:{}", name),
                  fmt::format("a cylinder has {} to {} vertices, as in builtin:cylinder:12000", kFewest, kMost));
    Character character = builtin::make_cylinder(context, vertices);
    character.source = fmt::format("builtin:{}", name);
    return character;
  }
  for (const Entry& entry : kEntries) {
    if (entry.name != name) continue;
    Character character = entry.make(context);
    character.source = fmt::format("builtin:{}", name);
    return character;
  }
  throw Error(ErrorCode::bad_argument, fmt::format("builtin:{}", name),
              fmt::format("there is no such built-in character; take one of {}", fmt::join(builtin_names(), ", ")));
}

}  // namespace cutis
