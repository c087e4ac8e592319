// UTF-8, a character at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace cutis {

struct Utf8Character {
  char32_t code = 0;
  std::size_t bytes = 1;  ///< that it takes; 1 for a byte that starts no character
  bool valid = false;     ///< shortest form, no surrogate, not beyond U+10FFFF
};

/// The first character of a text that is not empty.
inline Utf8Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
  char32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  constexpr char32_t kLeast[5] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return {};
  return {code, length, true};
}

}  // namespace cutis
