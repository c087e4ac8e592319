// Position-based: sweeps over pairs of parts that are not neighbours. The depth of a pair is that of the thin part's
// sample vertices in the thick part's field. What exceeds the depth that the pose may have is taken back by turning the
// joints between the two parts: of all turns that push the place of contact out, the one with the least cost, the cost
// of a joint growing with the thickness of its part and with what hangs on it, and being lower about the axis about
// which the joint has come from rest. docs/algorithms/contact.md has the equations.
#include "relief/relief.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/farthest_points.h"
#include "base/math.h"
#include "base/polar.h"
#include "base/rotation_vector.h"

namespace cutis {
namespace {

// Excess below this part of the allowance is none.
constexpr double kDone = 0.02;
// Of an excess, taken back at a time.
constexpr double kStep = 0.7;
// How readily joints turn about axes other than that of their own turn from rest.
constexpr double kSideways = 0.2;
// The turn from rest at which its axis is trusted, radians.
constexpr double kAxisAngle = 0.3;
// Of the allowance: how deep turns may bring parts that the pose itself keeps apart.
constexpr double kByTurns = 0.5;
// A push along the bone would turn it wildly: levers count at least so much, squared, in spans.
constexpr double kLeastLever = 0.01;
// Parts that are stretched beyond this, or lose more of their volume, are not relieved: their depth means nothing.
constexpr double kMostScale = 10, kLeastVolume = 1e-3;

// Spread evenly.
std::vector<Vec3d> spread(const std::vector<Vec3d>& points, std::size_t count) {
  if (points.size() <= count) return points;
  std::vector<Vec3d> taken;
  FarthestPoints<double> farthest(points.size());
  while (taken.size() < count) {
    const std::size_t next = farthest.next();
    taken.push_back(points[next]);
    farthest.take(next, [&](std::size_t i) {
      const Vec3d d = points[i] - points[next];
      return dot(d, d);
    });
  }
  return taken;
}

Affine3d turn_about(const Vec3d& pivot, const Quatd& q) { return {to_matrix(q), pivot - rotate(q, pivot)}; }

// Motions may scale; spheres are then as large as the largest column says.
double largest_scale(const Affine3d& m) {
  return std::max({length(m.linear.col[0]), length(m.linear.col[1]), length(m.linear.col[2])});
}

// The depth that a pose may keep which is `deep` without relief: all of it at first, in the end no more than `allow`,
// in between a parabola, so that parts slow down gently.
double eased(double deep, double allow) {
  return deep <= 0 ? deep : deep < 2 * allow ? deep - deep * deep / (4 * allow) : allow;
}

}  // namespace

Relief::Relief(const ReliefParts& parts, const ReliefOptions& options, Distance distance)
    : options_(options),
      distance_(std::move(distance)),
      radius_(parts.radius.begin(), parts.radius.end()),
      parent_(parts.parent.begin(), parts.parent.end()),
      pivot_(parts.pivot.begin(), parts.pivot.end()) {
  const std::size_t n = radius_.size();
  std::vector<std::vector<Vec3d>> points(n);
  Box all;
  for (std::size_t v = 0; v < parts.rest.size(); ++v) {
    all.add(static_cast<Vec3d>(parts.rest[v]));
    if (parts.part[v] < n) points[parts.part[v]].push_back(static_cast<Vec3d>(parts.rest[v]));
  }
  cap_ = options_.cap * diagonal(all);
  most_turn_ = kReliefTurn;
  center_.resize(n);
  reach_.resize(n);
  span_.assign(n, 0);
  std::vector<std::uint32_t> thickest(n);
  std::iota(thickest.begin(), thickest.end(), 0U);
  std::ranges::stable_sort(thickest, std::greater<>(), [&](std::uint32_t p) { return radius_[p]; });
  std::vector<char> takes_part(n, 0);
  for (std::size_t i = 0; i < std::min(n, options_.most_parts); ++i) takes_part[thickest[i]] = radius_[thickest[i]] > 0;
  for (std::size_t p = 0; p < n; ++p) {
    Box box;
    for (const Vec3d& x : points[p]) box.add(x);
    center_[p] = center(box);
    for (const Vec3d& x : points[p]) reach_[p] = std::max(reach_[p], cutis::distance(x, center_[p]));
    samples_.push_back(takes_part[p] != 0 ? spread(points[p], options_.samples) : std::vector<Vec3d>{});
    for (auto q = static_cast<int>(p); q >= 0; q = parent_[static_cast<std::size_t>(q)])
      for (const Vec3d& x : samples_[p]) {
        double& span = span_[static_cast<std::size_t>(q)];
        span = std::max(span, cutis::distance(x, pivot_[static_cast<std::size_t>(q)]));
      }
  }
  const std::vector<Affine3d> rest(n);
  usable_.assign(n, 1);
  for (std::uint32_t a = 0; a < n; ++a) {
    for (std::uint32_t b = a + 1; b < n; ++b) {
      if (samples_[a].empty() || samples_[b].empty()) continue;
      if (parent_[a] == static_cast<int>(b) || parent_[b] == static_cast<int>(a)) continue;
      if (!parts.joined.empty() && parts.joined[a * n + b] != 0) continue;
      Pair pair{radius_[a] <= radius_[b] ? a : b, radius_[a] <= radius_[b] ? b : a, 0, 0, 0, {}, pairs_.size()};
      // Parts that overlap at rest may go on doing so.
      pair.at_rest = std::max(0.0, depth(pair, rest, {}, {}).deepest);
      pair.allow = options_.allow * 2 * radius_[pair.thin];
      pairs_.push_back(pair);
    }
  }
  restart();
}

void Relief::restart() {
  turn_.assign(radius_.size(), Quatd{});
  given_ = turn_;
  following_ = false;
  posed_pivot_ = pivot_;
  axis_.assign(radius_.size(), Vec3d{});
  direction_.assign(pairs_.size(), Vec3d{});
  clear_report();
}

void Relief::clear_report() {
  report_.bones.clear();
  report_.overlaps.clear();
  report_.max_offset = 0;
}

void Relief::restore_state(const ReliefState& state) {
  turn_ = state.turn;
  behind_ = state.behind;
  followed_ = state.followed;
  following_ = state.following;
  direction_ = state.direction;
  clear_report();
}

Affine3d Relief::carry(std::size_t part, std::span<const Quatd> turns) const {
  Affine3d result;
  for (auto p = static_cast<int>(part); p >= 0; p = parent_[static_cast<std::size_t>(p)]) {
    const auto joint = static_cast<std::size_t>(p);
    result = turn_about(posed_pivot_[joint], turns[joint]) * result;
  }
  return result;
}

Relief::Depth Relief::depth(const Pair& pair, std::span<const Affine3d> motion, const Affine3d& carry_thin,
                            const Affine3d& carry_thick) const {
  Depth result;
  const Affine3d thin = carry_thin * motion[pair.thin], thick = carry_thick * motion[pair.thick];
  const Vec3d apart = transform_point(thin, center_[pair.thin]) - transform_point(thick, center_[pair.thick]);
  if (length(apart) > reach_[pair.thin] * largest_scale(thin) + reach_[pair.thick] * largest_scale(thick))
    return result;
  const Affine3d into = inverse(thick) * thin;
  Vec3d sum, at;
  double weight = 0;
  for (const Vec3d& x : samples_[pair.thin]) {
    const Vec3d p = transform_point(into, x);
    double d = 0;
    Vec3d gradient;
    if (!distance_(pair.thick, p, d, gradient) || !(d < 0)) continue;
    result.deepest = std::max(result.deepest, -d);
    sum += gradient * -d;
    at += x * -d;
    weight -= d;
  }
  result.direction = normalized(thick.linear * sum);
  if (weight > 0) result.at = transform_point(thin, at / weight);
  return result;
}

// The axis of each joint's turn from rest, in the world; as long as it can be trusted.
void Relief::find_axes(std::span<const Affine3d> motion) {
  rotation_.resize(motion.size());
  for (std::size_t p = 0; p < motion.size(); ++p) {
    axis_[p] = {};
    if (usable_[p] == 0) continue;
    posed_pivot_[p] = transform_point(motion[p], pivot_[p]);
    rotation_[p] = polar_decompose(motion[p].linear).rotation;
    if (parent_[p] < 0 || usable_[static_cast<std::size_t>(parent_[p])] == 0) continue;
    const Vec3d turned = rotation_vector(rotation_[p] * conjugate(rotation_[static_cast<std::size_t>(parent_[p])]));
    const double angle = length(turned);
    if (angle > 0) axis_[p] = turned * (std::min(1.0, angle / kAxisAngle) / angle);
  }
}

void Relief::find_deep_pairs(std::span<const Affine3d> motion, const Ways& ways) {
  deep_.clear();
  posed_center_.resize(motion.size());
  posed_reach_.resize(motion.size());
  for (std::size_t p = 0; p < motion.size(); ++p) {
    posed_center_[p] = transform_point(motion[p], center_[p]);
    posed_reach_[p] = reach_[p] * largest_scale(motion[p]);
  }
  carried_.resize(motion.size());
  turned_.resize(motion.size());
  for (std::size_t p = 0; p < motion.size(); ++p) {
    carried_[p] = turn_about(posed_pivot_[p], turn_[p]);
    turned_[p] = length(rotation_vector(turn_[p])) > 0 ? 1 : 0;
    if (parent_[p] < 0) continue;
    const auto parent = static_cast<std::size_t>(parent_[p]);
    carried_[p] = carried_[parent] * carried_[p];
    if (turned_[parent] != 0) turned_[p] = 1;
  }
  for (Pair pair : pairs_) {
    const Vec3d last = direction_[pair.index];
    direction_[pair.index] = {};
    if (usable_[pair.thin] == 0 || usable_[pair.thick] == 0) continue;
    const bool apart = cutis::distance(posed_center_[pair.thin], posed_center_[pair.thick]) >
                       posed_reach_[pair.thin] + posed_reach_[pair.thick];
    Depth d;
    if (!apart) d = depth(pair, motion, {}, {});
    double deep = d.deepest - pair.at_rest;
    pair.target = pair.at_rest + eased(deep, pair.allow);
    if (!(deep > 0) && (turned_[pair.thin] != 0 || turned_[pair.thick] != 0)) {
      // Brought together by the turns so far: as deep as that may be.
      d = depth(pair, motion, carried_[pair.thin], carried_[pair.thick]);
      deep = d.deepest - pair.at_rest;
      pair.target = pair.at_rest + kByTurns * pair.allow;
      if (!(deep > kByTurns * pair.allow)) continue;
    }
    if (!(deep > 0) || d.direction == Vec3d{}) continue;
    int meeting = -1;
    if (const auto way = ways.find(limbs_of(pair.thin, pair.thick, meeting)); way != ways.end()) {
      pair.way = meeting < 0 ? way->second : normalized(motion[static_cast<std::size_t>(meeting)].linear * way->second);
      if (!hangs_on(pair.thin, way->first[0])) pair.way = -pair.way;
      pair.target = 0;  // who goes around does not rub
    }
    deep_.push_back(pair);
    direction_[pair.index] = last == Vec3d{} ? d.direction : normalized(d.direction + last * 2.0, d.direction);
    if (deep > pair.allow) report_.overlaps.push_back({pair.thin, pair.thick, d.deepest, 0, false});
  }
}

// From the part to below where its way to the root meets the other's.
void Relief::add_levers(std::uint32_t part, std::uint32_t other, double side, const Vec3d& at, const Vec3d& direction,
                        std::vector<Lever>& levers) const {
  for (std::uint32_t joint = part; parent_[joint] >= 0 && !hangs_on(other, joint);
       joint = static_cast<std::uint32_t>(parent_[joint])) {
    if (!(radius_[joint] > 0) || !(span_[joint] > 0) || usable_[joint] == 0) continue;
    const Affine3d carried = carry(static_cast<std::size_t>(parent_[joint]), turn_);
    const Vec3d lever = cross(at - transform_point(carried, posed_pivot_[joint]), direction);
    const Vec3d axis = carried.linear * axis_[joint];
    const double ease = 1 / (static_cast<double>(radius_[joint]) * radius_[joint] * span_[joint]);
    const Vec3d turn = (lever * kSideways + axis * ((1 - kSideways) * dot(axis, lever))) * ease;
    levers.push_back({joint, side, turn});
  }
}

// False: deep enough already.
bool Relief::push_apart(const Pair& pair, std::span<const Affine3d> motion) {
  Depth d;
  const Affine3d thin = carry(pair.thin, turn_), thick = carry(pair.thick, turn_);
  if (pair.way != Vec3d{}) {
    d.deepest = way_out(pair, motion, thin, thick, pair.way, &d.at);
    d.direction = pair.way;
  } else {
    d = depth(pair, motion, thin, thick);
    d.direction = direction_[pair.index];
  }
  const double excess = d.deepest - pair.target;
  if (!(excess > kDone * pair.allow)) return false;
  return push(pair.thin, pair.thick, d.at, d.direction, kStep * excess);
}

// The thin part along `direction`, the thick one against it. False: no joint between them can.
bool Relief::push(std::uint32_t thin, std::uint32_t thick, const Vec3d& at, const Vec3d& direction, double by) {
  levers_.clear();
  add_levers(thin, thick, 1, at, direction, levers_);
  add_levers(thick, thin, -1, at, direction, levers_);
  double yield = 0;
  for (const Lever& lever : levers_) {
    const auto parent = static_cast<std::size_t>(parent_[lever.joint]);
    const Vec3d arm = cross(at - transform_point(carry(parent, turn_), posed_pivot_[lever.joint]), direction);
    const double ease = 1 / (static_cast<double>(radius_[lever.joint]) * radius_[lever.joint] * span_[lever.joint]);
    yield += dot(lever.turn, arm) + kLeastLever * ease * span_[lever.joint] * span_[lever.joint];
  }
  if (!(yield > 0)) return false;
  for (const Lever& lever : levers_) {
    const Affine3d carried = carry(static_cast<std::size_t>(parent_[lever.joint]), turn_);
    const Vec3d world = lever.turn * (lever.side * by / yield);
    const Vec3d more = transpose(carried.linear) * world;
    Vec3d total = rotation_vector(from_rotation_vector(more) * turn_[lever.joint]);
    const double most = std::min(most_turn_, cap_ / span_[lever.joint]), size = length(total);
    if (size > most) total = total * (most / size);
    turn_[lever.joint] = from_rotation_vector(total);
  }
  return true;
}

void Relief::prepare(std::span<const Affine3d> motion, const Ways& ways) {
  clear_report();
  for (std::size_t p = 0; p < motion.size(); ++p)
    usable_[p] =
        is_finite(motion[p]) && determinant(motion[p].linear) > kLeastVolume && largest_scale(motion[p]) <= kMostScale
            ? 1
            : 0;
  find_axes(motion);
  find_deep_pairs(motion, ways);
}

void Relief::settle(std::span<const Affine3d> motion) {
  for (int sweep = 0; sweep < options_.sweeps && !deep_.empty(); ++sweep) {
    bool any = false;
    for (const Pair& pair : deep_) any = push_apart(pair, motion) || any;
    if (!any) break;
  }
}

void Relief::report_turns(std::span<const Affine3d> motion) {
  for (ReliefReport::Overlap& overlap : report_.overlaps) {
    const Pair pair{overlap.thin, overlap.thick, 0, 0, 0, {}, 0};
    overlap.left = depth(pair, motion, carry(pair.thin, turn_), carry(pair.thick, turn_)).deepest;
    const double size = length(rotation_vector(turn_[pair.thin]));
    overlap.capped = size > 0.99 * std::min(most_turn_, cap_ / std::max(span_[pair.thin], 1e-300));
  }
  for (std::uint32_t p = 0; p < given_.size(); ++p) {
    if (samples_[p].empty() || usable_[p] == 0) continue;
    const Vec3d middle = transform_point(motion[p], center_[p]);
    const Vec3d offset = transform_point(carry(p, given_), middle) - middle;
    if (length(offset) == 0) continue;
    report_.bones.push_back({p, offset});
    report_.max_offset = std::max(report_.max_offset, length(offset));
  }
}

std::span<const Quatd> Relief::update(std::span<const Affine3d> motion) {
  for (Quatd& turn : turn_) turn = from_rotation_vector(rotation_vector(turn) * options_.fade);
  prepare(motion, {});
  settle(motion);
  if (!following_) behind_ = followed_ = turn_;
  following_ = true;
  for (std::size_t p = 0; p < turn_.size(); ++p) {
    behind_[p] = slerp(behind_[p], turn_[p], options_.follow);
    followed_[p] = slerp(followed_[p], behind_[p], options_.follow);
  }
  for (std::size_t p = 0; p < turn_.size(); ++p) {
    // The smallest end somewhere, without a jump: parts that need no relief stay exactly put.
    const Vec3d wanted = rotation_vector(followed_[p]);
    const double size = length(wanted), still = kReliefStill * radius_[p] / std::max(span_[p], 1e-300);
    given_[p] = size > still ? from_rotation_vector(wanted * ((size - still) / size)) : Quatd{};
  }
  report_turns(motion);
  return given_;
}

}  // namespace cutis
