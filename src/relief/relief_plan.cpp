// Relief when all poses are known. First the limbs that the motion takes through each other are found, and for each
// such passage one way around: the direction along which the least is needed to keep them apart all the while. Then
// every pose is relieved by itself, and the turns are made smooth over time: raised where a smooth curve must be, to
// begin before they are needed, and blurred. docs/algorithms/contact.md has the equations.
#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/rotation_vector.h"
#include "base/tree.h"
#include "relief/relief.h"

namespace cutis {
namespace {

// Of relieving all poses and smoothing.
constexpr int kPlanRounds = 8;
// Of raising a curve to its own blur.
constexpr int kRaises = 8;
// A blur reaches so many times its width.
constexpr double kBlurReach = 3;
// What is needed for a moment is held for so many leads before and after.
constexpr double kHold = 0.6;
// Nothing turns farther than so many leads from a pose that needs it.
constexpr double kFarthestLead = 6;
// Contacts that come apart for less than this many leads are one.
constexpr double kSameContact = 2;
// Steps on the way out of a part, the shortest in its radius.
constexpr int kMostSteps = 40;
constexpr double kLeastStep = 0.02;
// A way may lead so much (cosine) back over the side from which the limbs came, or to which they go.
constexpr double kAcross = -0.2;
// Ways that are tried, and the depth that may be left over by one, in that without it.
constexpr std::size_t kMostWays = 4;
constexpr double kHelps = 0.3;
// The rate at which speeds are per frame, and the speed, in radii, from which parts brush; at twice that all is kept
// off.
constexpr double kFrameRate = 30;
constexpr double kBrush = 1;
// Passed: the way out turns over (cosine) between a beginning and an end that are both so deep, in allowances.
constexpr double kTurnedOver = -0.3;
constexpr double kPassDepth = 1;

// What goes by more than so many radii a frame may be turned within a frame, by this share of how far it goes beyond
// that: beside its own way nobody sees it.
constexpr double kFast = 2;
constexpr double kFastShare = 0.25;
// So many times as far in a frame as before and after is a cut.
constexpr double kCut = 4;

double square(double x) { return x * x; }

// 26 directions: of a cube's faces, edges and corners.
std::vector<Vec3d> directions_around() {
  std::vector<Vec3d> result;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        if (x != 0 || y != 0 || z != 0)
          result.push_back(normalized(Vec3d{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)}));
  return result;
}

}  // namespace

bool Relief::hangs_on(std::uint32_t part, std::uint32_t limb) const {
  return cutis::hangs_on(parent_, static_cast<int>(part), static_cast<int>(limb));
}

// `meeting`: where the two ways to the root meet, or -1; a part that the other one hangs on is its own limb.
Relief::Limbs Relief::limbs_of(std::uint32_t a, std::uint32_t b, int& meeting) const {
  Limbs limbs{a, b};
  for (meeting = static_cast<int>(a); meeting >= 0 && !hangs_on(b, static_cast<std::uint32_t>(meeting));
       meeting = parent_[static_cast<std::size_t>(meeting)])
    limbs[0] = static_cast<std::uint32_t>(meeting);
  for (auto p = static_cast<int>(b); p >= 0 && p != meeting; p = parent_[static_cast<std::size_t>(p)])
    limbs[1] = static_cast<std::uint32_t>(p);
  if (limbs[0] > limbs[1]) std::swap(limbs[0], limbs[1]);
  return limbs;
}

// How far the thin part must go along `way` to be outside the thick one. `at`: out, world: what is inside, its middle.
double Relief::way_out(const Pair& pair, std::span<const Affine3d> motion, const Affine3d& carry_thin,
                       const Affine3d& carry_thick, const Vec3d& way, Vec3d* at) const {
  const Affine3d thin = carry_thin * motion[pair.thin], thick = carry_thick * motion[pair.thick];
  const Affine3d into_rest = inverse(thick), into = into_rest * thin;
  const Vec3d step = into_rest.linear * way;  // per metre in the world
  const double least = kLeastStep * radius_[pair.thick];
  double farthest = 0, weight = 0;
  Vec3d middle;
  for (const Vec3d& x : samples_[pair.thin]) {
    const Vec3d p = transform_point(into, x);
    double d = 0, gone = 0;
    Vec3d gradient;
    const double off = clearance_ * radius_[pair.thick];
    for (int i = 0; i < kMostSteps && distance_(pair.thick, p + step * gone, d, gradient) && d < off; ++i)
      gone += std::max(off - d, least);
    farthest = std::max(farthest, gone);
    middle += x * gone;
    weight += gone;
  }
  if (at != nullptr && weight > 0) *at = transform_point(thin, middle / weight);
  return farthest;
}

