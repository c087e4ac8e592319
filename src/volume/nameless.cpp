#include "volume/nameless.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "base/math.h"
#include "base/parallel_for.h"
#include "base/segment.h"
#include "cutis/error.h"
#include "numerics/assignment.h"
#include "volume/body_roles.h"
#include "volume/joint_limits.h"
#include "volume/marker_map.h"
#include "volume/marker_sets.h"
#include "volume/marker_sites.h"
#include "volume/usual_body_poses.h"

namespace cutis {
namespace {

constexpr int kFacings = 12;
/// A body is about so tall, metres: where points do not reach from its feet to its head.
constexpr double kStature = 1.7;
/// Frames that are explained, each for itself.
constexpr std::size_t kViews = 8;
/// Explanations that go on from one heat to the next, of each frame; those that the whole take decides between.
constexpr std::size_t kLimbwise = 80, kGuesses = 40, kRough = 10, kTried = 4, kByEverySet = 8, kSecond = 4;
/// How far from its site a point may be, in heights of the body: at first (a leg's thickness and more), in the end (a
/// marker on a stalk, other people's habits). Farther ones belong to no site.
constexpr double kFarFirst = 0.25, kFarLast = 0.07;
constexpr int kRoughRounds = 5, kRounds = 14, kSetRounds = 10, kLimbRounds = 6, kSettle = 6;
/// How far a size that is fitted goes from the one that was guessed.
constexpr double kResized = 1.18;
/// Points at the ends of a frame that do not count for how tall it is: strays.
constexpr double kTrimmed = 0.03;
/// Frames that decide, and that tell which bone a point is rigid with: so many on either side, so far apart; steps of
/// the fit in each, and of one that has to begin anew.
constexpr std::size_t kJudges = 40;
constexpr double kStepSeconds = 0.08;
constexpr int kFollow = 5, kBeginAnew = 25;
/// Points that are as far off their bones as this, in heights, are on no body.
constexpr double kNoBody = 0.03;
/// A body whose points are farther off than this is lost, in heights.
constexpr double kLost = 0.02;
/// A point that belongs to no site stands still on its bone but for this, and is no farther from it, in heights.
constexpr double kUnsteady = 0.02, kFarFromBone = 0.15;
/// How far points move on their bones counts so many times as much as how far they are from sites: squares of what is
/// usual of the two.
constexpr double kStillness = 6;
/// What a limb has to gain to be put elsewhere, in logarithms of likelihood.
constexpr double kWorthALimb = 5;
/// A point is none of a set's this often at least.
constexpr double kFewestExtra = 0.02;
/// Sets of a foot or a hand are none of a body's: a set's sites reach over this share of what points reach over.
constexpr double kSpansBody = 0.6;
/// Which set it is: markers are off their sites by this, in heights; a set's marker is there this often; the skin of a
/// body, in squared heights.
constexpr double kHabit = 0.02, kPresent = 0.9, kSkin = 0.62;
/// Of it, trunk and head, each arm, each leg.
constexpr std::array<double, 5> kSkinOf{0.42, 0.1, 0.1, 0.19, 0.19};
/// A posture was found to suit: three turns of shoulders and hips, one of elbows and knees. Each has to be worth a unit
/// of the logarithm of likelihood (Akaike), or points anywhere on the body are as good an explanation.
constexpr double kPosture = 16;
/// A site that hardly any set has.
constexpr double kRare = 0.1;

struct Site {
  std::string name;
  BoneMarker on_bone;
  MarkerPlace place;
};

/// A frame that is explained.
struct View {
  std::size_t frame = 0;
  std::vector<Vec3d> targets;     // of each point; NaN: not seen
  std::vector<std::size_t> used;  // those seen
  double low = 0, high = 0;       // but for strays
  Vec3d middle;
};

constexpr int kAnySites = -1;

struct Explanation {
  std::size_t view = 0;
  BonePose pose;
  double scale = 1, first_scale = 1;
  std::vector<int> site;  // per point, -1: none
  std::size_t assigned = 0;
  int set = kAnySites;                                    // of marker_sets()
  double cost = std::numeric_limits<double>::infinity();  // a point, from its site
  double motion = 0;                                      // mean square of what points move on their bones
  double score = 0;                                       // of the set
};

/// Ends of a range but for strays. Reorders the values.
std::pair<double, double> trimmed_range(std::vector<double>& values) {
  const auto skip = static_cast<std::size_t>(kTrimmed * static_cast<double>(values.size()));
  std::sort(values.begin(), values.end());
  return {values[skip], values[values.size() - 1 - skip]};
}

class Nameless {
 public:
  Nameless(const Character& character, const DrivenSkeleton& skeleton, const MarkerTake& take,
           std::span<const std::size_t> points, const Context& context)
      : context_(context),
        character_(character),
        skeleton_(skeleton),
        take_(take),
        points_(points.begin(), points.end()),
        body_(find_body_roles(character, skeleton)),
        limits_(human_limits(skeleton, body_)),
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
    for (std::size_t s = 0; s < sites_.size(); ++s) {
      const std::string& name = sites_[s].name;
      if (name.size() != 4 || name[1] != 'F' || name[2] < '0' || name[2] > '9')
        body_sites_.push_back(static_cast<int>(s));
    }
    limb_ = limbs();
    usual_.assign(sites_.size(), 0);
    double sets = 0;
    for (const MarkerSet& set : marker_sets()) {
      const std::vector<int> list = sites_of(set);
      if (extent_of(list) < kSpansBody * height_) continue;
      sets += 1;
      for (const int s : list) usual_[static_cast<std::size_t>(s)] += 1;
    }
    for (double& u : usual_) u = std::clamp(kPresent * u / std::max(sets, 1.0), kRare, kPresent);
    choose_views();
  }

