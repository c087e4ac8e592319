#include "cutis/take.h"

#include <algorithm>

#include "base/math.h"

namespace cutis {
namespace {

bool same_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

std::string_view without_subject(std::string_view name) {
  const auto at = name.rfind(':');
  return at == name.npos || at + 1 == name.size() ? name : name.substr(at + 1);
}

bool MarkerTake::seen(std::size_t frame, std::size_t point) const { return is_finite(at(frame, point)); }

int MarkerTake::find(std::string_view name) const {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<int>(i);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (same_but_for_case(without_subject(names[i]), without_subject(name))) return static_cast<int>(i);
  return -1;
}

}  // namespace cutis
