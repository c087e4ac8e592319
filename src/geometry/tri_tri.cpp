// When two triangles lie in different planes, their intersection is empty or a segment (or point) whose ends lie on
// an edge of one inside the other; so six edge-triangle tests decide, each by the signs of orientation determinants.
// In one plane the question is two-dimensional: some pair of edges crosses, or one triangle holds a corner of the
// other. Only exact signs are used, hence no tolerance and no wrong answer.
#include "geometry/tri_tri.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/triangle.h"
#include "geometry/predicates.h"

namespace cutis {
namespace {

using Corners2 = std::array<Vec2f, 3>;

// q on the closed segment ab, all three on one line.
bool between(const Vec2f& a, const Vec2f& b, const Vec2f& q) {
  return std::min(a.x, b.x) <= q.x && q.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= q.y &&
         q.y <= std::max(a.y, b.y);
}

bool segments_meet(const Vec2f& a, const Vec2f& b, const Vec2f& c, const Vec2f& d) {
  const int abc = orient2d(a, b, c), abd = orient2d(a, b, d);
  const int cda = orient2d(c, d, a), cdb = orient2d(c, d, b);
  if (abc * abd < 0 && cda * cdb < 0) return true;
  return (abc == 0 && between(a, b, c)) || (abd == 0 && between(a, b, d)) || (cda == 0 && between(c, d, a)) ||
         (cdb == 0 && between(c, d, b));
}

bool holds(const Corners2& t, const Vec2f& p) {
  const int s0 = orient2d(t[0], t[1], p), s1 = orient2d(t[1], t[2], p), s2 = orient2d(t[2], t[0], p);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

bool segment_meets_triangle(const Vec2f& p, const Vec2f& q, const Corners2& t) {
  if (holds(t, p)) return true;
  for (int k = 0; k < 3; ++k)
    if (segments_meet(p, q, t[k], t[(k + 1) % 3])) return true;
  return false;
}

// An axis along which the triangle does not project to a line.
int projection_axis(const TriangleCorners& t) {
  for (int axis = 0; axis < 3; ++axis)
    if (orient2d(drop_axis(t[0], axis), drop_axis(t[1], axis), drop_axis(t[2], axis)) != 0) return axis;
  return 2;
}

Corners2 project(const TriangleCorners& t, int axis) {
  return {drop_axis(t[0], axis), drop_axis(t[1], axis), drop_axis(t[2], axis)};
}

bool coplanar_triangles_meet(const TriangleCorners& a, const TriangleCorners& b) {
  const int axis = projection_axis(a);
  const Corners2 p = project(a, axis), q = project(b, axis);
  for (int k = 0; k < 3; ++k)
    if (segment_meets_triangle(p[k], p[(k + 1) % 3], q)) return true;
  return holds(p, q[0]);  // b inside a
}

// Edge pq against t, given the sides sp, sq of its ends.
bool edge_meets_triangle(const Vec3f& p, const Vec3f& q, int sp, int sq, const TriangleCorners& t) {
  if (sp * sq > 0) return false;
  if (sp == 0 && sq == 0) {
    const int axis = projection_axis(t);
    return segment_meets_triangle(drop_axis(p, axis), drop_axis(q, axis), project(t, axis));
  }
  // The line meets the plane in one point; it passes all edges of t on the same side when that point is inside.
  const int s0 = orient3d(p, q, t[0], t[1]);
  const int s1 = orient3d(p, q, t[1], t[2]);
  if (s0 * s1 < 0) return false;
  const int s2 = orient3d(p, q, t[2], t[0]);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

std::array<int, 3> sides(const TriangleCorners& plane, const TriangleCorners& t) {
  return {orient3d(plane[0], plane[1], plane[2], t[0]), orient3d(plane[0], plane[1], plane[2], t[1]),
          orient3d(plane[0], plane[1], plane[2], t[2])};
}

bool all_on_one_side(const std::array<int, 3>& s) {
  return (s[0] > 0 && s[1] > 0 && s[2] > 0) || (s[0] < 0 && s[1] < 0 && s[2] < 0);
}

double distance_to(const std::array<Vec3d, 3>& t, const Vec3d& q) {
  double w[3];
  closest_in_triangle(t[0], t[1], t[2], q, w);
  return distance(t[0] * w[0] + t[1] * w[1] + t[2] * w[2], q);
}

// Of the segments pq and rs: at the nearest points of the lines where both are inside, else at one of the four ends.
double segment_distance(const Vec3d& p, const Vec3d& q, const Vec3d& r, const Vec3d& s) {
  double best = std::min({distance_to_segment(p, r, s), distance_to_segment(q, r, s), distance_to_segment(r, p, q),
                          distance_to_segment(s, p, q)});
  const Vec3d u = q - p, v = s - r, n = cross(u, v), between = r - p;
  const double nn = dot(n, n);
  if (!(nn > 0)) return best;
  const double x = dot(cross(between, v), n) / nn, y = dot(cross(between, u), n) / nn;
  if (x >= 0 && x <= 1 && y >= 0 && y <= 1) best = std::min(best, std::abs(dot(between, n)) / std::sqrt(nn));
  return best;
}

}  // namespace

bool triangles_intersect(const TriangleCorners& a, const TriangleCorners& b) {
  const std::array<int, 3> b_sides = sides(a, b);
  if (all_on_one_side(b_sides)) return false;
  if (b_sides == std::array{0, 0, 0}) return coplanar_triangles_meet(a, b);
  const std::array<int, 3> a_sides = sides(b, a);
  if (all_on_one_side(a_sides)) return false;
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3;
    if (edge_meets_triangle(b[k], b[l], b_sides[k], b_sides[l], a)) return true;
    if (edge_meets_triangle(a[k], a[l], a_sides[k], a_sides[l], b)) return true;
  }
  return false;
}

bool triangles_within(const TriangleCorners& a, const TriangleCorners& b, double reach) {
  if (triangles_intersect(a, b)) return true;
  std::array<Vec3d, 3> p, q;
  for (std::size_t k = 0; k < 3; ++k) p[k] = static_cast<Vec3d>(a[k]), q[k] = static_cast<Vec3d>(b[k]);
  for (std::size_t k = 0; k < 3; ++k)
    if (distance_to(p, q[k]) <= reach || distance_to(q, p[k]) <= reach) return true;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t m = 0; m < 3; ++m)
      if (segment_distance(p[k], p[(k + 1) % 3], q[m], q[(m + 1) % 3]) <= reach) return true;
  return false;
}

}  // namespace cutis
