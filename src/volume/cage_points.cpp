// The cage's points: samples of the surface, grown, and the markers on it.
#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "geometry/normals.h"
#include "volume/control_points.h"
#include "volume/delaunay.h"

namespace cutis {
namespace {

/// Markers deeper than this (in edge lengths) are inner points that the cage does not care about.
constexpr double kDeep = 0.45;
/// Markers higher than this over the skin hang on the cage like a marker on a stick.
constexpr double kHigh = 0.4;

}  // namespace

struct ControlPoints::Cage {
  std::vector<Vec3d> positions, normals;
  std::vector<double> spacing;
  std::vector<char> fixed;  // a marker is there
};

double room_to_grow(const Solid& solid, const Vec3d& p, const Vec3d& normal, double most) {
  return std::min(most, 0.25 * solid.room(p, normal, 2e-3 * most, 4 * most));
}

std::uint32_t ControlPoints::add(const Vec3d& p, Role r) {
  at.emplace_back();
  role.push_back(r);
  const auto point = static_cast<std::uint32_t>(at.size() - 1);
  move(point, p);
  return point;
}
void ControlPoints::move(std::uint32_t point, const Vec3d& p) {
  for (int k = 0; k < 3; ++k) at[point][k] = static_cast<float>(std::round(p[k] / grid_) * grid_);
}

ControlPoints::ControlPoints(const Solid& solid, SurfaceSamples surface, bool grow, std::span<const Vec3d> markers)
    : grid_(delaunay_grid(2 * solid.size())) {
  Cage cage{std::move(surface.positions), std::move(surface.normals), std::move(surface.spacing), {}};
  shortest_ = 1e300;
  for (const double l : cage.spacing) {
    shortest_ = std::min(shortest_, l);
    longest_ = std::max(longest_, l);
    mean_ += l / static_cast<double>(cage.spacing.size());
  }
  if (grow)
    for (std::size_t v = 0; v < cage.positions.size(); ++v)
      cage.positions[v] +=
          cage.normals[v] * room_to_grow(solid, cage.positions[v], cage.normals[v], kGrowth * cage.spacing[v]);
  cage.fixed.assign(cage.positions.size(), 0);
  place_markers(solid, cage, grow, markers);
}

/// Markers a little above the skin become points of the cage. Those on the skin are inner points right below one of
/// the cage, which is moved or added: the skin there stays inside.
void ControlPoints::place_markers(const Solid& solid, Cage& cage, bool grow, std::span<const Vec3d> markers) {
  marker_vertex.assign(markers.size(), 0);
  marker_offset.assign(markers.size(), {});
  std::vector<std::int64_t> on_cage(markers.size(), -1);  // index in the cage
  std::vector<std::pair<std::size_t, Vec3d>> inner;
  PointGrid near(0.7 * longest_);
  for (const Vec3d& p : cage.positions) near.add(p);
  for (std::size_t m = 0; m < markers.size(); ++m) {
    const ClosestPoint::Hit hit = solid.closest().nearest(markers[m]);
    const Triangle& t = solid.triangles()[hit.triangle];
    Vec3d foot;
    for (std::size_t k = 0; k < 3; ++k) foot += static_cast<Vec3d>(solid.positions()[t[k]]) * hit.barycentric[k];
    const Vec3d normal = normalized(face_normal<double>(solid.positions(), t));
    std::size_t nearest = 0;
    double least = 1e300;
    near.visit_near(foot, 2 * mean_, [&](std::uint32_t i) {
      const double d = distance(cage.positions[i], foot) * (dot(cage.normals[i], normal) > 0 ? 1 : 3);
      if (d < least) least = d, nearest = i;
    });
    if (least == 1e300) nearest = static_cast<std::size_t>(near.nearest(foot));
    const double local = cage.spacing[nearest];
    const double height = dot(markers[m] - foot, normal) > 0 ? hit.distance : -hit.distance;
    if (height < -kDeep * local && solid.contains(markers[m])) {
      inner.emplace_back(m, markers[m]);
      continue;
    }
    const double growth = grow ? room_to_grow(solid, foot, normal, kGrowth * local) : 0;
    // On the skin: the marker itself inside, a point of the cage over it.
    const bool on_skin = grow && height < 0.7 * growth;
    const bool far = height > kHigh * local;
    const Vec3d cover = foot + normal * growth;
    const Vec3d p = on_skin || far ? cover : markers[m];
    if (on_skin) inner.emplace_back(m, markers[m]);
    if (!cage.fixed[nearest] && distance(cage.positions[nearest], p) < 0.6 * local) {
      cage.positions[nearest] = p;
      cage.fixed[nearest] = on_skin ? 0 : 1;
      on_cage[m] = static_cast<std::int64_t>(nearest);
    } else if (distance(cage.positions[nearest], p) < 0.1 * local) {
      on_cage[m] = static_cast<std::int64_t>(nearest);
    } else {
      on_cage[m] = static_cast<std::int64_t>(cage.positions.size());
      cage.positions.push_back(p);
      cage.normals.push_back(normal);
      cage.spacing.push_back(local);
      cage.fixed.push_back(on_skin ? 0 : 1);
      near.add(p);
    }
  }
  near_cage_ = PointGrid(0.7 * longest_);
  for (std::size_t v = 0; v < cage.positions.size(); ++v) {
    (void)add(cage.positions[v], cage.fixed[v] ? Role::marker : Role::cage);
    near_cage_.add(at[v]);
  }
  spacing_ = std::move(cage.spacing);
  first_inner_ = at.size();
  for (std::size_t m = 0; m < markers.size(); ++m)
    if (on_cage[m] >= 0) marker_vertex[m] = static_cast<std::uint32_t>(on_cage[m]);
  for (const auto& [m, p] : inner) {
    // Two markers at one place share the vertex.
    auto vertex = static_cast<std::uint32_t>(at.size());
    for (std::size_t v = first_inner_; v < at.size(); ++v)
      if (distance(at[v], p) < 0.05 * edge_length(p)) vertex = static_cast<std::uint32_t>(v);
    if (vertex == at.size()) (void)add(p, Role::marker);
    marker_vertex[m] = vertex;
  }
  for (std::size_t m = 0; m < markers.size(); ++m) marker_offset[m] = markers[m] - at[marker_vertex[m]];
}

}  // namespace cutis
