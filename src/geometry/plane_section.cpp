#include "geometry/plane_section.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"

namespace cutis {
namespace {

constexpr std::uint32_t kNoEdge = 0xffffffffU;
/// A vertex this close to a plane, relative to the size of the mesh, lies in it: rounding of the plane's own point and
/// normal is about a hundred times smaller.
constexpr double kInPlane = 1e-11;
/// Lines that pass a triangle this close, in barycentric coordinates, meet it.
constexpr double kOnEdge = 1e-9;

}  // namespace

PlaneSections::PlaneSections(std::span<const Vec3d> positions, const Topology& topology)
    : positions_(positions), topology_(&topology) {
  face_edges_.assign(topology.triangles.size(), {kNoEdge, kNoEdge, kNoEdge});
  for (std::uint32_t e = 0; e < topology.edges.size(); ++e) {
    for (const std::uint32_t f : topology.edge_faces.row(e)) {
      const Triangle& t = topology.triangles[f];
      for (std::size_t k = 0; k < 3; ++k)
        if (std::minmax(t[k], t[(k + 1) % 3]) == std::minmax(topology.edges[e].a, topology.edges[e].b))
          face_edges_[f][k] = e;
    }
  }
  Box box;
  for (const Vec3d& p : positions) box.add(p);
  tolerance_ = kInPlane * diagonal(box);
}

double PlaneSections::height(const Plane& plane, std::uint32_t vertex) const {
  const double h = dot(positions_[vertex] - plane.point, plane.normal);
  return std::abs(h) <= tolerance_ ? 0.0 : h;
}

bool PlaneSections::trace(const Plane& plane, std::uint32_t face, double max_length, Scratch& scratch,
                          SectionCurve& curve) const {
  curve = {};
  if (scratch.stamp.size() != topology_->triangles.size()) {
    scratch.stamp.assign(topology_->triangles.size(), 0);
    scratch.now = 0;
  }
  if (++scratch.now == 0) {
    std::fill(scratch.stamp.begin(), scratch.stamp.end(), 0U);
    scratch.now = 1;
  }
  const auto crossing = [&](std::uint32_t edge) {
    const Edge& e = topology_->edges[edge];
    const double ha = height(plane, e.a), hb = height(plane, e.b);
    const double t = ha / (ha - hb);
    return SectionPoint{edge, positions_[e.a] * (1 - t) + positions_[e.b] * t};
  };
  // The two crossed edges of a triangle, or none.
  const auto crossed = [&](std::uint32_t f) {
    std::array<std::uint32_t, 2> edges{kNoEdge, kNoEdge};
    const Triangle& t = topology_->triangles[f];
    const std::array<bool, 3> above{height(plane, t[0]) >= 0, height(plane, t[1]) >= 0, height(plane, t[2]) >= 0};
    std::size_t n = 0;
    for (std::size_t k = 0; k < 3; ++k)
      if (above[k] != above[(k + 1) % 3]) edges[n++] = face_edges_[f][k];
    return edges;
  };
  if (face_edges_[face][0] == kNoEdge) return false;
  const auto [first, second] = crossed(face);
  if (first == kNoEdge) return false;
  scratch.stamp[face] = scratch.now;

  // Walks on from `face` across `edge`. True when it comes back to the first face.
  const auto walk = [&](std::uint32_t f, std::uint32_t edge, std::uint32_t goal, bool& too_long) {
    for (;;) {
      std::uint32_t next = kNoEdge;
      for (const std::uint32_t g : topology_->edge_faces.row(edge)) {
        if (g == f) continue;
        if (g == goal && curve.faces.size() > 1) return true;
        if (scratch.stamp[g] != scratch.now && next == kNoEdge) next = g;
      }
      if (next == kNoEdge) return false;
      scratch.stamp[next] = scratch.now;
      const auto [a, b] = crossed(next);
      edge = a == edge ? b : a;
      f = next;
      curve.faces.push_back(f);
      curve.points.push_back(crossing(edge));
      curve.length +=
          distance(curve.points[curve.points.size() - 2].position, curve.points[curve.points.size() - 1].position);
      if (curve.length > max_length) {
        too_long = true;
        return false;
      }
    }
  };
  curve.points = {crossing(first), crossing(second)};
  curve.faces.assign(1, face);
  curve.length = distance(curve.points[0].position, curve.points[1].position);
  bool too_long = false;
  curve.closed = walk(face, second, face, too_long);
  if (too_long) return false;
  if (curve.closed) {
    curve.points.pop_back();  // the last crossing is the first one again
    return true;
  }
  // A border: the other half starts at the first edge again.
  std::reverse(curve.points.begin(), curve.points.end());
  std::reverse(curve.faces.begin(), curve.faces.end());
  walk(face, first, kNoEdge, too_long);
  curve.gap = distance(curve.points.front().position, curve.points.back().position);
  return !too_long;
}

std::vector<SectionCurve> PlaneSections::all(const Plane& plane, Scratch& scratch) const {
  std::vector<SectionCurve> curves;
  std::vector<std::uint8_t> done(topology_->triangles.size(), 0);
  SectionCurve curve;
  for (std::uint32_t f = 0; f < topology_->triangles.size(); ++f) {
    if (done[f] || !trace(plane, f, std::numeric_limits<double>::infinity(), scratch, curve)) continue;
    for (const std::uint32_t g : curve.faces) done[g] = 1;
    curves.push_back(curve);
  }
  return curves;
}

std::vector<RayHit> PlaneSections::line_hits(const Vec3d& origin, const Vec3d& direction) const {
  const Vec3d x = any_perpendicular(direction), y = cross(direction, x);
  const double ox = dot(origin, x), oy = dot(origin, y);
  std::vector<std::array<double, 2>> flat(positions_.size());
  for (std::size_t v = 0; v < positions_.size(); ++v)
    flat[v] = {dot(positions_[v], x) - ox, dot(positions_[v], y) - oy};
  std::vector<RayHit> hits;
  for (std::uint32_t f = 0; f < topology_->triangles.size(); ++f) {
    const Triangle& t = topology_->triangles[f];
    const auto &a = flat[t[0]], &b = flat[t[1]], &c = flat[t[2]];
    if ((a[0] > 0 && b[0] > 0 && c[0] > 0) || (a[0] < 0 && b[0] < 0 && c[0] < 0)) continue;
    if ((a[1] > 0 && b[1] > 0 && c[1] > 0) || (a[1] < 0 && b[1] < 0 && c[1] < 0)) continue;
    const double wa = b[0] * c[1] - b[1] * c[0], wb = c[0] * a[1] - c[1] * a[0], wc = a[0] * b[1] - a[1] * b[0];
    const double area = wa + wb + wc;
    if (area == 0 || face_edges_[f][0] == kNoEdge) continue;
    if (wa / area < -kOnEdge || wb / area < -kOnEdge || wc / area < -kOnEdge) continue;
    const Vec3d p = positions_[t[0]] * (wa / area) + positions_[t[1]] * (wb / area) + positions_[t[2]] * (wc / area);
    hits.push_back({f, dot(p - origin, direction)});
  }
  std::sort(hits.begin(), hits.end(), [](const RayHit& a, const RayHit& b) {
    return std::abs(a.t) != std::abs(b.t) ? std::abs(a.t) < std::abs(b.t) : a.face < b.face;
  });
  return hits;
}

int winding(const SectionCurve& curve, const Vec3d& point, const Vec3d& normal) {
  const Vec3d x = any_perpendicular(normal), y = cross(normal, x);
  // Signed crossings of the half line along +x.
  int turns = 0;
  const std::size_t n = curve.points.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3d a = curve.points[i].position - point, b = curve.points[(i + 1) % n].position - point;
    const double ay = dot(a, y), by = dot(b, y);
    if ((ay >= 0) == (by >= 0)) continue;
    const double ax = dot(a, x), bx = dot(b, x);
    if ((ax * (by - ay) - ay * (bx - ax) > 0) == (by > ay)) turns += by > ay ? 1 : -1;
  }
  return turns;
}

Vec3d centroid(const SectionCurve& curve) {
  Vec3d sum;
  double total = 0;
  const std::size_t n = curve.points.size();
  for (std::size_t i = 0; i + (curve.closed ? 0 : 1) < n; ++i) {
    const Vec3d &a = curve.points[i].position, &b = curve.points[(i + 1) % n].position;
    const double l = distance(a, b);
    sum += (a + b) * (0.5 * l);
    total += l;
  }
  return total > 0 ? sum / total : n > 0 ? curve.points[0].position : Vec3d{};
}

}  // namespace cutis
