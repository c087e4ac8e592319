// Many starts compete: usual poses in all facings, and poses that bring the ends of the character's limbs to the ends
// of the scan's (points that are far from all others along the surface). After every few rounds of fitting the better
// ones go on.
#include "register/coarse_pose.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

#include "base/math.h"
#include "base/parallel_for.h"
#include "base/polar.h"
#include "register/scan_cloud.h"

namespace cutis {
namespace {

constexpr int kFacings = 8;
constexpr std::size_t kEnds = 5;        // of a character: head, hands, feet; fingertips
constexpr std::size_t kScanEnds = 8;    // of a scan: some are corners of holes
constexpr std::size_t kEndStarts = 16;  // best assignments of ends that are tried
constexpr int kTurnsAnywhere = 96;      // of the whole when nothing is known of where up is: 35 degrees apart

// ---- usual poses ----

/// Directions of limbs in left, up, forward of their side.
struct UsualPose {
  Vec3d upper_arm, forearm, thigh, shin;
};
constexpr UsualPose kBodyPoses[] = {
    {{1, 0, 0}, {1, 0, 0}, {0.1, -1, 0}, {0.05, -1, 0}},               // T
    {{0.7, -0.7, 0}, {0.7, -0.7, 0.1}, {0.15, -1, 0}, {0.05, -1, 0}},  // A
    {{0.15, -1, 0}, {0.1, -1, 0.15}, {0.1, -1, 0}, {0.05, -1, 0}},     // arms down
    {{0.2, -0.3, 1}, {0, 0, 1}, {0.1, -1, 0}, {0.05, -1, 0}},          // arms forward
    {{0.3, -1, 0.2}, {0, 0.2, 1}, {0.1, -1, 0}, {0.05, -1, 0}},        // elbows bent
    {{0.4, 1, 0}, {0.1, 1, 0}, {0.1, -1, 0}, {0.05, -1, 0}},           // arms up
    {{0.15, -1, 0.2}, {0, -0.3, 1}, {0.2, 0, 1}, {0, -1, 0}},          // sitting
    {{0.3, -0.2, 1}, {0, 0, 1}, {0.3, -0.1, 1}, {0, -1, -0.4}},        // squatting, arms forward
    {{0.7, -0.7, 0}, {0.7, -0.7, 0.1}, {0.5, -1, 0.1}, {0.3, -1, 0}},  // astride
};
constexpr double kCurls[] = {0.35, 0.75, 1};  // of fingers, of their range

void carry(const BodyModel& model, std::size_t bone, std::vector<Quatd>& turn) {
  // What hangs on a bone goes with it, unless it is set itself afterwards: parents come first.
  for (const int c : model.children[bone]) {
    turn[slot(c)] = turn[bone];
    carry(model, slot(c), turn);
  }
}

std::vector<std::vector<Quatd>> usual_turns(const BodyModel& model) {
  const std::vector<Quatd> rest(model.bones());
  std::vector<std::vector<Quatd>> result{rest};
  const BodyRoles& roles = model.roles;
  if (roles.find(Part::upper_arm, Side::left) >= 0 && roles.find(Part::thigh, Side::left) >= 0) {
    for (const UsualPose& pose : kBodyPoses) {
      std::vector<Quatd> turn = rest;
      for (const Side side : {Side::left, Side::right})
        for (const auto& [part, d] :
             {std::pair{Part::upper_arm, pose.upper_arm}, std::pair{Part::forearm, pose.forearm},
              std::pair{Part::thigh, pose.thigh}, std::pair{Part::shin, pose.shin}}) {
          const int b = roles.find(part, side);
          if (b < 0) continue;
          const DrivenSkeleton::Bone& bone = model.skeleton.bones[slot(b)];
          // To the joint below, whatever else hangs on it.
          int next = -1;
          for (const Part below : {Part::forearm, Part::hand, Part::shin, Part::foot})
            if (const int c = roles.find(below, side); c >= 0 && model.parent[slot(c)] == b) next = c;
          const Vec3d end = next >= 0 ? model.skeleton.bones[slot(next)].rest : bone.end;
          const Vec3d along = rotate(turn[slot(b)], normalized(end - bone.rest, -roles.up));
          const Vec3d wanted =
              normalized(roles.left * (side == Side::left ? d.x : -d.x) + roles.up * d.y + roles.forward * d.z);
          turn[slot(b)] = normalized(rotation_between(along, wanted) * turn[slot(b)]);
          carry(model, slot(b), turn);
        }
      result.push_back(std::move(turn));
    }
    return result;
  }
  // Fingers, and whatever else has ranges.
  for (const double curl : kCurls) {
    std::vector<Quatd> turn = rest;
    bool any = false;
    for (std::size_t b = 0; b < model.bones(); ++b) {
      const int p = model.parent[b];
      Quatd relative;
      if (const auto& limit = model.limits.of(static_cast<int>(b));
          limit && model.roles.roles[b].part == Part::finger && limit->flexion.high < kPi) {
        relative = JointLimits::rotation(*limit, {curl * limit->flexion.high, 0, 0});
        any = true;
      }
      turn[b] = p < 0 ? Quatd{} : turn[slot(p)] * relative;
    }
    if (any) result.push_back(std::move(turn));
  }
  return result;
}

// ---- placing ----

struct Spread {
  Vec3d mean;
  Mat3d axes;  // columns, by falling spread, right-handed
  double rms = 0;
};
Spread spread_of(std::span<const Vec3d> points) {
  Spread s;
  for (const Vec3d& p : points) s.mean += p;
  s.mean = s.mean / static_cast<double>(points.size());
  Mat3d c{{Vec3d{}, Vec3d{}, Vec3d{}}};
  for (const Vec3d& p : points) {
    const Vec3d d = p - s.mean;
    for (int k = 0; k < 3; ++k) c.col[static_cast<std::size_t>(k)] += d * d[k];
    s.rms += dot(d, d);
  }
  s.rms = std::sqrt(s.rms / static_cast<double>(points.size()));
  const SymmetricEigen e = eigen_decompose(c);
  std::array<int, 3> order{0, 1, 2};
  std::ranges::sort(order, [&](int a, int b) { return e.values[a] > e.values[b]; });
  s.axes.col[0] = e.vectors.col[slot(order[0])];
  s.axes.col[1] = e.vectors.col[slot(order[1])];
  s.axes.col[2] = cross(s.axes.col[0], s.axes.col[1]);
  return s;
}

std::vector<Vec3d> posed_points(const BodyModel& model, const ModelState& state, std::size_t count) {
  const PlacedBones bones = place_bones(model, state);
  std::vector<Vec3d> points;
  for (std::size_t i = 0; i < std::min(count, model.samples.size()); ++i)
    points.push_back(place_of(model.samples[i], bones));
  return points;
}

/// The pose, turned as one piece, with its middle and its spread where the scan's are.
ModelState placed(const BodyModel& model, const std::vector<Quatd>& turn, const Quatd& whole, const Spread& scan) {
  ModelState state = rest_state(model);
  for (std::size_t b = 0; b < model.bones(); ++b) state.turn[b] = normalized(whole * turn[b]);
  const Spread own = spread_of(posed_points(model, state, 500));
  state.size = std::log(std::max(scan.rms, 1e-12) / std::max(own.rms, 1e-12));
  state.root = scan.mean + (state.root - own.mean) * std::exp(state.size);
  return state;
}

/// The 24 turns of a cube.
std::vector<Mat3d> cube_turns() {
  std::vector<Mat3d> turns;
  std::array<int, 3> p{0, 1, 2};
  do {
    for (int signs = 0; signs < 8; ++signs) {
      Mat3d m{{Vec3d{}, Vec3d{}, Vec3d{}}};
      for (std::size_t k = 0; k < 3; ++k) m.col[k][p[k]] = (signs >> k & 1) != 0 ? -1 : 1;
      if (determinant(m) > 0) turns.push_back(m);
    }
  } while (std::ranges::next_permutation(p).found);
  return turns;
}

/// Turns spread evenly over all there are (Alexa 2022, super-Fibonacci spirals).
std::vector<Quatd> even_turns(int count) {
  constexpr double kPhi = 1.4142135623730951, kPsi = 1.533751168755204288118041;
  std::vector<Quatd> turns;
  for (int i = 0; i < count; ++i) {
    const double s = i + 0.5, r = std::sqrt(s / count), q = std::sqrt(1 - s / count), a = 2 * kPi * s / kPhi,
                 b = 2 * kPi * s / kPsi;
    turns.push_back({r * std::sin(a), r * std::cos(a), q * std::sin(b), q * std::cos(b)});
  }
  return turns;
}

// ---- ends of limbs ----

/// Distances along the surface: over neighbours that face much the same way.
class SurfaceGraph {
 public:
  SurfaceGraph(std::span<const Vec3d> points, std::span<const Vec3d> normals) : points_(points) {
    const PointTree tree(points);
    next_.resize(points.size());
    std::vector<PointTree::Near> found;
    std::vector<double> near;
    for (const Vec3d& p : points) {
      tree.nearest(p, 7, 1e300, found);
      near.push_back(std::sqrt(found.back().squared));
    }
    std::vector<double> sorted = near;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
    const double reach = 2 * sorted[sorted.size() / 2];
    for (std::uint32_t i = 0; i < points.size(); ++i) {
      tree.nearest(points[i], 9, reach, found);
      for (const auto& f : found)
        if (f.point != i && dot(normals[f.point], normals[i]) > -0.2) {
          next_[i].push_back({f.point, std::sqrt(f.squared)});
          next_[f.point].push_back({i, std::sqrt(f.squared)});
        }
    }
  }
  /// From the nearest of `sources`; infinite where there is no way.
  [[nodiscard]] std::vector<double> distances(std::span<const std::uint32_t> sources) const {
    std::vector<double> d(points_.size(), std::numeric_limits<double>::infinity());
    using Item = std::pair<double, std::uint32_t>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    for (const std::uint32_t s : sources) d[s] = 0, queue.emplace(0.0, s);
    while (!queue.empty()) {
      const auto [at, i] = queue.top();
      queue.pop();
      if (at > d[i]) continue;
      for (const auto& [j, w] : next_[i])
        if (at + w < d[j]) d[j] = at + w, queue.emplace(d[j], j);
    }
    return d;
  }

