// Every limb in the way in which its skin lies nearest to scan that no other limb has taken; single limbs from usual
// poses; fingers bent as their neighbours are. What makes the whole better is kept.
#include "register/limb_restarts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/math.h"
#include "register/point_tree.h"
#include "register/usual_poses.h"

namespace cutis {
namespace {

constexpr double kLeastLimb = 0.004, kMostLimb = 0.3;  // of the skin, that hangs on a limb's first bone
constexpr double kLimbFar = 0.06;                      // in extents
constexpr double kBetter = 0.98;                       // badness, of what it was: less gain is chance

/// Limbs that hang on the same bone as others: arms, legs, fingers.
std::vector<int> find_limbs(const BodyModel& model) {
  std::vector<int> limbs;
  for (std::size_t b = 1; b < model.bones(); ++b) {
    const auto is_limb = [&](int c) { return model.share[slot(c)] >= kLeastLimb; };
    if (is_limb(static_cast<int>(b)) && model.share[b] <= kMostLimb &&
        std::ranges::count_if(model.children[slot(model.parent[b])], is_limb) > 1)
      limbs.push_back(static_cast<int>(b));
  }
  return limbs;
}

bool hangs_on_bone(const BodyModel& model, int bone, int above) {
  while (bone > above) bone = model.parent[slot(bone)];
  return bone == above;
}

std::vector<int> bones_of_limb(const BodyModel& model, int limb) {
  std::vector<int> bones;
  for (int b = limb; b < static_cast<int>(model.bones()); ++b)
    if (hangs_on_bone(model, b, limb)) bones.push_back(b);
  return bones;
}

/// Ways a limb may be bent, as turns of its bones beside their parents: over the ranges of its first joint that moves
/// far, with the joints below it bent alike.
std::vector<std::vector<Quatd>> bent_ways(const BodyModel& model, std::span<const int> bones) {
  std::vector<std::vector<Quatd>> ways;
  std::size_t first = 0;
  const auto wide = [](const AngleRange& r) { return std::min(r.high, kPi) - std::max(r.low, -kPi); };
  while (first < bones.size() && !(model.limits.of(bones[first]) && wide(model.limits.of(bones[first])->flexion) > 1))
    ++first;
  if (first == bones.size()) return ways;
  const JointLimit& ball = *model.limits.of(bones[first]);
  const auto between = [](const AngleRange& r, double t) {
    const double low = std::max(r.low, -kPi), high = std::min(r.high, kPi);
    return low + t * (high - low);
  };
  const bool is_ball = wide(ball.sideways) > 1;
  const std::vector<double> flexions = is_ball ? std::vector<double>{0.1, 0.35, 0.6, 0.85}
                                               : std::vector<double>{-1, 0.35, 0.65, 1},
                            sideways =
                                is_ball ? std::vector<double>{0.1, 0.35, 0.6, 0.85} : std::vector<double>{0.2, -1, 0.8},
                            twists = is_ball ? std::vector<double>{0.2, 0.5, 0.8} : std::vector<double>{-1},
                            curls{-1, 0.35, 0.65, 1};
  const auto angle = [&](const AngleRange& r, double t) { return t < 0 ? 0.0 : between(r, t); };  // below 0: as at rest
  for (const double f : flexions)
    for (const double s : sideways)
      for (const double t : twists)
        for (const double c : curls) {
          std::vector<Quatd> way(bones.size());
          way[first] =
              JointLimits::rotation(ball, {angle(ball.flexion, f), angle(ball.sideways, s), angle(ball.twist, t)});
          for (std::size_t i = first + 1; i < bones.size(); ++i)
            if (const auto& limit = model.limits.of(bones[i]);
                limit && wide(limit->flexion) > 1 && wide(limit->sideways) < 1)
              way[i] = JointLimits::rotation(*limit, {angle(limit->flexion, c), 0, 0});
          ways.push_back(std::move(way));
        }
  return ways;
}

/// Every limb, wherever it is now, in the way in which its own skin lies nearest to the scan; the trunk stays. The
/// limb that lies best goes first, and what it lies on is taken.
void choose_limbs(const BodyModel& model, const FitTarget& target, ModelState& state) {
  constexpr std::size_t kLookedAt = 40;  // samples a limb
  constexpr double kTaken = 0.015;       // in extents: around a limb that is placed
  const double extent = model.extent * std::exp(state.size), reach = kLimbFar * extent;
  struct Open {
    int limb;
    std::vector<int> bones;
    std::vector<const ModelSample*> samples;
    std::vector<std::vector<Quatd>> ways;
  };
  std::vector<Open> open;
  for (const int limb : find_limbs(model)) {
    Open o{limb, bones_of_limb(model, limb), {}, {}};
    for (const ModelSample& sample : model.samples) {
      double own = 0;
      for (const ModelSample::Share& s : sample.shares) own += hangs_on_bone(model, s.bone, limb) ? s.weight : 0;
      if (own > 0.5) o.samples.push_back(&sample);
    }
    o.ways = bent_ways(model, o.bones);
    if (!o.samples.empty() && !o.ways.empty()) open.push_back(std::move(o));
  }
  std::vector<char> taken(target.points.size(), 0);
  std::vector<PointTree::Near> found;
  while (!open.empty()) {
    ModelState best = state;
    double least = std::numeric_limits<double>::infinity();
    std::size_t which = 0;
    for (std::size_t k = 0; k < open.size(); ++k) {
      const Open& o = open[k];
      const std::size_t count = std::min(kLookedAt, o.samples.size());
      for (const std::vector<Quatd>& way : o.ways) {
        ModelState bent = state;
        for (std::size_t i = 0; i < o.bones.size(); ++i)
          bent.turn[slot(o.bones[i])] = normalized(bent.turn[slot(model.parent[slot(o.bones[i])])] * way[i]);
        const PlacedBones bones = place_bones(model, bent);
        double sum = 0;
        for (std::size_t i = 0; i < count && sum < least * static_cast<double>(count); ++i) {
          const Vec3d n = normal_of(*o.samples[i], bent);
          target.tree.nearest(place_of(*o.samples[i], bones), kTried, reach, found);
          const auto near = std::ranges::find_if(found, [&](const PointTree::Near& f) {
            return !taken[f.point] && dot(target.normals[f.point], n) > kAlike;
          });
          sum += near == found.end() ? reach * reach : near->squared;
        }
        if (sum < least * static_cast<double>(count))
          least = sum / static_cast<double>(count), best = std::move(bent), which = k;
      }
    }
    state = std::move(best);
    const PlacedBones bones = place_bones(model, state);
    for (const ModelSample* sample : open[which].samples) {
      target.tree.nearest(place_of(*sample, bones), kTried, kTaken * extent, found);
      for (const auto& near : found) taken[near.point] = 1;
    }
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
  }
}

/// The fingers of a hand beside each other, without thumbs.
std::vector<std::vector<int>> find_fingers(const BodyModel& model) {
  std::vector<std::vector<int>> hands;
  for (std::size_t b = 0; b < model.bones(); ++b) {
    std::vector<int> fingers;
    for (const int c : model.children[b])
      if (model.roles.roles[slot(c)].part == Part::finger && model.roles.roles[slot(c)].index >= 10)
        fingers.push_back(c);
    std::ranges::sort(fingers, {}, [&](int f) { return model.roles.roles[slot(f)].index; });
    if (fingers.size() > 1 && model.share[slot(fingers[0])] >= kLeastLimb) hands.push_back(std::move(fingers));
  }
  return hands;
}

/// Finger i bent as finger from[i] is.
ModelState bent_as_others(const BodyModel& model, std::span<const int> fingers, std::span<const std::size_t> from,
                          const ModelState& state) {
  ModelState bent = state;
  for (std::size_t i = 0; i < fingers.size(); ++i) {
    const std::vector<int> own = bones_of_limb(model, fingers[i]), other = bones_of_limb(model, fingers[from[i]]);
    for (std::size_t k = 0; k < own.size(); ++k) {
      const auto parent = slot(model.parent[slot(own[k])]);
      Quatd relative;
      const auto& limit = model.limits.of(own[k]);
      if (k < other.size() && limit && model.limits.of(other[k])) {
        const auto theirs = slot(model.parent[slot(other[k])]);
        JointLimits::Angles angles =
            JointLimits::angles(*model.limits.of(other[k]), conjugate(state.turn[theirs]) * state.turn[slot(other[k])]);
        if (i != from[i]) angles.sideways = angles.twist = 0;
        relative = JointLimits::rotation(*limit, JointLimits::clamped(*limit, angles));
      }
      bent.turn[slot(own[k])] = normalized(bent.turn[parent] * relative);
    }
  }
  return bent;
}

/// Fingers that lie on their neighbours' places: all one on, or two exchanged.
void shift_fingers(const BodyModel& model, const FitTarget& target, const FitStage& stage, double& now,
                   ModelState& state, const Context& context) {
  for (const std::vector<int>& fingers : find_fingers(model)) {
    const std::size_t n = fingers.size();
    std::vector<std::vector<std::size_t>> orders;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) {
        // i takes what j has, and those between move on; and the other way round.
        std::vector<std::size_t> down(n), up(n);
        std::iota(down.begin(), down.end(), std::size_t{0});
        up = down;
        std::rotate(down.begin() + static_cast<std::ptrdiff_t>(i), down.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                    down.begin() + static_cast<std::ptrdiff_t>(j) + 1);
        std::rotate(up.begin() + static_cast<std::ptrdiff_t>(i), up.begin() + static_cast<std::ptrdiff_t>(j),
                    up.begin() + static_cast<std::ptrdiff_t>(j) + 1);
        orders.push_back(down);
        if (up != down) orders.push_back(up);
      }
    ModelState best = state;
    double least = kBetter * now;
    for (const std::vector<std::size_t>& order : orders) {
      ModelState shifted = bent_as_others(model, fingers, order, state);
      fit_model(model, target, {}, stage, shifted, context);
      const double after = badness(model, target, shifted, kLimbFar, stage.samples);
      if (after < least) least = after, best = std::move(shifted);
    }
    if (least < kBetter * now) state = std::move(best), now = least;
  }
}

}  // namespace

