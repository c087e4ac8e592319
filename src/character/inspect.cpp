#include <algorithm>

#include "base/math.h"
#include "character/welded_character.h"
#include "cutis/character.h"
#include "geometry/normals.h"

namespace cutis {
namespace {

// An area this small against the longest edge's square is rounding, not surface.
constexpr double kZeroArea = 1e-10;

bool has_no_area(const std::vector<Vec3f>& p, const Triangle& t) {
  const Vec3d a = static_cast<Vec3d>(p[t[0]]), b = static_cast<Vec3d>(p[t[1]]), c = static_cast<Vec3d>(p[t[2]]);
  const double longest = std::max({dot(b - a, b - a), dot(c - b, c - b), dot(a - c, a - c)});
  return length(area_vector(p[t[0]], p[t[1]], p[t[2]])) <= kZeroArea * longest;
}

}  // namespace

CharacterInfo inspect(const Character& character) {
  CharacterInfo info;
  for (const Mesh& mesh : character.meshes) {
    CharacterInfo::MeshInfo m;
    m.name = mesh.name;
    m.vertices = mesh.positions.size();
    m.triangles = mesh.triangles.size();
    m.max_influences = mesh.weights.max_influences();
    m.had_normals = mesh.had_normals;
    m.has_uvs = std::any_of(mesh.attributes.begin(), mesh.attributes.end(),
                            [](const VertexAttribute& a) { return a.name.starts_with("TEXCOORD_"); });
    info.max_influences = std::max(info.max_influences, m.max_influences);
    info.meshes.push_back(std::move(m));
  }
  for (const Clip& clip : character.clips) {
    std::size_t keys = 0;
    for (const Channel& c : clip.channels) keys = std::max(keys, c.times.size());
    info.clips.push_back({clip.name, clip.end() - clip.start(), clip.channels.size(), keys});
  }
  for (const Joint& joint : character.skeleton.joints)
    if (joint.is_bone && joint.alias_of < 0) info.bones.push_back(joint.name);

  const WeldedCharacter welded = weld_character(character);
  const Topology& t = welded.topology;
  info.vertices = welded.input_positions.size();
  info.welded_vertices = welded.positions.size();
  info.triangles = t.triangles.size();
  info.components = t.component_count;
  info.boundary_edges = t.boundary_edges;
  info.boundary_loops = t.boundary_components;
  info.nonmanifold_edges = t.nonmanifold_edges;
  info.nonmanifold_vertices = t.nonmanifold_vertices;
  info.inconsistent_edges = t.inconsistent_edges;
  info.degenerate_triangles =
      static_cast<std::size_t>(std::count_if(t.triangles.begin(), t.triangles.end(), [&](const Triangle& f) {
        return f[0] == f[1] || f[1] == f[2] || f[2] == f[0] || has_no_area(welded.positions, f);
      }));
  info.closed = t.closed();
  info.volume = signed_volume(welded.positions, t.triangles);
  info.bounds = character.bounds();
  return info;
}

}  // namespace cutis