// Limbs that are taken through each other, and where to.
std::vector<Relief::Detour> Relief::find_detours(std::span<const std::vector<Affine3d>> motions,
                                                 std::span<const double> times) {
  struct Touch {
    std::size_t frame = 0;
    Pair pair;
    Vec3d direction;  // outward for limbs[0], in the meeting's frame
    double deep = 0;  // in allowances
  };
  std::map<Limbs, std::vector<Touch>> touches;
  for (std::size_t f = 0; f < motions.size(); ++f) {
    prepare(motions[f], {});
    for (const Pair& pair : deep_) {
      int meeting = -1;
      const Limbs limbs = limbs_of(pair.thin, pair.thick, meeting);
      const Depth d = depth(pair, motions[f], {}, {});
      Vec3d direction = hangs_on(pair.thin, limbs[0]) ? d.direction : -d.direction;
      if (meeting >= 0) {
        const Mat3d& linear = motions[f][static_cast<std::size_t>(meeting)].linear;
        if (!(std::abs(determinant(linear)) > 1e-9)) continue;
        direction = normalized(inverse(linear) * direction);
      }
      touches[limbs].push_back({f, pair, direction, (d.deepest - pair.at_rest) / pair.allow});
    }
  }
  std::vector<Detour> result;
  const std::vector<Vec3d> around = directions_around();
  for (const auto& [limbs, all] : touches) {
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      for (end = begin + 1; end < all.size(); ++end)
        if (times[all[end].frame] - times[all[end - 1].frame] > kSameContact * options_.lead &&
            all[end].frame > all[end - 1].frame + 1)
          break;
      const std::span<const Touch> contact(all.data() + begin, end - begin);
      // How the limbs came, how they go: the mean of the first and of the last poses, if it begins and ends at all.
      const auto mean_at = [&](std::size_t frame) {
        Vec3d sum;
        for (const Touch& t : contact)
          if (t.frame == frame) sum += t.direction * t.deep;
        return normalized(sum);
      };
      Vec3d came, goes;
      if (contact.front().frame > 0) came = mean_at(contact.front().frame);
      if (contact.back().frame + 1 < motions.size()) goes = mean_at(contact.back().frame);
      bool passes = false;
      std::map<std::array<std::uint32_t, 2>, Vec3d> first;  // of each pair that is deep enough
      for (const Touch& t : contact) {
        if (t.deep < kPassDepth) continue;
        const auto [entry, is_new] = first.try_emplace({t.pair.thin, t.pair.thick}, t.direction);
        passes = passes || (!is_new && dot(entry->second, t.direction) < kTurnedOver);
      }
      if (!passes) continue;
      std::vector<std::pair<double, Vec3d>> costs;
      for (const Vec3d& way : around) {
        if (dot(way, came) < kAcross || dot(way, goes) < kAcross) continue;
        double most = 0;
        for (const Touch& t : contact) {
          int meeting = -1;
          (void)limbs_of(t.pair.thin, t.pair.thick, meeting);
          Vec3d world =
              meeting < 0 ? way : normalized(motions[t.frame][static_cast<std::size_t>(meeting)].linear * way);
          if (!hangs_on(t.pair.thin, limbs[0])) world = -world;
          most = std::max(most, way_out(t.pair, motions[t.frame], {}, {}, world, nullptr));
        }
        costs.emplace_back(most, way);
      }
      std::stable_sort(costs.begin(), costs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      if (costs.size() > kMostWays) costs.resize(kMostWays);
      Detour detour{limbs, contact.front().frame, contact.back().frame + 1, {}, 0};
      for (const auto& [cost, way] : costs) detour.ways.push_back(way);
      if (!detour.ways.empty()) result.push_back(detour);
    }
  }
  return result;
}

