// Unknowns: a shift of the root, a small turn of every bone that has markers below it (about its joint, scene axes; it
// carries all bones below), and the scale. Residuals: markers, and the joints' angles from rest. The normal equations
// are small and dense; they are damped (Levenberg-Marquardt) and a step that makes things worse is halved.
#include "volume/pose_fit.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/rotation_vector.h"
#include "volume/rotation_fit.h"

namespace cutis {
namespace {

struct Problem {
  const DrivenSkeleton& skeleton;
  double size;
  std::span<const BoneMarker> markers;
  std::span<const Vec3d> targets;
  std::span<const double> weights;
  std::vector<double> pull;  // towards rest, of each bone's joint
  std::vector<int> column;   // of each bone's turn, -1: not an unknown
  std::size_t unknowns = 0;
  bool fit_scale = false;
  BonePose start = {};
  double facing_pull = 0;
  const JointLimits* soft = nullptr;  // limits as a pull
  double limit_pull = 0;

  /// How far the joint of bone b is beyond its limits: a rotation vector in its parent's axes.
  [[nodiscard]] Vec3d beyond(const BonePose& pose, std::size_t b) const {
    if (soft == nullptr || skeleton.bones[b].parent < 0) return {};
    const auto& limit = soft->of(static_cast<int>(b));
    if (!limit) return {};
    const Quatd now = relative(pose, b);
    const JointLimits::Angles in = JointLimits::clamped(*limit, JointLimits::angles(*limit, now));
    return rotation_vector(now * conjugate(JointLimits::rotation(*limit, in)));
  }
  [[nodiscard]] bool usable(std::size_t m) const {
    return markers[m].bone >= 0 && weights[m] > 0 && is_finite(targets[m]);
  }
  [[nodiscard]] Quatd relative(const BonePose& pose, std::size_t b) const {
    const int p = skeleton.bones[b].parent;
    return p < 0 ? pose.rotation[b] : conjugate(pose.rotation[static_cast<std::size_t>(p)]) * pose.rotation[b];
  }
  [[nodiscard]] double cost(const BonePose& pose, double scale) const {
    double sum = 0;
    for (std::size_t m = 0; m < markers.size(); ++m) {
      if (!usable(m)) continue;
      const Vec3d r = markers[m].at(pose) - targets[m] * scale;
      sum += weights[m] * dot(r, r);
    }
    for (std::size_t b = 0; b < skeleton.bones.size(); ++b) {
      if (column[b] < 0) continue;
      if (skeleton.bones[b].parent < 0) {
        const Vec3d a = rotation_vector(pose.rotation[b] * conjugate(start.rotation[b]));
        sum += facing_pull * facing_pull * size * size * dot(a, a);
        continue;
      }
      const Vec3d a = rotation_vector(relative(pose, b)), over = beyond(pose, b);
      sum += pull[b] * dot(a, a) + limit_pull * limit_pull * size * size * dot(over, over);
    }
    return sum;
  }
};

/// Cholesky of a dense symmetric matrix (row by row), in place; false when it is not positive.
bool solve_dense(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    double d = a[j * n + j];
    for (std::size_t k = 0; k < j; ++k) d -= a[j * n + k] * a[j * n + k];
    if (!(d > 0)) return false;
    d = std::sqrt(d);
    a[j * n + j] = d;
    for (std::size_t i = j + 1; i < n; ++i) {
      double s = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) s -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = s / d;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return true;
}

}  // namespace

Vec3d BoneMarker::at(const BonePose& pose) const {
  Vec3d sum;
  for_each_share(pose, [&](int, double w, const Vec3d& p) { sum += p * w; });
  return sum;
}

PoseFitReport fit_pose(const DrivenSkeleton& skeleton, const JointLimits& limits, double size,
                       std::span<const BoneMarker> markers, std::span<const Vec3d> targets,
                       std::span<const double> weights, const PoseFitOptions& options, BonePose& pose, double& scale) {
  Problem problem{skeleton, size, markers, targets, weights, {}, {}, 3, options.fit_scale};
  problem.start = pose;
  problem.facing_pull = options.facing_pull;
  if (options.limit_pull > 0) problem.soft = &limits, problem.limit_pull = options.limit_pull;
  const std::size_t bones = skeleton.bones.size();
  std::vector<char> moves(bones, 0);
  problem.pull.assign(bones, options.open_pull * size * options.open_pull * size);
  std::size_t used = 0;
  for (std::size_t m = 0; m < markers.size(); ++m) {
    if (!problem.usable(m)) continue;
    ++used;
    markers[m].for_each_share(pose, [&](int b, double, const Vec3d&) {
      problem.pull[static_cast<std::size_t>(b)] = options.rest_pull * size * options.rest_pull * size;
      for (; b >= 0; b = skeleton.bones[static_cast<std::size_t>(b)].parent) moves[static_cast<std::size_t>(b)] = 1;
    });
  }
  PoseFitReport report;
  if (used == 0) return report;
  problem.column.assign(bones, -1);
  for (std::size_t b = 0; b < bones; ++b)
    if (moves[b]) {
      problem.column[b] = static_cast<int>(problem.unknowns);
      problem.unknowns += 3;
    }
  const std::size_t scale_column = problem.unknowns;
  if (options.fit_scale) ++problem.unknowns;
  const std::size_t n = problem.unknowns;

  // Roots that no marker moves (there is one root as a rule) stay; the shift moves those that do.
  double damping = 1e-3, cost = problem.cost(pose, scale);
  std::vector<double> a(n * n), b(n), row(n);
  std::vector<Vec3d> lever(bones);
  std::vector<int> touched;
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    std::fill(a.begin(), a.end(), 0.0);
    std::fill(b.begin(), b.end(), 0.0);
    std::vector<std::size_t> filled;
    for (std::size_t m = 0; m < markers.size(); ++m) {
      if (!problem.usable(m)) continue;
      const Vec3d residual = markers[m].at(pose) - targets[m] * scale;
      // A bone's turn moves the shares below it: the lever is the sum of theirs.
      touched.clear();
      markers[m].for_each_share(pose, [&](int bone, double weight, const Vec3d& p) {
        for (int k = bone; k >= 0; k = skeleton.bones[static_cast<std::size_t>(k)].parent) {
          const auto i = static_cast<std::size_t>(k);
          if (std::find(touched.begin(), touched.end(), k) == touched.end()) {
            touched.push_back(k);
            lever[i] = {};
          }
          lever[i] += (p - pose.position[i]) * weight;
        }
      });
      for (int axis = 0; axis < 3; ++axis) {
        filled.clear();
        const auto set = [&](std::size_t c, double value) {
          row[c] = value;
          filled.push_back(c);
        };
        set(static_cast<std::size_t>(axis), 1);
        for (const int k : touched) {
          const Vec3d& l = lever[static_cast<std::size_t>(k)];
          // d(turn x lever)/d(turn), the row of this axis.
          const auto c = static_cast<std::size_t>(problem.column[static_cast<std::size_t>(k)]);
          const Vec3d gradient = axis == 0   ? Vec3d{0, l.z, -l.y}
                                 : axis == 1 ? Vec3d{-l.z, 0, l.x}
                                             : Vec3d{l.y, -l.x, 0};
          for (int d = 0; d < 3; ++d) set(c + static_cast<std::size_t>(d), gradient[d]);
        }
        if (options.fit_scale) set(scale_column, -targets[m][axis]);
        for (const std::size_t i : filled) {
          b[i] -= weights[m] * row[i] * residual[axis];
          for (const std::size_t j : filled) a[i * n + j] += weights[m] * row[i] * row[j];
        }
      }
    }
    for (std::size_t k = 0; k < bones; ++k) {
      if (problem.column[k] < 0) continue;
      if (skeleton.bones[k].parent < 0) {
        const double facing = options.facing_pull * size * options.facing_pull * size;
        const Vec3d turned = rotation_vector(pose.rotation[k] * conjugate(problem.start.rotation[k]));
        for (std::size_t d = 0; d < 3; ++d) {
          const auto c = static_cast<std::size_t>(problem.column[k]) + d;
          a[c * n + c] += facing;
          b[c] -= facing * turned[static_cast<int>(d)];
        }
        continue;
      }
      // The joint's angle changes by the bone's own turn, seen in its parent's axes.
      const Quatd parent = pose.rotation[static_cast<std::size_t>(skeleton.bones[k].parent)];
      const Vec3d residual = rotate(parent, rotation_vector(problem.relative(pose, k)));
      const auto c = static_cast<std::size_t>(problem.column[k]);
      for (std::size_t d = 0; d < 3; ++d) {
        a[(c + d) * n + c + d] += problem.pull[k];
        b[c + d] -= problem.pull[k] * residual[static_cast<int>(d)];
      }
      const Vec3d over = problem.beyond(pose, k);
      if (over == Vec3d{}) continue;
      // Only the direction that leads back counts: across it the joint is free.
      const Vec3d back = rotate(parent, over), way = normalized(back);
      const double weight = options.limit_pull * size * options.limit_pull * size;
      for (std::size_t d = 0; d < 3; ++d) {
        b[c + d] -= weight * back[static_cast<int>(d)];
        for (std::size_t e = 0; e < 3; ++e)
          a[(c + d) * n + c + e] += weight * way[static_cast<int>(d)] * way[static_cast<int>(e)];
      }
    }
    bool better = false;
    for (int attempt = 0; attempt < 5 && !better; ++attempt) {
      std::vector<double> damped = a, step = b;
      for (std::size_t i = 0; i < n; ++i) damped[i * n + i] += damping * (a[i * n + i] + 1e-9 * size * size);
      if (!solve_dense(damped, step)) {
        damping *= 10;
        continue;
      }
      BonePose next = pose;
      // Every turn carries the bones below: from the root down, each bone gets the turns of its ancestors.
      std::vector<Quatd> turn(bones);
      for (std::size_t k = 0; k < bones; ++k) {
        const int p = skeleton.bones[k].parent;
        turn[k] = p < 0 ? Quatd{} : turn[static_cast<std::size_t>(p)];
        if (const int c = problem.column[k]; c >= 0) {
          Vec3d v;
          for (int d = 0; d < 3; ++d) v[d] = step[static_cast<std::size_t>(c + d)];
          if (const double l = length(v); l > 0.8)
            v = v * (0.8 / l);  // a linearisation is worth no more
          else if (l < 1e-12)
            v = {};  // rounding
          turn[k] = turn[k] * from_rotation_vector(v);
        }
        next.rotation[k] = normalized(turn[k] * pose.rotation[k]);
        if (p < 0) next.position[k] += Vec3d{step[0], step[1], step[2]};
      }
      if (problem.soft == nullptr) limits.apply(skeleton, next);
      restore_lengths(skeleton, next);
      const double next_scale = options.fit_scale ? std::max(scale + step[scale_column], 0.2 * scale) : scale;
      const double next_cost = problem.cost(next, next_scale);
      if (next_cost < cost) {
        better = true;
        const bool done = cost - next_cost < 1e-6 * cost;
        pose = std::move(next);
        scale = next_scale;
        cost = next_cost;
        damping = std::max(damping * 0.3, 1e-9);
        if (done) iteration = options.iterations;
      } else {
        damping *= 10;
      }
    }
    ++report.iterations;
    if (!better) break;
  }
  double sum = 0;
  for (std::size_t m = 0; m < markers.size(); ++m) {
    if (!problem.usable(m)) continue;
    const Vec3d r = markers[m].at(pose) - targets[m] * scale;
    sum += dot(r, r);
  }
  report.rms = std::sqrt(sum / static_cast<double>(used));
  return report;
}

