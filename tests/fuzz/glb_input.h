// How a .glb stands in an input, so that mutations find its JSON: the JSON, a zero byte, the binary chunk.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/gltf_maker.h"
#include "io/gltf_read_container.h"

namespace cutis::fuzz {

inline std::string glb_input(const test::GltfBuilder& builder) {
  const auto glb = builder.glb();
  const auto container = gltf::open_container(glb, "seed");
  std::string input(container.json);
  input += '\0';
  input.append(reinterpret_cast<const char*>(container.binary.data()), container.binary.size());
  return input;
}

/// Of such an input the .glb, kept in `glb`; of others the bytes as they are.
inline std::span<const std::byte> gltf_bytes(std::string_view input, std::vector<std::byte>& glb) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(input));
  const std::size_t split = input.find('\0');
  if (!input.starts_with('{') || split == std::string_view::npos) return bytes;
  glb = test::make_glb(std::string(input.substr(0, split)), bytes.subspan(split + 1));
  return glb;
}

}  // namespace cutis::fuzz
