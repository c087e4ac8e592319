// Poisson-disk sampling by elimination from the far side: many random candidates, of which the one farthest from all
// samples is taken until the number is reached. Every sample is then at least `spacing` from the others and every
// candidate nearer than `spacing` to one: a maximal Poisson-disk set whose radius follows from the count.
#include "field/part_sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/farthest_points.h"
#include "base/hash.h"
#include "base/math.h"
#include "base/segment.h"

namespace cutis {

namespace {

constexpr int kCandidatesPerSample = 24;
// One for every vertex and one for every face: more say no more about the surface.
constexpr std::size_t kSamplesPerPoint = 3;
// Candidates with opposite normals count as this much farther apart (squared): both sides of thin parts get samples.
constexpr double kNormalWeight = 0.75;
// Samples nearer than this, in units of the part's extent, would make the system singular.
constexpr double kRound = 1.5;  // width of an opening over its least one that may have a dome
constexpr double kTooNear = 2e-3;
// An end narrower than this, in units of the thickness, closes itself.
constexpr double kSmallEnd = 0.25;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double unit() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }  // [0,1), same on every platform

 private:
  std::mt19937_64 engine_;
};

std::vector<SurfaceSample> make_candidates(const PartPatch& patch, std::size_t count, Random& random) {
  std::vector<SurfaceSample> candidates;
  const auto add = [&](const Vec3d& p, const Vec3d& n) {
    const Vec3d unit = normalized(n);
    if (is_finite(p) && dot(unit, unit) > 0.5) candidates.push_back({p, unit});
  };
  std::vector<double> area_up_to;
  double total = 0;
  for (const Triangle& t : patch.triangles) {
    const Vec3d &a = patch.points[t[0]], &b = patch.points[t[1]], &c = patch.points[t[2]];
    const double area = length(cross(b - a, c - a)) / 2;
    total += std::isfinite(area) ? area : 0.0;
    area_up_to.push_back(total);
  }
  if (!(total > 0)) {
    for (std::size_t i = 0; i < patch.own_points; ++i) add(patch.points[i], patch.normals[i]);
    return candidates;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double target = random.unit() * total;
    const auto it = std::ranges::upper_bound(area_up_to, target);
    const auto f = std::min(static_cast<std::size_t>(it - area_up_to.begin()), patch.triangles.size() - 1);
    const double s = std::sqrt(random.unit()), r = random.unit();
    const double u = 1 - s, v = s * (1 - r), w = s * r;
    const Triangle& t = patch.triangles[f];
    const Vec3d &a = patch.points[t[0]], &b = patch.points[t[1]], &c = patch.points[t[2]];
    add(a * u + b * v + c * w, patch.normals[t[0]] * u + patch.normals[t[1]] * v + patch.normals[t[2]] * w);
  }
  return candidates;
}

double distance_to_end(const PartPatch& patch, const PatchEnd& end, const Vec3d& p) {
  double best = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < end.loop.size(); ++i)
    best = std::min(
        best, distance_to_segment(p, patch.points[end.loop[i]], patch.points[end.loop[(i + 1) % end.loop.size()]]));
  return best;
}

std::vector<SurfaceSample> make_caps(const PartPatch& patch, std::span<const PatchEnd> ends,
                                     const SamplingOptions& options) {
  std::vector<SurfaceSample> caps;
  for (const PatchEnd& end : ends) {
    // The joint turns the part, so a cap around it stays in place when the joint bends. A joint that is not in the
    // opening is not this end's.
    Vec3d base = end.center;
    double nearest = end.radius;
    for (const Vec3d& joint : patch.joints) {
      const double away = distance(joint, end.center);
      if (away < nearest) {
        nearest = away;
        base = joint;
      }
    }
    const double room = distance_to_end(patch, end, base);
    if (room <= 0.05 * end.radius) continue;
    const double height = room * options.cap;
    caps.push_back({base + end.outward * height, end.outward});
    if (!options.domes) continue;
    const Vec3d u = any_perpendicular(end.outward), v = cross(end.outward, u);
    for (const Vec3d& side : {u, v, -u, -v}) {
      double width = 0;  // of the opening in this direction
      for (const std::uint32_t i : end.loop) width = std::max(width, dot(patch.points[i] - base, side));
      // Only where the opening is about round: elsewhere the dome would stick out of the body.
      if (!(width > 0.5 * room && width < kRound * room)) continue;
      const double s = std::sqrt(0.5);
      caps.push_back(
          {base + end.outward * (s * height) + side * (s * width), normalized(end.outward / height + side / width)});
    }
  }
  return caps;
}

}  // namespace