 private:
  std::span<const Vec3d> points_;
  std::vector<std::vector<std::pair<std::uint32_t, double>>> next_;
};

struct Ends {
  std::uint32_t middle = 0;
  std::vector<std::uint32_t> points;
  std::vector<std::vector<double>> apart;  // along the surface; the middle is the last
};

Ends find_ends(std::span<const Vec3d> points, std::span<const Vec3d> normals, std::size_t count) {
  const SurfaceGraph graph(points, normals);
  Ends ends;
  // The middle of the surface: least far from a few points spread over it.
  std::vector<double> sum(points.size(), 0.0);
  std::vector<std::uint32_t> spread{0};
  for (int k = 0; k < 12; ++k) {
    const std::vector<double> d = graph.distances(std::array{spread.back()});
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += std::isfinite(d[i]) ? d[i] : 0;
    const std::vector<double> all = graph.distances(spread);
    std::uint32_t far = 0;
    double most = -1;
    for (std::uint32_t i = 0; i < all.size(); ++i)
      if (std::isfinite(all[i]) && all[i] > most) most = all[i], far = i;
    spread.push_back(far);
  }
  const std::vector<double> from_first = graph.distances(std::array{0U});
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < sum.size(); ++i)
    if (std::isfinite(from_first[i]) && sum[i] < least) least = sum[i], ends.middle = i;
  std::vector<std::uint32_t> sources{ends.middle};
  while (ends.points.size() < count) {
    const std::vector<double> d = graph.distances(sources);
    std::uint32_t far = 0;
    double most = 0;
    for (std::uint32_t i = 0; i < d.size(); ++i)
      if (std::isfinite(d[i]) && d[i] > most) most = d[i], far = i;
    if (!(most > 0)) break;
    ends.points.push_back(far);
    sources.push_back(far);
  }
  std::vector<std::uint32_t> all = ends.points;
  all.push_back(ends.middle);
  for (const std::uint32_t a : all) {
    const std::vector<double> d = graph.distances(std::array{a});
    std::vector<double> row;
    for (const std::uint32_t b : all) row.push_back(d[b]);
    ends.apart.push_back(std::move(row));
  }
  return ends;
}

/// Ways to put the ends of the character to those of the scan whose distances agree, best first.
std::vector<std::vector<std::size_t>> assign_ends(const Ends& own, const Ends& scan, std::size_t count) {
  struct Way {
    double cost;
    std::vector<std::size_t> to;
  };
  std::vector<Way> ways;
  const std::size_t n = own.points.size();
  std::vector<std::size_t> to;
  std::vector<char> used(scan.points.size(), 0);
  const auto judge = [&] {
    // The scale is the one that suits best.
    double sum_own = 0, sum_scan = 0;
    const auto each = [&](auto&& visit) {
      for (std::size_t i = 0; i < n; ++i) {
        visit(own.apart[i][own.points.size()], scan.apart[to[i]][scan.points.size()], 2.0);
        for (std::size_t j = 0; j < i; ++j) visit(own.apart[i][j], scan.apart[to[i]][to[j]], 1.0);
      }
    };
    each([&](double a, double b, double w) { sum_own += w * a, sum_scan += w * b; });
    if (!std::isfinite(sum_scan) || !std::isfinite(sum_own) || !(sum_scan > 0)) return;
    const double scale = sum_own / sum_scan;
    double cost = 0;
    each([&](double a, double b, double w) { cost += w * (a - scale * b) * (a - scale * b); });
    ways.push_back({cost, to});
  };
  const auto go = [&](const auto& self) -> void {
    if (to.size() == n) return judge();
    for (std::size_t k = 0; k < scan.points.size(); ++k) {
      if (used[k]) continue;
      used[k] = 1;
      to.push_back(k);
      self(self);
      to.pop_back();
      used[k] = 0;
    }
  };
  if (scan.points.size() >= n) go(go);
  std::ranges::stable_sort(ways, {}, &Way::cost);
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t i = 0; i < std::min(count, ways.size()); ++i) result.push_back(ways[i].to);
  return result;
}

