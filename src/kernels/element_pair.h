// ONE PAIR of elements of a surface, vertex and face or edge and edge: how far apart, and whether they meet on the way.
//
// Four points stand for a pair: vertex_face: the vertex, then the face's corners; edge_edge: the ends of one, then of
// the other. Continuous detection is the additive scheme of Li, Kaufman, Jiang, "Codimensional Incremental Potential
// Contact" (2021), section 5: it advances by what the distance allows, hence never passes through.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/math.h"
#include "base/segment.h"
#include "base/triangle.h"

namespace cutis {

enum class ElementPair : std::uint8_t { vertex_face, edge_edge };

/// Of each of the four points.
template <class Item>
struct OfFour {
  Item of[4]{};
  CUTIS_HD constexpr Item& operator[](std::size_t i) { return of[i]; }
  CUTIS_HD constexpr const Item& operator[](std::size_t i) const { return of[i]; }
  constexpr Item* begin() { return of; }
  constexpr Item* end() { return of + 4; }
};

/// The nearest points of the two elements: `delta` = sum of weight[i] * point[i] leads from the second to the first.
template <class T>
struct SeparationOf {
  T distance = 0;
  Vec3<T> delta;
  OfFour<T> weight{};  ///< of the first element they sum to 1, of the second to -1
};

/// When the points move on straight lines from x0 to x1 at constant speed.
template <class T>
struct ImpactOf {
  bool hit = false;
  T time = 1;               ///< in [0,1]: up to here the distance stays at or above what must be kept
  SeparationOf<T> at_time;  ///< with a hit: there; its distance is not 0
  int steps = 0;            ///< that it took to find out
};

using FourPoints = OfFour<Vec3d>;
using Separation = SeparationOf<double>;
using Impact = ImpactOf<double>;

namespace element_pair {

// The part of the initial distance that is never given up, and the part of the safe step that is taken at once.
inline constexpr double kKeepShare = 0.1;
// Steps shrink with the distance left; so many bring it down to kKeepShare in all but grazing cases, which then count
// as hits: the safe side.
inline constexpr int kMaxSteps = 128;
// Squared sine of the angle below which edges count as parallel: there the division loses all its digits.
inline constexpr double kParallel = 1e-8;

template <class T>
CUTIS_HD inline T within_unit(T x) {
  return x < 0 ? T(0) : 1 < x ? T(1) : x;
}
template <class T>
CUTIS_HD inline T least_of(T a, T b) {
  return b < a ? b : a;
}

template <class T>
CUTIS_HD inline SeparationOf<T> from_weights(const OfFour<Vec3<T>>& x, const OfFour<T>& w) {
  SeparationOf<T> s;
  s.weight = w;
  s.delta = x[0] * w[0] + x[1] * w[1] + x[2] * w[2] + x[3] * w[3];
  s.distance = length(s.delta);
  return s;
}

template <class T>
CUTIS_HD inline SeparationOf<T> edges_apart(const OfFour<Vec3<T>>& x) {
  const Vec3<T> e = x[1] - x[0], f = x[3] - x[2], r = x[0] - x[2];
  const T a = dot(e, e), b = dot(e, f), c = dot(f, f), d = dot(e, r), g = dot(f, r);
  const T det = a * c - b * b;
  if (det > static_cast<T>(kParallel) * a * c) {
    T s = within_unit((b * g - c * d) / det);
    T t = (b * s + g) / c;
    if (t < 0 || t > 1) {
      t = within_unit(t);
      s = within_unit((b * t - d) / a);
    }
    return from_weights(x, OfFour<T>{{1 - s, s, t - 1, -t}});
  }
  // Parallel, or one of them a point: an end is among the nearest points.
  SeparationOf<T> best;
  for (int k = 0; k < 4; ++k) {
    T s = 0, t = 0;
    if (k < 2) {
      s = static_cast<T>(k);
      t = parameter_on_segment(x[static_cast<std::size_t>(k)], x[2], x[3]);
    } else {
      t = static_cast<T>(k - 2);
      s = parameter_on_segment(x[static_cast<std::size_t>(k)], x[0], x[1]);
    }
    const SeparationOf<T> here = from_weights(x, OfFour<T>{{1 - s, s, t - 1, -t}});
    if (k == 0 || here.distance < best.distance) best = here;
  }
  return best;
}

}  // namespace element_pair

template <class T>
[[nodiscard]] CUTIS_HD inline SeparationOf<T> separation(ElementPair kind, const OfFour<Vec3<T>>& x) {
  if (kind == ElementPair::edge_edge) return element_pair::edges_apart(x);
  T b[3];
  closest_in_triangle(x[1], x[2], x[3], x[0], b);
  return element_pair::from_weights(x, OfFour<T>{{1, -b[0], -b[1], -b[2]}});
}

/// An upper bound of how much the distance can change while the points move along straight lines from x0 to x1.
template <class T>
[[nodiscard]] CUTIS_HD inline T motion_bound(ElementPair kind, const OfFour<Vec3<T>>& x0, const OfFour<Vec3<T>>& x1) {
  OfFour<Vec3<T>> p;
  for (std::size_t i = 0; i < 4; ++i) p[i] = x1[i] - x0[i];
  T most = 0;
  const std::size_t split = kind == ElementPair::vertex_face ? 1 : 2;
  for (std::size_t i = 0; i < split; ++i)
    for (std::size_t j = split; j < 4; ++j) {
      const T way = dot(p[i] - p[j], p[i] - p[j]);
      most = most < way ? way : most;
    }
  return std::sqrt(most);
}

/// Keeps a tenth of the initial distance and at least `keep` (or half the initial distance, when that is less).
/// `distance0`: of x0, greater than 0. Conservative: no answer "no hit" for a pair that meets.
template <class T>
[[nodiscard]] CUTIS_HD inline ImpactOf<T> first_impact(ElementPair kind, const OfFour<Vec3<T>>& x0,
                                                       const OfFour<Vec3<T>>& x1, std::type_identity_t<T> distance0,
                                                       std::type_identity_t<T> keep) {
  using namespace element_pair;
  constexpr T kShare = static_cast<T>(kKeepShare);
  ImpactOf<T> impact;
  const T bound = motion_bound(kind, x0, x1);
  const T floor = least_of(keep, T(0.5) * distance0);
  const T stop = floor + kShare * (distance0 - floor);
  if (!(bound > 0) || distance0 - bound > stop) return impact;
  OfFour<Vec3<T>> x = x0;
  T time = 0, distance = distance0;
  for (int step = 0; step < kMaxSteps; ++step) {
    const T advance = (1 - kShare) * (distance - floor) / bound;
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