PartSamples sample_part(const PartPatch& patch, const Exposure& exposure, double thickness,
                        const SamplingOptions& options) {
  PartSamples result;
  const int wanted = std::min(
      options.limit, options.target + static_cast<int>(options.per_point * static_cast<double>(patch.own_points)));
  const std::size_t count =
      std::max<std::size_t>(4, std::min(static_cast<std::size_t>(wanted), kSamplesPerPoint * patch.points.size()));
  Random random(hash_text(patch.name));
  std::vector<SurfaceSample> candidates = make_candidates(patch, count * kCandidatesPerSample, random);
  if (candidates.empty()) return result;
  Box box;
  for (const SurfaceSample& c : candidates) box.add(c.position);
  const double too_near = kTooNear * diagonal(box);

  const std::vector<PatchEnd> ends = find_ends(patch);
  std::vector<PatchEnd> open;
  for (const PatchEnd& end : ends)
    if (!end.window && end.radius >= kSmallEnd * thickness) open.push_back(end);
  const std::vector<SurfaceSample> caps = make_caps(patch, open, options);

  // The free strip is narrowed on parts that are hardly longer than it.
  double margin = options.seam_margin;
  std::vector<double> clearance;
  for (const SurfaceSample& c : candidates) {
    double least = std::numeric_limits<double>::max();
    for (const PatchEnd& end : open) least = std::min(least, distance_to_end(patch, end, c.position) / end.radius);
    clearance.push_back(least);
  }
  const auto left = [&](double m) { return std::ranges::count_if(clearance, [&](double c) { return c >= m; }); };
  while (margin > 1e-3 && static_cast<std::size_t>(left(margin)) < candidates.size() * 6 / 10) margin /= 2;

  FarthestPoints<double> farthest(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (clearance[i] < margin) farthest.leave_out(i);
    for (const SurfaceSample& cap : caps)
      if (distance(cap.position, candidates[i].position) < std::max(too_near, 0.2 * thickness)) farthest.leave_out(i);
  }
  for (std::size_t untried = farthest.left(); result.samples.size() < count && untried > 0; --untried) {
    const std::size_t best = farthest.next();
    const double gap = farthest.gap(best);
    if (gap < too_near * too_near) break;
    const SurfaceSample pick = candidates[best];
    if (!exposure.is_exposed(pick.position, pick.normal)) {
      farthest.leave_out(best);
      ++result.hidden;
      continue;
    }
    if (!result.samples.empty()) result.spacing = std::sqrt(gap / (1 + 2 * kNormalWeight));
    result.samples.push_back(pick);
    farthest.take(best, [&](std::size_t i) {
      const Vec3d d = candidates[i].position - pick.position;
      const double opposed = 1 - dot(candidates[i].normal, pick.normal);
      return dot(d, d) * (1 + kNormalWeight * opposed);
    });
  }
  result.surface = result.samples.size();
  if (result.surface == 0) return result;
  for (const SurfaceSample& cap : caps) {
    const bool free = std::ranges::all_of(
        result.samples, [&](const SurfaceSample& s) { return distance(s.position, cap.position) > too_near; });
    if (!free) continue;
    result.samples.push_back(cap);
    ++result.caps;
  }
  return result;
}

std::vector<SurfaceSample> check_points(const PartPatch& patch, const Exposure& exposure,
                                        const SamplingOptions& options, std::size_t limit) {
  const std::vector<PatchEnd> ends = find_ends(patch);
  std::vector<SurfaceSample> points;
  const std::size_t vertices = std::min(limit, patch.own_points);
  for (std::size_t i = 0; i < vertices; ++i) {
    const std::size_t v = i * patch.own_points / vertices;
    points.push_back({patch.points[v], patch.normals[v]});
  }
  if (!patch.triangles.empty() && patch.own_points > 3) {
    Random random(hash_text("check " + patch.name));
    const std::vector<SurfaceSample> more = make_candidates(patch, limit, random);
    points.insert(points.end(), more.begin(), more.end());
  }
  std::erase_if(points, [&](const SurfaceSample& s) {
    return std::ranges::any_of(ends,
                               [&](const PatchEnd& end) {
                                 return distance_to_end(patch, end, s.position) < options.seam_margin * end.radius;
                               }) ||
           !exposure.is_exposed(s.position, s.normal);
  });
  return points;
}

}  // namespace cutis
