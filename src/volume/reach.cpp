#include "volume/reach.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace cutis {
namespace {

/// Of the way the body faced in the last frame, in sizes of the character (PoseFitOptions::facing_pull).
constexpr double kFacing = 0.01;
/// Steps of a frame that goes on from the last one, of one whose markers are off after that, of a start from elsewhere,
/// and of each round of reaching out.
constexpr int kWarmSteps = 3, kMoreSteps = 10, kColdSteps = 60, kReachSteps = 8, kReachRounds = 4;
/// What is left of the pull to where joints are, from one of these rounds to the next.
constexpr double kWeaker = 0.4;
/// Angles are open when there are at least this many unknowns for every number that targets give.
constexpr double kOpen = 2;
/// Markers that count less than this share of the one that counts most give way to an edit.
constexpr double kHeld = 0.5;
/// Another start has to be better than going on by this, in shares of a marker at the distance kReached: a pose does
/// not jump for nothing. Where none was, they are tried again when the cost has changed by this factor.
constexpr double kWorthIt = 0.25, kChanged = 1.3;
/// A joint bends one way when the other way is shorter than this share of it: elbows, knees, fingers.
constexpr double kOneWay = 1.0 / 3;

bool usable(std::size_t m, std::span<const BoneMarker> markers, std::span<const Vec3d> targets,
            std::span<const double> weights) {
  return markers[m].bone >= 0 && weights[m] > 0 && is_finite(targets[m]);
}

}  // namespace

void ReachFit::reset() {
  started_ = is_edit_ = false;
  home_.reset();
  given_up_ = 0;
}

void ReachFit::stand(const BonePose& home) {
  reset();
  started_ = true;
  home_ = home;
}

double ReachFit::worst(std::span<const Vec3d> targets, std::span<const double> weights, const BonePose& pose) const {
  double far = 0;
  for (std::size_t m = 0; m < markers_.size(); ++m)
    if (usable(m, markers_, targets, weights)) far = std::max(far, distance(markers_[m].at(pose), targets[m]));
  return far;
}

std::vector<double> ReachFit::held_weights(std::span<const double> weights) {
  const double most = weights.empty() ? 0 : *std::ranges::max_element(weights);
  std::vector<double> held(weights.begin(), weights.end());
  for (double& w : held)
    if (w < kHeld * most) w = 0;
  return held;
}

BonePose ReachFit::with_bent_hinges(std::span<const Vec3d> targets, std::span<const double> weights,
                                    const BonePose& pose) const {
  std::vector<char> above(skeleton_.bones.size(), 0);
  for (std::size_t m = 0; m < markers_.size(); ++m) {
    if (!usable(m, markers_, targets, weights)) continue;
    if (distance(markers_[m].at(pose), targets[m]) < kReached * size_) continue;
    for (int b = markers_[m].bone; b >= 0; b = skeleton_.bones[static_cast<std::size_t>(b)].parent)
      above[static_cast<std::size_t>(b)] = 1;
  }
  BonePose bent = pose;
  for (std::size_t b = 0; b < skeleton_.bones.size(); ++b) {
    const int p = skeleton_.bones[b].parent;
    if (p < 0) continue;
    const auto parent = static_cast<std::size_t>(p);
    Quatd relative = conjugate(pose.rotation[parent]) * pose.rotation[b];
    if (const auto& limit = limits_.of(static_cast<int>(b)); above[b] && limit) {
      const AngleRange& range = limit->flexion;
      JointLimits::Angles angles = JointLimits::angles(*limit, relative);
      if (-range.low < kOneWay * range.high && range.high < kPi) {
        angles.flexion = std::max(angles.flexion, 0.5 * (range.low + range.high));
        relative = JointLimits::rotation(*limit, angles);
      }
    }
    bent.rotation[b] = normalized(bent.rotation[parent] * relative);
  }
  restore_lengths(skeleton_, bent);
  return bent;
}

