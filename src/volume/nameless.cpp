#include "volume/nameless.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/math.h"
#include "cutis/error.h"
#include "numerics/assignment.h"
#include "volume/body_roles.h"
#include "volume/joint_limits.h"
#include "volume/marker_map.h"
#include "volume/marker_sets.h"
#include "volume/marker_sites.h"
#include "volume/reach.h"

namespace cutis {
namespace {

constexpr int kFacings = 12;
/// Explanations that are worth fitting, and those that frames of the whole take decide between.
constexpr std::size_t kFitted = 10, kTried = 3;
/// How far from its site a point may be, in heights of the body: at first (a leg's thickness and more), in the end (a
/// marker on a stalk, other people's habits). Farther ones belong to no site.
constexpr double kFarFirst = 0.25, kFarLast = 0.07;
constexpr int kRounds = 14;
/// A site that has no point costs this share of a point without a site when sets are compared: a whole set is likelier.
constexpr double kUnused = 0.25;
/// Frames that decide, and that tell which bone a point is rigid with.
constexpr std::size_t kJudges = 10;
/// A point that belongs to no site stands still on its bone but for this, in heights.
constexpr double kUnsteady = 0.008;

struct Site {
  std::string name;
  BoneMarker on_bone;
  MarkerPlace place;
};

struct Explanation {
  BonePose pose;
  double scale = 1;
  std::vector<int> site;  // per point, -1: none
  double cost = std::numeric_limits<double>::infinity();
  std::size_t assigned = 0;
};

class Nameless {
 public:
  Nameless(const Character& character, const DrivenSkeleton& skeleton, const MarkerTake& take,
           std::span<const std::size_t> points)
      : character_(character),
        skeleton_(skeleton),
        take_(take),
        points_(points.begin(), points.end()),
        body_(find_body_roles(character.skeleton, skeleton)),
        limits_(human_limits(character.skeleton, skeleton)),
        size_(diagonal(character.bounds())) {
    for (const auto& [name, place] : find_marker_sites(character, skeleton))
      sites_.push_back({name, place_marker(character, skeleton, place).on_bone, place});
    if (sites_.size() < kLeastNameless)
      throw Error(ErrorCode::bad_argument, character.source,
                  "its joints are no body that markers without names could be found on; give a map with --map");
    double low = 1e300, high = -1e300;
    const BonePose rest = rest_bone_pose(skeleton);
    for (const Site& s : sites_) {
      const double y = s.on_bone.at(rest).y;
      low = std::min(low, y);
      high = std::max(high, y);
    }
    height_ = high - low;
    choose_frame();
  }

  NamelessMap run() {
    std::vector<Explanation> best = first_guesses();
    const std::vector<int> body_sites = sites_without_fingers();
    for (Explanation& e : best) refine(e, body_sites, kRounds, kFarFirst);
    std::stable_sort(best.begin(), best.end(), by_cost);
    drop_twins(best);
    if (best.size() > kTried) best.resize(kTried);
    judge(best);
    Explanation found = best.front();
    NamelessMap result;
    // Does it look like one of the sets? Then points are at its sites and at no others.
    Explanation as_set;
    double least = std::numeric_limits<double>::infinity();
    for (const MarkerSet& set : marker_sets()) {
      const std::vector<int> sites = sites_of(set);
      if (sites.size() < kLeastNameless) continue;
      Explanation e = found;
      refine(e, sites, 6, 0.5 * (kFarFirst + kFarLast));
      const double price = kFarLast * height_ * kFarLast * height_;
      const double cost = e.cost + kUnused * price * static_cast<double>(sites.size() - e.assigned);
      if (cost < least) {
        least = cost;
        as_set = e;
        result.set = set.title;
      }
    }
    // A set has to explain at least as many points, but for a tenth.
    if (as_set.assigned > 0 && static_cast<double>(as_set.assigned) >= 0.9 * static_cast<double>(found.assigned))
      found = as_set;
    else
      result.set.clear();
    write(found, result);
    return result;
  }

 private:
  static bool by_cost(const Explanation& a, const Explanation& b) { return a.cost < b.cost; }

  [[nodiscard]] bool seen(std::size_t frame, std::size_t k) const { return take_.seen(frame, points_[k]); }
  [[nodiscard]] const Vec3d& at(std::size_t frame, std::size_t k) const { return take_.at(frame, points_[k]); }

