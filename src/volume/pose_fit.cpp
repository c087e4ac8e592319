// Unknowns: a shift of the root, a small turn of every bone that has markers below it (about its joint, scene axes; it
// carries all bones below), and the scale. Residuals: markers, and the joints' angles from rest. The normal equations
// are small and dense. The turn of a bone with limits is written in its three angles (turn = J d(angles)), so that
// limits bound each unknown by itself: a step slides along the limits it meets instead of stopping at them.
#include "volume/pose_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/rotation_vector.h"
#include "numerics/levenberg_marquardt.h"
#include "volume/rotation_fit.h"

namespace cutis {
namespace {

constexpr double kFarthestTurn = 0.8;  // radians a step: a linearisation is worth no more
constexpr double kNoTurn = 1e-12;      // radians: rounding
constexpr double kLeastScale = 0.2;    // a step, of the scale so far
// Swings beyond this have no angles to speak of (at a half turn all axes give the same): such a joint turns freely for
// a step and is brought back into its range after it.
constexpr double kFarthestSwing = 2.6;     // radians
constexpr double kDifference = 1e-5;       // radians: of the difference quotients of turns by angles
constexpr double kAtLimit = 0.25 * kDegree;  // of a range

using Turns = std::array<Vec3d, 3>;  // by flexion, sideways, twist; radians a radian

/// How a joint turns with its three angles, in its parent's axes.
Turns turns_by_angles(const JointLimit& limit, const JointLimits::Angles& at) {
  const auto turned = [&](int k, double by) {
    JointLimits::Angles a = at;
    (k == 0 ? a.flexion : k == 1 ? a.sideways : a.twist) += by;
    return JointLimits::rotation(limit, a);
  };
  Turns turns;
  for (int k = 0; k < 3; ++k)
    turns[static_cast<std::size_t>(k)] =
        rotation_vector(turned(k, kDifference) * conjugate(turned(k, -kDifference))) / (2 * kDifference);
  return turns;
}
bool has_angles(const JointLimits::Angles& a) { return std::hypot(a.flexion, a.sideways) < kFarthestSwing; }

class PoseProblem {
 public:
  struct State {
    BonePose pose;
    double scale = 1;
  };

  PoseProblem(const DrivenSkeleton& skeleton, const JointLimits& limits, double size,
              std::span<const BoneMarker> markers, std::span<const Vec3d> targets, std::span<const double> weights,
              const PoseFitOptions& options, const BonePose& start)
      : skeleton_(skeleton),
        limits_(limits),
        size_(size),
        markers_(markers),
        targets_(targets),
        weights_(weights),
        options_(options),
        start_(start),
        angles_(skeleton.bones.size()),
        turns_(skeleton.bones.size()) {
    const std::size_t bones = skeleton.bones.size();
    std::vector<char> moves(bones, 0);
    pull_.assign(bones, squared(options.open_pull));
    for (std::size_t m = 0; m < markers.size(); ++m) {
      if (!usable(m)) continue;
      ++used_;
      markers[m].for_each_share(start, [&](int b, double, const Vec3d&) {
        pull_[static_cast<std::size_t>(b)] = squared(options.rest_pull);
        for (; b >= 0; b = skeleton.bones[static_cast<std::size_t>(b)].parent) moves[static_cast<std::size_t>(b)] = 1;
      });
    }
    column_.assign(bones, -1);
    for (std::size_t b = 0; b < bones; ++b)
      if (moves[b]) {
        column_[b] = static_cast<int>(unknowns_);
        unknowns_ += 3;
      }
    scale_column_ = unknowns_;
    if (options.fit_scale) ++unknowns_;
    lever_.resize(bones);
    row_.resize(unknowns_);
  }

  [[nodiscard]] std::size_t used() const { return used_; }  ///< markers
  [[nodiscard]] std::size_t unknowns() const { return unknowns_; }

  [[nodiscard]] double cost(const State& at) const {
    const BonePose& pose = at.pose;
    double sum = 0;
    for (std::size_t m = 0; m < markers_.size(); ++m) {
      if (!usable(m)) continue;
      const Vec3d r = miss(m, at);
      sum += weights_[m] * dot(r, r);
    }
    for (std::size_t b = 0; b < skeleton_.bones.size(); ++b) {
      if (column_[b] < 0) continue;
      if (skeleton_.bones[b].parent < 0) {
        const Vec3d a = rotation_vector(pose.rotation[b] * conjugate(start_.rotation[b]));
        sum += options_.facing_pull * options_.facing_pull * size_ * size_ * dot(a, a);
        continue;
      }
      const Vec3d a = from_anchor(pose, b);
      sum += pull_[b] * dot(a, a);
    }
    return sum;
  }