void restart_limbs(const BodyModel& model, const FitTarget& target, ModelState& state, const Context& context) {
  constexpr std::size_t kSamplesHere = 600;
  const FitStage stage{{.least_share = kLeastLimb}, 6, 0.05, 0.02, kSamplesHere, 0.2};
  const std::vector<std::vector<Quatd>> usual = usual_turns(model);
  double now = badness(model, target, state, kLimbFar, kSamplesHere);
  {
    ModelState chosen_ways = state;
    choose_limbs(model, target, chosen_ways);
    fit_model(model, target, {}, stage, chosen_ways, context);
    const double after = badness(model, target, chosen_ways, kLimbFar, kSamplesHere);
    if (after < now) state = std::move(chosen_ways), now = after;
  }
  for (const int limb : find_limbs(model)) {
    ModelState best = state;
    double least = kBetter * now;
    std::vector<std::vector<Quatd>> tried;
    for (const std::vector<Quatd>& turn : usual) {
      std::vector<Quatd> relative;
      ModelState start = state;
      for (int b = limb; b < static_cast<int>(model.bones()); ++b) {
        if (!hangs_on_bone(model, b, limb)) continue;
        const auto p = slot(model.parent[slot(b)]);
        relative.push_back(conjugate(turn[p]) * turn[slot(b)]);
        start.turn[slot(b)] = normalized(start.turn[p] * relative.back());
      }
      const bool known = std::ranges::any_of(tried, [&](const std::vector<Quatd>& other) {
        for (std::size_t i = 0; i < other.size(); ++i)
          if (std::abs(dot(other[i], relative[i])) < 0.995) return false;
        return true;
      });
      if (known) continue;
      tried.push_back(relative);
      fit_model(model, target, {}, stage, start, context);
      const double after = badness(model, target, start, kLimbFar, kSamplesHere);
      if (after < least) least = after, best = std::move(start);
    }
    if (least < kBetter * now) state = std::move(best), now = least;
  }
  shift_fingers(model, target, stage, now, state, context);
}

}  // namespace cutis