  /// Upright, and almost all points seen.
  void choose_frame() {
    std::vector<std::size_t> count(take_.frames, 0);
    std::size_t most = 0;
    for (std::size_t f = 0; f < take_.frames; ++f) {
      for (std::size_t k = 0; k < points_.size(); ++k) count[f] += seen(f, k) ? 1U : 0U;
      most = std::max(most, count[f]);
    }
    if (most < kLeastNameless)
      throw Error(ErrorCode::bad_argument, take_.source,
                  "no frame shows enough markers to find out where they are without names; give a map with --map");
    double tallest = -1;
    for (std::size_t f = 0; f < take_.frames; ++f) {
      if (static_cast<double>(count[f]) < 0.95 * static_cast<double>(most)) continue;
      double low = 1e300, high = -1e300;
      for (std::size_t k = 0; k < points_.size(); ++k)
        if (seen(f, k)) low = std::min(low, at(f, k).y), high = std::max(high, at(f, k).y);
      if (high - low > tallest * (1 + 1e-9)) tallest = high - low, frame_ = f;
    }
    for (std::size_t k = 0; k < points_.size(); ++k)
      targets_.push_back(seen(frame_, k) ? at(frame_, k) : Vec3d{NAN, NAN, NAN});
    tall_ = tallest;
  }

  [[nodiscard]] std::vector<int> sites_without_fingers() const {
    std::vector<int> list;
    for (std::size_t s = 0; s < sites_.size(); ++s)
      if (sites_[s].name.size() != 4 || sites_[s].name[1] != 'F' || sites_[s].name[2] < '0' || sites_[s].name[2] > '9')
        list.push_back(static_cast<int>(s));
    return list;
  }
  [[nodiscard]] std::vector<int> sites_of(const MarkerSet& set) const {
    std::vector<int> list;
    for (std::size_t s = 0; s < sites_.size(); ++s) {
      const bool has = std::any_of(set.entries.begin(), set.entries.end(), [&](const MarkerSet::Entry& e) {
        std::string left(e.site), right(e.site);
        if (const auto q = left.find('?'); q != left.npos) left[q] = 'L', right[q] = 'R';
        return sites_[s].name == left || sites_[s].name == right;
      });
      if (has) list.push_back(static_cast<int>(s));
    }
    return list;
  }

  /// The body at rest with its arms another way, facing another way, over the middle of the points.
  [[nodiscard]] BonePose start(int facing, int arms, double scale) const {
    BonePose pose = rest_bone_pose(skeleton_);
    for (const Side side : {Side::left, Side::right}) {
      const int arm = body_.find(Part::upper_arm, side), forearm = body_.find(Part::forearm, side);
      if (arms == 0 || arm < 0 || forearm < 0) continue;
      const Vec3d now = normalized(skeleton_.bones[static_cast<std::size_t>(forearm)].rest -
                                   skeleton_.bones[static_cast<std::size_t>(arm)].rest);
      const Vec3d out = body_.left * (side == Side::left ? 1.0 : -1.0);
      const Vec3d wanted = arms == 1 ? normalized(out * 0.2 - body_.up) : arms == 2 ? out : body_.forward;
      const Vec3d axis = cross(now, wanted);
      const Quatd turn = length(axis) < 1e-6
                             ? Quatd{}
                             : axis_angle(normalized(axis), std::acos(std::clamp(dot(now, wanted), -1.0, 1.0)));
      for (std::size_t b = 0; b < skeleton_.bones.size(); ++b) {
        int k = static_cast<int>(b);
        while (k >= 0 && k != arm) k = skeleton_.bones[static_cast<std::size_t>(k)].parent;
        if (k == arm) pose.rotation[b] = turn;
      }
    }
    const Quatd yaw = axis_angle(Vec3d{0, 1, 0}, 2 * kPi * facing / kFacings);
    for (Quatd& q : pose.rotation) q = normalized(yaw * q);
    restore_lengths(skeleton_, pose);
    Vec3d mean, mine;
    double count = 0, low = 1e300, my_low = 1e300, my_count = 0;
    for (const Vec3d& p : targets_)
      if (is_finite(p)) mean += p * scale, count += 1, low = std::min(low, p.y * scale);
    for (const Site& s : sites_) {
      const Vec3d p = s.on_bone.at(pose);
      mine += p;
      my_count += 1;
      my_low = std::min(my_low, p.y);
    }
    Vec3d shift = mean / count - mine / my_count;
    shift.y = low - my_low;
    for (Vec3d& p : pose.position) p += shift;
    return pose;
  }

