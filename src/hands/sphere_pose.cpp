// A pose from sphere centres (Implicit §3.1, appendix D.4: "bone frames from centres, bone lengths constrained").
//
// First guess: the hand's frame from the spheres that are rigid with its root, then each joint in turn by the spheres
// that are rigid with it, as a rotation (two directions or more) or the shortest swing (one). Then all rotations
// together by Levenberg-Marquardt: least squares of the distances, with a prior that keeps joints near the default pose
// (little about their own bone, which one sphere at the bone's end cannot see) and outliers weighed down (Huber). A
// missing sphere is a term less; the bone lengths are the character's own at every step.
#include "hands/sphere_pose.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/math.h"
#include "base/parallel_for.h"
#include "base/polar.h"
#include "base/rotation_vector.h"
#include "base/tree.h"
#include "cutis/error.h"
#include "cutis/hands.h"
#include "cutis/option_rows.h"
#include "numerics/levenberg_marquardt.h"

namespace cutis {
namespace {

constexpr double kNoisePerExtent = 0.005;
constexpr double kChainBend = 2.0 / 3;  // of a finger's last joint, of the bend before it
constexpr double kFarthestTurn = 0.5;   // radians a step: the linear model ends there

Quatd rotation_of(const Affine3d& m) { return polar_decompose(m.linear).rotation; }

// The rotation that turns `from` onto `to` best; the shortest one for a single direction.
std::optional<Quatd> rotation_onto(std::span<const Vec3d> from, std::span<const Vec3d> to) {
  Mat3d h{{Vec3d{}, Vec3d{}, Vec3d{}}};
  double spread = 0, most = 0;
  Vec3d main_from, main_to;
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (int c = 0; c < 3; ++c) h.col[static_cast<std::size_t>(c)] += to[i] * from[i][c];
    const double size = length(from[i]) * length(to[i]);
    if (size > most) {
      most = size;
      main_from = from[i];
      main_to = to[i];
    }
  }
  if (!(most > 0)) return std::nullopt;
  for (const Vec3d& f : from) spread = std::max(spread, length(cross(f, main_from)) / dot(main_from, main_from));
  if (spread < 0.1) return rotation_between(normalized(main_from), normalized(main_to));
  return polar_decompose(h).rotation;
}

}  // namespace

SphereFitter::SphereFitter(const Skeleton& skeleton, std::span<const TrackedSphere> spheres,
                           const SpherePoseOptions& options)
    : skeleton_(skeleton), options_(options), default_(default_pose(skeleton)) {
  const std::size_t n = skeleton.joints.size();
  Box extent;
  std::vector<char> has_lever(n, 0);  // some sphere turns with the joint
  for (const TrackedSphere& s : spheres) {
    const int joint = skeleton.find(s.joint);
    if (joint < 0)
      throw Error(ErrorCode::bad_argument, "spheres",
                  fmt::format("the character has no joint '{}'; name the joints as `cutis info` lists them", s.joint));
    const Affine3d& frame = skeleton.joints[static_cast<std::size_t>(joint)].world_from_rest;
    const Vec3d rest = s.rest.value_or(frame.translation);
    sphere_joint_.push_back(joint);
    offset_.push_back(s.rest ? transform_point(inverse(frame), rest) : Vec3d{});
    extent.add(rest);
  }
  noise_ = options.noise > 0 ? options.noise : kNoisePerExtent * diagonal(extent);
  if (!(noise_ > 0)) noise_ = 1e-6;
  for (std::size_t i = 0; i < sphere_joint_.size(); ++i) {
    int j = sphere_joint_[i];
    if (length(offset_[i]) > 1e-9 + 1e-6 * diagonal(extent)) has_lever[static_cast<std::size_t>(j)] = 1;
    for (j = skeleton.joints[static_cast<std::size_t>(j)].parent; j >= 0;
         j = skeleton.joints[static_cast<std::size_t>(j)].parent)
      has_lever[static_cast<std::size_t>(j)] = 1;
  }
  // Above the joint that carries all spheres nothing has to turn.
  slot_.assign(n, -1);
  int root = -1;
  for (std::size_t j = 0; j < n; ++j)
    if (std::ranges::all_of(sphere_joint_, [&](int s) { return carries(static_cast<int>(j), s); }))
      root = static_cast<int>(j);
  for (std::size_t j = 0; j < n; ++j) {
    const bool below = root < 0 || carries(root, static_cast<int>(j));
    const bool frozen = skeleton.joints[j].alias_of >= 0 || skeleton.joints[j].local_residual.has_value();
    if (static_cast<int>(j) != root && (!below || has_lever[j] == 0 || frozen)) continue;
    slot_[j] = static_cast<int>(joints_.size());
    joints_.push_back(static_cast<int>(j));
  }
  axis_.assign(n, {});
  for (std::size_t j = 0; j < n; ++j) {
    const int parent = skeleton.joints[j].parent;
    if (parent >= 0) axis_[static_cast<std::size_t>(parent)] += default_.local[j].translation;
  }
  for (Vec3d& a : axis_) a = normalized(a);
}