// Turns that a smooth curve through the largest ones has anyway are taken early; then corners are rounded.
void Relief::smooth_plan(std::span<const std::vector<char>> needed, std::span<const std::vector<double>> clocks) {
  const std::size_t frames = plan_time_.size(), parts = radius_.size();
  std::span<const double> clock;  // of the part
  // All poses within so many seconds, the pose itself included.
  const auto around = [&](std::size_t f, double seconds, const auto& visit) {
    for (std::size_t g = f; g < frames && clock[g] - clock[f] <= seconds; ++g) visit(g);
    for (std::size_t g = f; g-- > 0 && clock[f] - clock[g] <= seconds;) visit(g);
  };
  const auto blurred = [&](const std::vector<Vec3d>& curve) {
    std::vector<Vec3d> result(frames);
    for (std::size_t f = 0; f < frames; ++f) {
      Vec3d sum;
      double total = 0;
      around(f, kBlurReach * options_.lead, [&](std::size_t g) {
        const double weight = std::exp(-0.5 * square((clock[g] - clock[f]) / options_.lead));
        sum += curve[g] * weight;
        total += weight;
      });
      result[f] = sum / total;
    }
    return result;
  };
  std::vector<Vec3d> curve(frames);
  std::vector<double> share(frames);
  for (std::size_t p = 0; p < parts; ++p) {
    clock = clocks[p];
    std::fill(share.begin(), share.end(), 0.0);
    bool any = false;
    for (std::size_t f = 0; f < frames; ++f) {
      curve[f] = plan_turn_[f][p];
      if (needed[f][p] == 0) continue;
      any = true;
      around(f, kFarthestLead * options_.lead, [&](std::size_t g) {
        const double apart = (clock[g] - clock[f]) / (kFarthestLead * options_.lead);
        share[g] = std::max(share[g], square(1 - apart * apart));
      });
    }
    if (!any) continue;
    // What is needed for a moment only is held for longer, or blurring would leave little of it.
    const std::vector<Vec3d> need = curve;
    for (std::size_t f = 0; f < frames; ++f)
      around(f, kHold * options_.lead, [&](std::size_t g) {
        if (length(need[g]) > length(curve[f])) curve[f] = need[g];
      });
    for (int raise = 0; raise < kRaises; ++raise) {
      const std::vector<Vec3d> smooth = blurred(curve);
      for (std::size_t f = 0; f < frames; ++f)
        if (length(smooth[f]) > length(curve[f])) curve[f] = smooth[f];
    }
    curve = blurred(curve);
    for (std::size_t f = 0; f < frames; ++f) plan_turn_[f][p] = curve[f] * share[f];
  }
}

// What brushes past fast would plough the skin: it goes clear. By how far it goes in a frame, in its radii.
void Relief::keep_off_fast_ones(std::span<const Affine3d> before, std::span<const Affine3d> now, double frames) {
  for (Pair& pair : deep_) {
    const auto usable = [](const Affine3d& m) { return is_finite(m) && std::abs(determinant(m.linear)) > 1e-9; };
    if (!usable(before[pair.thick]) || !usable(before[pair.thin])) continue;
    const Vec3d there = transform_point(inverse(before[pair.thick]) * before[pair.thin], center_[pair.thin]);
    const Vec3d here = transform_point(inverse(now[pair.thick]) * now[pair.thin], center_[pair.thin]);
    const double slide = cutis::distance(there, here) / (std::max(frames, 1e-9) * radius_[pair.thin]);
    pair.target *= std::clamp(2 - slide / kBrush, 0.0, 1.0);
  }
}

void Relief::plan_with(std::span<const Detour> detours, std::span<const std::vector<Affine3d>> motions,
                       std::span<const double> times, std::span<const std::vector<double>> clocks) {
  restart();
  plan_turn_.assign(times.size(), std::vector<Vec3d>(radius_.size()));
  std::vector<Ways> ways(times.size());
  for (const Detour& detour : detours)
    for (std::size_t f = detour.begin; f < detour.end && detour.trying < detour.ways.size(); ++f)
      ways[f][detour.limbs] = detour.ways[detour.trying];
  std::vector<std::vector<char>> needed(times.size(), std::vector<char>(radius_.size(), 0));
  for (int round = 0; round < kPlanRounds; ++round) {
    direction_.assign(pairs_.size(), Vec3d{});
    for (std::size_t f = 0; f < times.size(); ++f) {
      for (std::size_t p = 0; p < turn_.size(); ++p) turn_[p] = from_rotation_vector(plan_turn_[f][p]);
      std::vector<Vec3d> before;
      for (const Quatd& turn : turn_) before.push_back(rotation_vector(turn));
      prepare(motions[f], ways[f]);
      if (f > 0) keep_off_fast_ones(motions[f - 1], motions[f], (times[f] - times[f - 1]) * kFrameRate);
      settle(motions[f]);
      for (std::size_t p = 0; p < turn_.size(); ++p) {
        const Vec3d turn = rotation_vector(turn_[p]);
        if (turn != before[p]) needed[f][p] = 1;
        plan_turn_[f][p] = turn;
      }
    }
    smooth_plan(needed, clocks);
  }
  turn_fast_ones(ways, motions, times);
}

