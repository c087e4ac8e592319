// The points inside a control mesh: the skeleton's samples, and what fills the rest.
#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "volume/control_points.h"

namespace cutis {
namespace {

// Distances in edge lengths. Points nearer than this would make flat tetrahedra.
constexpr double kInnerSpacing = 0.85, kInnerFromSurface = 0.45, kSampleFromSurface = 0.2;
/// Inner edges grow by this much a length of depth: nobody sees the middle of a trunk.
constexpr double kGrowthInside = 0.35;

}  // namespace

Vec3d noise(std::uint64_t seed) {
  Vec3d result;
  for (int k = 0; k < 3; ++k) {
    seed += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    z ^= z >> 31U;
    result[k] = static_cast<double>(z >> 11U) / 4503599627370496.0 - 1.0;
  }
  return result;
}

/// The vertex of a joint; -1 when it lies outside.
int ControlPoints::joint_vertex(const Solid& solid, const DrivenSkeleton& skeleton, std::size_t bone) {
  if (joint_vertices_.empty()) joint_vertices_.assign(skeleton.bones.size(), -2);
  int& vertex = joint_vertices_[bone];
  if (vertex != -2) return vertex;
  const Vec3d& p = skeleton.bones[bone].rest;
  vertex = -1;
  if (!solid.contains(p)) {
    ++lost_samples;
    return vertex;
  }
  const double reach = 0.05 * edge_length(p);
  for (std::size_t v = first_inner_; v < at.size(); ++v)
    if (distance(at[v], p) < reach) vertex = static_cast<int>(v);
  if (vertex < 0) vertex = static_cast<int>(add(p, Role::bone));
  samples.push_back({static_cast<std::uint32_t>(vertex), static_cast<int>(bone), static_cast<int>(bone)});
  return vertex;
}

void ControlPoints::add_skeleton(const Solid& solid, const DrivenSkeleton& skeleton) {
  for (std::size_t b = 0; b < skeleton.bones.size(); ++b) (void)joint_vertex(solid, skeleton, b);
  for (const DrivenSegment& s : skeleton.segments) {
    const bool is_tip = s.child < 0;
    const double length_of = distance(s.from, s.to);
    if (length_of <= 0) continue;
    const double step = edge_length((s.from + s.to) * 0.5);
    const int parts = std::max(1, static_cast<int>(std::lround(length_of / step)));
    int before = joint_vertex(solid, skeleton, static_cast<std::size_t>(s.bone));
    for (int k = 1; k <= parts; ++k) {
      int vertex = -1;
      if (k == parts && !is_tip) {
        vertex = joint_vertex(solid, skeleton, static_cast<std::size_t>(s.child));
      } else {
        // Tips stop short of the skin.
        const double t = static_cast<double>(k) / parts;
        const Vec3d p = lerp(s.from, s.to, is_tip ? 0.85 * t : t);
        const double local = edge_length(p);
        if (!solid.contains(p) || near_cage(p, kSampleFromSurface * local)) {
          ++lost_samples;
          continue;
        }
        bool crowded = false;
        for (std::size_t v = first_inner_; v < at.size(); ++v) crowded = crowded || distance(at[v], p) < 0.3 * local;
        if (crowded) continue;
        vertex = static_cast<int>(add(p, Role::bone));
        samples.push_back({static_cast<std::uint32_t>(vertex), s.bone, -1});
      }
      if (vertex >= 0 && before >= 0 && vertex != before)
        sample_edges.push_back({static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(vertex), s.bone});
      if (vertex >= 0) before = vertex;
    }
  }
}

void ControlPoints::fill(const Solid& solid, const Context& context) {
  Box box;
  for (std::size_t v = 0; v < first_inner_; ++v) box.add(at[v]);
  // Candidates on a fine lattice in a fixed random order; each is taken when nothing is near.
  const double step = std::max(0.6 * mean_, shortest_);
  std::vector<std::pair<std::uint64_t, Vec3d>> candidates;
  const auto cells = [&](int k) { return static_cast<int>((box.hi[k] - box.lo[k]) / step) + 1; };
  for (int x = 0; x < cells(0); ++x)
    for (int y = 0; y < cells(1); ++y)
      for (int z = 0; z < cells(2); ++z) {
        const std::uint64_t id = (static_cast<std::uint64_t>(x) * 4096 + static_cast<std::uint64_t>(y)) * 4096 +
                                 static_cast<std::uint64_t>(z);
        const Vec3d p = box.lo + (Vec3d{x + 0.5, y + 0.5, z + 0.5} + noise(id) * 0.4) * step;
        candidates.emplace_back(hash_span(std::span<const std::uint64_t>(&id, 1), kHashSeed), p);
      }
  std::vector<char> good(candidates.size(), 0);
  std::vector<double> spacing(candidates.size(), 0);
  parallel_for(context, candidates.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3d& p = candidates[i].second;
      if (!solid.contains(p)) continue;  // most of them: the box is far wider than the body
      const ClosestPoint::Hit hit = solid.closest().nearest(p);
      const double local = edge_length(p);
      if (hit.distance < kInnerFromSurface * local) continue;
      good[i] = 1;
      spacing[i] = local * kInnerSpacing + kGrowthInside * hit.distance;
    }
  });
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (good[i]) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair{candidates[a].first, a} < std::pair{candidates[b].first, b};
  });
  PointGrid near(longest_);
  for (std::size_t v = first_inner_; v < at.size(); ++v) near.add(at[v]);
  for (const std::size_t i : order) {
    const Vec3d& p = candidates[i].second;
    // Bones are samples closer together than what is around them: their neighbours may come nearer.
    if (near.any_within(p, spacing[i] * 0.7) || near_cage(p, 0.55 * edge_length(p))) continue;
    near.add(p);
    (void)add(p, Role::free);
  }
}

}  // namespace cutis