bool SphereFitter::carries(int joint, int below) const { return hangs_on(skeleton_.joints, below, joint); }

Pose SphereFitter::start(std::span<const Target> targets) const {
  Pose pose = default_;
  for (const int j : joints_) {
    const auto at = static_cast<std::size_t>(j);
    const std::vector<Affine3d> world = world_from_joint(skeleton_, pose);
    // Spheres that are rigid with the joint; where there are too few, all that it carries, as they would lie at rest.
    std::vector<Vec3d> from, to;
    std::vector<double> weight;
    const bool first = j == joints_.front();
    for (const bool all : {false, true}) {
      if (all && from.size() >= (first ? 3U : 1U)) break;
      from.clear();
      to.clear();
      for (const Target& t : targets) {
        const int s = sphere_joint_[t.sphere];
        const bool rigid =
            s == j || (skeleton_.joints[static_cast<std::size_t>(s)].parent == j && length(offset_[t.sphere]) == 0);
        if (!(all ? carries(j, s) : rigid)) continue;
        from.push_back(transform_point(world[static_cast<std::size_t>(s)], offset_[t.sphere]));
        to.push_back(t.center);
      }
    }
    if (from.empty()) continue;
    Vec3d pivot_from = world[at].translation, pivot_to = pivot_from;
    if (first) {
      pivot_from = pivot_to = {};
      for (std::size_t i = 0; i < from.size(); ++i) {
        pivot_from += from[i] / static_cast<double>(from.size());
        pivot_to += to[i] / static_cast<double>(to.size());
      }
    }
    for (Vec3d& p : from) p -= pivot_from;
    for (Vec3d& p : to) p -= pivot_to;
    const std::optional<Quatd> turn = rotation_onto(from, to);
    if (!turn) continue;
    const int parent = skeleton_.joints[at].parent;
    const Affine3d above = parent >= 0 ? world[static_cast<std::size_t>(parent)] : Affine3d{};
    const Quatd frame = rotation_of(above);
    pose.local[at].rotation = normalized(conjugate(frame) * *turn * frame * pose.local[at].rotation);
    if (first) {
      const Vec3d moved = pivot_to + rotate(*turn, world[at].translation - pivot_from);
      pose.local[at].translation = transform_point(inverse(above), moved);
    }
  }
  return pose;
}

/// Unknowns: a turn of every joint, about itself, scene axes; and a shift of the root.
class SphereFitter::Problem {
 public:
  struct State {
    Pose pose;
    std::vector<Affine3d> world;  // of the pose's joints
  };

  Problem(const SphereFitter& fitter, std::span<const Target> targets)
      : fitter_(fitter),
        options_(fitter.options_),
        targets_(targets),
        turns_(fitter.joints_.size()),
        above_(fitter.joints_.size()) {}

  [[nodiscard]] std::size_t unknowns() const { return 3 * turns_ + 3; }
  [[nodiscard]] State state(Pose pose) const {
    std::vector<Affine3d> world = world_from_joint(fitter_.skeleton_, pose);
    return {std::move(pose), std::move(world)};
  }
  [[nodiscard]] Vec3d place(const State& at, const Target& t) const {
    return transform_point(at.world[static_cast<std::size_t>(fitter_.sphere_joint_[t.sphere])],
                           fitter_.offset_[t.sphere]);
  }