std::vector<ModelState> starts_from_ends(const BodyModel& model, const FitTarget& target) {
  std::vector<ModelState> starts;
  std::vector<Vec3d> own_points, own_normals;
  const std::size_t samples = std::min<std::size_t>(1500, model.samples.size());
  for (std::size_t i = 0; i < samples; ++i) {
    own_points.push_back(model.samples[i].position);
    own_normals.push_back(model.samples[i].normal);
  }
  const Ends own = find_ends(own_points, own_normals, kEnds);
  const Ends scan = find_ends(target.points, target.normals, kScanEnds);
  for (const std::vector<std::size_t>& to : assign_ends(own, scan, kEndStarts)) {
    std::vector<KnownPoint> known;
    for (std::size_t i = 0; i < to.size(); ++i)
      known.push_back({model.samples[own.points[i]], target.points[scan.points[to[i]]]});
    ModelState state = fit_to_points(model, known, rest_state(model), 25);
    if (std::isfinite(state.size) && is_finite(state.root)) starts.push_back(std::move(state));
  }
  return starts;
}

// ---- the competition ----

struct Runner {
  ModelState state;
  double badness = 0;
};

/// States whose skins are no farther apart than `apart` extents are one.
void keep_best(const BodyModel& model, std::vector<Runner>& runners, std::size_t count, double apart) {
  std::ranges::stable_sort(runners, {}, &Runner::badness);
  std::vector<Runner> kept;
  std::vector<std::vector<Vec3d>> skins;
  for (Runner& r : runners) {
    if (kept.size() >= count) break;
    std::vector<Vec3d> skin = posed_points(model, r.state, 200);
    const double extent = model.extent * std::exp(r.state.size);
    const bool twin = std::ranges::any_of(skins, [&](const std::vector<Vec3d>& other) {
      double sum = 0;
      for (std::size_t i = 0; i < skin.size(); ++i) sum += distance(skin[i], other[i]);
      return sum < apart * extent * static_cast<double>(skin.size());
    });
    if (twin) continue;
    skins.push_back(std::move(skin));
    kept.push_back(std::move(r));
  }
  runners = std::move(kept);
}

