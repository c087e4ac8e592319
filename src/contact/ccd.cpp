#include "contact/ccd.h"

#include <algorithm>
#include <limits>

#include "base/math.h"
#include "base/segment.h"
#include "geometry/closest_point.h"

namespace cutis {
namespace {

// The part of the initial distance that is never given up, and the part of the safe step that is taken at once.
constexpr double kKeepShare = 0.1;
// Steps shrink with the distance left; so many bring it down to kKeepShare in all but grazing cases, which then count
// as hits: the safe side.
constexpr int kMaxSteps = 128;
// Squared sine of the angle below which edges count as parallel: there the division loses all its digits.
constexpr double kParallel = 1e-8;

Separation from_weights(const FourPoints& x, const std::array<double, 4>& w) {
  Separation s;
  s.weight = w;
  s.delta = x[0] * w[0] + x[1] * w[1] + x[2] * w[2] + x[3] * w[3];
  s.distance = length(s.delta);
  return s;
}

Separation edges_apart(const FourPoints& x) {
  const Vec3d e = x[1] - x[0], f = x[3] - x[2], r = x[0] - x[2];
  const double a = dot(e, e), b = dot(e, f), c = dot(f, f), d = dot(e, r), g = dot(f, r);
  const double det = a * c - b * b;
  if (det > kParallel * a * c) {
    double s = std::clamp((b * g - c * d) / det, 0.0, 1.0);
    double t = (b * s + g) / c;
    if (t < 0 || t > 1) {
      t = std::clamp(t, 0.0, 1.0);
      s = std::clamp((b * t - d) / a, 0.0, 1.0);
    }
    return from_weights(x, {1 - s, s, t - 1, -t});
  }
  // Parallel, or one of them a point: an end is among the nearest points.
  Separation best;
  best.distance = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 4; ++k) {
    double s = 0, t = 0;
    if (k < 2) {
      s = k;
      t = parameter_on_segment(x[static_cast<std::size_t>(k)], x[2], x[3]);
    } else {
      t = k - 2;
      s = parameter_on_segment(x[static_cast<std::size_t>(k)], x[0], x[1]);
    }
    const Separation here = from_weights(x, {1 - s, s, t - 1, -t});
    if (here.distance < best.distance) best = here;
  }
  return best;
}

}  // namespace

Separation separation(ElementPair kind, const FourPoints& x) {
  if (kind == ElementPair::edge_edge) return edges_apart(x);
  const std::array<double, 3> b = closest_in_triangle(x[1], x[2], x[3], x[0]);
  return from_weights(x, {1, -b[0], -b[1], -b[2]});
}

double motion_bound(ElementPair kind, const FourPoints& x0, const FourPoints& x1) {
  std::array<Vec3d, 4> p;
  for (std::size_t i = 0; i < 4; ++i) p[i] = x1[i] - x0[i];
  double most = 0;
  const std::size_t split = kind == ElementPair::vertex_face ? 1 : 2;
  for (std::size_t i = 0; i < split; ++i)
    for (std::size_t j = split; j < 4; ++j) most = std::max(most, dot(p[i] - p[j], p[i] - p[j]));
  return std::sqrt(most);
}

Impact first_impact(ElementPair kind, const FourPoints& x0, const FourPoints& x1, double distance0, double keep) {
  Impact impact;
  const double bound = motion_bound(kind, x0, x1);
  const double floor = std::min(keep, 0.5 * distance0);
  const double stop = floor + kKeepShare * (distance0 - floor);
  if (!(bound > 0) || distance0 - bound > stop) return impact;
  FourPoints x = x0;
  double time = 0, distance = distance0;
  for (int step = 0; step < kMaxSteps; ++step) {
    const double advance = (1 - kKeepShare) * (distance - floor) / bound;
    time += advance;
    ++impact.steps;
    if (time >= 1) return impact;
    for (std::size_t i = 0; i < 4; ++i) x[i] = x0[i] + (x1[i] - x0[i]) * time;
    impact.at_time = separation(kind, x);
    distance = impact.at_time.distance;
    if (distance < stop) {
      impact.hit = true;
      impact.time = time;
      return impact;
    }
  }
  impact.hit = true;
  impact.time = time;
  return impact;
}

}  // namespace cutis
