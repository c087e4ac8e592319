// Every corner of every triangle becomes one stencil (target, p, q), an obtuse corner two or more by unfolding. When a
// vertex is accepted, the stencils that use it are tried; a stencil with one accepted end passes the front along its
// edge. Values only come from accepted vertices and never decrease along the way, so the order of equal values does
// not matter.
#include "geometry/geodesic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/math.h"
#include "base/segment.h"

namespace cutis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Cosines within this of 0 count as a right angle, so that mirrored triangles are treated alike.
constexpr double kRightAngle = 1e-9;
/// Unfolding gives up after so many triangles: the sector is then as good as empty of vertices.
constexpr int kMaxUnfolded = 16;

struct Point2 {
  double x = 0, y = 0;
};
double cross2(const Point2& a, const Point2& b) { return a.x * b.y - a.y * b.x; }
double dot2(const Point2& a, const Point2& b) { return a.x * b.x + a.y * b.y; }
Point2 minus(const Point2& a, const Point2& b) { return {a.x - b.x, a.y - b.y}; }

// Where the third vertex of a triangle lands when the triangle is laid down beside the edge a-b, on the side of the
// edge away from `inside`. Lengths come from space.
Point2 lay_down(const Point2& a, const Point2& b, const Point2& inside, const Vec3d& pa, const Vec3d& pb,
                const Vec3d& pc) {
  const Vec3d e = pb - pa;
  const double length2 = dot(e, e);
  const double t = dot(pc - pa, e) / length2;
  const double height = length(pc - pa - e * t);
  const Point2 along = minus(b, a);
  const double scale = 1.0 / std::sqrt(dot2(along, along));
  Point2 normal{-along.y * scale, along.x * scale};
  if (dot2(normal, minus(inside, a)) > 0) normal = {-normal.x, -normal.y};
  return {a.x + along.x * t + normal.x * height, a.y + along.y * t + normal.y * height};
}

Point2 nearest_in_plane(const Point2& p, const Point2& a, const Point2& b) {
  const Vec3d nearest = nearest_on_segment({p.x, p.y, 0}, {a.x, a.y, 0}, {b.x, b.y, 0});
  return {nearest.x, nearest.y};
}

std::uint32_t opposite(const Triangle& triangle, std::uint32_t a, std::uint32_t b) {
  for (const std::uint32_t v : triangle)
    if (v != a && v != b) return v;
  return a;
}

// Nearest first; ties by number, so that a heap has one order.
bool farther(const VertexDistance& a, const VertexDistance& b) {
  return a.distance != b.distance ? a.distance > b.distance : a.vertex > b.vertex;
}

}  // namespace

Geodesics::Geodesics(std::span<const Vec3d> positions, const Topology& topology)
    : positions_(positions), topology_(&topology) {
  stencils_.reserve(topology.triangles.size() * 4);
  for (std::uint32_t f = 0; f < topology.triangles.size(); ++f) {
    const Triangle& t = topology.triangles[f];
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    for (int corner = 0; corner < 3; ++corner) add_stencils(f, corner);
  }
  uses_.begin.assign(topology.vertex_count + 1, 0);
  for (const Stencil& s : stencils_) {
    ++uses_.begin[s.p + 1];
    ++uses_.begin[s.q + 1];
  }
  std::partial_sum(uses_.begin.begin(), uses_.begin.end(), uses_.begin.begin());
  uses_.items.resize(stencils_.size() * 2);
  std::vector<std::uint32_t> cursor(uses_.begin.begin(), uses_.begin.end() - 1);
  for (std::uint32_t i = 0; i < stencils_.size(); ++i) {
    uses_.items[cursor[stencils_[i].p]++] = i;
    uses_.items[cursor[stencils_[i].q]++] = i;
  }
}

