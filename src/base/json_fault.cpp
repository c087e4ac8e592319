// Goes through a text by the grammar of RFC 8259 and stops at its first fault. Builds nothing and never calls itself.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.h"
#include "cutis/text.h"

namespace cutis {
namespace {

constexpr std::size_t kDeepestJson = 500;

class JsonCheck {
 public:
  JsonCheck(std::string_view text, bool comments) : text_(text), comments_(comments) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
  }

  std::string run() {
    std::vector<char> open;
    bool after_value = false;
    while (fault_.empty()) {
      skip_space();
      if (!after_value) {
        after_value = value(open);
      } else if (open.empty()) {
        if (at_ < text_.size()) expected("the end of the text");
        break;
      } else if (take(',')) {
        if (open.back() == '{') name();
        after_value = false;
      } else if (take(open.back() == '{' ? '}' : ']')) {
        open.pop_back();
      } else {
        expected(open.back() == '{' ? "',' or '}'" : "',' or ']'");
      }
    }
    return fault_;
  }

 private:
  [[nodiscard]] bool ends() const { return at_ >= text_.size(); }
  [[nodiscard]] bool is(char c) const { return !ends() && text_[at_] == c; }
  [[nodiscard]] bool is_digit() const { return !ends() && text_[at_] >= '0' && text_[at_] <= '9'; }
  bool take(char c) {
    if (!is(c)) return false;
    ++at_;
    return true;
  }

  void fail(const std::string& what) {
    if (!fault_.empty()) return;
    std::size_t line = 1, column = 1;
    for (std::size_t i = 0; i < std::min(at_, text_.size()); ++i) {
      const auto byte = static_cast<unsigned char>(text_[i]);
      if (byte == '\n') {
        ++line;
        column = 1;
      } else if ((byte & 0xc0U) != 0x80) {
        ++column;
      }
    }
    fault_ = fmt::format("line {}, column {}: {}", line, column, what);
  }
  void expected(std::string_view what) {
    if (ends()) return fail(fmt::format("expected {}, but the text ends", what));
    const std::string_view rest = text_.substr(at_);
    fail(fmt::format("expected {}, found '{}'", what, printable(rest.substr(0, first_character(rest).bytes))));
  }

  void skip_space() {
    while (!ends()) {
      if (is(' ') || is('\t') || is('\n') || is('\r')) {
        ++at_;
      } else if (comments_ && text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (comments_ && text_.substr(at_).starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  /// True when a value is complete; false when a list or an object was opened and has to go on.
  bool value(std::vector<char>& open) {
    if (is('{') || is('[')) {
      if (open.size() >= kDeepestJson) {
        fail(fmt::format("is nested more than {} levels deep", kDeepestJson));
        return false;
      }
      const char kind = text_[at_++];
      skip_space();
      if (take(kind == '{' ? '}' : ']')) return true;
      open.push_back(kind);
      if (kind == '{') name();
      return false;
    }
    if (is('"')) {
      text();
    } else if (is('-') || is_digit()) {
      number();
    } else {
      for (const std::string_view word : {"true", "false", "null"})
        if (text_.substr(at_).starts_with(word)) {
          at_ += word.size();
          return true;
        }
      expected("a value");
    }
    return true;
  }

  void name() {
    skip_space();
    if (!is('"')) return expected("a name in double quotes");
    text();
    skip_space();
    if (!take(':')) expected("':'");
  }

  void text() {
    const std::size_t begin = at_++;
    while (fault_.empty()) {
      if (ends()) {
        at_ = begin;
        return fail("a text in double quotes begins here and does not end");
      }
      if (take('"')) return;
      const Utf8Character c = first_character(text_.substr(at_));
      if (!c.valid) return fail(fmt::format("a byte that is not UTF-8 ({})", printable(text_.substr(at_, 1))));
      if (c.code < 0x20)
        return fail(fmt::format("a control character inside a text ({})", printable(text_.substr(at_, 1))));
      if (c.code == '\\') {
        escape();
      } else {
        at_ += c.bytes;
      }
    }
  }
  void escape() {
    const std::size_t begin = at_++;
    const auto wrong = [&] {
      at_ = begin;
      fail("a backslash that starts no escape; write \\\\ for a backslash");
    };
    if (!is('u')) {
      if (ends() || std::string_view("\"\\/bfnrt").find(text_[at_]) == std::string_view::npos) return wrong();
      ++at_;
      return;
    }
    const std::optional<unsigned> first = hex_digits();
    if (!first || (*first >= 0xdc00 && *first < 0xe000)) return wrong();
    if (*first < 0xd800 || *first >= 0xdc00) return;
    // Half of a pair: the other half must follow.
    if (!take('\\') || !is('u')) return wrong();
    const std::optional<unsigned> second = hex_digits();
    if (!second || *second < 0xdc00 || *second >= 0xe000) return wrong();
  }
  std::optional<unsigned> hex_digits() {
    ++at_;
    unsigned code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      if (ends()) return std::nullopt;
      const char c = text_[at_];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return std::nullopt;
      code = 16 * code + static_cast<unsigned>(digit);
    }
    return code;
  }

  void number() {
    const std::size_t begin = at_;
    const auto digits = [&] {
      if (!is_digit()) return expected("a digit");
      while (is_digit()) ++at_;
    };
    take('-');
    if (!take('0')) digits();
    if (fault_.empty() && take('.')) digits();
    bool may_overflow = at_ - begin > 300;
    if (fault_.empty() && (take('e') || take('E'))) {
      if (!take('+')) take('-');
      digits();
      may_overflow = true;
    }
    if (!fault_.empty() || !may_overflow) return;
    if (!std::isfinite(std::strtod(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr))) {
      at_ = begin;
      fail("a number that is too large");
    }
  }

  std::string_view text_;
  bool comments_ = false;
  std::size_t at_ = 0;
  std::string fault_;
};

}  // namespace

std::string json_fault(std::string_view text, bool comments) { return JsonCheck(text, comments).run(); }

}  // namespace cutis