  void linearise(const State& at, std::span<double> a, std::span<double> b) {
    for (std::size_t m = 0; m < markers_.size(); ++m)
      if (usable(m)) add_marker(m, at, a, b);
    for (std::size_t k = 0; k < skeleton_.bones.size(); ++k)
      if (column_[k] >= 0) add_joint(k, at.pose, a, b);
    for (std::size_t k = 0; k < skeleton_.bones.size(); ++k) take_angles(k, at.pose, a, b);
  }

  void bounds(std::span<double> lower, std::span<double> upper) const {
    std::ranges::fill(lower, -std::numeric_limits<double>::infinity());
    std::ranges::fill(upper, std::numeric_limits<double>::infinity());
    for (std::size_t k = 0; k < skeleton_.bones.size(); ++k) {
      if (!angles_[k]) continue;
      const JointLimit& limit = *limits_.of(static_cast<int>(k));
      const auto c = static_cast<std::size_t>(column_[k]);
      const auto set = [&](std::size_t i, const AngleRange& range, double at) {
        lower[i] = std::max(std::min(range.low - at, 0.0), -kFarthestTurn);
        upper[i] = std::min(std::max(range.high - at, 0.0), kFarthestTurn);
      };
      set(c, limit.flexion, angles_[k]->flexion);
      set(c + 1, limit.sideways, angles_[k]->sideways);
      set(c + 2, limit.twist, angles_[k]->twist);
    }
  }

  /// Roots that no marker moves (there is one root as a rule) stay; the shift moves those that do.
  [[nodiscard]] State moved(const State& from, std::span<const double> step) const {
    State next = from;
    // Every turn carries the bones below: from the root down, each bone gets the turns of its ancestors.
    std::vector<Quatd> turn(skeleton_.bones.size());
    for (std::size_t k = 0; k < turn.size(); ++k) {
      const int p = skeleton_.bones[k].parent;
      turn[k] = p < 0 ? Quatd{} : turn[static_cast<std::size_t>(p)];
      if (const int c = column_[k]; c >= 0) {
        Vec3d v;
        for (int d = 0; d < 3; ++d) v[d] = step[static_cast<std::size_t>(c + d)];
        if (angles_[k]) {
          const JointLimit& limit = *limits_.of(static_cast<int>(k));
          const JointLimits::Angles in = JointLimits::clamped(
              limit, {angles_[k]->flexion + v.x, angles_[k]->sideways + v.y, angles_[k]->twist + v.z});
          next.pose.rotation[k] =
              normalized(next.pose.rotation[static_cast<std::size_t>(p)] * JointLimits::rotation(limit, in));
          turn[k] = next.pose.rotation[k] * conjugate(from.pose.rotation[k]);
          continue;
        }
        if (const double l = length(v); l > kFarthestTurn)
          v = v * (kFarthestTurn / l);
        else if (l < kNoTurn)
          v = {};
        turn[k] = turn[k] * from_rotation_vector(v);
      }
      next.pose.rotation[k] = normalized(turn[k] * from.pose.rotation[k]);
      if (p < 0) next.pose.position[k] += Vec3d{step[0], step[1], step[2]};
    }
    limits_.apply(skeleton_, next.pose);
    restore_lengths(skeleton_, next.pose);
    if (options_.fit_scale) next.scale = std::max(from.scale + step[scale_column_], kLeastScale * from.scale);
    return next;
  }

  /// Of the distances of the markers.
  [[nodiscard]] double rms(const State& at) const {
    double sum = 0;
    for (std::size_t m = 0; m < markers_.size(); ++m) {
      if (!usable(m)) continue;
      const Vec3d r = miss(m, at);
      sum += dot(r, r);
    }
    return std::sqrt(sum / static_cast<double>(used_));
  }

 private:
  [[nodiscard]] double squared(double pull) const { return pull * size_ * pull * size_; }
  [[nodiscard]] bool usable(std::size_t m) const {
    return markers_[m].bone >= 0 && weights_[m] > 0 && is_finite(targets_[m]);
  }
  [[nodiscard]] Vec3d miss(std::size_t m, const State& at) const {
    return markers_[m].at(at.pose) - targets_[m] * at.scale;
  }
  [[nodiscard]] Quatd relative(const BonePose& pose, std::size_t b) const {
    const int p = skeleton_.bones[b].parent;
    return p < 0 ? pose.rotation[b] : conjugate(pose.rotation[static_cast<std::size_t>(p)]) * pose.rotation[b];
  }
  /// The joint's rotation from where its pull leads.
  [[nodiscard]] Vec3d from_anchor(const BonePose& pose, std::size_t b) const {
    const Quatd now = relative(pose, b);
    return rotation_vector(options_.anchor == nullptr ? now : now * conjugate(relative(*options_.anchor, b)));
  }

