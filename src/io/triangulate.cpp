// Ear clipping in the plane of the polygon's area vector.
//
// Cutting an ear changes only its two neighbours, so each step tests two corners against the reflex ones and picks
// the cheapest ear by a scan: quadratic in all.
#include "io/triangulate.h"

#include <limits>

#include "base/math.h"

namespace cutis {
namespace {

struct Point {
  double x = 0, y = 0;
};

double turn(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}
double squared_distance(const Point& a, const Point& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

class Clipper {
 public:
  explicit Clipper(std::vector<Point> points) : p_(std::move(points)) {
    const std::size_t n = p_.size();
    before_.resize(n);
    after_.resize(n);
    gone_.assign(n, false);
    for (std::size_t i = 0; i < n; ++i) {
      before_[i] = (i + n - 1) % n;
      after_[i] = (i + 1) % n;
    }
    cost_.resize(n);
    for (std::size_t i = 0; i < n; ++i) cost_[i] = cost_of(i);
  }

  template <class Emit>
  void clip(Emit&& emit) {
    std::size_t left = p_.size();
    for (; left > 3; --left) {
      const std::size_t ear = cheapest();
      const std::size_t a = before_[ear], b = after_[ear];
      emit(a, ear, b);
      gone_[ear] = true;
      after_[a] = b;
      before_[b] = a;
      cost_[a] = cost_of(a);
      cost_[b] = cost_of(b);
    }
    for (std::size_t i = 0; i < p_.size(); ++i) {
      if (gone_[i]) continue;
      emit(before_[i], i, after_[i]);
      return;
    }
  }

 private:
  /// Of cutting corner i off: the length of the diagonal for a true ear; corners on a straight line (which any later
  /// ear may still use) come after those, then corners that cut into the outside.
  [[nodiscard]] double cost_of(std::size_t i) const {
    constexpr double kFlat = 1e100, kOutside = 1e200;
    const Point &a = p_[before_[i]], &b = p_[i], &c = p_[after_[i]];
    const double area = turn(a, b, c);
    const double diagonal = squared_distance(a, c);
    if (area <= 0) return area == 0 ? kFlat : kOutside;
    for (std::size_t k = after_[after_[i]]; k != before_[i]; k = after_[k]) {
      const Point& q = p_[k];
      if (turn(p_[before_[k]], q, p_[after_[k]]) > 0) continue;  // only reflex corners can be in the way first
      const bool at_corner = squared_distance(q, a) == 0 || squared_distance(q, b) == 0 || squared_distance(q, c) == 0;
      if (!at_corner && turn(a, b, q) >= 0 && turn(b, c, q) >= 0 && turn(c, a, q) >= 0) return kOutside;
    }
    return diagonal;
  }
  [[nodiscard]] std::size_t cheapest() const {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < p_.size(); ++i) {
      if (gone_[i] || cost_[i] >= least) continue;
      least = cost_[i];
      best = i;
    }
    return best;
  }

  std::vector<Point> p_;
  std::vector<std::size_t> before_, after_;
  std::vector<bool> gone_;
  std::vector<double> cost_;
};

void fan(std::span<const std::uint32_t> corners, std::vector<Triangle>& triangles) {
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) triangles.push_back({corners[0], corners[i], corners[i + 1]});
}

}  // namespace

void triangulate_polygon(std::span<const Vec3f> positions, std::span<const std::uint32_t> corners,
                         std::vector<Triangle>& triangles) {
  const std::size_t n = corners.size();
  if (n <= 3) return fan(corners, triangles);

  const auto origin = static_cast<Vec3d>(positions[corners[0]]);
  std::vector<Vec3d> p(n);
  double size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    p[i] = static_cast<Vec3d>(positions[corners[i]]) - origin;
    size = std::max(size, length(p[i]));
  }
  if (size > 0)
    for (Vec3d& q : p) q *= 1 / size;  // far from overflow, whatever the unit
  Vec3d area;
  for (std::size_t i = 1; i + 1 < n; ++i) area += cross(p[i], p[i + 1]);
  const Vec3d normal = normalized(area);
  if (normal == Vec3d{}) return fan(corners, triangles);

  if (n == 4) {
    const auto faces_up = [&](int a, int b, int c) { return dot(cross(p[b] - p[a], p[c] - p[a]), normal) > 0; };
    const bool first_inside = faces_up(0, 1, 2) && faces_up(0, 2, 3);
    const bool second_inside = faces_up(0, 1, 3) && faces_up(1, 2, 3);
    const bool first_shorter = length(p[2] - p[0]) <= length(p[3] - p[1]);
    const auto c = corners;
    if (first_inside == second_inside ? first_shorter : first_inside) {
      triangles.insert(triangles.end(), {Triangle{c[0], c[1], c[2]}, Triangle{c[0], c[2], c[3]}});
    } else {
      triangles.insert(triangles.end(), {Triangle{c[0], c[1], c[3]}, Triangle{c[1], c[2], c[3]}});
    }
    return;
  }

  const Vec3d x = any_perpendicular(normal), y = cross(normal, x);
  std::vector<Point> flat(n);
  for (std::size_t i = 0; i < n; ++i) flat[i] = {dot(p[i], x), dot(p[i], y)};
  Clipper(std::move(flat)).clip([&](std::size_t a, std::size_t b, std::size_t c) {
    triangles.push_back({corners[a], corners[b], corners[c]});
  });
}

}  // namespace cutis
