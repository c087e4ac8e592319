// The nearest sphere of a bisphere at parameter t has centre c1 + t (c2 - c1) and radius r1 + t (r2 - r1), and t is a
// stationary point; so the derivatives of the distance are -(1-t) n, -t n for the centres and -(1-t), -t for the radii.
#include "field/sphere_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/math.h"
#include "field/compact_support.h"
#include "field/robust.h"
#include "numerics/dense_solve.h"

namespace cutis {

namespace {

constexpr std::size_t kUnknowns = 8;

std::vector<double> errors_of(std::span<const Vec3d> points, const SphereSet& set) {
  std::vector<double> errors;
  for (const Vec3d& p : points) errors.push_back(std::abs(set.eval(p).value));
  return errors;
}

struct Pair {
  Sphere a, b;
};

double cost_of(std::span<const Vec3d> points, const Pair& pair, double knee) {
  double sum = 0;
  for (const Vec3d& p : points) {
    const double e = std::abs(bisphere_distance(p, pair.a, pair.b).value);
    sum += e <= knee ? e * e / 2 : knee * (e - knee / 2);
  }
  return sum;
}

// Damped Gauss-Newton. A weak pull to the start keeps centres that the points say nothing about (a cylinder may be
// slid along its axis) where they were.
Pair fit_pair(std::span<const Vec3d> points, const Pair& start, double smallest, int iterations) {
  Pair pair = start;
  double damping = 1e-3;
  const double pull = 1e-4 * static_cast<double>(points.size());
  std::vector<double> matrix(kUnknowns * kUnknowns), rhs(kUnknowns);
  for (int step = 0; step < iterations; ++step) {
    std::vector<double> errors;
    for (const Vec3d& p : points) errors.push_back(std::abs(bisphere_distance(p, pair.a, pair.b).value));
    const double knee = std::max(kHuber * kMadToSigma * quantile(errors, 0.5), 1e-9 * (smallest + pair.a.radius));
    std::ranges::fill(matrix, 0.0);
    std::ranges::fill(rhs, 0.0);
    for (const Vec3d& p : points) {
      const DistanceSample d = bisphere_distance(p, pair.a, pair.b);
      const double t = bisphere_parameter(p, pair.a, pair.b);
      const double weight = std::abs(d.value) <= knee ? 1.0 : knee / std::abs(d.value);
      const Vec3d n = d.gradient;
      const std::array<double, kUnknowns> j{-(1 - t) * n.x, -(1 - t) * n.y, -(1 - t) * n.z, -(1 - t),
                                            -t * n.x,       -t * n.y,       -t * n.z,       -t};
      for (std::size_t u = 0; u < kUnknowns; ++u) {
        rhs[u] -= weight * j[u] * d.value;
        for (std::size_t v = 0; v < kUnknowns; ++v) matrix[v * kUnknowns + u] += weight * j[u] * j[v];
      }
    }
    const std::array<double, kUnknowns> away{pair.a.center.x - start.a.center.x, pair.a.center.y - start.a.center.y,
                                             pair.a.center.z - start.a.center.z, pair.a.radius - start.a.radius,
                                             pair.b.center.x - start.b.center.x, pair.b.center.y - start.b.center.y,
                                             pair.b.center.z - start.b.center.z, pair.b.radius - start.b.radius};
    for (std::size_t u = 0; u < kUnknowns; ++u) {
      matrix[u * kUnknowns + u] += pull + damping * static_cast<double>(points.size());
      rhs[u] -= pull * away[u];
    }
    const DenseSolution x = solve_dense(kUnknowns, matrix, rhs);
    if (!x.ok) break;
    Pair next = pair;
    next.a.center += {x.x[0], x.x[1], x.x[2]};
    next.b.center += {x.x[4], x.x[5], x.x[6]};
    next.a.radius = std::max(smallest, next.a.radius + x.x[3]);
    next.b.radius = std::max(smallest, next.b.radius + x.x[7]);
    if (cost_of(points, next, knee) < cost_of(points, pair, knee)) {
      const double move = std::max({distance(next.a.center, pair.a.center), distance(next.b.center, pair.b.center),
                                    std::abs(next.a.radius - pair.a.radius), std::abs(next.b.radius - pair.b.radius)});
      pair = next;
      damping = std::max(damping * 0.3, 1e-9);
      if (move < 1e-9 * (pair.a.radius + pair.b.radius)) break;
    } else {
      damping *= 8;
      if (damping > 1e6) break;
    }
  }
  return pair;
}

}  // namespace

SphereFit fit_spheres(std::span<const Vec3d> points, const Vec3d& bone_from, const Vec3d& bone_to, double smallest,
                      const SphereFitOptions& options) {
  SphereFit best;
  if (points.empty()) return best;
  Vec3d mean;
  Box box;
  for (const Vec3d& p : points) {
    mean += p / static_cast<double>(points.size());
    box.add(p);
  }
  const double extent = diagonal(box);
  if (!(extent > smallest)) {
    best.set.blocks.push_back({{Sphere{mean, smallest}}});
    best.p95_error = best.median_error = smallest;
    return best;
  }
  // The bone may lie outside the part, or be longer than it: the axis is the stretch of it that the points cover,
  // moved to their middle.
  const Vec3d u = normalized(bone_to - bone_from, Vec3d{1, 0, 0});
  std::vector<double> along, away;
  for (const Vec3d& p : points) along.push_back(dot(p - mean, u));
  for (std::size_t i = 0; i < points.size(); ++i) away.push_back(length(points[i] - mean - u * along[i]));
  const double lo = quantile(along, 0.02), hi = quantile(along, 0.98);
  const double radius = std::clamp(quantile(away, 0.5), smallest, std::max(smallest, extent / 2));
  bool first = true;
  for (int count = 1; count <= std::max(1, options.max_blocks); ++count) {
    SphereSet set;
    for (int b = 0; b < count; ++b) {
      const double from = lo + (hi - lo) * b / count, to = lo + (hi - lo) * (b + 1) / count;
      std::vector<Vec3d> own;
      for (std::size_t i = 0; i < points.size(); ++i)
        if ((b == 0 || along[i] >= from) && (b == count - 1 || along[i] < to)) own.push_back(points[i]);
      if (own.size() < kUnknowns && count > 1) continue;
      // Closed ends reach a radius beyond the outer centres.
      const double inset = std::min(radius, (hi - lo) / 4);
      const Pair start{{mean + u * (b == 0 ? from + inset : from), radius},
                       {mean + u * (b == count - 1 ? to - inset : to), radius}};
      const Pair pair = fit_pair(own, start, smallest, options.iterations);
      set.blocks.push_back({{pair.a, pair.b}});
    }
    if (set.empty()) continue;
    const std::vector<double> errors = errors_of(points, set);
    const double p95 = quantile(errors, 0.95);
    if (first || p95 < 0.8 * best.p95_error) best = {std::move(set), quantile(errors, 0.5), p95};
    first = false;
    if (best.p95_error <= options.tolerance * radius) break;
  }
  return best;
}

}  // namespace cutis