  /// Writes the equations of a bone with limits in its angles, where it has any.
  void take_angles(std::size_t k, const BonePose& pose, std::span<double> a, std::span<double> b) {
    angles_[k].reset();
    if (column_[k] < 0 || skeleton_.bones[k].parent < 0) return;
    const auto& limit = limits_.of(static_cast<int>(k));
    if (!limit) return;
    const JointLimits::Angles now = JointLimits::angles(*limit, relative(pose, k));
    if (!has_angles(now)) return;
    angles_[k] = now;
    turns_[k] = turns_by_angles(*limit, now);
    const Quatd& parent = pose.rotation[static_cast<std::size_t>(skeleton_.bones[k].parent)];
    for (Vec3d& t : turns_[k]) t = rotate(parent, t);
    const Turns& j = turns_[k];
    const auto c = static_cast<std::size_t>(column_[k]);
    const std::size_t n = unknowns_;
    for (std::size_t i = 0; i < n; ++i) {  // columns
      const Vec3d row{a[i * n + c], a[i * n + c + 1], a[i * n + c + 2]};
      for (std::size_t d = 0; d < 3; ++d) a[i * n + c + d] = dot(row, j[d]);
    }
    for (std::size_t i = 0; i < n; ++i) {  // rows
      const Vec3d column{a[c * n + i], a[(c + 1) * n + i], a[(c + 2) * n + i]};
      for (std::size_t d = 0; d < 3; ++d) a[(c + d) * n + i] = dot(column, j[d]);
    }
    const Vec3d rhs{b[c], b[c + 1], b[c + 2]};
    for (std::size_t d = 0; d < 3; ++d) b[c + d] = dot(rhs, j[d]);
  }

  void add_marker(std::size_t m, const State& at, std::span<double> a, std::span<double> b) {
    const BonePose& pose = at.pose;
    const std::size_t n = unknowns_;
    const Vec3d residual = miss(m, at);
    // A bone's turn moves the shares below it: the lever is the sum of theirs.
    touched_.clear();
    markers_[m].for_each_share(pose, [&](int bone, double weight, const Vec3d& p) {
      for (int k = bone; k >= 0; k = skeleton_.bones[static_cast<std::size_t>(k)].parent) {
        const auto i = static_cast<std::size_t>(k);
        if (std::find(touched_.begin(), touched_.end(), k) == touched_.end()) {
          touched_.push_back(k);
          lever_[i] = {};
        }
        lever_[i] += (p - pose.position[i]) * weight;
      }
    });
    for (int axis = 0; axis < 3; ++axis) {
      filled_.clear();
      const auto set = [&](std::size_t c, double value) {
        row_[c] = value;
        filled_.push_back(c);
      };
      set(static_cast<std::size_t>(axis), 1);
      for (const int k : touched_) {
        const Vec3d& l = lever_[static_cast<std::size_t>(k)];
        // d(turn x lever)/d(turn), the row of this axis.
        const auto c = static_cast<std::size_t>(column_[static_cast<std::size_t>(k)]);
        const Vec3d gradient = axis == 0 ? Vec3d{0, l.z, -l.y} : axis == 1 ? Vec3d{-l.z, 0, l.x} : Vec3d{l.y, -l.x, 0};
        for (int d = 0; d < 3; ++d) set(c + static_cast<std::size_t>(d), gradient[d]);
      }
      if (options_.fit_scale) set(scale_column_, -targets_[m][axis]);
      for (const std::size_t i : filled_) {
        b[i] -= weights_[m] * row_[i] * residual[axis];
        for (const std::size_t j : filled_) a[i * n + j] += weights_[m] * row_[i] * row_[j];
      }
    }
  }

