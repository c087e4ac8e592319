// Builds small glTF files for tests: JSON that a test may bend as it likes, and one binary buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace cutis::test {

class GltfBuilder {
 public:
  using Json = nlohmann::json;

  Json json = {{"asset", {{"version", "2.0"}}}};
  std::vector<std::byte> binary;

  /// Appends bytes (4-aligned) and a buffer view over them; returns its index.
  int add_view(std::span<const std::byte> bytes, int stride = 0);
  template <class T>
  int add_view(const std::vector<T>& values, int stride = 0) {
    return add_view(std::as_bytes(std::span(values)), stride);
  }
  /// Appends an accessor over a new view; `type` is "VEC3" and the like. The component type follows from T.
  template <class T>
  int add_accessor(const std::vector<T>& values, const std::string& type, bool normalized = false) {
    return add_accessor_on(add_view(values), values.size() / components_of(type), component_type<T>(), type,
                           normalized);
  }
  int add_accessor_on(int view, std::size_t count, int component, const std::string& type, bool normalized = false);

  /// Appends to a list and returns the index.
  int add(const char* list, Json element);

  /// The file as .glb bytes, or as .gltf text with the buffer embedded.
  [[nodiscard]] std::vector<std::byte> glb() const;
  [[nodiscard]] std::string gltf() const;

  template <class T>
  static constexpr int component_type() {
    if constexpr (std::is_same_v<T, std::int8_t>) return 5120;
    if constexpr (std::is_same_v<T, std::uint8_t>) return 5121;
    if constexpr (std::is_same_v<T, std::int16_t>) return 5122;
    if constexpr (std::is_same_v<T, std::uint16_t>) return 5123;
    if constexpr (std::is_same_v<T, std::uint32_t>) return 5125;
    return 5126;
  }
  static std::size_t components_of(const std::string& type);

 private:
  [[nodiscard]] Json document(bool embed) const;
};

/// A GLB around any JSON text and bytes, damaged ones included.
[[nodiscard]] std::vector<std::byte> make_glb(const std::string& json, std::span<const std::byte> binary);

[[nodiscard]] std::string to_base64(std::span<const std::byte> bytes);

/// Of the first mesh.
[[nodiscard]] inline GltfBuilder::Json& first_primitive(GltfBuilder& b) { return b.json["meshes"][0]["primitives"][0]; }
[[nodiscard]] inline GltfBuilder::Json& first_attributes(GltfBuilder& b) { return first_primitive(b)["attributes"]; }

}  // namespace cutis::test
