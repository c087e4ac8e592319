// One glTF primitive as a mesh, still in the mesh's own space.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cutis/character.h"
#include "io/gltf_read_data.h"
#include "io/gltf_read_draco.h"
#include "io/keep_apart.h"

namespace cutis::gltf {

/// Where a primitive's numbers come from: accessors, or a Draco stream decoded once.
class PrimitiveSource {
 public:
  PrimitiveSource(const File& file, Data& data, const Primitive& primitive, std::string place);

  [[nodiscard]] bool has(const std::string& attribute) const;
  /// Throws Error when the count is not `vertices` (0: any).
  [[nodiscard]] std::vector<float> floats(const std::string& attribute, int components, std::size_t vertices);
  /// Integers are normalised whether the accessor says so or not.
  [[nodiscard]] std::vector<float> weights(const std::string& attribute, std::size_t vertices);
  [[nodiscard]] std::vector<std::uint32_t> integers(const std::string& attribute, int components, std::size_t vertices);
  /// Vertex indices, or 0, 1, 2, … when the primitive has none.
  [[nodiscard]] std::vector<std::uint32_t> indices(std::size_t vertices);

  [[nodiscard]] int components(const std::string& attribute) const;
  [[nodiscard]] const Primitive& primitive() const { return *primitive_; }
  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] const File& file() const { return *file_; }
  [[nodiscard]] Data& data() { return *data_; }

 private:
  [[nodiscard]] const DracoMesh::Attribute* draco_attribute(const std::string& attribute) const;
  [[nodiscard]] std::vector<float> draco_floats(const DracoMesh::Attribute& from, const std::string& attribute,
                                                int components, bool normalize) const;
  void check_count(std::size_t count, std::size_t vertices, const std::string& attribute) const;

  const File* file_;
  Data* data_;
  const Primitive* primitive_;
  std::string place_;
  std::optional<DracoMesh> draco_;
};

/// Positions (morph targets applied with `morph_weights`), normals as far as the file has good ones, triangles,
/// attributes. Nothing when the primitive has no triangles, with a warning.
[[nodiscard]] std::optional<cutis::Mesh> read_geometry(PrimitiveSource& source,
                                                       const std::vector<double>& morph_weights,
                                                       const Context& context);

/// Rest positions and normals from mesh space; mirrored maps turn the triangles over. Normals that the file lacks, or
/// that have no direction, are computed smooth over seams. `keep_apart` (optional) is shared by the pieces of a scene.
void move_to_scene(const Affine3d& scene_from_mesh, cutis::Mesh& mesh, KeepApart* keep_apart = nullptr);

}  // namespace cutis::gltf
