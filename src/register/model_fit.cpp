// Unknowns: a shift of the root, a turn of every bone about its joint (it carries all bones below), the common size,
// and three stretches a bone. Residuals: distances of matched points across the surface (and, less, along it), joints
// beyond their ranges, angles from rest, stretches from 1, differences of the two sides.
#include "register/model_fit.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"
#include "base/rotation_vector.h"
#include "numerics/levenberg_marquardt.h"
#include "volume/pose_fit.h"

namespace cutis {
namespace {

// Standard deviations of what is usual in bodies.
constexpr double kUsualExcess = 0.05;   // radians, beyond a joint's range
constexpr double kUsualStretch = 0.12;  // logarithm, of a bone's length and thickness beside the body's
constexpr double kUsualOval =
    0.08;  // logarithm, of the two thicknesses of a bone, or of its skin and its joints along it
constexpr double kUsualUneven = 0.04;      // logarithm, of the two sides beside each other
constexpr double kUsualSize = 0.25;        // logarithm, of one body beside the other
constexpr double kEffective = 400;         // matches that say something of their own: neighbours agree
constexpr double kFarthestTurn = 0.6;      // radians a step: a linearisation is worth no more
constexpr double kFarthestStretch = 0.15;  // logarithm a step
constexpr double kDoubt = 0.02;            // deviation of matches when states are compared, in extents
constexpr double kOddest = 30;             // of one number: more is broken, not odder
// Proportions have heavy tails (Student's t with so many degrees of freedom): one bone that is twice as thick, as the
// heads of drawn figures are, is odd, not impossible.
constexpr double kTail = 4;
constexpr double kFacesAway = 0.1;   // of the square of the reach: for what faces another way than the scan
constexpr double kModelShare = 0.5;  // weight of the model's own points beside the scan's

constexpr std::size_t kShapes = std::tuple_size_v<BoneShape>;

struct Match {
  std::uint32_t sample = 0;
  Vec3d target, normal;
  double weight = 0;
};

class ModelProblem {
 public:
  ModelProblem(const BodyModel& model, std::span<const Match> matches, std::span<const KnownPoint> known,
               const FitScope& scope, double deviation, double tangential)
      : model_(model), matches_(matches), known_(known), deviation_(deviation), tangential_(tangential) {
    const std::size_t bones = model.bones();
    turn_.assign(bones, -1);
    shape_.assign(bones, -1);
    unknowns_ = 3;
    for (std::size_t b = 0; b < bones; ++b)
      if (b == 0 || (scope.turns && model.share[b] >= scope.least_share && model.share[b] > 0)) {
        turn_[b] = static_cast<int>(unknowns_);
        unknowns_ += 3;
      }
    if (scope.size) size_ = static_cast<int>(unknowns_++);
    if (scope.shape)
      for (std::size_t b = 0; b < bones; ++b)
        if (model.share[b] >= scope.least_share && model.share[b] > 0) {
          shape_[b] = static_cast<int>(unknowns_);
          unknowns_ += kShapes;
        }
    double sum = 0;
    for (const Match& m : matches) sum += m.weight;
    scale_ = sum > 0 ? kEffective / (sum * deviation * deviation) : 0;
    row_.resize(unknowns_);
    below_.resize(bones);
    lever_.resize(bones);
  }

  [[nodiscard]] std::size_t unknowns() const { return unknowns_; }

  [[nodiscard]] double cost(const ModelState& state) const {
    const PlacedBones bones = place_bones(model_, state);
    double sum = 0;
    for (const Match& m : matches_) {
      const Vec3d d = place_of(model_.samples[m.sample], bones) - m.target;
      const double across = dot(d, m.normal);
      sum += scale_ * m.weight * (across * across + tangential_ * (dot(d, d) - across * across));
    }
    for (const KnownPoint& k : known_) {
      const Vec3d d = place_of(k.sample, bones) - k.target;
      sum += dot(d, d) * known_weight();
    }
    for_each_prior(state, [&](std::span<const std::pair<int, double>>, double residual, bool heavy) {
      sum += heavy ? heavy_tailed(residual) : residual * residual;
    });
    return sum;
  }

  /// Of what is usual alone.
  [[nodiscard]] double oddness(const ModelState& state) const {
    double sum = 0;
    for_each_prior(state, [&](std::span<const std::pair<int, double>>, double residual, bool heavy) {
      sum += std::min(heavy ? heavy_tailed(residual) : residual * residual, kOddest);
    });
    return sum;
  }

