// Prim's algorithm from the lowest bone of each component; of equal links the one between lower bones is taken, so that
// the forest depends on the weights alone.
#include "rig/skin_links.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "base/math.h"
#include "base/tree.h"

namespace cutis {
namespace {

// Sums by pair of bones. Sums of a pair are in the order of the calls.
class SharedSums {
 public:
  void add(std::uint32_t a, std::uint32_t b, double amount, const Vec3f& at) {
    if (a == b || !(amount > 0)) return;
    SharedSkin& pair = sums_[std::uint64_t{std::min(a, b)} << 32U | std::max(a, b)];
    pair.a = std::min(a, b);
    pair.b = std::max(a, b);
    pair.amount += amount;
    pair.middle += static_cast<Vec3d>(at) * amount;
  }
  [[nodiscard]] std::vector<SharedSkin> sorted() const {
    std::vector<SharedSkin> pairs;
    pairs.reserve(sums_.size());
    for (const auto& [key, pair] : sums_) pairs.push_back({pair.a, pair.b, pair.amount, pair.middle / pair.amount});
    std::ranges::sort(pairs, {}, [](const SharedSkin& s) { return std::pair(s.a, s.b); });
    return pairs;
  }

 private:
  std::unordered_map<std::uint64_t, SharedSkin> sums_;
};

std::vector<SharedSkin> shared_turns(const RigSurface& surface) {
  SharedSums sums;
  for (std::size_t v = 0; v + 1 < surface.turn.begin.size(); ++v)
    for (std::uint32_t i = surface.turn.begin[v]; i < surface.turn.begin[v + 1]; ++i)
      for (std::uint32_t k = surface.turn.begin[v]; k < i; ++k)
        sums.add(surface.turn.items[i], surface.turn.items[k],
                 static_cast<double>(surface.turn_weight[i]) * static_cast<double>(surface.turn_weight[k]), {});
  return sums.sorted();
}

}  // namespace

std::vector<SharedSkin> shared_skin(const Rig& rig) {
  SharedSums sums;
  for (std::size_t v = 0; v < rig.vertex_count(); ++v) {
    const std::size_t first = 4 * (rig.block_begin.empty() ? v : rig.block_begin[v]);
    const std::size_t last = 4 * (rig.block_begin.empty() ? v + 1 : rig.block_begin[v + 1]);
    const auto bone = [&](std::size_t i) { return rig.blocks[i / 4].bone[i % 4]; };
    const auto weight = [&](std::size_t i) { return static_cast<double>(rig.blocks[i / 4].weight[i % 4]); };
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t k = first; k < i; ++k) sums.add(bone(i), bone(k), weight(i) * weight(k), rig.rest_positions[v]);
  }
  return sums.sorted();
}

std::vector<SkinLink> link_bones(const Rig& rig) {
  struct Edge {
    bool skin = false;  // else by the smooth weights
    double amount = 0;
    std::uint32_t from = 0, to = 0;

    bool operator<(const Edge& other) const {  // the greatest is taken first
      const auto low = [](const Edge& e) { return std::pair(std::min(e.from, e.to), std::max(e.from, e.to)); };
      if (skin != other.skin) return other.skin;
      return amount != other.amount ? amount < other.amount : low(other) < low(*this);
    }
  };
  const std::size_t bones = rig.bones.size();
  std::vector<std::vector<Edge>> edges(bones);
  const auto add = [&](const std::vector<SharedSkin>& pairs, bool skin) {
    for (const SharedSkin& pair : pairs) {
      edges[pair.a].push_back({skin, pair.amount, pair.a, pair.b});
      edges[pair.b].push_back({skin, pair.amount, pair.b, pair.a});
    }
  };
  add(shared_skin(rig), true);
  add(shared_turns(rig.surface), false);
  std::vector<SkinLink> links;
  std::vector<char> taken(bones, 0);
  for (std::uint32_t root = 0; root < bones; ++root) {
    if (taken[root] != 0) continue;
    taken[root] = 1;
    std::priority_queue<Edge> reached(std::less<Edge>{}, edges[root]);
    while (!reached.empty()) {
      const Edge next = reached.top();
      reached.pop();
      if (taken[next.to] != 0) continue;
      taken[next.to] = 1;
      links.push_back({next.to, next.from});
      for (const Edge& edge : edges[next.to])
        if (taken[edge.to] == 0) reached.push(edge);
    }
  }
  return links;
}

std::vector<char> loose_bones(const Rig& rig) {
  std::vector<char> loose(rig.bones.size(), 0);
  for (std::size_t b = 0; b < loose.size(); ++b) {
    if (rig.bones[b].parent < 0) continue;
    const int above = rig.bones[static_cast<std::size_t>(rig.bones[b].parent)].joint;
    loose[b] = hangs_on(rig.skeleton.joints, rig.bones[b].joint, above) ? 0 : 1;
  }
  return loose;
}

}  // namespace cutis