  [[nodiscard]] double cost(const State& at) const {
    double cost = 0;
    for (const Target& t : targets_) {
      const double r = distance(place(at, t), t.center) / fitter_.noise_;
      cost += r < options_.outlier ? 0.5 * r * r : options_.outlier * (r - 0.5 * options_.outlier);
    }
    for (std::size_t s = 1; s < turns_; ++s) {
      const auto [swing, twist] = prior(at.pose, s);
      cost += 0.5 * (dot(swing, swing) + dot(twist, twist));
    }
    return cost;
  }

  void linearise(const State& at, std::span<double> matrix, std::span<double> rhs) {
    for (std::size_t s = 0; s < turns_; ++s) {
      const int parent = parent_of(fitter_.skeleton_.joints, fitter_.joints_[s]);
      above_[s] = parent >= 0 ? rotation_of(at.world[static_cast<std::size_t>(parent)]) : Quatd{};
    }
    for (const Target& t : targets_) add_sphere(at, t, matrix, rhs);
    for (std::size_t s = 1; s < turns_; ++s) add_prior(at, s, matrix, rhs);
  }

  [[nodiscard]] State moved(const State& from, std::span<const double> step) const {
    Pose next = from.pose;
    for (std::size_t s = 0; s < turns_; ++s) {
      const auto j = static_cast<std::size_t>(fitter_.joints_[s]);
      Vec3d turn{step[3 * s], step[3 * s + 1], step[3 * s + 2]};
      if (const double angle = length(turn); angle > kFarthestTurn) turn *= kFarthestTurn / angle;
      next.local[j].rotation =
          normalized(conjugate(above_[s]) * from_rotation_vector(turn) * above_[s] * from.pose.local[j].rotation);
    }
    const auto root = static_cast<std::size_t>(fitter_.joints_.front());
    const int parent = fitter_.skeleton_.joints[root].parent;
    const Affine3d frame = parent >= 0 ? from.world[static_cast<std::size_t>(parent)] : Affine3d{};
    const Vec3d move{step[3 * turns_], step[3 * turns_ + 1], step[3 * turns_ + 2]};
    next.local[root].translation = transform_point(inverse(frame), from.world[root].translation + move);
    return state(std::move(next));
  }

 private:
  // Swing and twist of a joint away from its default, each over what is usual.
  [[nodiscard]] std::pair<Vec3d, Vec3d> prior(const Pose& pose, std::size_t slot) const {
    const auto j = static_cast<std::size_t>(fitter_.joints_[slot]);
    const Vec3d away = rotation_vector(conjugate(fitter_.default_.local[j].rotation) * pose.local[j].rotation);
    const Vec3d twist = fitter_.axis_[j] * dot(fitter_.axis_[j], away);
    return {(away - twist) / options_.swing, twist / options_.twist};
  }