  void linearise(const ModelState& state, std::span<double> matrix, std::span<double> rhs) {
    const PlacedBones bones = place_bones(model_, state);
    for (const Match& m : matches_) {
      const ModelSample& sample = model_.samples[m.sample];
      const Vec3d d = prepare(sample, bones) - m.target;
      const double w = std::sqrt(scale_ * m.weight);
      add_row(state, m.normal, w, dot(d, m.normal), matrix, rhs);
      if (tangential_ > 0) {
        const Vec3d u = any_perpendicular(m.normal), v = cross(m.normal, u);
        const double t = w * std::sqrt(tangential_);
        add_row(state, u, t, dot(d, u), matrix, rhs);
        add_row(state, v, t, dot(d, v), matrix, rhs);
      }
    }
    for (const KnownPoint& k : known_) {
      const Vec3d d = prepare(k.sample, bones) - k.target;
      const double w = std::sqrt(known_weight());
      for (int c = 0; c < 3; ++c) {
        Vec3d e;
        e[c] = 1;
        add_row(state, e, w, d[c], matrix, rhs);
      }
    }
    for_each_prior(state, [&](std::span<const std::pair<int, double>> row, double residual, bool heavy) {
      const double w = heavy ? kTail / (kTail + residual * residual) : 1;
      for (const auto& [i, a] : row) {
        rhs[slot(i)] -= w * a * residual;
        for (const auto& [j, b] : row)
          if (j <= i) matrix[slot(i) * unknowns_ + slot(j)] += w * a * b;
      }
    });
    for (std::size_t i = 0; i < unknowns_; ++i)
      for (std::size_t j = 0; j < i; ++j) matrix[j * unknowns_ + i] = matrix[i * unknowns_ + j];
  }

  [[nodiscard]] ModelState moved(const ModelState& state, std::span<const double> step) const {
    ModelState next = state;
    next.root += Vec3d{step[0], step[1], step[2]};
    // A turn carries all bones below.
    std::vector<Quatd> carried(model_.bones());
    for (std::size_t b = 0; b < model_.bones(); ++b) {
      Quatd turn = model_.parent[b] >= 0 ? carried[slot(model_.parent[b])] : Quatd{};
      if (turn_[b] >= 0) {
        Vec3d v{step[slot(turn_[b])], step[slot(turn_[b]) + 1], step[slot(turn_[b]) + 2]};
        if (const double angle = length(v); angle > kFarthestTurn) v *= kFarthestTurn / angle;
        turn = turn * from_rotation_vector(v);
      }
      carried[b] = turn;
      next.turn[b] = normalized(turn * state.turn[b]);
      if (shape_[b] >= 0)
        for (std::size_t k = 0; k < kShapes; ++k)
          next.shape[b][k] += std::clamp(step[slot(shape_[b]) + k], -kFarthestStretch, kFarthestStretch);
    }
    if (size_ >= 0) next.size += std::clamp(step[slot(size_)], -kFarthestStretch, kFarthestStretch);
    return next;
  }

 private:
  static double heavy_tailed(double residual) { return kTail * std::log1p(residual * residual / kTail); }

  // Known points are worth a tenth of the matches each: they are there to say who is who.
  [[nodiscard]] double known_weight() const {
    const double d = 0.03 * model_.extent;
    return kEffective / 10 / (d * d) * 0.1;
  }

  /// Place of the sample; notes what each bone above it does to it.
  Vec3d prepare(const ModelSample& sample, const PlacedBones& bones) {
    for (const int b : touched_) below_[slot(b)] = 0, lever_[slot(b)] = {};
    touched_.clear();
    stretched_.clear();
    Vec3d p;
    for (const ModelSample::Share& s : sample.shares) {
      const Vec3d place = bones.place[slot(s.bone)] + bones.map[slot(s.bone)] * s.offset;
      p += place * s.weight;
      for (int b = s.bone; b >= 0; b = model_.parent[slot(b)]) {
        if (below_[slot(b)] == 0) touched_.push_back(b);
        below_[slot(b)] += s.weight;
        lever_[slot(b)] += (place - bones.place[slot(b)]) * s.weight;
      }
    }
    // What a stretch of a bone moves: its own share of the sample, and the joints below it.
    for (const int b : touched_) {
      Vec3d skin, joints;
      for (const ModelSample::Share& s : sample.shares)
        if (s.bone == b) skin += s.offset * s.weight;
      for (const int c : model_.children[slot(b)])
        if (below_[slot(c)] > 0 && !model_.extra_root(c))
          joints += (model_.skeleton.bones[slot(c)].rest - model_.skeleton.bones[slot(b)].rest) * below_[slot(c)];
      stretched_.push_back({bones.stretch[slot(b)] * skin, bones.reach[slot(b)] * joints});
    }
    state_size_ = p - bones.place[0];
    return p;
  }