// ---- limbs ----

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

/// Limbs that got stuck beside what they should be on start again from usual poses, one after the other.
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

}  // namespace

std::vector<ModelState> coarse_poses(const BodyModel& model, const FitTarget& target, std::span<const Vec3d> ups,
                                     std::size_t count, const Context& context) {
  const std::vector<std::uint32_t> few = thinned(target.points, 500);
  std::vector<Vec3d> points, normals;
  for (const std::uint32_t i : few) {
    points.push_back(target.points[i]);
    normals.push_back(target.normals[i]);
  }
  const FitTarget coarse = make_target(std::move(points), std::move(normals), target.one_sided);
  const Spread scan = spread_of(coarse.points);
  std::vector<Runner> runners;
  for (const std::vector<Quatd>& turn : usual_turns(model)) {
    for (const Vec3d& up : ups)
      for (int k = 0; k < kFacings; ++k)
        runners.push_back(
            {placed(model, turn, axis_angle(up, 2 * kPi * k / kFacings) * rotation_between(model.roles.up, up), scan)});
    if (!ups.empty()) continue;
    // Nothing is known of where up is: anywhere, and along the axes of both.
    for (const Quatd& whole : even_turns(kTurnsAnywhere)) runners.push_back({placed(model, turn, whole, scan)});
    ModelState state = rest_state(model);
    state.turn = turn;
    const Mat3d own = spread_of(posed_points(model, state, 500)).axes;
    for (const Mat3d& cube : cube_turns())
      runners.push_back({placed(model, turn, to_quaternion(scan.axes * cube * transpose(own)), scan)});
  }
  for (ModelState& state : starts_from_ends(model, target)) runners.push_back({std::move(state)});

  struct Heat {
    FitStage stage;
    std::size_t keep;
    double far, apart;
  };
  const Heat heats[] = {
      {{{}, 0, 0, 0, 200, 0}, 150, 0.15, 0.02},
      {{{.turns = false}, 4, 0.12, 0.06, 250, 0.5}, 48, 0.15, 0.04},
      {{{.least_share = 0.02}, 6, 0.10, 0.05, 250, 0.3}, 16, 0.12, 0.03},
      {{{.least_share = 0.008}, 8, 0.07, 0.03, 500, 0.2}, std::max<std::size_t>(6, count), 0.08, 0.025},
      {{{.shape = true, .least_share = 0.004}, 8, 0.05, 0.02, 800, 0.1}, count, 0.05, 0.02},
  };
  for (std::size_t h = 0; h < std::size(heats); ++h) {
    const Heat& heat = heats[h];
    const FitTarget& by = h < 3 ? coarse : target;
    parallel_for(context, runners.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        fit_model(model, by, {}, heat.stage, runners[i].state, context);
        runners[i].badness = badness(model, by, runners[i].state, heat.far, heat.stage.samples);
      }
    });
    keep_best(model, runners, heat.keep, heat.apart);
    if (h == 3)
      parallel_for(context, runners.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) restart_limbs(model, coarse, runners[i].state, context);
      });
    context.progress("coarse pose", static_cast<double>(h + 1) / static_cast<double>(std::size(heats)));
  }
  std::vector<ModelState> result;
  for (Runner& r : runners) result.push_back(std::move(r.state));
  return result;
}

}  // namespace cutis
