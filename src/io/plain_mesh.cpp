#include "io/plain_mesh.h"

#include "base/math.h"
#include "geometry/normals.h"

namespace cutis {

Character make_plain_character(PlainMesh plain, const std::string& source, const std::string& mesh_name) {
  Mesh mesh;
  mesh.name = mesh_name;
  mesh.positions = std::move(plain.positions);
  mesh.triangles = std::move(plain.triangles);
  const std::size_t n = mesh.positions.size();

  mesh.had_normals = plain.normals.size() == n;
  bool complete = mesh.had_normals;
  if (mesh.had_normals) {
    mesh.normals = std::move(plain.normals);
    for (Vec3f& normal : mesh.normals) {
      // In double: the squares of small floats vanish.
      normal = static_cast<Vec3f>(normalized(static_cast<Vec3d>(normal)));
      complete = complete && normal != Vec3f{};
    }
    for (const Triangle& t : mesh.triangles)
      for (const std::uint32_t v : t) mesh.had_normals = mesh.had_normals && mesh.normals[v] != Vec3f{};
  }
  if (!complete) {
    const std::vector<Vec3f> computed = vertex_normals(mesh.positions, mesh.triangles);
    mesh.normals.resize(n);
    for (std::size_t v = 0; v < n; ++v)
      if (mesh.normals[v] == Vec3f{}) mesh.normals[v] = computed[v];
  }

  if (plain.uvs.size() == n) {
    VertexAttribute uv{"TEXCOORD_0", 2, {}};
    uv.values.reserve(2 * n);
    for (const Vec2f& t : plain.uvs) uv.values.insert(uv.values.end(), {t.x, t.y});
    mesh.attributes.push_back(std::move(uv));
  }
  if (plain.colors.size() == 4 * n) mesh.attributes.push_back({"COLOR_0", 4, std::move(plain.colors)});

  Character character;
  character.source = source;
  character.meshes.push_back(std::move(mesh));
  return character;
}

}  // namespace cutis
