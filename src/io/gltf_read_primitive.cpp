#include "io/gltf_read_primitive.h"

#include <fmt/format.h>

#include "geometry/normals.h"
#include "geometry/weld.h"
#include "io/gltf_read_fail.h"

namespace cutis::gltf {
namespace {

constexpr int kTriangleList = 4, kFan = 6;  // strips are 5, between them

std::vector<Vec3f> as_points(const std::vector<float>& values) {
  std::vector<Vec3f> points(values.size() / 3);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
  return points;
}

std::vector<Triangle> make_triangles(const std::vector<std::uint32_t>& v, int mode) {
  std::vector<Triangle> triangles;
  if (v.size() < 3) return triangles;
  if (mode == kTriangleList) {
    triangles.reserve(v.size() / 3);
    for (std::size_t i = 0; i + 2 < v.size(); i += 3) triangles.push_back({v[i], v[i + 1], v[i + 2]});
    return triangles;
  }
  triangles.reserve(v.size() - 2);
  for (std::size_t i = 0; i + 2 < v.size(); ++i) {
    if (mode == kFan)
      triangles.push_back({v[i + 1], v[i + 2], v[0]});
    else
      triangles.push_back({v[i], v[i + 1 + i % 2], v[i + 2 - i % 2]});
  }
  return triangles;
}

void apply_morph_targets(PrimitiveSource& source, const std::vector<double>& weights, cutis::Mesh& mesh) {
  const auto& targets = source.primitive().targets;
  for (std::size_t k = 0; k < targets.size() && k < weights.size(); ++k) {
    if (weights[k] == 0) continue;
    const auto add = [&](const char* attribute, std::vector<Vec3f>& to) {
      const auto it = targets[k].find(attribute);
      if (it == targets[k].end() || to.empty()) return;
      const std::string place = fmt::format("{} › morph target {} › {}", source.place(), k, attribute);
      const auto deltas = as_points(source.data().floats(it->second, 3, place));
      if (deltas.size() != to.size())
        fail(place, fmt::format("it has {} elements for {} vertices", deltas.size(), to.size()));
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = static_cast<Vec3f>(static_cast<Vec3d>(to[i]) + weights[k] * static_cast<Vec3d>(deltas[i]));
    };
    add("POSITION", mesh.positions);
    add("NORMAL", mesh.normals);
  }
}

void read_attributes(PrimitiveSource& source, cutis::Mesh& mesh, const Context& context) {
  for (const auto& [name, accessor] : source.primitive().attributes) {
    const bool is_uv = name.starts_with("TEXCOORD_");
    if (!is_uv && !name.starts_with("COLOR_")) continue;
    VertexAttribute attribute;
    attribute.name = name;
    attribute.components = source.components(name);
    if (is_uv ? attribute.components != 2 : attribute.components != 3 && attribute.components != 4)
      fail(source.place(), fmt::format("{} has {} components", name, attribute.components));
    attribute.values = source.floats(name, attribute.components, mesh.positions.size());
    std::size_t bad = 0;
    for (float& value : attribute.values) {
      if (std::isfinite(value)) continue;
      value = 0;
      ++bad;
    }
    if (bad > 0)
      context.warn(fmt::format("{}: {} values of {} are not finite and become 0", source.place(), bad, name));
    mesh.attributes.push_back(std::move(attribute));
  }
}

}  // namespace

std::optional<cutis::Mesh> read_geometry(PrimitiveSource& source, const std::vector<double>& morph_weights,
                                         const Context& context) {
  const Primitive& primitive = source.primitive();
  const auto skip = [&](const char* why) {
    context.warn(fmt::format("{}: {}: left out", source.place(), why));
    return std::nullopt;
  };
  if (primitive.mode < kTriangleList) return skip("it has points or lines, not triangles");
  if (primitive.mode > kFan) fail(source.place(), "its 'mode' is not one of glTF's");
  if (!source.has("POSITION")) return skip("it has no POSITION");

  cutis::Mesh mesh;
  mesh.positions = as_points(source.floats("POSITION", 3, 0));
  const std::size_t vertices = mesh.positions.size();
  if (vertices == 0) fail(source.place(), "it has no vertices; remove the mesh or export it with its geometry");
  for (std::size_t i = 0; i < vertices; ++i)
    if (!is_finite(mesh.positions[i]))
      fail(source.place(), fmt::format("the position of vertex {} is not finite; clean the mesh and export again", i));
  if (source.has("NORMAL")) {
    mesh.normals = as_points(source.floats("NORMAL", 3, vertices));
    mesh.had_normals = true;
  }
  apply_morph_targets(source, morph_weights, mesh);

  const auto indices = source.indices(vertices);
  // A Draco stream holds triangles; strips were opened by the encoder.
  const int mode = primitive.draco ? kTriangleList : primitive.mode;
  if (mode == kTriangleList && indices.size() % 3 != 0)
    context.warn(fmt::format("{}: {} indices are not whole triangles; the last {} are left out", source.place(),
                             indices.size(), indices.size() % 3));
  source.data().charge(3 * indices.size(), source.place());
  mesh.triangles = make_triangles(indices, mode);
  if (mesh.triangles.empty()) return skip("it has no triangle");
  read_attributes(source, mesh, context);
  mesh.material = primitive.material;
  if (static_cast<std::size_t>(mesh.material + 1) > source.file().material_count) mesh.material = -1;
  return mesh;
}

void move_to_scene(const Affine3d& scene_from_mesh, cutis::Mesh& mesh, KeepApart* keep_apart) {
  for (Vec3f& p : mesh.positions) {
    const Vec3d q = transform_point(scene_from_mesh, static_cast<Vec3d>(p));
    p = keep_apart != nullptr ? keep_apart->round(q) : static_cast<Vec3f>(q);
  }
  const bool mirrors = determinant(scene_from_mesh.linear) < 0;
  if (mirrors)
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);

  const Mat3d scene_from_normal = cofactor(scene_from_mesh.linear) * (mirrors ? -1.0 : 1.0);
  mesh.normals.resize(mesh.positions.size());
  std::vector<Vec3f> smooth;
  for (std::size_t i = 0; i < mesh.normals.size(); ++i) {
    const Vec3d n = normalized(scene_from_normal * normalized(static_cast<Vec3d>(mesh.normals[i])));
    if (is_finite(n) && dot(n, n) > 0) {
      mesh.normals[i] = static_cast<Vec3f>(n);
      continue;
    }
    if (smooth.empty()) smooth = vertex_normals(mesh.positions, mesh.triangles, weld(mesh.positions).welded_of);
    mesh.normals[i] = smooth[i];
  }
}

}  // namespace cutis::gltf