  [[nodiscard]] std::vector<Explanation> first_guesses() const {
    const std::vector<int> sites = sites_without_fingers();
    const double scale = height_ / tall_, far = kFarFirst * height_;
    std::vector<Explanation> all;
    for (int facing = 0; facing < kFacings; ++facing)
      for (int arms = 0; arms < 4; ++arms) {
        Explanation e;
        e.scale = scale;
        e.pose = start(facing, arms, scale);
        e.cost = 0;
        for (const Vec3d& p : targets_) {
          if (!is_finite(p)) continue;
          double near = far * far;
          for (const int s : sites) {
            const Vec3d d = sites_[static_cast<std::size_t>(s)].on_bone.at(e.pose) - p * scale;
            near = std::min(near, dot(d, d));
          }
          e.cost += near;
        }
        all.push_back(std::move(e));
      }
    std::stable_sort(all.begin(), all.end(), by_cost);
    if (all.size() > kFitted) all.resize(kFitted);
    return all;
  }

  /// Who is who, the pose and the scale in turns; what counts as far shrinks.
  void refine(Explanation& e, std::span<const int> sites, int rounds, double far_first) const {
    std::vector<std::size_t> used;
    for (std::size_t k = 0; k < targets_.size(); ++k)
      if (is_finite(targets_[k])) used.push_back(k);
    const std::size_t columns = sites.size() + used.size();
    std::vector<double> cost(used.size() * columns);
    std::vector<Vec3d> where(sites.size());
    for (int round = 0; round < rounds; ++round) {
      const double t = rounds > 1 ? static_cast<double>(round) / (rounds - 1) : 1.0;
      const double far = height_ * far_first * std::pow(kFarLast / far_first, t);
      for (std::size_t s = 0; s < sites.size(); ++s)
        where[s] = sites_[static_cast<std::size_t>(sites[s])].on_bone.at(e.pose);
      for (std::size_t i = 0; i < used.size(); ++i)
        for (std::size_t c = 0; c < columns; ++c) {
          double price = far * far;
          if (c < sites.size()) {
            const Vec3d d = where[c] - targets_[used[i]] * e.scale;
            price = std::min(dot(d, d), 4 * far * far);
          }
          cost[i * columns + c] = price;
        }
      const std::vector<std::size_t> column = least_cost_assignment(used.size(), columns, cost);
      e.site.assign(targets_.size(), -1);
      e.assigned = 0;
      e.cost = 0;
      std::vector<BoneMarker> markers(targets_.size());
      std::vector<double> weights(targets_.size(), 0.0);
      for (std::size_t i = 0; i < used.size(); ++i) {
        e.cost += cost[i * columns + column[i]];
        if (column[i] >= sites.size()) continue;
        const int s = sites[column[i]];
        e.site[used[i]] = s;
        ++e.assigned;
        markers[used[i]] = sites_[static_cast<std::size_t>(s)].on_bone;
        weights[used[i]] = 1;
      }
      if (e.assigned < 3 || round + 1 == rounds) break;
      // Stiff at first: a point that is somebody else's does not tear a limb off.
      fit_pose(skeleton_, limits_, size_, markers, targets_, weights,
               {.iterations = 5, .rest_pull = 0.06 - 0.04 * t, .open_pull = 0.2, .fit_scale = round > 1}, e.pose,
               e.scale);
      // Nobody is a third smaller than the height says: that is another explanation of fewer points.
      e.scale = std::clamp(e.scale, 0.7 * height_ / tall_, 1.4 * height_ / tall_);
    }
  }

  static void drop_twins(std::vector<Explanation>& list) {
    for (std::size_t a = 0; a < list.size(); ++a)
      for (std::size_t b = list.size(); b-- > a + 1;)
        if (list[b].site == list[a].site) list.erase(list.begin() + static_cast<std::ptrdiff_t>(b));
  }