void Geodesics::add_stencils(std::uint32_t face, int corner) {
  const Triangle& t = topology_->triangles[face];
  const std::uint32_t c = t[static_cast<std::size_t>(corner)], a = t[static_cast<std::size_t>((corner + 1) % 3)],
                      b = t[static_cast<std::size_t>((corner + 2) % 3)];
  const Vec3d va = positions_[a] - positions_[c], vb = positions_[b] - positions_[c];
  const double aa = dot(va, va), bb = dot(vb, vb), ab = dot(va, vb);
  // Twice the area against the lengths: below this the front cannot be told from one along the edges.
  const bool flat = !(length(cross(va, vb)) > 1e-10 * (aa + bb));
  stencils_.push_back({c, a, b, aa, bb, ab, flat});
  if (flat || ab >= -kRightAngle * std::sqrt(aa * bb)) return;

  // Obtuse at c: lay the triangles across a-b down one after the other, always across the edge that the sector of
  // acute directions looks through, until a vertex falls into the sector. It splits the corner into two acute ones.
  stencils_.back().flat = true;
  const double la = std::sqrt(aa), lb = std::sqrt(bb);
  const double angle = std::acos(std::clamp(ab / (la * lb), -1.0, 1.0));
  const Point2 origin{0, 0};
  Point2 left{la, 0}, right{lb * std::cos(angle), lb * std::sin(angle)};  // sector between them, counterclockwise
  const Point2 sector_lo{right.y, -right.x};                              // at right angles to `right`
  const Point2 sector_hi{0, 1};                                           // at right angles to a
  std::uint32_t l = a, r = b, from = face;
  for (int step = 0; step < kMaxUnfolded; ++step) {
    const std::int64_t edge = topology_->find_edge(l, r);
    const auto faces = topology_->edge_faces.row(static_cast<std::size_t>(edge));
    if (faces.size() != 2) break;
    from = faces[0] == from ? faces[1] : faces[0];
    const std::uint32_t v = opposite(topology_->triangles[from], l, r);
    const Point2 edge_vector = minus(right, left);
    if (!(dot2(edge_vector, edge_vector) > 0) || v == l || v == r) break;
    const Point2 p = lay_down(left, right, origin, positions_[l], positions_[r], positions_[v]);
    const double scale = kRightAngle * std::sqrt(dot2(p, p));
    const bool above_lo = cross2(sector_lo, p) >= -scale * lb, below_hi = cross2(p, sector_hi) >= -scale;
    if (above_lo && below_hi) {
      const double pp = dot2(p, p);
      if (v == c) break;
      stencils_.push_back({c, a, v, aa, pp, la * p.x, false});
      stencils_.push_back({c, v, b, pp, bb, p.x * lb * std::cos(angle) + p.y * lb * std::sin(angle), false});
      return;
    }
    if (above_lo) {  // beyond the upper border: the sector looks through l-v
      r = v;
      right = p;
    } else {
      l = v;
      left = p;
    }
  }
  stencils_.back().flat = false;  // a border or a fan without vertices: better the obtuse corner than none
}

double Geodesics::arrive(const Stencil& s, double dp, double dq) {
  const double lp = std::sqrt(s.pp), lq = std::sqrt(s.qq);
  double best = std::min(dp + lp, dq + lq);
  if (s.flat || !std::isfinite(dp) || !std::isfinite(dq)) return best;
  // d(x) = d + g . x with |g| = 1, g . p = dp - d, g . q = dq - d: a quadratic in d.
  const double det = s.pp * s.qq - s.pq * s.pq;
  const double ipp = s.qq / det, iqq = s.pp / det, ipq = -s.pq / det;
  const double a = ipp + 2 * ipq + iqq;
  const double b = -2 * ((ipp + ipq) * dp + (iqq + ipq) * dq);
  const double c = ipp * dp * dp + 2 * ipq * dp * dq + iqq * dq * dq - 1;
  const double discriminant = b * b - 4 * a * c;
  if (!(discriminant >= 0) || !(a > 0)) return best;
  const double d = (-b + std::sqrt(discriminant)) / (2 * a);
  // The front comes from between p and q when -g does: g = alpha p + beta q with neither positive.
  const double alpha = ipp * (dp - d) + ipq * (dq - d), beta = ipq * (dp - d) + iqq * (dq - d);
  const double slack = 1e-12 * (std::abs(alpha) + std::abs(beta));
  if (alpha <= slack && beta <= slack && d >= std::max(dp, dq)) best = std::min(best, d);
  return best;
}

