#include "io/text_scan.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cutis/error.h"

namespace cutis {

std::string read_whole_file(const std::string& path) {
  const auto refuse = [&](const std::string& why) -> Error {
    return {ErrorCode::io, path, "cannot be read (" + why + "); check the name and the permissions."};
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw refuse("it is a folder");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw refuse(std::strerror(errno));
  std::string bytes;
  const auto expected = std::filesystem::file_size(path, ignored);
  if (!ignored) bytes.reserve(expected);
  char block[1 << 16];
  while (const std::size_t n = std::fread(block, 1, sizeof block, file.get())) bytes.append(block, n);
  if (std::ferror(file.get()) != 0) throw refuse(std::strerror(errno));
  return bytes;
}

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 32;
  std::string out = "'";
  for (const char c : text.substr(0, kLongest)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > kLongest ? "...'" : "'");
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool LineReader::next(std::string_view& line) {
  if (rest_.empty()) return false;
  ++number_;
  const char* const begin = rest_.data();
  const char* const end = begin + rest_.size();
  if (next_newline_ == nullptr || next_newline_ < begin) {
    const void* found = std::memchr(begin, '\n', rest_.size());
    next_newline_ = found != nullptr ? static_cast<const char*>(found) : end;
  }
  const bool has_newline = next_newline_ != end;
  auto length = static_cast<std::size_t>(next_newline_ - begin);
  std::size_t taken = has_newline ? length + 1 : length;
  if (const auto* cr = static_cast<const char*>(std::memchr(begin, '\r', length)); cr != nullptr) {
    const auto at = static_cast<std::size_t>(cr - begin);
    // A carriage return that no newline follows ends a line by itself.
    if (at + 1 < length || !has_newline) taken = at + 1;
    length = at;
  }
  line = rest_.substr(0, length);
  rest_.remove_prefix(taken);
  return true;
}

}  // namespace cutis
