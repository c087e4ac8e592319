// Position-based: sweeps over pairs of parts that are not neighbours. The depth of a pair is that of the thin part's
// sample vertices in the thick part's field; half of what exceeds the allowance is taken back along the mean gradient,
// shared by the inverse square of the radii; then offsets flow along the skeleton, so that joints do not come apart.
#include "contact/relief.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace cutis {
namespace {

// Per sweep: what flows to the neighbours on the skeleton.
constexpr double kFlow = 0.25;
// Offsets up to this part of a radius are not worth a motion.
constexpr double kStill = 0.02;
// Excess below this part of the allowance is none.
constexpr double kDone = 0.02;

std::uint64_t key(std::uint32_t a, std::uint32_t b) { return (static_cast<std::uint64_t>(a) << 32U) | b; }

// Spread evenly: each next one is the farthest from those taken.
std::vector<Vec3d> spread(const std::vector<Vec3d>& points, std::size_t count) {
  if (points.size() <= count) return points;
  std::vector<Vec3d> taken;
  std::vector<double> nearest(points.size(), 1e300);
  std::size_t next = 0;
  while (taken.size() < count) {
    taken.push_back(points[next]);
    std::size_t farthest = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3d d = points[i] - taken.back();
      nearest[i] = std::min(nearest[i], dot(d, d));
      if (nearest[i] > nearest[farthest]) farthest = i;
    }
    next = farthest;
  }
  return taken;
}

}  // namespace

Relief::Relief(const ReliefParts& parts, const ReliefOptions& options, Distance distance)
    : options_(options),
      distance_(std::move(distance)),
      radius_(parts.radius.begin(), parts.radius.end()),
      parent_(parts.parent.begin(), parts.parent.end()) {
  const std::size_t n = radius_.size();
  std::vector<std::vector<Vec3d>> points(n);
  Box all;
  for (std::size_t v = 0; v < parts.rest.size(); ++v) {
    all.add(static_cast<Vec3d>(parts.rest[v]));
    if (parts.part[v] < n) points[parts.part[v]].push_back(static_cast<Vec3d>(parts.rest[v]));
  }
  cap_ = options_.cap * diagonal(all);
  center_.resize(n);
  reach_.resize(n);
  for (std::size_t p = 0; p < n; ++p) {
    Box box;
    for (const Vec3d& x : points[p]) box.add(x);
    center_[p] = center(box);
    for (const Vec3d& x : points[p]) reach_[p] = std::max(reach_[p], cutis::distance(x, center_[p]));
    samples_.push_back(radius_[p] > 0 ? spread(points[p], options_.samples) : std::vector<Vec3d>{});
  }
  const std::vector<Affine3d> rest(n);
  for (std::uint32_t a = 0; a < n; ++a) {
    for (std::uint32_t b = a + 1; b < n; ++b) {
      if (samples_[a].empty() || samples_[b].empty()) continue;
      if (parent_[a] == static_cast<int>(b) || parent_[b] == static_cast<int>(a)) continue;
      Pair pair{radius_[a] <= radius_[b] ? a : b, radius_[a] <= radius_[b] ? b : a, 0};
      // Parts that overlap at rest may go on doing so.
      pair.allow = options_.allow * 2 * radius_[pair.thin] + depth(pair, rest, rest, {}).deepest;
      pairs_.push_back(pair);
    }
  }
  restart();
}

void Relief::restart() {
  offset_.assign(radius_.size(), Vec3d{});
  direction_.clear();
  report_ = {};
}

void Relief::restore_state(const ReliefState& state) {
  offset_ = state.offset;
  direction_ = state.direction;
  report_ = {};
}

Relief::Depth Relief::depth(const Pair& pair, std::span<const Affine3d> motion,
                            std::span<const Affine3d> inverse_motion, const Vec3d& between) const {
  Depth result;
  const Affine3d& thin = motion[pair.thin];
  const Affine3d& thick = motion[pair.thick];
  const Vec3d apart = transform_point(thin, center_[pair.thin]) + between - transform_point(thick, center_[pair.thick]);
  // Motions may scale; the spheres are then as large as the largest column says.
  const auto scale = [](const Affine3d& m) {
    return std::max({length(m.linear.col[0]), length(m.linear.col[1]), length(m.linear.col[2])});
  };
  if (length(apart) > reach_[pair.thin] * scale(thin) + reach_[pair.thick] * scale(thick)) return result;
  Vec3d sum;
  for (const Vec3d& x : samples_[pair.thin]) {
    const Vec3d p = transform_point(inverse_motion[pair.thick], transform_point(thin, x) + between);
    double d = 0;
    Vec3d gradient;
    if (!distance_(pair.thick, p, d, gradient) || !(d < 0)) continue;
    result.deepest = std::max(result.deepest, -d);
    sum += gradient * -d;
  }
  result.direction = normalized(thick.linear * sum);
  return result;
}