  void add_sphere(const State& now, const Target& t, std::span<double> matrix, std::span<double> rhs) const {
    const std::size_t n = unknowns(), move = 3 * turns_;
    const auto at = [&](std::size_t row, std::size_t column) -> double& { return matrix[column * n + row]; };
    const Vec3d x = place(now, t), miss = t.center - x;
    const double r = length(miss) / fitter_.noise_;
    const double w = (r > options_.outlier ? options_.outlier / r : 1.0) / (fitter_.noise_ * fitter_.noise_);
    // dx = move + sum over the joints that carry it of turn x lever
    std::vector<std::pair<std::size_t, Vec3d>> levers;
    for (std::size_t s = 0; s < turns_; ++s)
      if (fitter_.carries(fitter_.joints_[s], fitter_.sphere_joint_[t.sphere]))
        levers.emplace_back(s, x - now.world[static_cast<std::size_t>(fitter_.joints_[s])].translation);
    for (int c = 0; c < 3; ++c) {
      at(move + static_cast<std::size_t>(c), move + static_cast<std::size_t>(c)) += w;
      rhs[move + static_cast<std::size_t>(c)] += w * miss[c];
    }
    // d(turn x lever)/d(turn) = -[lever]x; the products with itself and with the others follow from
    // ([a]x)^T [b]x = (a.b) I - b a^T.
    for (const auto& [s, a] : levers) {
      const Vec3d torque = cross(a, miss);
      for (int c = 0; c < 3; ++c) rhs[3 * s + static_cast<std::size_t>(c)] += w * torque[c];
      for (const auto& [q, b] : levers)
        for (int i = 0; i < 3; ++i)
          for (int k = 0; k < 3; ++k)
            at(3 * s + static_cast<std::size_t>(i), 3 * q + static_cast<std::size_t>(k)) +=
                w * ((i == k ? dot(a, b) : 0.0) - b[i] * a[k]);
      const Mat3d lever{{Vec3d{0, a.z, -a.y}, Vec3d{-a.z, 0, a.x}, Vec3d{a.y, -a.x, 0}}};  // [a]x by columns
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
          const double value = w * lever.col[static_cast<std::size_t>(k)][i];
          at(3 * s + static_cast<std::size_t>(i), move + static_cast<std::size_t>(k)) += value;
          at(move + static_cast<std::size_t>(k), 3 * s + static_cast<std::size_t>(i)) += value;
        }
    }
  }

  void add_prior(const State& now, std::size_t s, std::span<double> matrix, std::span<double> rhs) const {
    const std::size_t n = unknowns();
    const auto j = static_cast<std::size_t>(fitter_.joints_[s]);
    const auto [swing, twist] = prior(now.pose, s);
    const Quatd frame = above_[s] * now.pose.local[j].rotation;  // of the joint, in the world
    const Vec3d axis = rotate(frame, fitter_.axis_[j]);
    const Vec3d pull = rotate(frame, swing / options_.swing + twist / options_.twist);
    const double a = 1 / (options_.swing * options_.swing), b = 1 / (options_.twist * options_.twist);
    for (int i = 0; i < 3; ++i) {
      rhs[3 * s + static_cast<std::size_t>(i)] -= pull[i];
      for (int k = 0; k < 3; ++k)
        matrix[(3 * s + static_cast<std::size_t>(k)) * n + 3 * s + static_cast<std::size_t>(i)] +=
            (i == k ? a : 0.0) + (b - a) * axis[i] * axis[k];
    }
  }

  const SphereFitter& fitter_;
  const SpherePoseOptions& options_;
  std::span<const Target> targets_;
  std::size_t turns_;
  std::vector<Quatd> above_;  // rotation in the world of each turning joint's parent
};

SphereFitter::Result SphereFitter::fit(std::span<const std::optional<Vec3d>> centers) const {
  std::vector<Target> targets;
  for (std::size_t i = 0; i < centers.size(); ++i)
    if (centers[i] && is_finite(*centers[i])) targets.push_back({i, *centers[i]});
  if (targets.size() < 3 || joints_.empty()) return {default_, 0, targets.size(), std::vector<char>(joints_.size(), 0)};

  Problem problem(*this, targets);
  Problem::State state = problem.state(start(targets));
  (void)levenberg_marquardt(problem, {.iterations = options_.iterations}, state);
  double sum = 0;
  for (const Target& t : targets) {
    const Vec3d d = problem.place(state, t) - t.center;
    sum += dot(d, d);
  }
  std::vector<char> turned(joints_.size(), 0);
  for (std::size_t s = 0; s < turned.size(); ++s)
    turned[s] = std::ranges::any_of(targets, [&](const Target& t) {
      const int sphere = sphere_joint_[t.sphere];
      return carries(joints_[s], sphere) && (sphere != joints_[s] || length(offset_[t.sphere]) > 0);
    });
  return {std::move(state.pose), std::sqrt(sum / static_cast<double>(targets.size())), targets.size(),
          std::move(turned)};
}

