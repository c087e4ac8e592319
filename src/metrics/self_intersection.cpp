// Each leaf of the tree asks for the triangles after its own; chunks of leaves collect their pairs apart, and sorting
// makes the order independent of the tree.
#include "metrics/self_intersection.h"

#include <algorithm>

#include "base/parallel_for.h"
#include "geometry/tri_tri.h"

namespace cutis {
namespace {

constexpr std::size_t kLeavesPerChunk = 128;

TriangleCorners corners(std::span<const Vec3f> positions, const Triangle& t) {
  return {positions[t[0]], positions[t[1]], positions[t[2]]};
}

bool neighbours(const Triangle& a, const Triangle& b, std::span<const std::uint32_t> place_of) {
  for (const std::uint32_t v : a)
    for (const std::uint32_t w : b)
      if (place_of[v] == place_of[w]) return true;
  return false;
}

}  // namespace

std::vector<std::array<std::uint32_t, 2>> self_intersecting_pairs(const TriangleBvh& bvh,
                                                                  std::span<const Vec3f> positions,
                                                                  std::span<const Triangle> triangles,
                                                                  std::span<const std::uint32_t> place_of,
                                                                  const Context& context, WorkMeter* meter) {
  using Pairs = std::vector<std::array<std::uint32_t, 2>>;
  const auto leaves = bvh.leaves();
  std::vector<Pairs> found((leaves.size() + kLeavesPerChunk - 1) / kLeavesPerChunk);
  parallel_for(context, leaves.size(), kLeavesPerChunk, [&](std::size_t begin, std::size_t end) {
    Pairs& pairs = found[begin / kLeavesPerChunk];
    WorkCount work(meter);
    for (std::size_t i = begin; i < end; ++i) {
      if (meter != nullptr && meter->stopped()) return;
      bvh.visit_overlaps(leaves[i], [&](std::uint32_t slot_a, std::uint32_t slot_b) {
        if (!work.spend(1)) return;
        const std::uint32_t a = bvh.triangle(slot_a), b = bvh.triangle(slot_b);
        if (neighbours(triangles[a], triangles[b], place_of)) return;
        if (triangles_intersect(corners(positions, triangles[a]), corners(positions, triangles[b])))
          pairs.push_back({std::min(a, b), std::max(a, b)});
      });
    }
  });
  Pairs all;
  if (meter != nullptr && meter->stopped()) return all;
  for (const Pairs& pairs : found) all.insert(all.end(), pairs.begin(), pairs.end());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace cutis
