#include "io/gltf_read_uri.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <system_error>

#include "base/input_file.h"
#include "cutis/error.h"

namespace cutis::gltf {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::int8_t, 256> kBase64 = [] {
  std::array<std::int8_t, 256> table{};
  table.fill(-1);
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < digits.size(); ++i)
    table[static_cast<unsigned char>(digits[i])] = static_cast<std::int8_t>(i);
  return table;
}();

std::vector<std::byte> decode_base64(std::string_view text, const std::string& place) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::int8_t digit = kBase64[static_cast<unsigned char>(text[i])];
    if (digit < 0)
      throw Error(ErrorCode::bad_file, place, fmt::format("its embedded data is not base64 at character {}", i));
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes.push_back(static_cast<std::byte>(bits >> held & 0xFFU));
    }
  }
  return bytes;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decode_percent(std::string_view uri) {
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    const int high = uri[i] == '%' && i + 2 < uri.size() ? hex_digit(uri[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(uri[i + 2]) : -1;
    if (low >= 0) {
      path.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    } else {
      path.push_back(uri[i]);
    }
  }
  return path;
}

bool has_scheme(std::string_view path) {
  const std::size_t colon = path.find(':');
  if (colon == std::string_view::npos || colon == 0 || std::isalpha(static_cast<unsigned char>(path[0])) == 0)
    return false;
  return std::all_of(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.'; });
}

bool has_parent_step(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find_first_of("/\\", begin), path.size());
    if (path.substr(begin, end - begin) == "..") return true;
    begin = end + 1;
  }
  return false;
}

// Both ends are made canonical, so that a symbolic link cannot lead out either.
fs::path resolve_inside(std::string_view uri, const std::string& folder, const std::string& place) {
  const std::string path = decode_percent(uri);
  const auto refuse = [&] {
    throw Error(ErrorCode::bad_file, place,
                fmt::format("it points to '{}', but only files in the glTF file's own folder are read; put it there "
                            "or embed it",
                            uri.substr(0, 200)));
  };
  if (path.empty() || path.find('\0') != std::string::npos || path.front() == '/' || path.front() == '\\' ||
      has_scheme(path) || has_parent_step(path))
    refuse();
  std::error_code error;
  const fs::path base = fs::weakly_canonical(folder, error);
  if (error) refuse();
  const fs::path target = fs::weakly_canonical(base / path, error);
  if (error) refuse();
  const fs::path inside = target.lexically_relative(base);
  if (inside.empty() || *inside.begin() == "..") refuse();
  return target;
}

}  // namespace

std::vector<std::byte> read_whole_file(const fs::path& path, const std::string& place) {
  InputFile file(path.string(), place);
  std::vector<std::byte> bytes(file.size());
  file.read(bytes.data());
  return bytes;
}

UriContent read_uri(std::string_view uri, const std::string& folder, const std::string& place) {
  if (uri.starts_with("data:")) {
    const std::size_t comma = uri.find(',');
    const std::string_view head = uri.substr(5, comma == std::string_view::npos ? 0 : comma - 5);
    if (comma == std::string_view::npos || !head.ends_with(";base64"))
      throw Error(ErrorCode::bad_file, place, "its embedded data is not a base64 data URI");
    return {decode_base64(uri.substr(comma + 1), place), std::string(head.substr(0, head.find(';')))};
  }
  if (folder.empty())
    throw Error(ErrorCode::bad_file, place,
                fmt::format("its data is in the separate file '{}', which cannot be read here", uri.substr(0, 200)));
  return {read_whole_file(resolve_inside(uri, folder, place), place), {}};
}

}  // namespace cutis::gltf
