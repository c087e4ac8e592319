// The field of a tube is the first-order distance to its cross-section: with k0 = |(u/a, v/b, w/c)| in a norm between
// the 2- and the 4-norm, the distance is about (k0 - 1) / |grad k0|. Only square roots: the same bits everywhere.
// Fields are joined by a cubic polynomial smooth minimum, which leaves the surface with continuous curvature.
#include "character/builtin/shape.h"

#include <algorithm>
#include <cmath>

namespace cutis::builtin {
namespace {

/// Beyond this distance from a tube's box its exact value no longer matters to anyone.
constexpr double kReach = 0.06;
constexpr double kFar = 1e3;
/// Largest change of the wanted edge length per distance.
constexpr double kGradation = 0.3;
constexpr double kMaxEdge = 0.03;

double smooth_min(double a, double b, double k) {
  const double h = std::max(k - std::abs(a - b), 0.0) / k;
  return std::min(a, b) - h * h * h * k / 6;
}

template <class Operation>
Section combine(const Section& a, const Section& b, Operation&& op) {
  return {op(a.t, b.t),       op(a.half_width, b.half_width),     op(a.front, b.front),
          op(a.back, b.back), op(a.offset_front, b.offset_front), op(a.offset_side, b.offset_side)};
}

/// Slopes of the parabola through three neighbouring sections; level at the two ends, where the caps begin.
std::vector<Section> slopes(const std::vector<Section>& s) {
  std::vector<Section> result(s.size());
  for (std::size_t i = 1; i + 1 < s.size(); ++i) {
    const double h0 = s[i].t - s[i - 1].t, h1 = s[i + 1].t - s[i].t;
    const auto quotient = [](double h) { return [h](double from, double to) { return (to - from) / h; }; };
    const Section d0 = combine(s[i - 1], s[i], quotient(h0)), d1 = combine(s[i], s[i + 1], quotient(h1));
    result[i] = combine(d0, d1, [&](double a, double b) { return (a * h1 + b * h0) / (h0 + h1); });
  }
  return result;
}

Section interpolate(const std::vector<Section>& s, const std::vector<Section>& slope, double t) {
  if (t <= s.front().t) return s.front();
  if (t >= s.back().t) return s.back();
  std::size_t i = 1;
  while (s[i].t < t) ++i;
  const double h = s[i].t - s[i - 1].t, x = (t - s[i - 1].t) / h;
  const double b0 = (1 + 2 * x) * (1 - x) * (1 - x), b1 = 1 - b0;
  const double m0 = x * (1 - x) * (1 - x) * h, m1 = x * x * (x - 1) * h;
  const Section values = combine(s[i - 1], s[i], [&](double a, double b) { return b0 * a + b1 * b; });
  const Section bends = combine(slope[i - 1], slope[i], [&](double a, double b) { return m0 * a + m1 * b; });
  return combine(values, bends, [](double a, double b) { return a + b; });
}

Vec3d mirror(const Vec3d& p) { return {-p.x, p.y, p.z}; }

}  // namespace

Frame Frame::from(const Vec3d& origin, const Vec3d& along, const Vec3d& front) {
  Frame f;
  f.origin = origin;
  f.along = normalized(along);
  f.front = normalized(front - f.along * dot(front, f.along));
  f.side = cross(f.front, f.along);
  return f;
}

Tube ellipsoid(std::string name, const Frame& frame, double along, double side, double front) {
  Tube tube;
  tube.name = std::move(name);
  tube.frame = frame;
  const double half = 0.01 * along;  // two caps that almost meet
  tube.sections = {{.t = -half, .half_width = side, .front = front, .back = front},
                   {.t = half, .half_width = side, .front = front, .back = front}};
  tube.cap_begin = tube.cap_end = along - half;
  return tube;
}

void Shape::add(Tube tube) {
  Prepared prepared;
  prepared.slope = slopes(tube.sections);
  Vec3d lo{tube.sections.front().t - tube.cap_begin, 0, 0}, hi{tube.sections.back().t + tube.cap_end, 0, 0};
  for (const Section& s : tube.sections) {
    lo.y = std::min(lo.y, s.offset_side - s.half_width);
    hi.y = std::max(hi.y, s.offset_side + s.half_width);
    lo.z = std::min(lo.z, s.offset_front - s.back);
    hi.z = std::max(hi.z, s.offset_front + s.front);
  }
  const Vec3d room{kReach, kReach, kReach};
  prepared.local = {lo - room, hi + room};
  tubes_.push_back(std::move(tube));
  prepared_.push_back(std::move(prepared));
}

void Shape::set_floor(double y, double blend) {
  floor_ = y;
  floor_blend_ = blend;
}

double Shape::tube_value(std::size_t i, const Vec3d& p) const {
  const Tube& tube = tubes_[i];
  const Vec3d d = p - tube.frame.origin;
  const Vec3d q{dot(d, tube.frame.along), dot(d, tube.frame.side), dot(d, tube.frame.front)};
  const Box& box = prepared_[i].local;
  for (int k = 0; k < 3; ++k)
    if (q[k] < box.lo[k] || q[k] > box.hi[k]) return kFar;

  const Section s = interpolate(tube.sections, prepared_[i].slope, q.x);
  const double u = q.y - s.offset_side, v = q.z - s.offset_front;
  const double a = s.half_width, b = v > 0 ? s.front : s.back;
  double w = 0, c = 1;
  if (q.x < tube.sections.front().t) {
    w = tube.sections.front().t - q.x;
    c = tube.cap_begin;
  } else if (q.x > tube.sections.back().t) {
    w = q.x - tube.sections.back().t;
    c = tube.cap_end;
  }
  const double x = std::abs(u) / a, y = std::abs(v) / b, z = w / c;
  const double norm2 = std::sqrt(x * x + y * y + z * z);
  if (norm2 < 1e-6) return -std::min(a, b);
  // k0 mixes the 2-norm and the 4-norm; g is the gradient of k0 by the lengths.
  const double norm4 = std::sqrt(std::sqrt(x * x * x * x + y * y * y * y + z * z * z * z));
  const double s4 = tube.boxiness, s2 = 1 - s4, n4 = norm4 * norm4 * norm4;
  const double k0 = s2 * norm2 + s4 * norm4;
  const Vec3d g{(s2 * x / norm2 + s4 * x * x * x / n4) / a, (s2 * y / norm2 + s4 * y * y * y / n4) / b,
                (s2 * z / norm2 + s4 * z * z * z / n4) / c};
  return (k0 - 1) / length(g);
}

double Shape::sided_value(std::size_t i, const Vec3d& p) const {
  const double f = tube_value(i, p);
  if (!symmetric_ || !tubes_[i].mirrored || p.x > kReach) return f;
  return smooth_min(f, tube_value(i, mirror(p)), tubes_[i].mirror_blend);
}

double Shape::value(const Vec3d& point) const {
  const Vec3d p = symmetric_ ? Vec3d{std::abs(point.x), point.y, point.z} : point;
  double f = kFar, before_group = kFar;
  int group = 0;
  for (std::size_t i = 0; i < tubes_.size(); ++i) {
    const Tube& tube = tubes_[i];
    if (tube.group != group) {
      before_group = f;
      group = tube.group;
    }
    const double g = sided_value(i, p);
    if (g >= kFar) continue;
    if (tube.carve) {
      f = -smooth_min(-f, g, tube.blend);
    } else if (group == 0) {
      f = smooth_min(f, g, tube.blend);
    } else {
      f = smooth_min(f, smooth_min(before_group, g, tube.blend), 0.1 * tube.blend);
    }
  }
  if (floor_blend_ > 0) f = -smooth_min(-f, p.y - floor_, floor_blend_);
  return f;
}

Vec3d Shape::gradient(const Vec3d& p) const {
  constexpr double kStep = 1e-5;
  Vec3d g;
  for (int k = 0; k < 3; ++k) {
    Vec3d a = p, b = p;
    a[k] -= kStep;
    b[k] += kStep;
    g[k] = (value(b) - value(a)) / (2 * kStep);
  }
  return g;
}

Vec3d Shape::project(Vec3d p, bool keep_x) const {
  for (int i = 0; i < 4; ++i) {
    const double f = value(p);
    if (std::abs(f) < 1e-7) break;
    Vec3d g = gradient(p);
    if (keep_x) g.x = 0;
    const double n = dot(g, g);
    if (n < 1e-3) break;  // on a ridge of the field: stay
    p -= g * (f / std::max(n, 0.25));
  }
  return p;
}

double Shape::edge_length(const Vec3d& point) const {
  const Vec3d p = symmetric_ ? Vec3d{std::abs(point.x), point.y, point.z} : point;
  double edge = kMaxEdge;
  for (std::size_t i = 0; i < tubes_.size(); ++i)
    edge = std::min(edge, tubes_[i].edge + kGradation * std::max(0.0, tube_value(i, p)));
  return edge;
}

Shape::Owner Shape::owner_at(const Vec3d& point) const {
  const Vec3d p = symmetric_ ? Vec3d{std::abs(point.x), point.y, point.z} : point;
  std::size_t best = 0;
  double least = 2 * kFar;
  for (std::size_t i = 0; i < tubes_.size(); ++i) {
    if (tubes_[i].bones.empty()) continue;
    const double f = tube_value(i, p);
    if (f < least) {
      least = f;
      best = i;
    }
  }
  const Tube& tube = tubes_[best];
  const Vec3d d = p - tube.frame.origin;
  const double t = dot(d, tube.frame.along), v = dot(d, tube.frame.front);
  std::size_t k = 0;
  while (k + 1 < tube.bones.size() && tube.bones[k + 1].t + tube.bones[k + 1].tilt * v <= t) ++k;
  return {tube.bones[k].bone, tube.softness};
}

Box Shape::bounds() const {
  Box box;
  for (std::size_t i = 0; i < tubes_.size(); ++i) {
    const Vec3d room{kReach, kReach, kReach};
    const Vec3d lo = prepared_[i].local.lo + room, hi = prepared_[i].local.hi - room;
    for (unsigned c = 0; c < 8; ++c) {
      const Vec3d p =
          tubes_[i].frame.point((c & 1U) != 0 ? hi.x : lo.x, (c & 2U) != 0 ? hi.y : lo.y, (c & 4U) != 0 ? hi.z : lo.z);
      box.add(p);
      if (symmetric_) box.add(mirror(p));
    }
  }
  if (floor_blend_ > 0) box.lo.y = floor_;
  return box;
}

}  // namespace cutis::builtin
