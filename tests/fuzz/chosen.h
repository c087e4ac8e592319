// Inputs of targets that hold several readers: JSON, a zero byte, and a byte that chooses the reader. What has none is
// read by the first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace cutis::fuzz {

inline std::string chosen(std::string json, std::size_t reader) {
  json += '\0';
  return json += static_cast<char>('0' + reader);
}

/// The text, and which of the readers.
inline std::pair<std::string_view, std::size_t> text_and_choice(std::string_view bytes, std::size_t readers) {
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  const std::size_t byte = end + 1 < bytes.size() ? static_cast<unsigned char>(bytes[end + 1]) : '0';
  return {bytes.substr(0, end), (byte - '0') % readers};
}

}  // namespace cutis::fuzz