Quatd SphereFitter::follow_parent(const Pose& pose, int joint) const {
  const auto j = static_cast<std::size_t>(joint);
  const int parent = skeleton_.joints[j].parent;
  const auto below = std::ranges::count_if(
      joints_, [&](int k) { return skeleton_.joints[static_cast<std::size_t>(k)].parent == parent; });
  if (parent < 0 || below != 1 || parent == joints_.front()) return default_.local[j].rotation;
  const auto p = static_cast<std::size_t>(parent);
  // The same turn about the same axis of the rest pose.
  const Vec3d bend = rotation_vector(conjugate(default_.local[p].rotation) * pose.local[p].rotation);
  const Quatd own = rotation_of(skeleton_.joints[j].world_from_rest),
              above = rotation_of(skeleton_.joints[p].world_from_rest);
  const Vec3d alike = rotate(conjugate(own), rotate(above, bend * kChainBend));
  return normalized(default_.local[j].rotation * from_rotation_vector(alike));
}

SphereMotion pose_from_spheres(const Character& character, const SphereTrack& track, const SpherePoseOptions& options,
                               const Context& context) {
  check_options(options, "spheres");
  const SphereFitter fitter(character.skeleton, track.spheres, options);
  std::vector<SphereFitter::Result> results(track.times.size());
  parallel_for(context, results.size(), 1,
               [&](std::size_t f, std::size_t) { results[f] = fitter.fit(track.centers[f]); });
  SphereMotion motion;
  motion.clip.name = track.name;
  motion.joints = fitter.joints().size();
  std::size_t most = 0, last_good = 0;
  for (const auto& result : results) most = std::max(most, result.seen);
  if (most < 3)
    throw Error(ErrorCode::bad_argument, "spheres", "fewer than three spheres are ever seen together; track more");
  // A frame without enough spheres holds the last pose.
  while (results[last_good].seen < 3) ++last_good;
  std::size_t held = 0;
  for (std::size_t f = 0; f < results.size(); ++f) {
    motion.missing += track.spheres.size() - results[f].seen;
    if (results[f].seen < 3) {
      results[f].pose = results[last_good].pose;
      ++held;
    } else {
      last_good = f;
    }
    motion.miss.push_back(results[f].miss);
  }
  if (held > 0)
    context.warn(
        fmt::format("{}: {} frames show fewer than three spheres; they hold the pose before them", track.name, held));
  // A joint that no sphere shows in a frame: between the frames that show it; never shown: as its parent bends.
  for (std::size_t s = 1; s < fitter.joints().size(); ++s) {
    const auto j = static_cast<std::size_t>(fitter.joints()[s]);
    for (std::size_t f = 0; f < results.size(); ++f) {
      if (results[f].turned[s]) continue;
      std::size_t before = f, after = f;
      while (before > 0 && !results[before].turned[s]) --before;
      while (after + 1 < results.size() && !results[after].turned[s]) ++after;
      const bool has_before = results[before].turned[s] != 0, has_after = results[after].turned[s] != 0;
      Quatd& q = results[f].pose.local[j].rotation;
      if (has_before && has_after) {
        const double t = (track.times[f] - track.times[before]) / (track.times[after] - track.times[before]);
        q = slerp(results[before].pose.local[j].rotation, results[after].pose.local[j].rotation, t);
      } else if (has_before || has_after) {
        q = results[has_before ? before : after].pose.local[j].rotation;
      } else {
        q = fitter.follow_parent(results[f].pose, static_cast<int>(j));
      }
    }
  }
  for (std::size_t s = 0; s < fitter.joints().size(); ++s) {
    const int joint = fitter.joints()[s];
    Channel turn{joint, ChannelPath::rotation, Interpolation::linear, {}, {}};
    Channel move{joint, ChannelPath::translation, Interpolation::linear, {}, {}};
    Quatd before;
    for (std::size_t f = 0; f < results.size(); ++f) {
      const Trsd& local = results[f].pose.local[static_cast<std::size_t>(joint)];
      Quatd q = local.rotation;
      if (f > 0 && dot(q, before) < 0) q = negated(q);
      before = q;
      const auto time = static_cast<float>(track.times[f]);
      turn.times.push_back(time);
      for (const double x : {q.x, q.y, q.z, q.w}) turn.values.push_back(static_cast<float>(x));
      move.times.push_back(time);
      for (int i = 0; i < 3; ++i) move.values.push_back(static_cast<float>(local.translation[i]));
    }
    motion.clip.channels.push_back(std::move(turn));
    if (s == 0) motion.clip.channels.push_back(std::move(move));
  }
  return motion;
}

}  // namespace cutis