  void add_joint(std::size_t k, const BonePose& pose, std::span<double> a, std::span<double> b) const {
    const std::size_t n = unknowns_;
    const auto c = static_cast<std::size_t>(column_[k]);
    if (skeleton_.bones[k].parent < 0) {
      const double facing = squared(options_.facing_pull);
      const Vec3d turned = rotation_vector(pose.rotation[k] * conjugate(start_.rotation[k]));
      for (std::size_t d = 0; d < 3; ++d) {
        a[(c + d) * n + c + d] += facing;
        b[c + d] -= facing * turned[static_cast<int>(d)];
      }
      return;
    }
    // The joint's angle changes by the bone's own turn, seen in its parent's axes.
    const Quatd parent = pose.rotation[static_cast<std::size_t>(skeleton_.bones[k].parent)];
    const Vec3d residual = rotate(parent, from_anchor(pose, k));
    for (std::size_t d = 0; d < 3; ++d) {
      a[(c + d) * n + c + d] += pull_[k];
      b[c + d] -= pull_[k] * residual[static_cast<int>(d)];
    }
  }

  const DrivenSkeleton& skeleton_;
  const JointLimits& limits_;
  double size_;
  std::span<const BoneMarker> markers_;
  std::span<const Vec3d> targets_;
  std::span<const double> weights_;
  const PoseFitOptions& options_;
  BonePose start_;
  // Of bones with limits, where the last state was linearised.
  std::vector<std::optional<JointLimits::Angles>> angles_;
  std::vector<Turns> turns_;  // scene axes
  std::vector<double> pull_;  // towards rest, of each bone's joint
  std::vector<int> column_;   // of each bone's turn, -1: not an unknown
  std::size_t used_ = 0, unknowns_ = 3, scale_column_ = 0;
  std::vector<Vec3d> lever_;
  std::vector<double> row_;
  std::vector<int> touched_;
  std::vector<std::size_t> filled_;
};

}  // namespace

Vec3d BoneMarker::at(const BonePose& pose) const {
  Vec3d sum;
  for_each_share(pose, [&](int, double w, const Vec3d& p) { sum += p * w; });
  return sum;
}

PoseFitReport fit_pose(const DrivenSkeleton& skeleton, const JointLimits& limits, double size,
                       std::span<const BoneMarker> markers, std::span<const Vec3d> targets,
                       std::span<const double> weights, const PoseFitOptions& options, BonePose& pose, double& scale) {
  PoseProblem problem(skeleton, limits, size, markers, targets, weights, options, pose);
  PoseFitReport report;
  report.used = problem.used();
  report.unknowns = problem.unknowns();
  if (problem.used() == 0) return report;
  PoseProblem::State state{std::move(pose), scale};
  if (limits.apply(skeleton, state.pose) > 0) restore_lengths(skeleton, state.pose);
  report.iterations = levenberg_marquardt(problem,
                                          {.iterations = options.iterations,
                                           .attempts = 5,
                                           .easier = 0.3,
                                           .harder = 10,
                                           .least_diagonal = 1e-9 * size * size,
                                           .settled = 1e-6},
                                          state);
  report.rms = problem.rms(state);
  report.cost = problem.cost(state);
  pose = std::move(state.pose);
  scale = state.scale;
  return report;
}

std::optional<HeldAngle> what_holds(const DrivenSkeleton& skeleton, const JointLimits& limits, const BonePose& pose,
                                    const BoneMarker& marker, const Vec3d& target) {
  const Vec3d at = marker.at(pose), lacks = target - at;
  std::optional<HeldAngle> best;
  double most = 1e-9 * length(lacks);
  for (int k = marker.bone; k >= 0; k = skeleton.bones[static_cast<std::size_t>(k)].parent) {
    const auto& limit = limits.of(k);
    const int p = skeleton.bones[static_cast<std::size_t>(k)].parent;
    if (!limit || p < 0) continue;
    const Quatd& parent = pose.rotation[static_cast<std::size_t>(p)];
    const JointLimits::Angles now =
        JointLimits::angles(*limit, conjugate(parent) * pose.rotation[static_cast<std::size_t>(k)]);
    if (!has_angles(now)) continue;
    const Turns turns = turns_by_angles(*limit, now);
    const Vec3d lever = at - pose.position[static_cast<std::size_t>(k)];
    const auto look = [&](HeldAngle::Which which, const AngleRange& range, double angle) {
      const double gain = dot(cross(rotate(parent, turns[static_cast<std::size_t>(which)]), lever), lacks);
      for (const bool high : {false, true})
        if ((high ? range.high - angle : angle - range.low) < kAtLimit && (high ? gain : -gain) > most) {
          most = std::abs(gain);
          best = HeldAngle{k, which, high};
        }
    };
    look(HeldAngle::Which::flexion, limit->flexion, now.flexion);
    look(HeldAngle::Which::sideways, limit->sideways, now.sideways);
    look(HeldAngle::Which::twist, limit->twist, now.twist);
  }
  return best;
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