// Per part: how far its middle goes against the root between two poses, metres; 0 where that is not known.
std::vector<double> Relief::ways_gone(std::span<const Affine3d> before, std::span<const Affine3d> now) const {
  const auto usable = [](const Affine3d& m) { return is_finite(m) && std::abs(determinant(m.linear)) > 1e-9; };
  std::vector<double> gone(radius_.size(), 0.0);
  for (std::size_t p = 0; p < radius_.size(); ++p) {
    std::size_t root = p;
    while (parent_[root] >= 0) root = static_cast<std::size_t>(parent_[root]);
    if (root == p || !usable(before[root]) || !usable(now[root]) || !is_finite(before[p]) || !is_finite(now[p]))
      continue;
    const Vec3d there = transform_point(inverse(before[root]) * before[p], center_[p]);
    const Vec3d here = transform_point(inverse(now[root]) * now[p], center_[p]);
    gone[p] = cutis::distance(there, here);
  }
  return gone;
}

// Per part: the most of what hangs on it, itself included.
void Relief::hand_to_parents(std::span<double> most) const {
  for (std::size_t p = most.size(); p-- > 0;) {  // parents have lower numbers
    if (parent_[p] < 0) continue;
    double& parent = most[static_cast<std::size_t>(parent_[p])];
    parent = std::max(parent, most[p]);
  }
}

// Per part: how far what hangs on it goes against the root between two poses, beyond kFast radii, at most. Metres.
std::vector<double> Relief::fast_ways(std::span<const Affine3d> before, std::span<const Affine3d> now) const {
  std::vector<double> fast = ways_gone(before, now);
  for (std::size_t p = 0; p < fast.size(); ++p) fast[p] = std::max(fast[p] - kFast * radius_[p], 0.0);
  hand_to_parents(fast);
  return fast;
}

// Per part and pose: seconds as they pass for turns of the part. A limb that is here in one pose and far off in the
// next (takes that begin in a T-pose, cuts) has no reason to turn here for what it meets there: such a step, many times
// as long as those before and after it, lasts the longer the farther it goes, a lead for every kFast radii. A limb that
// is fast for some poses on end passes all places between, and turns as smoothly as a slow one.
std::vector<std::vector<double>> Relief::part_clocks(std::span<const std::vector<Affine3d>> motions,
                                                     std::span<const double> times) const {
  const std::size_t poses = times.size();
  std::vector<std::vector<double>> clocks(radius_.size(), std::vector<double>(poses, 0.0));
  std::vector<std::vector<double>> gone(poses + 1, std::vector<double>(radius_.size(), 0.0));  // to each pose
  for (std::size_t f = 1; f < poses; ++f) gone[f] = ways_gone(motions[f - 1], motions[f]);
  const auto frames_to = [&](std::size_t f) {
    return f > 0 && f < poses ? std::max((times[f] - times[f - 1]) * kFrameRate, 1e-9) : 1.0;
  };
  for (std::size_t f = 1; f < poses; ++f) {
    std::vector<double> beyond(radius_.size(), 0.0);
    for (std::size_t p = 0; p < beyond.size(); ++p) {
      if (!(radius_[p] > 0)) continue;
      const double around = std::max(gone[f - 1][p] / frames_to(f - 1), gone[f + 1][p] / frames_to(f + 1));
      beyond[p] = std::max(0.0, (gone[f][p] - kCut * around * frames_to(f)) / (kFast * radius_[p]) - 1);
    }
    hand_to_parents(beyond);
    for (std::size_t p = 0; p < beyond.size(); ++p)
      clocks[p][f] = clocks[p][f - 1] + times[f] - times[f - 1] + options_.lead * std::min(beyond[p], kFarthestLead);
  }
  return clocks;
}

