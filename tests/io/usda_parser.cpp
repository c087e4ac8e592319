#include "io/usda_parser.h"

#include <charconv>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string_view>

namespace cutis::test {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    constexpr std::string_view kHead = "#usda 1.0\n";
    if (!text_.starts_with(kHead)) fail("does not start with '#usda 1.0'");
    at_ = kHead.size();
  }

  UsdaLayer layer() {
    UsdaLayer layer;
    if (peek() == '(') layer.metadata = metadata();
    std::set<std::string> names;
    while (peek() != '\0') add_prim(layer.prims, names);
    return layer;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    std::size_t line = 1;
    for (const char c : text_.substr(0, at_)) line += c == '\n' ? 1 : 0;
    throw std::runtime_error("line " + std::to_string(line) + ": " + what);
  }

  /// Next character behind white space; '\0' at the end.
  char peek() {
    while (at_ < text_.size() && std::string_view(" \t\n").find(text_[at_]) != std::string_view::npos) ++at_;
    if (at_ == text_.size()) return '\0';
    if (text_[at_] == '\0') fail("zero byte");
    return text_[at_];
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("expected '") + c + "'");
  }
  std::string identifier() {
    if (!is_letter(peek())) fail("expected an identifier");
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string string() {
    expect('"');
    std::string result;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\n') fail("line break in a string");
      if (text_[at_] == '\\') {
        if (++at_ == text_.size()) break;
        if (text_[at_] == 'x') {
          int code = 0;
          if (at_ + 2 >= text_.size() ||
              std::from_chars(text_.data() + at_ + 1, text_.data() + at_ + 3, code, 16).ptr != text_.data() + at_ + 3)
            fail("bad \\x escape");
          result += static_cast<char>(code);
          at_ += 2;
          continue;
        }
        if (text_[at_] != '"' && text_[at_] != '\\') fail("unknown escape");
      }
      result += text_[at_];
    }
    expect('"');
    return result;
  }
  double number() {
    peek();
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) fail("expected a finite number");
    if (is_letter(*begin)) fail("expected a number");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  /// number | string | ( tuple ) | [ list ] | { dictionary }
  UsdaValue value() {
    UsdaValue v;
    const char c = peek();
    if (c == '"') {
      v.text = string();
    } else if (c == '(') {
      ++at_;
      do v.numbers.push_back(number());
      while (take(','));
      expect(')');
      if (v.numbers.size() < 2 || v.numbers.size() > 4) fail("a tuple has 2 to 4 numbers");
    } else if (c == '[') {
      ++at_;
      std::size_t width = 0;
      while (peek() != ']') {
        const UsdaValue item = value();
        if (v.items > 0 && item.numbers.size() != width) fail("list of unlike elements");
        width = item.numbers.size();
        v.numbers.insert(v.numbers.end(), item.numbers.begin(), item.numbers.end());
        ++v.items;
        if (!take(',')) break;
      }
      expect(']');
    } else if (c == '{') {
      ++at_;
      while (peek() != '}') {
        if (identifier() != "string") fail("only strings are expected in dictionaries");
        v.text += identifier() + "=";
        expect('=');
        v.text += string() + ";";
      }
      expect('}');
    } else {
      v.numbers.push_back(number());
    }
    return v;
  }

  std::map<std::string, UsdaValue> metadata() {
    std::map<std::string, UsdaValue> result;
    expect('(');
    while (peek() != ')') {
      const std::string key = identifier();
      expect('=');
      if (!result.emplace(key, value()).second) fail("metadata '" + key + "' twice");
    }
    expect(')');
    return result;
  }

  void add_prim(std::vector<UsdaPrim>& prims, std::set<std::string>& names) {
    if (identifier() != "def") fail("expected 'def'");
    prims.push_back(prim());
    if (!names.insert(prims.back().name).second) fail("two prims named '" + prims.back().name + "'");
  }

  UsdaPrim prim() {
    UsdaPrim prim;
    prim.type = identifier();
    prim.name = string();
    if (prim.name.empty() || !is_letter(prim.name[0])) fail("illegal prim name '" + prim.name + "'");
    for (const char c : prim.name)
      if (!is_letter(c) && !is_digit(c)) fail("illegal prim name '" + prim.name + "'");
    if (peek() == '(') prim.metadata = metadata();
    expect('{');
    std::set<std::string> children;
    while (peek() != '}') {
      const std::size_t before = at_;
      if (identifier() == "def") {
        at_ = before;
        add_prim(prim.children, children);
      } else {
        at_ = before;
        attribute(prim);
      }
    }
    expect('}');
    return prim;
  }

  void attribute(UsdaPrim& prim) {
    static const std::set<std::string> kTypes = {"int[]",        "float3[]",  "point3f[]",    "normal3f[]",
                                                 "texCoord2f[]", "color3f[]", "uniform bool", "uniform token"};
    std::string type = identifier();
    if (type == "uniform") type += " " + identifier();
    if (take('[')) {
      expect(']');
      type += "[]";
    }
    if (!kTypes.contains(type)) fail("unknown type '" + type + "'");
    std::string name = identifier();
    while (take(':')) name += ":" + identifier();
    const bool sampled = take('.');
    if (sampled && identifier() != "timeSamples") fail("expected 'timeSamples'");
    UsdaAttribute& attribute = prim.attributes[name];
    if (!attribute.type.empty() && attribute.type != type) fail("'" + name + "' changes its type");
    attribute.type = type;
    if (sampled) {
      expect('=');
      expect('{');
      while (peek() != '}') {
        const double time = number();
        expect(':');
        if (!attribute.samples.emplace(time, value()).second) fail("two samples at one time");
        if (!take(',')) break;
      }
      expect('}');
      if (attribute.samples.empty()) fail("no samples");
      return;
    }
    if (take('=')) attribute.value = value();
    if (peek() == '(') attribute.metadata = metadata();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

UsdaLayer parse_usda(const std::string& text) { return Parser(text).layer(); }

}  // namespace cutis::test
