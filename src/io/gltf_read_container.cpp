#include "io/gltf_read_container.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <optional>

#include "cutis/error.h"
#include "io/gltf_read_fail.h"

namespace cutis::gltf {
namespace {

// Real files stay below 20; the limit only has to keep recursion over the document off the end of the stack.
constexpr int kMaxNesting = 128;
constexpr std::uint32_t kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;

std::uint32_t read_u32(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t v = 0;
  for (std::size_t i = 0; i < 4; ++i) v |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
  return v;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// From behind a string's opening quote to its closing one; npos when it has none.
std::size_t end_of_string(std::string_view json, std::size_t at) {
  while ((at = json.find_first_of("\"\\", at)) != std::string_view::npos && json[at] != '"') at += 2;
  return at;
}

void check_nesting(std::string_view json, const std::string& name) {
  int depth = 0;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') {
      i = end_of_string(json, i + 1);
      if (i == std::string_view::npos) return;  // the parser says where
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxNesting)
        fail(name, fmt::format("its JSON is nested more than {} levels deep, which no glTF file needs", kMaxNesting));
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
}

Container open_binary(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() < 20) fail(name, "the binary glTF is truncated: it ends within its header");
  const std::uint32_t version = read_u32(bytes, 4);
  if (version != 2)
    fail(name,
         fmt::format("it is binary glTF version {}, but only version 2 can be read; export it as glTF 2.0", version));
  const std::uint32_t length = read_u32(bytes, 8);
  if (length > bytes.size())
    fail(name,
         fmt::format("the binary glTF is truncated: its header says {} bytes, the file has {}", length, bytes.size()));
  if (length < 20) fail(name, fmt::format("the binary glTF is damaged: its header says {} bytes in all", length));
  bytes = bytes.first(length);

  Container result;
  std::size_t at = 12;
  for (int chunk = 0; at + 8 <= bytes.size(); ++chunk) {
    const std::uint64_t size = read_u32(bytes, at);
    const std::uint32_t type = read_u32(bytes, at + 4);
    at += 8;
    if (size > bytes.size() - at)
      fail(name, fmt::format("the binary glTF is truncated: chunk {} claims {} bytes, {} are left", chunk, size,
                             bytes.size() - at));
    const auto content = bytes.subspan(at, size);
    if (chunk == 0) {
      if (type != kJsonChunk) fail(name, "the binary glTF is damaged: its first chunk is not JSON");
      result.json = as_text(content);
    } else if (type == kBinaryChunk && !result.has_binary) {
      result.binary = content;
      result.has_binary = true;
    }
    at += size;
  }
  return result;
}

}  // namespace

Container open_container(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.empty()) fail(name, "the file is empty");
  Container result;
  if (bytes.size() >= 4 && std::memcmp(bytes.data(), "glTF", 4) == 0) {
    result = open_binary(bytes, name);
  } else {
    result.json = as_text(bytes);
    if (result.json.starts_with("\xEF\xBB\xBF")) result.json.remove_prefix(3);
    const std::size_t first = result.json.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || result.json[first] != '{')
      fail(name, "this is not a glTF file: it starts neither with the binary magic 'glTF' nor with JSON");
  }
  check_nesting(result.json, name);
  return result;
}

}  // namespace cutis::gltf
