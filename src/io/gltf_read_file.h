// A glTF file as plain structs: what the JSON says, checked for types and index ranges, with its buffers loaded.
// Everything after this step works on these structs and never sees JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/math.h"
#include "cutis/context.h"
#include "cutis/error.h"

namespace cutis {
struct Appearance;
}

namespace cutis::gltf {

/// A projective bottom row is no joint or node transform; exporters' rounding stays far below this.
inline constexpr double kBottomRowTolerance = 1e-3;

enum class ComponentType { i8 = 5120, u8 = 5121, i16 = 5122, u16 = 5123, u32 = 5125, f32 = 5126 };
[[nodiscard]] constexpr std::size_t size_of(ComponentType type) {
  return type == ComponentType::i8 || type == ComponentType::u8     ? 1
         : type == ComponentType::i16 || type == ComponentType::u16 ? 2
                                                                    : 4;
}

/// EXT_meshopt_compression of a buffer view: where the compressed bytes are and how they unfold.
struct MeshoptView {
  std::size_t buffer = 0;
  std::uint64_t offset = 0, length = 0, stride = 0, count = 0;
  std::string mode, filter;
};

struct BufferView {
  std::size_t buffer = 0;
  std::uint64_t offset = 0, length = 0, stride = 0;  ///< stride 0: tightly packed
  std::optional<MeshoptView> meshopt;
};

struct Sparse {
  std::uint64_t count = 0;
  std::size_t index_view = 0, value_view = 0;
  std::uint64_t index_offset = 0, value_offset = 0;
  ComponentType index_type = ComponentType::u32;
};

struct Accessor {
  int view = -1;
  std::uint64_t offset = 0, count = 0;
  ComponentType type = ComponentType::f32;
  int components = 1;  ///< 1 to 4, or 16 for MAT4
  bool is_matrix = false;
  bool normalized = false;
  std::optional<Sparse> sparse;
};

/// KHR_draco_mesh_compression of a primitive.
struct DracoSource {
  std::size_t view = 0;
  std::map<std::string, std::uint32_t> unique_id;  ///< per attribute name
};

struct Primitive {
  std::map<std::string, std::size_t> attributes;  ///< name to accessor
  int indices = -1, material = -1, mode = 4;
  std::vector<std::map<std::string, std::size_t>> targets;
  std::optional<DracoSource> draco;
};

struct Mesh {
  std::string name;
  std::vector<Primitive> primitives;
  std::vector<double> weights;  ///< of the morph targets
};

struct Node {
  std::string name;
  int mesh = -1, skin = -1;
  std::vector<std::size_t> children;
  Trsd local;
  std::optional<Affine3d> matrix;  ///< instead of `local`
  std::vector<double> weights;
  std::string humanoid;  ///< what VRM calls it
};

struct Skin {
  std::string name;
  int inverse_bind = -1;
  std::vector<std::size_t> joints;
};

struct AnimationChannel {
  std::size_t input = 0, output = 0;
  std::string interpolation, path;
  int node = -1;
};
struct Animation {
  std::string name;
  std::vector<AnimationChannel> channels;
};

struct File {
  std::string name;  ///< for messages
  std::vector<std::span<const std::byte>> buffers;
  std::vector<BufferView> views;
  std::vector<Accessor> accessors;
  std::vector<Mesh> meshes;
  std::vector<Node> nodes;
  std::vector<Skin> skins;
  std::vector<Animation> animations;
  std::vector<std::size_t> scene_roots;  ///< of the default scene, or of the first; empty when there is no scene
  std::shared_ptr<const Appearance> appearance;
  std::size_t material_count = 0;
  std::vector<std::string> more_extensions;  ///< used ones that a character does not hold
  bool is_vrm = false;
  bool is_self_contained = false;  ///< one binary file, nothing beside it

  std::vector<std::vector<std::byte>> storage;  ///< what the spans point into, where it is not the caller's memory

  /// "file › mesh 'body' › primitive 0"
  [[nodiscard]] std::string place(const std::string& inside) const { return name + " › " + inside; }
  [[nodiscard]] std::string mesh_label(std::size_t mesh) const;
  [[nodiscard]] std::string node_label(std::size_t node) const;
  [[nodiscard]] std::string skin_label(std::size_t skin) const;
};

/// `folder`: where external buffers and images are, or empty when none may be read. `bytes` must outlive the result.
[[nodiscard]] File parse_file(std::span<const std::byte> bytes, const std::string& name, const std::string& folder,
                              const Context& context);

}  // namespace cutis::gltf
