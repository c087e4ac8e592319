// Small pieces that the text readers share: whole files, lines, words, numbers. Independent of the locale.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cutis {

/// All bytes of a file. Throws Error(io) when it cannot be opened or read.
[[nodiscard]] std::string read_whole_file(const std::string& path);

/// The file's name without folder and extension.
[[nodiscard]] std::string stem_of(const std::string& path);

[[nodiscard]] std::string lower_case(std::string_view text);

/// `text` for a message: at most 32 characters, unprintable ones replaced.
[[nodiscard]] std::string in_quotes(std::string_view text);

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
inline bool is_space(char c) { return is_blank(c) || c == '\n'; }

/// The number that `word` is, all of it; none when it is not a number. "nan" and "inf" are numbers here; what is too
/// small for a double is 0, what is too large is infinite.
inline std::optional<double> parse_number(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || word.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const bool tiny =
        word.find("e-") != word.npos || word.find("E-") != word.npos || word.find_first_of("eE") == word.npos;
    return tiny ? 0.0 : HUGE_VAL;
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

inline std::optional<std::int64_t> parse_integer(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || word.empty()) return std::nullopt;
  return value;
}

/// Cuts the first word off `line`; empty when there is none.
inline std::string_view next_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_space(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_space(line[end])) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

/// Without white space at either end.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Goes through a text line by line; lines end with "\n", "\r\n" or "\r".
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  /// False at the end. `line` comes without its end.
  bool next(std::string_view& line);
  /// Number of the line that next() gave last, from 1.
  [[nodiscard]] std::size_t number() const { return number_; }
  /// What comes after that line.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
  const char* next_newline_ =
      nullptr;  ///< first one not before rest_, or the end; kept so that no byte is searched twice
};

}  // namespace cutis
