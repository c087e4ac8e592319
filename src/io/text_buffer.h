// Text made of many numbers, in the shortest decimal form that reads back to the same float.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

#include "cutis/types.h"

namespace cutis {

class TextBuffer {
 public:
  TextBuffer& text(std::string_view s) {
    text_.append(s);
    return *this;
  }
  template <class T>
    requires std::integral<T> || std::floating_point<T>
  TextBuffer& number(T value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text_.append(digits, static_cast<std::size_t>(end - digits));
    return *this;
  }
  /// x, y and z with `between` between them.
  TextBuffer& vector(const Vec3f& v, std::string_view between) {
    return number(v.x).text(between).number(v.y).text(between).number(v.z);
  }

  [[nodiscard]] std::string_view view() const { return text_; }
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  void clear() { text_.clear(); }  ///< keeps the memory

 private:
  std::string text_;
};

}  // namespace cutis
