#include "contact/meeting_search.h"

#include <algorithm>

#include "base/parallel_for.h"
#include "geometry/tri_tri.h"

namespace cutis {
namespace {

constexpr std::size_t kLeavesPerChunk = 128;
// Operations of a pair of triangles.
constexpr std::uint64_t kTrianglesWork = 4;

bool share_a_vertex(const Triangle& a, const Triangle& b) {
  for (const std::uint32_t v : a)
    for (const std::uint32_t w : b)
      if (v == w) return true;
  return false;
}

}  // namespace

void find_intersections(const TriangleBvh& tree, std::span<const Triangle> triangles, std::span<const Vec3f> positions,
                        std::vector<std::vector<std::uint64_t>>& found, WorkMeter* meter, const Context& context,
                        std::span<const std::uint8_t> among) {
  const auto leaves = tree.leaves();
  found.resize((leaves.size() + kLeavesPerChunk - 1) / kLeavesPerChunk);
  const auto corners = [&](std::uint32_t t) -> TriangleCorners {
    return {positions[triangles[t][0]], positions[triangles[t][1]], positions[triangles[t][2]]};
  };
  parallel_for(context, leaves.size(), kLeavesPerChunk, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint64_t>& pairs = found[begin / kLeavesPerChunk];
    pairs.clear();
    WorkCount work(meter);
    for (std::size_t i = begin; i < end; ++i) {
      if (!work.spend(1) || (meter != nullptr && meter->stopped())) return;
      const bool all = among.empty() || among[leaves[i]] != 0;
      const auto look = [&](std::uint32_t node) { return all || among[node] != 0; };
      tree.visit_overlaps(leaves[i], look, [&](std::uint32_t slot_a, std::uint32_t slot_b) {
        if (!work.spend(kTrianglesWork)) return;
        const std::uint32_t a = tree.triangle(slot_a), b = tree.triangle(slot_b);
        if (!share_a_vertex(triangles[a], triangles[b]) && triangles_intersect(corners(a), corners(b)))
          pairs.push_back(pair_key(a, b));
      });
    }
  });
}

std::span<const MeetingParts> MeetingSearch::find(std::span<const Vec3f> positions, const PartsPredicate& ignored,
                                                  const Context& context, WorkMeter* meter) {
  return search(positions, ignored, {}, context, meter);
}

std::span<const MeetingParts> MeetingSearch::find_near(std::span<const std::uint8_t> marked,
                                                       std::span<const Vec3f> positions, const PartsPredicate& ignored,
                                                       const Context& context, WorkMeter* meter) {
  if (tree_.empty()) tree_ = surface_.tree();
  const auto nodes = tree_.nodes();
  among_.assign(nodes.size(), 0);
  for (std::size_t i = nodes.size(); i-- > 0;) {  // children come after their parents
    const TriangleBvh::Node& node = nodes[i];
    if (!node.is_leaf()) {
      among_[i] = among_[i + 1] | among_[node.right];
      continue;
    }
    for (std::uint32_t slot = node.begin; slot < node.end; ++slot)
      for (const std::uint32_t v : surface_.triangles()[tree_.triangle(slot)]) among_[i] |= marked[v];
  }
  return search(positions, ignored, among_, context, meter);
}

std::span<const MeetingParts> MeetingSearch::search(std::span<const Vec3f> positions, const PartsPredicate& ignored,
                                                    std::span<const std::uint8_t> among, const Context& context,
                                                    WorkMeter* meter) {
  if (tree_.empty()) tree_ = surface_.tree();
  tree_.refit(positions, surface_.triangles());
  find_intersections(tree_, surface_.triangles(), positions, found_, meter, context, among);
  meeting_.clear();
  triangles_.clear();
  if (meter != nullptr && meter->stopped()) return meeting_;
  for (const auto& keys : found_)
    for (const std::uint64_t k : keys) {
      const auto a = static_cast<std::uint32_t>(k >> 32U), b = static_cast<std::uint32_t>(k);
      const std::uint32_t pa = surface_.triangle_part()[a], pb = surface_.triangle_part()[b];
      if (surface_.triangles_excluded(a, b) || ignored(pa, pb)) continue;
      const std::array<std::uint32_t, 2> parts{std::min(pa, pb), std::max(pa, pb)};
      auto at = std::ranges::lower_bound(meeting_, parts, {}, &MeetingParts::parts);
      if (at == meeting_.end() || at->parts != parts) at = meeting_.insert(at, {parts, 0});
      ++at->pairs;
      triangles_.push_back({a, b});
    }
  return meeting_;
}

}  // namespace cutis