  [[nodiscard]] std::vector<std::size_t> judges() const {
    std::vector<std::size_t> frames;
    for (std::size_t k = 0; k < kJudges; ++k) {
      const std::size_t f = take_.frames < 2 ? 0 : k * (take_.frames - 1) / (kJudges - 1);
      if (frames.empty() || frames.back() != f) frames.push_back(f);
    }
    return frames;
  }

  /// Points attached where they fall have to stay there over the take, within the joints' limits.
  struct Attached {
    std::vector<BoneMarker> markers;
    std::vector<double> weights;
  };
  [[nodiscard]] Attached attach(const Explanation& e) const {
    Attached a;
    a.markers.resize(targets_.size());
    a.weights.assign(targets_.size(), 0.0);
    for (std::size_t k = 0; k < targets_.size(); ++k) {
      if (e.site[k] < 0) continue;
      const int bone = sites_[static_cast<std::size_t>(e.site[k])].on_bone.bone;
      const auto b = static_cast<std::size_t>(bone);
      a.markers[k] = {bone, rotate(conjugate(e.pose.rotation[b]), targets_[k] * e.scale - e.pose.position[b])};
      a.weights[k] = 1;
    }
    return a;
  }
  /// Poses of the judging frames: away from the explained frame in both directions, each from its neighbour.
  [[nodiscard]] std::vector<BonePose> poses(const Explanation& e, const Attached& a,
                                            std::span<const std::size_t> frames, double* cost) const {
    std::vector<BonePose> result(frames.size());
    double sum = 0, count = 0;
    for (const bool later : {true, false}) {
      BonePose pose = e.pose;
      for (std::size_t i = 0; i < frames.size(); ++i) {
        const std::size_t j = later ? i : frames.size() - 1 - i;
        if ((frames[j] >= frame_) != later) continue;
        std::vector<Vec3d> targets;
        std::vector<double> weights = a.weights;
        for (std::size_t k = 0; k < points_.size(); ++k) {
          targets.push_back(seen(frames[j], k) ? at(frames[j], k) * e.scale : Vec3d{});
          if (!seen(frames[j], k)) weights[k] = 0;
        }
        double scale = 1;
        (void)place_as_one(skeleton_, a.markers, targets, weights, pose, false);
        fit_pose(skeleton_, limits_, size_, a.markers, targets, weights, {.iterations = 25, .rest_pull = 0.01}, pose,
                 scale);
        for (std::size_t k = 0; k < points_.size(); ++k) {
          if (!(weights[k] > 0)) continue;
          const Vec3d d = a.markers[k].at(pose) - targets[k];
          sum += std::min(dot(d, d), kFarFirst * height_ * kFarFirst * height_);
          count += 1;
        }
        result[j] = pose;
      }
    }
    if (cost != nullptr) *cost = count > 0 ? sum / count : 0;
    return result;
  }

  void judge(std::vector<Explanation>& list) const {
    if (list.size() < 2 || take_.frames < 2) return;
    const std::vector<std::size_t> frames = judges();
    for (Explanation& e : list) {
      double motion = 0;
      (void)poses(e, attach(e), frames, &motion);
      // As many of them as points: both say how far points are from where they should be.
      e.cost += motion * static_cast<double>(e.assigned);
    }
    std::stable_sort(list.begin(), list.end(), by_cost);
  }

