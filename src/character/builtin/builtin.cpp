#include "character/builtin/builtin.h"

#include <array>
#include <charconv>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cutis/error.h"

namespace cutis {
namespace {

struct Entry {
  std::string_view name;
  Character (*make)(const Context&);
};
constexpr std::array<Entry, 4> kEntries = {{{"cylinder", [](const Context& c) { return builtin::make_cylinder(c); }},
                                            {"arm", builtin::make_arm},
                                            {"hand", [](const Context& c) { return builtin::make_hand(c); }},
                                            {"human", builtin::make_human}}};

// "hand:12000": with so many vertices.
struct Sized {
  std::string_view name;
  Character (*make)(const Context&, int);
  int fewest, most;  // vertices
};
constexpr std::array<Sized, 2> kSized = {
    {{"cylinder", builtin::make_cylinder, 500, 500'000}, {"hand", builtin::make_hand, 2'000, 50'000}}};

}  // namespace

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) names.emplace_back(entry.name);
  return names;
}

Character make_builtin(std::string_view name, const Context& context) {
  const std::size_t colon = name.find(':');
  for (const Sized& sized : kSized) {
    if (colon == std::string_view::npos || name.substr(0, colon) != sized.name) continue;
    int vertices = 0;
    const std::string_view number = name.substr(colon + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), vertices);
    if (error != std::errc{} || end != number.data() + number.size() || vertices < sized.fewest ||
        vertices > sized.most)
      throw Error(ErrorCode::bad_argument, fmt::format("builtin:{}", name),
                  fmt::format("a {} has {} to {} vertices, as in builtin:{}:12000", sized.name, sized.fewest,
                              sized.most, sized.name));
    Character character = sized.make(context, vertices);
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