void ReachFit::fit(std::span<const Vec3d> targets, std::span<const double> weights, BonePose& pose) {
  double scale = 1;
  if (!started_) (void)place_as_one(skeleton_, markers_, targets, weights, pose, false);
  const double facing = started_ ? kFacing : 0;
  const BonePose before = pose;
  const PoseFitOptions usual;
  const auto run = [&](const JointLimits& limits, int steps, BonePose& at, const BonePose* anchor = nullptr,
                       double pull = 1, std::span<const double> by = {}) {
    return fit_pose(skeleton_, limits, size_, markers_, targets, by.empty() ? weights : by,
                    {.iterations = steps,
                     .rest_pull = pull * usual.rest_pull,
                     .open_pull = pull * usual.open_pull,
                     .facing_pull = pull * facing,
                     .anchor = anchor == nullptr && home_ ? &*home_ : anchor},
                    at, scale);
  };
  PoseFitReport report = run(limits_, started_ ? kWarmSteps : kColdSteps, pose);
  if (report.used == 0) return;
  started_ = true;
  const std::vector<double> held = held_weights(weights);
  const auto holds = static_cast<double>(std::ranges::count_if(held, [](double w) { return w > 0; }));
  is_edit_ = static_cast<double>(report.unknowns) >= kOpen * 3.0 * holds;
  const double reached = kReached * size_;
  // What is to be reached: in an edit, what somebody holds.
  const std::span<const double> wanted = is_edit_ ? std::span<const double>(held) : weights;
  if (worst(targets, wanted, pose) > reached) report = run(limits_, is_edit_ ? kColdSteps : kMoreSteps, pose);

  if (!limits_.empty() && worst(targets, wanted, pose) > reached) {
    const double worth = kWorthIt * reached * reached;
    const bool changed = report.cost > kChanged * given_up_ || kChanged * report.cost < given_up_;
    // What the limits cost: nothing, and there is nothing to look for.
    BonePose free = before;
    if (changed && run(JointLimits(skeleton_.bones.size()), kMoreSteps, free).cost + worth < report.cost) {
      bool better = false;
      const auto consider = [&](BonePose start) {
        const PoseFitReport other = run(limits_, kColdSteps, start);
        if (other.cost + worth >= report.cost) return;
        better = true;
        report = other;
        pose = std::move(start);
      };
      consider(with_bent_hinges(targets, weights, pose));
      consider(free);  // brought back into the limits before its first step
      consider(with_bent_hinges(targets, weights, free));
      BonePose rest = rest_bone_pose(skeleton_);
      (void)place_as_one(skeleton_, markers_, targets, weights, rest, false);
      consider(with_bent_hinges(targets, weights, rest));
      given_up_ = better ? 0 : report.cost;
    } else if (changed) {
      given_up_ = report.cost;
    }
  }

  // Proximal steps: pulled to where they are, and less every time, joints give way until the targets are reached or
  // held off by limits.
  double pull = 1;
  std::vector<double> giving(weights.begin(), weights.end());
  for (int round = 0; is_edit_ && round < kReachRounds; ++round, pull *= kWeaker) {
    const BonePose anchor = pose;
    if (worst(targets, wanted, pose) < 0.05 * reached) break;
    // So do the markers that nobody holds.
    for (std::size_t m = 0; m < giving.size(); ++m) giving[m] = held[m] > 0 ? weights[m] : pull * weights[m];
    (void)run(limits_, kReachSteps, pose, &anchor, pull, giving);
  }
}

std::vector<Missed> ReachFit::missed(std::span<const Vec3d> targets, std::span<const double> weights,
                                     const BonePose& pose) const {
  std::vector<Missed> list;
  for (std::size_t m = 0; m < markers_.size(); ++m) {
    if (!usable(m, markers_, targets, weights)) continue;
    const double far = distance(markers_[m].at(pose), targets[m]);
    if (far > kReached * size_) list.push_back({m, far, what_holds(skeleton_, limits_, pose, markers_[m], targets[m])});
  }
  std::stable_sort(list.begin(), list.end(), [](const Missed& a, const Missed& b) { return a.distance > b.distance; });
  return list;
}

}  // namespace cutis