  NamelessMap run() {
    std::vector<Explanation> list = first_guesses();
    for_each(list, [&](Explanation& e) { refine(e, body_sites_, kRoughRounds, kFarFirst, 0.6 * kFarFirst); });
    keep_best(list, kRough);
    for_each(list, [&](Explanation& e) { refine(e, body_sites_, kRounds, 0.8 * kFarFirst, kFarLast); });
    keep_best(list, kTried);
    for_each(list, [&](Explanation& e) { judge(e); });
    std::stable_sort(list.begin(), list.end(), [](const Explanation& a, const Explanation& b) {
      return a.cost + kStillness * a.motion < b.cost + kStillness * b.motion;
    });
    drop_twins(list);
    Halves halves(kByEverySet);
    std::erase_if(list, [&](const Explanation& e) { return !halves.takes(facing_of(e)); });
    by_every_set(list, kSetRounds, 0.8 * kFarFirst);
    std::vector<int> parent;
    for (const DrivenSkeleton::Bone& b : skeleton_.bones) parent.push_back(b.parent);
    const std::vector<std::vector<Quatd>> turns = usual_limb_turns(skeleton_, body_, parent);
    // Once more from the best: who is whose was found from poses that nobody's sites had made.
    for (const bool first : {true, false}) {
      if (list.size() > kByEverySet) list.resize(kByEverySet);
      for_each(list, [&](Explanation& e) { judge(e); });
      std::stable_sort(list.begin(), list.end(),
                       [&](const Explanation& a, const Explanation& b) { return likelihood(a) > likelihood(b); });
      if (list.size() > kSecond) list.resize(kSecond);
      if (first) for_each(list, [&](Explanation& e) { restart_limbs(e, turns); });
      if (first) by_every_set(list, kSetRounds, 0.5 * kFarFirst);
    }
    const double moves = std::sqrt(list.front().motion);
    if (moves > kNoBody * height_)
      throw Error(
          ErrorCode::bad_argument, take_.source,
          fmt::format("its points do not move as markers on a body do: where they fit best they are {:.0f} cm off "
                      "their bones in other frames; give a map with --map, or a part of the take with --subject",
                      100 * moves));
    NamelessMap result;
    write(list.front(), result);
    // The score is that of points at sites over that of points strewn over a body's skin, which has the same place and
    // size, but no posture.
    const auto at_sites = result.sites.size() - static_cast<std::size_t>(std::ranges::count(result.sites, ""));
    result.doubtful = !(likelihood(list.front()) > kPosture) || 2 * at_sites < points_.size();
    if (2 * result.map.places.size() < points_.size())
      throw Error(ErrorCode::bad_argument, take_.source,
                  fmt::format("only {} of its {} points suit a body; give a map with --map, or a part of the take with "
                              "--subject",
                              result.map.places.size(), points_.size()));
    return result;
  }