// A smooth plan is late for limbs that are here in one pose and there in the next, each deep in something else. What it
// leaves of that is taken pose by pose.
void Relief::turn_fast_ones(std::span<const Ways> ways, std::span<const std::vector<Affine3d>> motions,
                            std::span<const double> times) {
  for (std::size_t f = 0; f + 1 < times.size(); ++f) {
    if (f == 0) continue;  // nothing is known of how fast it comes
    const auto share = [&](std::size_t g) { return 1 / std::max((times[g] - times[g - 1]) * kFrameRate, 1e-9); };
    std::vector<double> fast = fast_ways(motions[f - 1], motions[f]);
    const std::vector<double> after = fast_ways(motions[f], motions[f + 1]);
    bool any = false;
    for (std::size_t p = 0; p < fast.size(); ++p) {
      fast[p] = std::min(fast[p] * std::min(1.0, share(f)), after[p] * std::min(1.0, share(f + 1)));
      any = any || fast[p] > 0;
    }
    if (!any) continue;
    for (std::size_t p = 0; p < turn_.size(); ++p) turn_[p] = from_rotation_vector(plan_turn_[f][p]);
    prepare(motions[f], ways[f]);
    keep_off_fast_ones(motions[f - 1], motions[f], (times[f] - times[f - 1]) * kFrameRate);
    settle(motions[f]);
    for (std::size_t p = 0; p < turn_.size(); ++p) {
      const Vec3d more = rotation_vector(turn_[p]) - plan_turn_[f][p];
      const double size = length(more), most = kFastShare * std::max(fast[p], 0.0) / std::max(span_[p], 1e-300);
      if (size > 0) plan_turn_[f][p] += more * std::min(1.0, most / size);
    }
  }
}

// Whether the limbs are out of each other by it: a way may lead from one part of a limb into the next.
bool Relief::helps(const Detour& detour, std::span<const std::vector<Affine3d>> motions) {
  double before = 0, after = 0;
  for (std::size_t f = detour.begin; f < detour.end; ++f) {
    for (std::size_t p = 0; p < turn_.size(); ++p) turn_[p] = from_rotation_vector(plan_turn_[f][p]);
    prepare(motions[f], {});
    double deep = 0, left = 0;
    for (const Pair& pair : deep_) {
      int meeting = -1;
      if (limbs_of(pair.thin, pair.thick, meeting) != detour.limbs) continue;
      const double own = radius_[pair.thin];
      deep = std::max(deep, depth(pair, motions[f], {}, {}).deepest / own);
      left = std::max(left, depth(pair, motions[f], carry(pair.thin, turn_), carry(pair.thick, turn_)).deepest / own);
    }
    before += deep;
    after += left;
  }
  return after < kHelps * before;
}

void Relief::plan(std::span<const std::vector<Affine3d>> motions, std::span<const double> times) {
  restart();
  plan_time_.assign(times.begin(), times.end());
  plan_turn_.clear();
  if (times.empty()) return;
  std::vector<Detour> detours = find_detours(motions, times);
  const std::vector<std::vector<double>> clocks = part_clocks(motions, times);
  for (bool done = false; !done;) {
    plan_with(detours, motions, times, clocks);
    done = true;
    for (Detour& detour : detours) {
      if (detour.trying >= detour.ways.size() || helps(detour, motions)) continue;
      ++detour.trying;
      done = false;
    }
  }
  restart();
}

std::span<const Quatd> Relief::update_planned(std::span<const Affine3d> motion, double time) {
  prepare(motion, {});
  const auto after = std::upper_bound(plan_time_.begin(), plan_time_.end(), time);
  const std::size_t next = std::min(static_cast<std::size_t>(after - plan_time_.begin()), plan_time_.size() - 1);
  const std::size_t last = after == plan_time_.begin() ? 0 : static_cast<std::size_t>(after - plan_time_.begin()) - 1;
  const double span = plan_time_[next] - plan_time_[last];
  const double t = span > 0 ? std::clamp((time - plan_time_[last]) / span, 0.0, 1.0) : 0.0;
  for (std::size_t p = 0; p < given_.size(); ++p)
    given_[p] = from_rotation_vector(lerp(plan_turn_[last][p], plan_turn_[next][p], t));
  turn_ = given_;
  report_turns(motion);
  return given_;
}

}  // namespace cutis
