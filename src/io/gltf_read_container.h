// The outermost layer of a glTF file: GLB chunks, or JSON text alone.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace cutis::gltf {

struct Container {
  std::string_view json;
  std::span<const std::byte> binary;  ///< the GLB's BIN chunk
  bool has_binary = false;
};

/// Splits by content, not by file name. Throws Error on wrong magic or version, truncated chunks, text that is not
/// JSON, or JSON nested so deep that no glTF needs it (recursive code behind this point is then safe).
[[nodiscard]] Container open_container(std::span<const std::byte> bytes, const std::string& name);

}  // namespace cutis::gltf