double place_as_one(const DrivenSkeleton& skeleton, std::span<const BoneMarker> markers, std::span<const Vec3d> targets,
                    std::span<const double> weights, BonePose& pose, bool with_scale) {
  Vec3d from, to;
  double total = 0;
  const auto usable = [&](std::size_t m) { return weights[m] > 0 && is_finite(targets[m]); };
  const auto at = [&](std::size_t m) { return markers[m].at(pose); };
  for (std::size_t m = 0; m < markers.size(); ++m) {
    if (!usable(m)) continue;
    from += at(m) * weights[m];
    to += targets[m] * weights[m];
    total += weights[m];
  }
  if (!(total > 0)) return 1;
  from = from / total;
  to = to / total;
  Mat3d c{{Vec3d{}, Vec3d{}, Vec3d{}}};
  double spread = 0, target_spread = 0;
  for (std::size_t m = 0; m < markers.size(); ++m) {
    if (!usable(m)) continue;
    const Vec3d e = at(m) - from, d = (targets[m] - to) * weights[m];
    c.col[0] += d * e.x;
    c.col[1] += d * e.y;
    c.col[2] += d * e.z;
    spread += weights[m] * dot(e, e);
    target_spread += dot(d, targets[m] - to);
  }
  Quatd turn;
  double best = -1e300;
  // From four facings: the fit has more than one rest.
  for (int k = 0; k < 4; ++k) {
    const Quatd q = fit_rotation(c, axis_angle(Vec3d{0, 1, 0}, k * kPi / 2), 100);
    const Mat3d r = to_matrix(q);
    const double score = dot(r.col[0], c.col[0]) + dot(r.col[1], c.col[1]) + dot(r.col[2], c.col[2]);
    if (score > best + 1e-12 * std::abs(best)) best = score, turn = q;
  }
  const double scale = with_scale && target_spread > 0 ? std::sqrt(spread / target_spread) : 1.0;
  for (std::size_t b = 0; b < skeleton.bones.size(); ++b) {
    pose.rotation[b] = normalized(turn * pose.rotation[b]);
    pose.position[b] = to * scale + rotate(turn, pose.position[b] - from);
  }
  return scale;
}

}  // namespace cutis
