// A glTF file that is put together in memory: JSON, and one buffer behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cutis/character.h"

namespace cutis {

/// TEXCOORD_n and COLOR_n in the forms that glTF allows.
[[nodiscard]] bool carried_by_gltf(const VertexAttribute& attribute);

namespace glb {
inline constexpr std::uint32_t kGlbMagic = 0x46546C67, kJsonChunk = 0x4E4F534A, kBinChunk = 0x004E4942;
inline constexpr std::size_t kMaxBytes = 0xFFFFFFFF;  // GLB stores lengths as uint32
//// A file name as a relative URI.
[[nodiscard]] std::string uri_of(const std::string& name);
}  // namespace glb

class GltfBuilder {
 public:
  using Json = nlohmann::ordered_json;

  // Numbers of the glTF 2.0 specification.
  enum Target : int { kNoTarget = 0, kVertices = 34962, kIndices = 34963 };
  enum Component : int { kByte = 5121, kShort = 5123, kInt = 5125, kFloat = 5126 };

  enum Mode : int { kPoints = 0, kTriangles = 4 };

  GltfBuilder();

  /// The document; accessors, views and the buffer are added by write().
  Json json;

  std::size_t add_view(const void* data, std::size_t bytes, Target target);
  /// One accessor with a view of its own. `bounds`: with min and max per component, of 32-bit floats.
  template <class T>
  std::size_t add(std::span<const T> values, std::size_t count, Component component, const char* type, Target target,
                  bool bounds = false) {
    const std::size_t accessor =
        add_accessor(add_view(values.data(), values.size_bytes(), target), count, component, type);
    if (bounds)
      add_bounds(accessor, {reinterpret_cast<const float*>(values.data()), values.size_bytes() / sizeof(float)});
    return accessor;
  }

  /// A .gltf gets a .bin beside it, anything else is one binary file. Throws Error beyond 4 GB.
  void write(const std::string& file);

 private:
  std::size_t add_accessor(std::size_t view, std::size_t count, Component component, const char* type);
  void add_bounds(std::size_t accessor, std::span<const float> values);

  Json views_ = Json::array(), accessors_ = Json::array();
  std::vector<unsigned char> bytes_;
};

}  // namespace cutis