// Along the skeleton; thick neighbours count more.
void Relief::smooth() {
  const std::size_t n = radius_.size();
  scratch_ = offset_;
  std::vector<Vec3d> sum(n);
  std::vector<double> weight(n, 0.0);
  for (std::size_t p = 0; p < n; ++p) {
    const int q = parent_[p];
    if (q < 0) continue;
    const auto parent = static_cast<std::size_t>(q);
    sum[p] += offset_[parent] * static_cast<double>(radius_[parent]);
    weight[p] += radius_[parent];
    sum[parent] += offset_[p] * static_cast<double>(radius_[p]);
    weight[parent] += radius_[p];
  }
  for (std::size_t p = 0; p < n; ++p)
    if (weight[p] > 0) offset_[p] = lerp(scratch_[p], sum[p] / weight[p], kFlow);
}

std::span<const Vec3d> Relief::update(std::span<const Affine3d> motion) {
  report_ = {};
  std::vector<Affine3d> back(motion.size());
  std::vector<char> usable(motion.size(), 0);
  for (std::size_t p = 0; p < motion.size(); ++p) {
    usable[p] = is_finite(motion[p]) && std::abs(determinant(motion[p].linear)) > 1e-9;
    if (usable[p] != 0) back[p] = inverse(motion[p]);
  }
  for (Vec3d& d : offset_) d *= options_.fade;

  std::vector<Pair> deep;  // of the pose itself
  std::map<std::uint64_t, Vec3d> directions;
  for (const Pair& pair : pairs_) {
    if (usable[pair.thin] == 0 || usable[pair.thick] == 0) continue;
    const Depth d = depth(pair, motion, back, {});
    if (!(d.deepest > pair.allow)) continue;
    deep.push_back(pair);
    report_.overlaps.push_back({pair.thin, pair.thick, d.deepest, 0, false});
    const auto last = direction_.find(key(pair.thin, pair.thick));
    directions[key(pair.thin, pair.thick)] =
        last == direction_.end() ? d.direction : normalized(d.direction + last->second * 2.0, d.direction);
  }
  direction_.swap(directions);

  for (int sweep = 0; sweep < options_.sweeps && !deep.empty(); ++sweep) {
    bool any = false;
    for (const Pair& pair : deep) {
      const Depth d = depth(pair, motion, back, offset_[pair.thin] - offset_[pair.thick]);
      const double excess = d.deepest - pair.allow;
      if (!(excess > kDone * pair.allow)) continue;
      any = true;
      const Vec3d direction = direction_[key(pair.thin, pair.thick)];
      const double thin = 1.0 / (static_cast<double>(radius_[pair.thin]) * radius_[pair.thin]);
      const double thick = 1.0 / (static_cast<double>(radius_[pair.thick]) * radius_[pair.thick]);
      offset_[pair.thin] += direction * (0.5 * excess * thin / (thin + thick));
      offset_[pair.thick] -= direction * (0.5 * excess * thick / (thin + thick));
    }
    if (!any) break;
    smooth();
    for (Vec3d& d : offset_)
      if (length(d) > cap_) d = d * (cap_ / length(d));
  }

  for (ReliefReport::Overlap& overlap : report_.overlaps) {
    const Pair pair{overlap.thin, overlap.thick, 0};
    overlap.left = depth(pair, motion, back, offset_[pair.thin] - offset_[pair.thick]).deepest;
    overlap.capped = length(offset_[pair.thin]) > 0.99 * cap_;
  }
  given_.resize(offset_.size());
  for (std::uint32_t p = 0; p < offset_.size(); ++p) {
    // What flows far along the skeleton ends somewhere, without a jump: parts that need no relief stay exactly put.
    const double wanted = length(offset_[p]), moved = wanted - kStill * radius_[p];
    given_[p] = moved > 0 ? offset_[p] * (moved / wanted) : Vec3d{};
    if (!(moved > 0)) continue;
    report_.bones.push_back({p, given_[p]});
    report_.max_offset = std::max(report_.max_offset, moved);
  }
  return given_;
}

}  // namespace cutis