void Geodesics::lower(std::uint32_t vertex, double value, double max_distance, Scratch& scratch) const {
  if (!(value <= max_distance) || scratch.accepted[vertex]) return;
  double& d = scratch.distance[vertex];
  if (!(value < d)) return;
  if (d == kInfinity) scratch.touched.push_back(vertex);
  d = value;
  scratch.heap.push_back({vertex, value});
  std::push_heap(scratch.heap.begin(), scratch.heap.end(), farther);
}

// Exact distances from a segment to the corners of its triangle and, where the straight line stays inside, to the
// corners across its edges.
void Geodesics::seed(const CurveSegment& segment, double max_distance, Scratch& scratch) const {
  const Triangle& t = topology_->triangles[segment.face];
  const std::array<Vec3d, 3> p{positions_[t[0]], positions_[t[1]], positions_[t[2]]};
  Vec3d x = p[1] - p[0];
  if (dot(x, x) < dot(p[2] - p[0], p[2] - p[0])) x = p[2] - p[0];
  x = normalized(x, Vec3d{1, 0, 0});
  const Vec3d y = normalized(cross(normalized(cross(p[1] - p[0], p[2] - p[0])), x), any_perpendicular(x));
  const auto flatten = [&](const Vec3d& q) { return Point2{dot(q - p[0], x), dot(q - p[0], y)}; };
  const Point2 a = flatten(segment.a), b = flatten(segment.b);
  const std::array<Point2, 3> corner{flatten(p[0]), flatten(p[1]), flatten(p[2])};
  for (std::size_t k = 0; k < 3; ++k) {
    const Point2 d = minus(corner[k], nearest_in_plane(corner[k], a, b));
    lower(t[k], std::sqrt(dot2(d, d)), max_distance, scratch);
  }

  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    const Point2 edge = minus(corner[j], corner[i]);
    if (!(dot2(edge, edge) > 0)) continue;
    const std::int64_t e = topology_->find_edge(t[i], t[j]);
    if (e < 0) continue;
    for (const std::uint32_t face : topology_->edge_faces.row(static_cast<std::size_t>(e))) {
      if (face == segment.face) continue;
      const std::uint32_t v = opposite(topology_->triangles[face], t[i], t[j]);
      const Point2 apex = lay_down(corner[i], corner[j], corner[k], p[i], p[j], positions_[v]);
      // The line from `nearest` to `apex` crosses the edge between its ends.
      const Point2 nearest = nearest_in_plane(apex, a, b), ray = minus(apex, nearest);
      const double si = cross2(ray, minus(corner[i], nearest)), sj = cross2(ray, minus(corner[j], nearest));
      if (si * sj <= 0) lower(v, std::sqrt(dot2(ray, ray)), max_distance, scratch);
    }
  }
}

std::vector<VertexDistance> Geodesics::distances(std::span<const CurveSegment> curve, double max_distance,
                                                 Scratch& scratch) const {
  scratch.distance.resize(topology_->vertex_count, kInfinity);
  scratch.accepted.resize(topology_->vertex_count, 0);
  scratch.heap.clear();
  scratch.touched.clear();
  for (const CurveSegment& segment : curve) seed(segment, max_distance, scratch);

  std::vector<VertexDistance> result;
  while (!scratch.heap.empty()) {
    std::pop_heap(scratch.heap.begin(), scratch.heap.end(), farther);
    const VertexDistance top = scratch.heap.back();
    scratch.heap.pop_back();
    if (scratch.accepted[top.vertex]) continue;
    scratch.accepted[top.vertex] = 1;
    result.push_back(top);
    for (const std::uint32_t i : uses_.row(top.vertex)) {
      const Stencil& s = stencils_[i];
      if (scratch.accepted[s.target]) continue;
      const double dp = scratch.accepted[s.p] ? scratch.distance[s.p] : kInfinity;
      const double dq = scratch.accepted[s.q] ? scratch.distance[s.q] : kInfinity;
      lower(s.target, arrive(s, dp, dq), max_distance, scratch);
    }
  }
  for (const std::uint32_t v : scratch.touched) {
    scratch.distance[v] = kInfinity;
    scratch.accepted[v] = 0;
  }
  return result;
}

}  // namespace cutis
