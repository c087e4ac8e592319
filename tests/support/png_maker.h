// A PNG with alpha from pixels, as plain as the format allows: nothing is compressed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cutis::test {

using Rgba = std::array<std::uint8_t, 4>;

inline std::vector<unsigned char> make_png(int width, int height, const std::vector<Rgba>& pixels) {
  std::vector<unsigned char> file{0x89, 'P', 'N', 'G', 0x0D, 0x0A, 0x1A, 0x0A};
  const auto put = [](std::vector<unsigned char>& to, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
      to.push_back(static_cast<unsigned char>(value >> static_cast<unsigned>(shift)));
  };
  const auto chunk = [&](std::string_view kind, const std::vector<unsigned char>& data) {
    put(file, static_cast<std::uint32_t>(data.size()));
    std::vector<unsigned char> body(kind.begin(), kind.end());
    body.insert(body.end(), data.begin(), data.end());
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const unsigned char byte : body) {
      crc ^= byte;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    file.insert(file.end(), body.begin(), body.end());
    put(file, ~crc);
  };
  std::vector<unsigned char> head;
  put(head, static_cast<std::uint32_t>(width));
  put(head, static_cast<std::uint32_t>(height));
  head.insert(head.end(), {8, 6, 0, 0, 0});  // 8 bits, RGBA
  chunk("IHDR", head);
  std::vector<unsigned char> rows;
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    rows.push_back(0);  // no filter
    for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x)
      for (const std::uint8_t c : pixels[y * static_cast<std::size_t>(width) + x]) rows.push_back(c);
  }
  std::vector<unsigned char> data{0x78, 0x01};
  std::uint32_t a = 1, b = 0;
  for (std::size_t at = 0; at < rows.size(); at += 0xFFFF) {
    const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(0xFFFF, rows.size() - at));
    data.push_back(at + size == rows.size() ? 1 : 0);
    for (const std::uint32_t n : {size, ~size}) {
      data.push_back(static_cast<unsigned char>(n));
      data.push_back(static_cast<unsigned char>(n >> 8U));
    }
    data.insert(data.end(), rows.begin() + static_cast<std::ptrdiff_t>(at),
                rows.begin() + static_cast<std::ptrdiff_t>(at + size));
  }
  for (const unsigned char byte : rows) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  put(data, (b << 16U) | a);
  chunk("IDAT", data);
  chunk("IEND", {});
  return file;
}

}  // namespace cutis::test
