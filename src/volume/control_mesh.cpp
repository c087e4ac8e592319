#include "volume/control_mesh.h"

#include <algorithm>

#include "base/math.h"
#include "cutis/error.h"
#include "volume/carve.h"
#include "volume/solid.h"
#include "volume/surface_samples.h"

namespace cutis {
namespace {

/// Points in no tetrahedron go; markers whose vertex went hang on the nearest one.
ControlMesh without_loose_points(const ControlPoints& points, std::vector<Tetrahedron> body) {
  ControlMesh mesh;
  std::vector<std::int64_t> place(points.at.size(), -1);
  for (const Tetrahedron& t : body)
    for (const std::uint32_t v : t) place[v] = 0;
  for (std::size_t v = 0; v < place.size(); ++v)
    if (place[v] == 0) {
      place[v] = static_cast<std::int64_t>(mesh.rest.size());
      mesh.rest.push_back(points.at[v]);
      if (points.role[v] == ControlPoints::Role::cage) ++mesh.cage_vertices;
    }
  for (Tetrahedron& t : body)
    for (std::uint32_t& v : t) v = static_cast<std::uint32_t>(place[v]);
  mesh.tetrahedra = std::move(body);

  mesh.marker_vertex = points.marker_vertex;
  mesh.marker_offset = points.marker_offset;
  for (std::size_t m = 0; m < mesh.marker_vertex.size(); ++m) {
    const Vec3d at = points.at[mesh.marker_vertex[m]];
    std::int64_t vertex = place[mesh.marker_vertex[m]];
    if (vertex < 0)
      for (std::size_t v = 0; v < mesh.rest.size(); ++v)
        if (vertex < 0 || distance(mesh.rest[v], at) < distance(mesh.rest[static_cast<std::size_t>(vertex)], at))
          vertex = static_cast<std::int64_t>(v);
    mesh.marker_offset[m] += at - mesh.rest[static_cast<std::size_t>(vertex)];
    mesh.marker_vertex[m] = static_cast<std::uint32_t>(vertex);
  }
  mesh.lost_samples = points.lost_samples;
  for (SkeletonSample s : points.samples) {
    if (place[s.vertex] < 0) {
      ++mesh.lost_samples;
      continue;
    }
    s.vertex = static_cast<std::uint32_t>(place[s.vertex]);
    mesh.samples.push_back(s);
  }
  for (SampleEdge e : points.sample_edges) {
    if (place[e.a] < 0 || place[e.b] < 0) continue;
    e.a = static_cast<std::uint32_t>(place[e.a]);
    e.b = static_cast<std::uint32_t>(place[e.b]);
    mesh.sample_edges.push_back(e);
  }
  return mesh;
}

void find_nearest_bones(const DrivenSkeleton& skeleton, ControlMesh& mesh) {
  for (const Vec3d& p : mesh.rest) {
    int bone = 0;
    double least = 1e300;
    for (const DrivenSegment& s : skeleton.segments)
      if (const double d = distance_to_segments({&s, 1}, p); d < least) least = d, bone = s.bone;
    mesh.nearest_bone.push_back(bone);
  }
}

void measure(const Solid& solid, ControlMesh& mesh, const Context& context) {
  mesh.least_quality = 1;
  double sum = 0;
  for (const Tetrahedron& t : mesh.tetrahedra) {
    mesh.least_quality = std::min(mesh.least_quality, tetrahedron_quality(mesh.rest, t));
    sum += distance(mesh.rest[t[0]], mesh.rest[t[1]]);
  }
  mesh.mean_edge = sum / static_cast<double>(std::max<std::size_t>(mesh.tetrahedra.size(), 1));
  mesh.cage_intersections = intersecting_pairs(mesh.rest, mesh.boundary);
  std::vector<char> used(solid.positions().size(), 0);
  for (const Triangle& t : solid.triangles())
    for (const std::uint32_t v : t) used[v] = 1;
  std::vector<Vec3d> skin;
  for (std::size_t v = 0; v < used.size(); ++v)
    if (used[v]) skin.push_back(static_cast<Vec3d>(solid.positions()[v]));
  for (const Outside& out : find_outside(mesh.rest, mesh.boundary, skin, context)) {
    if (out.by <= 0) continue;
    ++mesh.uncovered;
    mesh.uncovered_by = std::max(mesh.uncovered_by, out.by);
  }
}

}  // namespace

ControlMesh make_control_mesh(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                              const DrivenSkeleton& skeleton, std::span<const Vec3d> markers,
                              const ControlMeshOptions& options, const Context& context) {
  const Solid solid(positions, triangles);
  // About three quarters of the vertices are on the surface.
  SurfaceSamples cage = options.cage ? sample_surface(solid, skeleton.segments, options.vertices * 3 / 4, context)
                                     : surface_vertices(solid);
  ControlPoints points(solid, std::move(cage), options.cage, markers);
  points.add_skeleton(solid, skeleton);
  points.fill(solid, context);
  Carver carver(solid, skeleton, points, context);
  ControlMesh mesh = without_loose_points(points, carver.run(options.cage));
  mesh.components = carver.pieces();
  mesh.boundary = boundary_of(mesh.tetrahedra);
  mesh.slivers =
      std::erase_if(mesh.tetrahedra, [&](const Tetrahedron& t) { return tetrahedron_quality(mesh.rest, t) < kSliver; });
  find_nearest_bones(skeleton, mesh);
  measure(solid, mesh, context);
  return mesh;
}

}  // namespace cutis
