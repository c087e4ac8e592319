#include "field/spheres.h"

#include <cmath>
#include <utility>

#include "base/math.h"

namespace cutis {

namespace {

// Spheres nearer than this, relative to their size, are one; triangles flatter than this are segments.
constexpr double kDegenerate = 1e-12;

}  // namespace

DistanceSample sphere_distance(const Vec3d& p, const Sphere& s) {
  const Vec3d v = p - s.center;
  const double n = length(v);
  return {n - s.radius, n > 0 ? v / n : Vec3d{0, 1, 0}};
}

// In the half plane through the axis and p, x runs along the axis from the larger sphere, y away from it.
DistanceSample bisphere_distance(const Vec3d& p, const Sphere& a, const Sphere& b) {
  const bool swapped = b.radius > a.radius;
  const Sphere& s1 = swapped ? b : a;
  const Sphere& s2 = swapped ? a : b;
  const Vec3d span = s2.center - s1.center;
  const double l = length(span), drop = s1.radius - s2.radius;
  if (l <= drop || l <= kDegenerate * s1.radius || l == 0) return sphere_distance(p, s1);
  const Vec3d x = span / l, v = p - s1.center;
  const double along = dot(v, x);
  const Vec3d off = v - x * along;
  const double away = length(off);
  const double side = std::sqrt((l - drop) * (l + drop));
  const double t = (along * side - away * drop) / l;
  if (t <= 0) return sphere_distance(p, s1);
  if (t >= side) return sphere_distance(p, s2);
  const Vec3d y = away > kDegenerate * (l + s1.radius) ? off / away : any_perpendicular(x);
  return {(along * drop + away * side) / l - s1.radius, (x * drop + y * side) / l};
}

double bisphere_parameter(const Vec3d& p, const Sphere& a, const Sphere& b) {
  const Vec3d span = b.center - a.center;
  const double l = length(span), drop = a.radius - b.radius;
  if (l <= std::abs(drop) || l == 0) return drop >= 0 ? 0.0 : 1.0;
  const Vec3d x = span / l, v = p - a.center;
  const double along = dot(v, x), away = length(v - x * along);
  const double side = std::sqrt((l - drop) * (l + drop));
  const double t = (along * side - away * drop) / (l * side);
  return t <= 0 ? 0.0 : t >= 1 ? 1.0 : t;
}

namespace {

BlockSample sample_bisphere(const Vec3d& p, const Sphere& a, const Sphere& b) {
  const double t = bisphere_parameter(p, a, b);
  return {bisphere_distance(p, a, b), {1 - t, t, 0}};
}

BlockSample sample_trisphere(const Vec3d& p, const Sphere& a, const Sphere& b, const Sphere& c) {
  // A plane that touches all three has a unit normal n with n.e1 = r_a - r_b and n.e2 = r_a - r_c.
  const Vec3d e1 = b.center - a.center, e2 = c.center - a.center;
  const double g11 = dot(e1, e1), g12 = dot(e1, e2), g22 = dot(e2, e2);
  const double det = g11 * g22 - g12 * g12;
  if (det > kDegenerate * g11 * g22) {
    const double h1 = a.radius - b.radius, h2 = a.radius - c.radius;
    const Vec3d in_plane = e1 * ((h1 * g22 - h2 * g12) / det) + e2 * ((h2 * g11 - h1 * g12) / det);
    const double rest = 1 - dot(in_plane, in_plane);
    if (rest > 0) {
      Vec3d m = normalized(cross(e1, e2));
      if (dot(p - a.center, m) < 0) m = -m;
      const Vec3d n = in_plane + m * std::sqrt(rest);
      // Barycentric coordinates of the foot in the triangle of touching points a + r_a n, b + r_b n, c + r_c n.
      const Vec3d f1 = e1 - n * h1, f2 = e2 - n * h2, v = p - a.center - n * a.radius;
      const double d = dot(v, n);
      const double k11 = dot(f1, f1), k12 = dot(f1, f2), k22 = dot(f2, f2), v1 = dot(v, f1), v2 = dot(v, f2);
      const double k = k11 * k22 - k12 * k12;
      const double u = v1 * k22 - v2 * k12, w = v2 * k11 - v1 * k12;
      if (k > 0 && u >= 0 && w >= 0 && u + w <= k) return {{d, n}, {(k - u - w) / k, u / k, w / k}};
    }
  }
  BlockSample best = sample_bisphere(p, a, b);
  if (const BlockSample bc = sample_bisphere(p, b, c); bc.distance.value < best.distance.value)
    best = {bc.distance, {0, bc.weight[0], bc.weight[1]}};
  if (const BlockSample ca = sample_bisphere(p, c, a); ca.distance.value < best.distance.value)
    best = {ca.distance, {ca.weight[1], 0, ca.weight[0]}};
  return best;
}

}  // namespace

DistanceSample trisphere_distance(const Vec3d& p, const Sphere& a, const Sphere& b, const Sphere& c) {
  return sample_trisphere(p, a, b, c).distance;
}

BlockSample sample_block(const Vec3d& p, const SphereBlock& block) {
  const std::vector<Sphere>& s = block.spheres;
  return s.size() == 1   ? BlockSample{sphere_distance(p, s[0]), {1, 0, 0}}
         : s.size() == 2 ? sample_bisphere(p, s[0], s[1])
                         : sample_trisphere(p, s[0], s[1], s[2]);
}

DistanceSample SphereSet::eval(const Vec3d& p) const {
  DistanceSample best{1e30, {}};
  for (const SphereBlock& block : blocks) {
    const std::vector<Sphere>& s = block.spheres;
    if (s.empty()) continue;
    const DistanceSample d = s.size() == 1   ? sphere_distance(p, s[0])
                             : s.size() == 2 ? bisphere_distance(p, s[0], s[1])
                                             : trisphere_distance(p, s[0], s[1], s[2]);
    if (d.value < best.value) best = d;
  }
  return best;
}

}  // namespace cutis