 private:
  template <class Act>
  void for_each(std::vector<Explanation>& list, Act&& act) const {
    parallel_for(context_, list.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) act(list[i]);
    });
  }

  static bool by_cost(const Explanation& a, const Explanation& b) { return a.cost < b.cost; }

  [[nodiscard]] bool seen(std::size_t frame, std::size_t k) const { return take_.seen(frame, points_[k]); }
  [[nodiscard]] const Vec3d& at(std::size_t frame, std::size_t k) const { return take_.at(frame, points_[k]); }

  /// Frames with almost all points: the tallest, the widest, and others all over the take.
  void choose_views() {
    std::vector<std::size_t> count(take_.frames, 0);
    std::size_t most = 0;
    for (std::size_t f = 0; f < take_.frames; ++f) {
      for (std::size_t k = 0; k < points_.size(); ++k) count[f] += seen(f, k) ? 1U : 0U;
      most = std::max(most, count[f]);
    }
    if (most < kLeastNameless)
      throw Error(ErrorCode::bad_argument, take_.source,
                  "no frame shows enough markers to find out where they are without names; give a map with --map");
    std::vector<std::size_t> full;
    for (std::size_t f = 0; f < take_.frames; ++f)
      if (static_cast<double>(count[f]) >= 0.95 * static_cast<double>(most)) full.push_back(f);
    std::size_t tallest = full.front(), widest = full.front();
    double tall = -1, wide = -1;
    for (const std::size_t f : full) {
      const View v = view_of(f);
      double spread = 0;
      for (const std::size_t k : v.used) spread += std::hypot(v.targets[k].x - v.middle.x, v.targets[k].z - v.middle.z);
      spread /= static_cast<double>(v.used.size());
      if (v.high - v.low > tall * (1 + 1e-9)) tall = v.high - v.low, tallest = f;
      if (spread > wide * (1 + 1e-9)) wide = spread, widest = f;
    }
    std::vector<std::size_t> frames{tallest, widest};
    for (std::size_t k = 0; k + 2 < kViews; ++k)
      frames.push_back(full[k * (full.size() - 1) / std::max<std::size_t>(kViews - 3, 1)]);
    for (const std::size_t f : frames)
      if (std::none_of(views_.begin(), views_.end(), [&](const View& v) { return v.frame == f; }))
        views_.push_back(view_of(f));
  }

  [[nodiscard]] View view_of(std::size_t frame) const {
    View v;
    v.frame = frame;
    std::vector<double> heights;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      v.targets.push_back(seen(frame, k) ? at(frame, k) : Vec3d{NAN, NAN, NAN});
      if (!seen(frame, k)) continue;
      v.used.push_back(k);
      v.middle += at(frame, k);
      heights.push_back(at(frame, k).y);
    }
    v.middle = v.middle / static_cast<double>(v.used.size());
    std::tie(v.low, v.high) = trimmed_range(heights);
    return v;
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

  /// A body of usual size in a usual pose, put together limb by limb.
  struct Guess {
    double cost = 0, scale = 1;
    int facing = 0;
    std::array<std::size_t, 5> turn{};  // of the trunk and the limbs
    bool by_top = false;
    Vec3d shift;
  };
  static Quatd yaw_of(int facing) { return axis_angle(Vec3d{0, 1, 0}, 2 * kPi * facing / kFacings); }

  /// Which limb every bone is of: 1 to 4, 0: the trunk.
  [[nodiscard]] std::vector<std::size_t> limbs() const {
    std::vector<std::size_t> limb(skeleton_.bones.size(), 0);
    std::size_t next = 1;
    for (const Part part : {Part::upper_arm, Part::thigh})
      for (const Side side : {Side::left, Side::right}) {
        if (const int b = body_.find(part, side); b >= 0) limb[static_cast<std::size_t>(b)] = next;
        ++next;
      }
    for (std::size_t b = 0; b < limb.size(); ++b)
      if (const int p = skeleton_.bones[b].parent; limb[b] == 0 && p >= 0) limb[b] = limb[static_cast<std::size_t>(p)];
    return limb;
  }

  /// What sites are there in a guess, and how far points are from them, and they from points.
  class Guesser {
   public:
    Guesser(const Nameless& of, const std::vector<std::vector<Quatd>>& turns, const std::vector<std::size_t>& limb)
        : far2_(kFarFirst * of.height_ * kFarFirst * of.height_), at_(of.body_sites_.size()) {
      for (const int s : of.body_sites_)
        limb_.push_back(limb[static_cast<std::size_t>(of.sites_[static_cast<std::size_t>(s)].on_bone.bone)]);
      for (const std::vector<Quatd>& turn : turns) {
        BonePose pose = rest_bone_pose(of.skeleton_);
        pose.rotation = turn;
        restore_lengths(of.skeleton_, pose);
        std::vector<Vec3d>& list = sites_.emplace_back();
        for (const int s : of.body_sites_) list.push_back(of.sites_[static_cast<std::size_t>(s)].on_bone.at(pose));
      }
    }
    /// Lowest and highest site but for strays, in a pose of the table.
    [[nodiscard]] std::pair<double, double> range(std::size_t turn) const {
      std::vector<double> heights;
      for (const Vec3d& p : sites_[turn]) heights.push_back(p.y);
      return trimmed_range(heights);
    }
    /// Puts the guess in its place and finds its cost.
    void settle(const View& view, Guess& g) {
      const Quatd yaw = yaw_of(g.facing);
      Vec3d middle;
      std::vector<double> heights;
      for (std::size_t s = 0; s < at_.size(); ++s) {
        at_[s] = rotate(yaw, sites_[g.turn[limb_[s]]][s]);
        middle += at_[s] / static_cast<double>(at_.size());
        heights.push_back(at_[s].y);
      }
      const auto [low, high] = trimmed_range(heights);
      g.shift = view.middle * g.scale - middle;
      g.shift.y = g.by_top ? view.high * g.scale - high : view.low * g.scale - low;
      bare_.assign(at_.size(), far2_);
      g.cost = 0;
      for (const std::size_t k : view.used) {
        const Vec3d p = view.targets[k] * g.scale - g.shift;
        double near = far2_;
        for (std::size_t s = 0; s < at_.size(); ++s) {
          const Vec3d d = at_[s] - p;
          const double d2 = dot(d, d);
          near = std::min(near, d2);
          bare_[s] = std::min(bare_[s], d2);
        }
        g.cost += near / static_cast<double>(view.used.size());
      }
      for (const double d2 : bare_) g.cost += 0.25 * d2 / static_cast<double>(bare_.size());
    }

   private:
    double far2_;
    std::vector<std::vector<Vec3d>> sites_;  // of each pose
    std::vector<std::size_t> limb_;          // of each site
    std::vector<Vec3d> at_;
    std::vector<double> bare_;
  };

  /// Usual poses in all facings, as large as their heights say or as people are, on the same ground or with the same
  /// top; then limb by limb in whatever pose suits better. The best of each frame.
  [[nodiscard]] std::vector<Explanation> first_guesses() const {
    std::vector<int> parent;
    for (const DrivenSkeleton::Bone& b : skeleton_.bones) parent.push_back(b.parent);
    std::vector<std::vector<Quatd>> turns = usual_limb_turns(skeleton_, body_, parent);
    const std::size_t whole = usual_body_turns(skeleton_, body_, parent).size() + 1;
    turns.insert(turns.begin(), std::vector<Quatd>(parent.size()));
    Guesser guesser(*this, turns, limb_);
    const auto by_guess = [](const Guess& a, const Guess& b) { return a.cost < b.cost; };
    std::vector<Explanation> all;
    for (std::size_t v = 0; v < views_.size(); ++v) {
      const View& view = views_[v];
      const double tall = std::max(view.high - view.low, 1e-9);
      std::vector<Guess> list;
      for (std::size_t t = 0; t < whole; ++t) {
        const auto [low, high] = guesser.range(t);
        const double by_height = (high - low) / tall;
        std::vector<std::pair<double, bool>> sizes{{by_height, false}};  // and whether the tops are brought together
        for (const double stature : {0.93 * kStature, 1.07 * kStature}) {
          const double ratio = height_ / stature / by_height;
          if (ratio < 0.5 || ratio > 2 || std::abs(std::log(ratio)) < 0.08) continue;
          sizes.emplace_back(height_ / stature, false);
          sizes.emplace_back(height_ / stature, true);
        }
        for (const auto& [scale, by_top] : sizes)
          for (int facing = 0; facing < kFacings; ++facing) {
            Guess& g = list.emplace_back(Guess{0, scale, facing, {t, t, t, t, t}, by_top, {}});
            guesser.settle(view, g);
          }
      }
      std::stable_sort(list.begin(), list.end(), by_guess);
      if (list.size() > kLimbwise) list.resize(kLimbwise);
      for (Guess& g : list)
        for (int pass = 0; pass < 2; ++pass)
          for (std::size_t l = 1; l < g.turn.size(); ++l)
            for (std::size_t t = 0; t < turns.size(); ++t) {
              Guess other = g;
              other.turn[l] = t;
              guesser.settle(view, other);
              if (other.cost < g.cost) g = other;
            }
      std::stable_sort(list.begin(), list.end(), by_guess);
      std::size_t taken = 0;
      for (std::size_t i = 0; i < list.size() && taken < kGuesses; ++i) {
        const Guess& g = list[i];
        if (i > 0 && g.turn == list[i - 1].turn && g.facing == list[i - 1].facing && g.scale == list[i - 1].scale)
          continue;
        ++taken;
        Explanation e;
        e.view = v;
        e.scale = e.first_scale = g.scale;
        e.pose = rest_bone_pose(skeleton_);
        for (std::size_t b = 0; b < limb_.size(); ++b) e.pose.rotation[b] = turns[g.turn[limb_[b]]][b];
        restore_lengths(skeleton_, e.pose);
        const Quatd yaw = yaw_of(g.facing);
        for (Quatd& q : e.pose.rotation) q = normalized(yaw * q);
        for (Vec3d& p : e.pose.position) p = rotate(yaw, p) + g.shift;
        all.push_back(std::move(e));
      }
    }
    return all;
  }

  /// Who is who, the pose and the scale in turns; what counts as far shrinks.
  void refine(Explanation& e, std::span<const int> sites, int rounds, double far_first, double far_last) const {
    const View& view = views_[e.view];
    const std::vector<std::size_t>& used = view.used;
    const std::size_t columns = sites.size() + used.size();
    std::vector<double> cost(used.size() * columns);
    std::vector<Vec3d> where(sites.size());
    // In squared distance: of two sites that are as near the usual one is meant.
    std::vector<double> rarity(sites.size(), 0.0);
    for (std::size_t s = 0; s < sites.size() && e.set == kAnySites; ++s)
      rarity[s] =
          2 * kHabit * height_ * kHabit * height_ * std::log(kPresent / usual_[static_cast<std::size_t>(sites[s])]);
    for (int round = 0; round < rounds; ++round) {
      const double t = rounds > 1 ? static_cast<double>(round) / (rounds - 1) : 1.0;
      const double far = height_ * far_first * std::pow(far_last / far_first, t);
      for (std::size_t s = 0; s < sites.size(); ++s)
        where[s] = sites_[static_cast<std::size_t>(sites[s])].on_bone.at(e.pose);
      for (std::size_t i = 0; i < used.size(); ++i)
        for (std::size_t c = 0; c < columns; ++c) {
          double price = far * far;
          if (c < sites.size()) {
            const Vec3d d = where[c] - view.targets[used[i]] * e.scale;
            price = std::min(dot(d, d) + rarity[c], 4 * far * far);
          }
          cost[i * columns + c] = price;
        }
      const std::vector<std::size_t> column = least_cost_assignment(used.size(), columns, cost);
      e.site.assign(view.targets.size(), -1);
      e.assigned = 0;
      std::vector<BoneMarker> markers(view.targets.size());
      std::vector<double> weights(view.targets.size(), 0.0);
      // A body that shrinks is nearer to all of its points: how likely these are where they are counts in the take's
      // own metres.
      e.cost = -4 * kHabit * height_ * kHabit * height_ * std::log(e.scale * kStature / height_);
      for (std::size_t i = 0; i < used.size(); ++i) {
        e.cost += cost[i * columns + column[i]] / static_cast<double>(used.size());
        if (column[i] >= sites.size()) continue;
        const int s = sites[column[i]];
        e.site[used[i]] = s;
        ++e.assigned;
        markers[used[i]] = sites_[static_cast<std::size_t>(s)].on_bone;
        weights[used[i]] = 1;
      }
      if (e.assigned < 3 || round + 1 == rounds) break;
      // Stiff at first: a point that is somebody else's does not tear a limb off.
      fit_pose(skeleton_, limits_, size_, markers, view.targets, weights,
               {.iterations = 5, .rest_pull = 0.06 - 0.04 * t, .open_pull = 0.2, .fit_scale = 2 * round > rounds},
               e.pose, e.scale);
      // Another size is another explanation.
      e.scale = std::clamp(e.scale, e.first_scale / kResized, e.first_scale * kResized);
    }
  }

  /// So many of every frame. From both sides a body looks nearly alike: no more than half may face where the best one
  /// does.
  void keep_best(std::vector<Explanation>& list, std::size_t of_each) const {
    std::stable_sort(list.begin(), list.end(), by_cost);
    drop_twins(list);
    std::vector<Halves> halves(views_.size(), Halves(of_each));
    std::erase_if(list, [&](const Explanation& e) { return !halves[e.view].takes(facing_of(e)); });
  }
  [[nodiscard]] Vec3d facing_of(const Explanation& e) const { return rotate(e.pose.rotation[0], body_.forward); }
  class Halves {
   public:
    explicit Halves(std::size_t most) : most_((most + 1) / 2) {}
    [[nodiscard]] bool takes(const Vec3d& facing) {
      if (first_ == Vec3d{}) first_ = facing;
      return ++count_[dot(facing, first_) > 0 ? 1 : 0] <= most_;
    }

   private:
    std::size_t most_;
    Vec3d first_;
    std::array<std::size_t, 2> count_{};
  };

  static void drop_twins(std::vector<Explanation>& list) {
    for (std::size_t a = 0; a < list.size(); ++a)
      for (std::size_t b = list.size(); b-- > a + 1;)
        if (list[b].site == list[a].site) list.erase(list.begin() + static_cast<std::ptrdiff_t>(b));
  }

  /// Frames around one that follow it closely enough for a body to be followed.
  [[nodiscard]] std::vector<std::size_t> judges(std::size_t around) const {
    const auto step = std::max<std::size_t>(1, static_cast<std::size_t>(kStepSeconds * take_.rate));
    const std::size_t before = std::min(kJudges, around / step),
                      after = std::min(kJudges, (take_.frames - 1 - around) / step);
    std::vector<std::size_t> frames;
    for (std::size_t k = 0; k <= before + after; ++k) frames.push_back(around + k * step - before * step);
    return frames;
  }

  /// Points attached where they fall have to stay there over the take, within the joints' limits.
  struct Attached {
    std::vector<BoneMarker> markers;
    std::vector<double> weights;
  };
  [[nodiscard]] Attached attach(const Explanation& e) const {
    Attached a;
    a.markers.resize(points_.size());
    a.weights.assign(points_.size(), 0.0);
    for (std::size_t k = 0; k < points_.size(); ++k) {
      if (e.site[k] < 0) continue;
      const int bone = sites_[static_cast<std::size_t>(e.site[k])].on_bone.bone;
      const auto b = static_cast<std::size_t>(bone);
      a.markers[k] = {bone,
                      rotate(conjugate(e.pose.rotation[b]), views_[e.view].targets[k] * e.scale - e.pose.position[b])};
      a.weights[k] = 1;
    }
    return a;
  }
  /// Poses of the judging frames: away from the explained frame in both directions, each from its neighbour. `cost`:
  /// mean square of what points are off, of the frame in the middle: a body that is lost in a fast turn is not held
  /// against what was right before.
  [[nodiscard]] std::vector<BonePose> poses(std::size_t from, const BonePose& start, double take_scale,
                                            const Attached& a, std::span<const std::size_t> frames,
                                            double* cost) const {
    std::vector<BonePose> result(frames.size());
    std::vector<double> off;
    for (const bool later : {true, false}) {
      BonePose pose = start;
      for (std::size_t i = 0; i < frames.size(); ++i) {
        const std::size_t j = later ? i : frames.size() - 1 - i;
        if ((frames[j] >= from) != later) continue;
        std::vector<Vec3d> targets;
        std::vector<double> weights = a.weights;
        for (std::size_t k = 0; k < points_.size(); ++k) {
          targets.push_back(seen(frames[j], k) ? at(frames[j], k) * take_scale : Vec3d{});
          if (!seen(frames[j], k)) weights[k] = 0;
        }
        double scale = 1;
        const auto fit = [&](int steps, BonePose& at) {
          return fit_pose(skeleton_, limits_, size_, a.markers, targets, weights,
                          {.iterations = steps, .rest_pull = 0.01}, at, scale);
        };
        const PoseFitReport followed = fit(kFollow, pose);
        if (followed.rms > kLost * height_) {
          BonePose anew = start;
          (void)place_as_one(skeleton_, a.markers, targets, weights, anew, false);
          if (fit(kBeginAnew, anew).cost < followed.cost) pose = std::move(anew);
        }
        double sum = 0, count = 0;
        for (std::size_t k = 0; k < points_.size(); ++k) {
          if (!(weights[k] > 0)) continue;
          const Vec3d d = a.markers[k].at(pose) - targets[k];
          sum += dot(d, d);
          count += 1;
        }
        if (count > 0) off.push_back(sum / count);
        result[j] = pose;
      }
    }
    if (cost != nullptr && !off.empty()) {
      const auto middle = off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2);
      std::nth_element(off.begin(), middle, off.end());
      *cost = *middle;
    }
    return result;
  }

  void judge(Explanation& e) const {
    if (take_.frames > 1)
      (void)poses(views_[e.view].frame, e.pose, e.scale, attach(e), judges(views_[e.view].frame), &e.motion);
  }

  [[nodiscard]] double off_site2(const Explanation& e, std::size_t k) const {
    const Vec3d d =
        sites_[static_cast<std::size_t>(e.site[k])].on_bone.at(e.pose) - views_[e.view].targets[k] * e.scale;
    return dot(d, d);
  }

  /// From the lowest to the highest of some sites at rest, metres.
  [[nodiscard]] double extent_of(std::span<const int> sites) const {
    const BonePose rest = rest_bone_pose(skeleton_);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const int s : sites) {
      const double y = sites_[static_cast<std::size_t>(s)].on_bone.at(rest).y;
      low = std::min(low, y);
      high = std::max(high, y);
    }
    return high - low;
  }
  [[nodiscard]] double reach_of(const Explanation& e) const {
    std::vector<int> sites;
    for (const int s : e.site)
      if (s >= 0) sites.push_back(s);
    return extent_of(sites);
  }

  /// The logarithm of how much likelier points are where a set has them than anywhere on the skin: a process of points
  /// at sites, and of points anywhere, as dense on the trunk and on each limb as what is left over there. Points that
  /// are likelier anywhere are left out.
  void score(Explanation& e, std::span<const int> sites) const {
    const double habit2 = kHabit * height_ * kHabit * height_;
    const View& view = views_[e.view];
    const std::size_t regions = std::size(kSkinOf);
    std::vector<std::size_t> region(view.targets.size(), 0);
    std::vector<double> points(regions, 0.0), placed(regions, 0.0);
    std::vector<Vec3d> where;
    for (const int s : body_sites_) where.push_back(sites_[static_cast<std::size_t>(s)].on_bone.at(e.pose));
    const auto region_of = [&](int s) {
      return limb_[static_cast<std::size_t>(sites_[static_cast<std::size_t>(s)].on_bone.bone)];
    };
    for (const std::size_t k : view.used) {
      const Vec3d p = view.targets[k] * e.scale;
      const auto near = std::min_element(where.begin(), where.end(), [&](const Vec3d& a, const Vec3d& b) {
        return dot(a - p, a - p) < dot(b - p, b - p);
      });
      region[k] = region_of(e.site[k] >= 0 ? e.site[k] : body_sites_[static_cast<std::size_t>(near - where.begin())]);
      points[region[k]] += 1;
      placed[region[k]] += e.site[k] >= 0 ? 1 : 0;
    }
    const auto extra_of = [&](std::size_t r) { return std::max(1 - placed[r] / points[r], kFewestExtra); };
    const auto present = [&](int s) { return e.set == kAnySites ? usual_[static_cast<std::size_t>(s)] : kPresent; };
    for (int round = 0; round < 3; ++round) {
      e.score = 0;
      std::vector<double> left = placed;
      for (const std::size_t k : view.used) {
        if (e.site[k] < 0) continue;
        const std::size_t r = region[k];
        const double likely = present(e.site[k]);
        const double gain = std::log(likely * kSkin * kSkinOf[r] * height_ * height_ / (2 * kPi * habit2 * points[r])) -
                            off_site2(e, k) / (2 * habit2);
        if (gain < std::log(extra_of(r) * (1 - likely))) {
          e.site[k] = -1;
          --e.assigned;
          left[r] -= 1;
        } else {
          e.score += gain;
        }
      }
      placed = left;
    }
    for (std::size_t r = 0; r < regions; ++r)
      if (points[r] > 0) e.score += points[r] * extra_of(r) * std::log(extra_of(r)) + placed[r];
    for (const int s : sites) e.score -= present(s);
    // As in refine(): in the take's own metres.
    e.score += 2 * static_cast<double>(view.used.size()) * std::log(e.scale * kStature / height_);
  }
  /// With how still its points stay on their bones.
  [[nodiscard]] double likelihood(const Explanation& e) const {
    const double habit2 = kHabit * height_ * kHabit * height_;
    return e.score - static_cast<double>(e.assigned) * kStillness * e.motion / (2 * habit2);
  }

  /// Each explanation by each set of markers that reaches over as much of the body as its points, best first.
  void by_every_set(std::vector<Explanation>& list, int rounds, double far) const {
    std::vector<Explanation> all;
    std::vector<std::vector<int>> of_set;
    for (const MarkerSet& set : marker_sets()) of_set.push_back(sites_of(set));
    for (const Explanation& e : list) {
      const double reach = reach_of(e);
      all.push_back(e);
      all.back().set = kAnySites;
      for (std::size_t s = 0; s < of_set.size(); ++s) {
        if (of_set[s].size() < kLeastNameless || extent_of(of_set[s]) < kSpansBody * reach) continue;
        all.push_back(e);
        all.back().set = static_cast<int>(s);
      }
    }
    for_each(all, [&](Explanation& e) {
      const std::vector<int>& sites = e.set == kAnySites ? body_sites_ : of_set[static_cast<std::size_t>(e.set)];
      e.first_scale = e.scale;
      refine(e, sites, rounds, far, kFarLast);
      score(e, sites);
    });
    for (const Explanation& e : list)  // what a set explained already stays among them
      if (e.set != kAnySites) all.push_back(e);
    std::erase_if(all, [](const Explanation& e) { return e.assigned < kLeastNameless; });
    std::stable_sort(all.begin(), all.end(),
                     [&](const Explanation& a, const Explanation& b) { return likelihood(a) > likelihood(b); });
    drop_twins(all);
    if (!all.empty()) list = std::move(all);
  }

  void write(const Explanation& found, NamelessMap& result) const {
    Explanation e = found;
    if (e.set >= 0) result.set = marker_sets()[static_cast<std::size_t>(e.set)].title;
    // Posed and scaled by what is at a site, as a take with names is; who is who once more from that pose, until it
    // stays. The others are where they fall then.
    std::vector<BoneMarker> anchors;
    std::vector<int> point;
    std::vector<double> weights;
    FittedFrame fitted;
    const auto fit = [&] {
      anchors.assign(points_.size(), {});
      point.assign(points_.size(), -1);
      weights.assign(points_.size(), 0.0);
      for (std::size_t k = 0; k < points_.size(); ++k) {
        if (e.site[k] < 0) continue;
        anchors[k] = sites_[static_cast<std::size_t>(e.site[k])].on_bone;
        point[k] = static_cast<int>(points_[k]);
        weights[k] = 1;
      }
      fitted = fit_to_take(character_, skeleton_, anchors, point, weights, take_);
    };
    std::vector<std::size_t> frames;
    std::vector<BonePose> pose;
    for (int round = 0; round == 0 || (round < kSettle && reassign(e, fitted.scale, frames, pose)); ++round) {
      fit();
      Attached attached{anchors, weights};
      for (std::size_t k = 0; k < points_.size(); ++k) {
        if (anchors[k].bone < 0 || !seen(fitted.frame, k)) continue;
        const auto b = static_cast<std::size_t>(anchors[k].bone);
        attached.markers[k] = {anchors[k].bone, rotate(conjugate(fitted.pose.rotation[b]),
                                                       at(fitted.frame, k) * fitted.scale - fitted.pose.position[b])};
      }
      frames = judges(fitted.frame);
      pose = poses(fitted.frame, fitted.pose, fitted.scale, attached, frames, nullptr);
    }
    double sum = 0;
    for (std::size_t k = 0; k < points_.size(); ++k) sum += e.site[k] >= 0 ? off_site2(e, k) : 0.0;
    result.frame = fitted.frame;
    result.map.scale = fitted.scale;
    result.rms = e.assigned > 0 ? std::sqrt(sum / static_cast<double>(e.assigned)) : 0;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      MarkerPlace place;
      if (const int s = e.site[k]; s >= 0) {
        place = sites_[static_cast<std::size_t>(s)].place;
      } else if (!find_place(k, fitted, frames, pose, place)) {
        result.left_out.push_back(points_[k]);
        continue;
      }
      place.marker = take_.names[points_[k]];
      result.map.places.push_back(std::move(place));
      result.sites.push_back(e.site[k] >= 0 ? sites_[static_cast<std::size_t>(e.site[k])].name : std::string());
    }
  }

  /// Who is at which site in all of some frames, in which the body was followed; false when that is as before.
  [[nodiscard]] bool reassign(Explanation& e, double take_scale, std::span<const std::size_t> frames,
                              std::span<const BonePose> pose) const {
    const std::vector<int> sites = sites_of_set(e.set);
    const double far2 = kFarLast * height_ * kFarLast * height_;
    const std::size_t n = points_.size(), columns = sites.size() + n;
    std::vector<double> cost(n * columns, far2), count(n, 0.0), sum(n * sites.size(), 0.0);
    std::vector<Vec3d> where(sites.size());
    for (std::size_t j = 0; j < frames.size(); ++j) {
      for (std::size_t c = 0; c < sites.size(); ++c)
        where[c] = sites_[static_cast<std::size_t>(sites[c])].on_bone.at(pose[j]);
      for (std::size_t k = 0; k < n; ++k) {
        if (!seen(frames[j], k)) continue;
        count[k] += 1;
        const Vec3d p = at(frames[j], k) * take_scale;
        for (std::size_t c = 0; c < sites.size(); ++c) sum[k * sites.size() + c] += dot(where[c] - p, where[c] - p);
      }
    }
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t c = 0; c < sites.size(); ++c)
        cost[k * columns + c] = count[k] > 0 ? std::min(sum[k * sites.size() + c] / count[k], 4 * far2) : 4 * far2;
    const std::vector<std::size_t> column = least_cost_assignment(n, columns, cost);
    std::vector<int> site(n, -1);
    std::size_t assigned = 0;
    for (std::size_t k = 0; k < n; ++k)
      if (column[k] < sites.size()) site[k] = sites[column[k]], ++assigned;
    if (site == e.site || assigned < kLeastNameless) return false;
    e.site = std::move(site);
    e.assigned = assigned;
    return true;
  }
  [[nodiscard]] std::vector<int> sites_of_set(int set) const {
    return set == kAnySites ? body_sites_ : sites_of(marker_sets()[static_cast<std::size_t>(set)]);
  }

  /// Limb by limb from usual poses, and fitted again: what is better stays.
  void restart_limbs(Explanation& e, const std::vector<std::vector<Quatd>>& turns) const {
    const std::vector<int> sites = sites_of_set(e.set);
    for (std::size_t l = 1; l < kSkinOf.size(); ++l) {
      std::size_t root = skeleton_.bones.size();
      for (std::size_t b = 0; b < limb_.size() && root == skeleton_.bones.size(); ++b)
        if (limb_[b] == l) root = b;
      if (root == skeleton_.bones.size() || skeleton_.bones[root].parent < 0) continue;
      Explanation best = e;
      for (const std::vector<Quatd>& turn : turns) {
        Explanation other = e;
        const Quatd& trunk = e.pose.rotation[static_cast<std::size_t>(skeleton_.bones[root].parent)];
        for (std::size_t b = root; b < limb_.size(); ++b)
          if (limb_[b] == l) other.pose.rotation[b] = normalized(trunk * turn[b]);
        restore_lengths(skeleton_, other.pose);
        refine(other, sites, kLimbRounds, 0.6 * kFarFirst, kFarLast);
        score(other, sites);
        if (other.score > best.score) best = std::move(other);
      }
      // Where points are dense, a limb finds some everywhere: it does not leave for a little more.
      if (best.score > e.score + kWorthALimb) e = std::move(best);
    }
  }

  /// Of a point without a site: on the near bone on which it stands still, where it falls in the fitted frame.
  bool find_place(std::size_t k, const FittedFrame& fitted, std::span<const std::size_t> frames,
                  std::span<const BonePose> pose, MarkerPlace& place) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < skeleton_.bones.size(); ++b) {
      Vec3d mean;
      double count = 0, spread = 0;
      const auto local = [&](std::size_t frame, const BonePose& p) {
        return rotate(conjugate(p.rotation[b]), at(frame, k) * fitted.scale - p.position[b]);
      };
      for (std::size_t j = 0; j < frames.size(); ++j)
        if (seen(frames[j], k)) mean += local(frames[j], pose[j]), count += 1;
      if (count < std::min<double>(3, static_cast<double>(frames.size()))) return false;
      mean = mean / count;
      for (std::size_t j = 0; j < frames.size(); ++j)
        if (seen(frames[j], k)) {
          const Vec3d d = local(frames[j], pose[j]) - mean;
          spread += dot(d, d) / count;
        }
      const Vec3d offset = seen(fitted.frame, k) ? local(fitted.frame, fitted.pose) : mean;
      double near = std::numeric_limits<double>::infinity();
      for (const DrivenSegment& s : skeleton_.segments)
        if (s.bone == static_cast<int>(b))
          near = std::min(near, distance_to_segment(skeleton_.bones[b].rest + offset, s.from, s.to));
      spread = std::sqrt(spread);
      if (spread > kUnsteady * height_ || near > kFarFromBone * height_) continue;
      // Of bones that move alike, the near one.
      if (const double cost = spread + 0.1 * near; cost < least) {
        least = cost;
        place.bone = character_.skeleton.joints[static_cast<std::size_t>(skeleton_.bones[b].joint)].name;
        place.offset = offset;
      }
    }
    return !place.bone.empty();
  }

  const Context& context_;
  const Character& character_;
  const DrivenSkeleton& skeleton_;
  const MarkerTake& take_;
  std::vector<std::size_t> points_;
  BodyRoles body_;
  JointLimits limits_;
  double size_ = 0, height_ = 0;
  std::vector<Site> sites_;
  std::vector<int> body_sites_;    // all but fingers
  std::vector<std::size_t> limb_;  // of each bone
  std::vector<double> usual_;      // how likely a site has a marker, whatever the set: share of sets that have it
  std::vector<View> views_;
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
                              std::span<const std::size_t> points, const Context& context) {
  return Nameless(character, skeleton, take, points, context).run();
}

}  // namespace cutis