  void add_row(const ModelState& state, const Vec3d& direction, double weight, double residual,
               std::span<double> matrix, std::span<double> rhs) {
    filled_.clear();
    const auto put = [&](std::size_t i, double value) {
      row_[i] = weight * value;
      filled_.push_back(i);
    };
    for (std::size_t k = 0; k < 3; ++k) put(k, direction[static_cast<int>(k)]);
    for (std::size_t t = 0; t < touched_.size(); ++t) {
      const auto b = slot(touched_[t]);
      if (turn_[b] >= 0) {
        const Vec3d a = cross(lever_[b], direction);
        for (std::size_t k = 0; k < 3; ++k) put(slot(turn_[b]) + k, a[static_cast<int>(k)]);
      }
      if (shape_[b] >= 0) {
        const auto& [skin, joints] = stretched_[t];
        for (std::size_t k = 0; k < 3; ++k) {
          const Vec3d& f = model_.frame[b][k];
          const double along = dot(direction, rotate(state.turn[b], f));
          put(slot(shape_[b]) + k, along * dot(f, k == 0 ? skin : skin + joints));
          if (k == 0) put(slot(shape_[b]) + 3, along * dot(f, joints));
        }
      }
    }
    if (size_ >= 0) put(slot(size_), dot(direction, state_size_));
    const double r = weight * residual;
    for (const std::size_t i : filled_) {
      rhs[i] -= row_[i] * r;
      double* line = &matrix[i * unknowns_];
      for (const std::size_t j : filled_)
        if (j <= i) line[j] += row_[i] * row_[j];  // the other half at the end
    }
  }

  /// visit(entries of the row, residual, whether its tail is heavy)
  template <class Visit>
  void for_each_prior(const ModelState& state, Visit&& visit) const {
    std::vector<std::pair<int, double>> row;
    const auto one = [&](int column, double deviation, double value, bool heavy = false) {
      if (column < 0) return;
      row.assign(1, {column, 1 / deviation});
      visit(std::span<const std::pair<int, double>>(row), value / deviation, heavy);
    };
    for (std::size_t b = 0; b < model_.bones(); ++b) {
      const int p = model_.parent[b];
      if (turn_[b] >= 0 && p >= 0) {
        // As turns in scene axes: what a turn of this bone adds to.
        const Quatd relative = conjugate(state.turn[slot(p)]) * state.turn[b];
        const Vec3d off = rotate(state.turn[slot(p)], rotation_vector(relative));
        const auto& limit = model_.limits.of(static_cast<int>(b));
        for (int k = 0; k < 3; ++k) one(turn_[b] + k, model_.usual_turn[b], off[k]);
        if (limit) {
          const Quatd allowed =
              JointLimits::rotation(*limit, JointLimits::clamped(*limit, JointLimits::angles(*limit, relative)));
          const Vec3d excess = rotate(state.turn[slot(p)], rotation_vector(relative * conjugate(allowed)));
          if (dot(excess, excess) > 1e-12)
            for (int k = 0; k < 3; ++k) one(turn_[b] + k, kUsualExcess, excess[k]);
        }
      }
      if (shape_[b] >= 0) {
        for (int k = 0; k < static_cast<int>(kShapes); ++k)
          one(shape_[b] + k, kUsualStretch, state.shape[b][static_cast<std::size_t>(k)], true);
        const auto alike = [&](int i, int j) {
          row = {{shape_[b] + i, 1 / kUsualOval}, {shape_[b] + j, -1 / kUsualOval}};
          visit(std::span<const std::pair<int, double>>(row),
                (state.shape[b][slot(i)] - state.shape[b][slot(j)]) / kUsualOval, false);
        };
        alike(1, 2);
        alike(0, 3);
        if (const int m = model_.mirror[b]; m > static_cast<int>(b) && shape_[slot(m)] >= 0)
          for (int k = 0; k < static_cast<int>(kShapes); ++k) {
            const auto i = static_cast<std::size_t>(k);
            row = {{shape_[b] + k, 1 / kUsualUneven}, {shape_[slot(m)] + k, -1 / kUsualUneven}};
            visit(std::span<const std::pair<int, double>>(row),
                  (state.shape[b][i] - state.shape[slot(m)][i]) / kUsualUneven, false);
          }
      }
    }
    one(size_, kUsualSize, state.size);
  }