  void write(const Explanation& e, NamelessMap& result) const {
    result.frame = frame_;
    result.map.scale = e.scale;
    Attached attached = attach(e);
    const std::vector<std::size_t> frames = judges();
    const std::vector<BonePose> pose = poses(e, attached, frames, nullptr);
    // Points without a site, too, belong to the bone on which they stand still, if there is one.
    double sum = 0;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      const int s = e.site[k];
      const auto unsteadiness = [&](std::size_t b) {
        Vec3d mean;
        double count = 0, spread = 0;
        const auto local = [&](std::size_t j) {
          return rotate(conjugate(pose[j].rotation[b]), at(frames[j], k) * e.scale - pose[j].position[b]);
        };
        for (std::size_t j = 0; j < frames.size(); ++j)
          if (seen(frames[j], k)) mean += local(j), count += 1;
        if (count < 3) return std::pair{std::numeric_limits<double>::infinity(), mean};
        mean = mean / count;
        for (std::size_t j = 0; j < frames.size(); ++j)
          if (seen(frames[j], k)) {
            const Vec3d d = local(j) - mean;
            spread += dot(d, d) / count;
          }
        return std::pair{std::sqrt(spread), mean};
      };
      MarkerPlace place;
      if (s >= 0) {
        place = sites_[static_cast<std::size_t>(s)].place;
        const Vec3d d = sites_[static_cast<std::size_t>(s)].on_bone.at(e.pose) - targets_[k] * e.scale;
        sum += dot(d, d);
      } else {
        double least = kUnsteady * height_;
        for (std::size_t b = 0; b < skeleton_.bones.size(); ++b) {
          const auto [spread, mean] = unsteadiness(b);
          if (spread >= least || length(mean) > 2 * kFarFirst * height_) continue;
          least = spread;
          place.bone = character_.skeleton.joints[static_cast<std::size_t>(skeleton_.bones[b].joint)].name;
          place.offset = mean;
        }
        if (place.bone.empty()) {
          result.left_out.push_back(points_[k]);
          continue;
        }
      }
      place.marker = take_.names[points_[k]];
      result.map.places.push_back(std::move(place));
      result.sites.push_back(s >= 0 ? sites_[static_cast<std::size_t>(s)].name : std::string());
    }
    result.rms = e.assigned > 0 ? std::sqrt(sum / static_cast<double>(e.assigned)) : 0;
  }

  const Character& character_;
  const DrivenSkeleton& skeleton_;
  const MarkerTake& take_;
  std::vector<std::size_t> points_;
  BodyRoles body_;
  JointLimits limits_;
  double size_ = 0, height_ = 0, tall_ = 0;
  std::vector<Site> sites_;
  std::size_t frame_ = 0;
  std::vector<Vec3d> targets_;  // of the frame; NaN: not seen
};

}  // namespace

std::vector<std::size_t> measured_points(const MarkerTake& take, std::span<const std::size_t> points) {
  constexpr std::size_t kLooks = 30, kFewest = 3;
  // Cosine, and of the lengths of axes, which are equal: what is measured is off by more in some frame. Markers that an
  // origin was computed from lie on an axis, at another distance.
  constexpr double kSquare = 1e-3;
  const std::size_t n = points.size(), step = std::max<std::size_t>(1, take.frames / kLooks);
  const auto square = [&](std::size_t o, std::size_t a, std::size_t b) {
    std::size_t count = 0;
    for (std::size_t f = 0; f < take.frames; f += step) {
      if (!take.seen(f, points[o]) || !take.seen(f, points[a]) || !take.seen(f, points[b])) continue;
      const Vec3d &at = take.at(f, points[o]), u = take.at(f, points[a]) - at, v = take.at(f, points[b]) - at;
      const double lu = length(u), lv = length(v);
      if (!(std::abs(dot(u, v)) < kSquare * lu * lv) || !(std::abs(lu - lv) < kSquare * lu)) return false;
      ++count;
    }
    return count >= kFewest;
  };
  std::vector<char> computed(n, 0);
  std::vector<std::vector<std::size_t>> across(n);  // of an origin: points at right angles to each, the larger ones
  for (std::size_t o = 0; o < n; ++o) {
    for (std::size_t a = 0; a < n; ++a) {
      across[a].clear();
      for (std::size_t b = a + 1; b < n && a != o; ++b)
        if (b != o && square(o, a, b)) across[a].push_back(b);
    }
    for (std::size_t a = 0; a < n; ++a)
      for (const std::size_t b : across[a])
        for (const std::size_t c : across[b])
          if (std::ranges::binary_search(across[a], c)) computed[o] = computed[a] = computed[b] = computed[c] = 1;
  }
  std::vector<std::size_t> measured;
  for (std::size_t k = 0; k < n; ++k)
    if (!computed[k]) measured.push_back(points[k]);
  return measured;
}

NamelessMap find_nameless_map(const Character& character, const DrivenSkeleton& skeleton, const MarkerTake& take,
                              std::span<const std::size_t> points) {
  return Nameless(character, skeleton, take, points).run();
}

}  // namespace cutis
