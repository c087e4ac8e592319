#include <vector>

#include "base/utf8.h"
#include "cutis/text.h"

namespace cutis {
namespace {

constexpr std::string_view kCut = " [...] ";

/// Characters that move the cursor, start commands of terminals, or turn the direction of writing.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
         (c >= 0xe0000 && c <= 0xe007f);
}

void append_escaped(std::string& out, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
}

/// One character of `text` as it is shown, cut off `text`.
std::string_view next_shown(std::string_view& text, std::string& scratch) {
  const Utf8Character c = first_character(text);
  const std::string_view bytes = text.substr(0, c.bytes);
  text.remove_prefix(c.bytes);
  if (c.valid && !is_control(c.code)) return bytes;
  scratch.clear();
  append_escaped(scratch, bytes);
  return scratch;
}

}  // namespace

std::string printable(std::string_view text, std::size_t longest) {
  std::string all, scratch;
  // Where each shown character begins: a cut goes between them.
  std::vector<std::size_t> begins;
  all.reserve(text.size());
  while (!text.empty()) {
    begins.push_back(all.size());
    all += next_shown(text, scratch);
  }
  if (all.size() <= longest) return all;
  const std::size_t room = longest > kCut.size() ? longest - kCut.size() : 0, head = room - room / 3;
  std::size_t head_end = 0, tail_begin = all.size();
  for (const std::size_t begin : begins)
    if (begin <= head) head_end = begin;
  for (auto begin = begins.rbegin(); begin != begins.rend() && all.size() - *begin <= room - head; ++begin)
    tail_begin = *begin;
  return all.substr(0, head_end) + std::string(kCut) + all.substr(tail_begin);
}

}  // namespace cutis