  const BodyModel& model_;
  std::span<const Match> matches_;
  std::span<const KnownPoint> known_;
  double deviation_, tangential_, scale_ = 0;
  std::vector<int> turn_, shape_;  // columns, -1: not an unknown
  int size_ = -1;
  std::size_t unknowns_ = 0;
  // Of the sample that was prepared last.
  std::vector<int> touched_;
  std::vector<double> below_;  // its weight on each bone and below
  std::vector<Vec3d> lever_;
  std::vector<std::pair<Vec3d, Vec3d>> stretched_;  // of touched_: offsets of skin, and of joints below
  Vec3d state_size_;
  std::vector<double> row_;
  std::vector<std::size_t> filled_;
};

struct PosedSamples {
  std::vector<Vec3d> points, normals;
};
PosedSamples pose_samples(const BodyModel& model, const ModelState& state, std::size_t count) {
  const PlacedBones bones = place_bones(model, state);
  PosedSamples posed;
  for (std::size_t i = 0; i < count; ++i) {
    posed.points.push_back(place_of(model.samples[i], bones));
    posed.normals.push_back(normal_of(model.samples[i], state));
  }
  return posed;
}

/// The nearest that faces the same way; -1: none within reach.
int nearest_alike(const PointTree& tree, std::span<const Vec3d> normals, const Vec3d& p, const Vec3d& n, double reach,
                  std::vector<PointTree::Near>& found, double& squared) {
  tree.nearest(p, kTried, reach, found);
  for (const auto& near : found)
    if (dot(normals[near.point], n) > kAlike) {
      squared = near.squared;
      return static_cast<int>(near.point);
    }
  return -1;
}

// Geman and McClure: what is off by more than `deviation` counts less and less.
double robust(double squared, double deviation) {
  const double d = deviation * deviation / (deviation * deviation + squared);
  return d * d;
}

}  // namespace

FitTarget make_target(std::vector<Vec3d> points, std::vector<Vec3d> normals, bool one_sided) {
  FitTarget target{std::move(points), std::move(normals), {}, 0, one_sided};
  target.tree = PointTree(target.points);
  std::vector<PointTree::Near> found;
  std::vector<double> near;
  for (const Vec3d& p : target.points) {
    target.tree.nearest(p, 2, 1e300, found);
    if (found.size() > 1) near.push_back(std::sqrt(found[1].squared));
  }
  if (!near.empty()) {
    const auto middle = near.begin() + static_cast<std::ptrdiff_t>(near.size() / 2);
    std::ranges::nth_element(near, middle);
    target.spacing = *middle;
  }
  return target;
}

void fit_model(const BodyModel& model, const FitTarget& target, std::span<const KnownPoint> known,
               const FitStage& stage, ModelState& state, const Context& context) {
  const std::size_t count = std::min(stage.samples, model.samples.size());
  std::vector<PointTree::Near> found;
  std::vector<Match> matches;
  for (int round = 0; round < stage.rounds; ++round) {
    context.check_cancelled();
    const double t = stage.rounds > 1 ? static_cast<double>(round) / (stage.rounds - 1) : 1;
    const double extent = model.extent * std::exp(state.size);
    const double deviation = extent * stage.far * std::pow(stage.near / stage.far, t), reach = 3 * deviation;
    const PosedSamples posed = pose_samples(model, state, count);
    const PointTree tree(posed.points);
    matches.clear();
    double squared = 0, scan_sum = 0, model_sum = 0;
    for (std::size_t i = 0; i < target.points.size(); ++i) {
      const int s = nearest_alike(tree, posed.normals, target.points[i], target.normals[i], reach, found, squared);
      if (s < 0) continue;
      const double w = robust(squared, deviation);
      matches.push_back({static_cast<std::uint32_t>(s), target.points[i], posed.normals[slot(s)], w});
      scan_sum += w;
    }
    const std::size_t scan_matches = matches.size();
    for (std::size_t i = 0; i < count; ++i) {
      const int s =
          nearest_alike(target.tree, target.normals, posed.points[i], posed.normals[i], reach, found, squared);
      if (s < 0) continue;
      const double w = robust(squared, deviation);
      matches.push_back({static_cast<std::uint32_t>(i), target.points[slot(s)], target.normals[slot(s)], w});
      model_sum += w;
    }
    if (scan_sum + model_sum <= 0) return;
    for (std::size_t i = 0; i < matches.size(); ++i)
      matches[i].weight *= i < scan_matches ? 1 / std::max(scan_sum, 1e-12) : kModelShare / std::max(model_sum, 1e-12);
    // Matches are worth what they are off by in the end, at first less.
    ModelProblem problem(model, matches, known, stage.scope, 0.3 * deviation, stage.tangential);
    levenberg_marquardt(
        problem, {.iterations = 2, .attempts = 4, .damping = 1e-3, .least_diagonal = 1e-6, .settled = 1e-5}, state);
  }
}

double misfit(const BodyModel& model, const FitTarget& target, const ModelState& state, double far,
              std::size_t samples) {
  const std::size_t count = std::min(samples, model.samples.size());
  const PosedSamples posed = pose_samples(model, state, count);
  const PointTree tree(posed.points);
  const double extent = model.extent * std::exp(state.size), reach = far * extent;
  std::vector<PointTree::Near> found;
  double squared = 0, scan = 0, own = 0;
  for (std::size_t i = 0; i < target.points.size(); ++i)
    scan += nearest_alike(tree, posed.normals, target.points[i], target.normals[i], reach, found, squared) < 0
                ? reach * reach
                : squared;
  // What faces away from a scan of one side is no fault while it is near; what stands out into nothing is.
  for (std::size_t i = 0; i < count; ++i) {
    if (nearest_alike(target.tree, target.normals, posed.points[i], posed.normals[i], reach, found, squared) < 0)
      squared = found.empty() || !target.one_sided
                    ? reach * reach
                    : std::min(found.front().squared + kFacesAway * reach * reach, reach * reach);
    own += squared;
  }
  const double mean = (scan / static_cast<double>(std::max<std::size_t>(1, target.points.size())) +
                       kModelShare * own / static_cast<double>(std::max<std::size_t>(1, count))) /
                      (1 + kModelShare);
  return std::sqrt(mean) / extent;
}

double oddness(const BodyModel& model, const ModelState& state) {
  return ModelProblem(model, {}, {}, {.shape = true}, 1, 0).oddness(state);
}

double badness(const BodyModel& model, const FitTarget& target, const ModelState& state, double far,
               std::size_t samples) {
  const double off = misfit(model, target, state, far, samples) / kDoubt;
  return kEffective * off * off + oddness(model, state);
}

ModelState fit_to_points(const BodyModel& model, std::span<const KnownPoint> known, const ModelState& start,
                         int iterations) {
  std::vector<BoneMarker> markers;
  std::vector<Vec3d> targets;
  const std::vector<double> weights(known.size(), 1.0);
  for (const KnownPoint& k : known) {
    BoneMarker marker;
    std::size_t largest = 0;
    for (std::size_t i = 1; i < k.sample.shares.size(); ++i)
      if (k.sample.shares[i].weight > k.sample.shares[largest].weight) largest = i;
    for (std::size_t i = 0; i < k.sample.shares.size(); ++i) {
      const ModelSample::Share& s = k.sample.shares[i];
      if (i == largest) {
        marker.bone = s.bone, marker.weight = s.weight, marker.offset = s.offset;
      } else {
        marker.others.push_back({s.bone, s.weight, s.offset});
      }
    }
    markers.push_back(std::move(marker));
    targets.push_back(k.target);
  }
  BonePose pose{start.turn, {}};
  {
    ModelState unscaled = start;
    unscaled.size = 0;
    pose = to_bone_pose(model, unscaled);
  }
  double scale = place_as_one(model.skeleton, markers, targets, weights, pose, true);
  PoseFitOptions options;
  options.iterations = iterations;
  options.fit_scale = true;
  fit_pose(model.skeleton, model.limits, model.extent, markers, targets, weights, options, pose, scale);
  ModelState state = rest_state(model);
  state.turn = pose.rotation;
  state.root = pose.position[0] / scale;
  state.size = -std::log(scale);
  return state;
}

}  // namespace cutis
