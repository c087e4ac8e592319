// Two bones that share skin hang on each other, or lie side by side (the bones of a palm). A joint is in the middle of
// the skin that its bone shares with the one it hangs on: that tells the two apart, and which of the two bones is the
// lower.
#include "bind/nest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/math.h"
#include "geometry/disjoint_sets.h"
#include "rig/skin_links.h"

namespace cutis {
namespace {

// Bones whose shared skin is farther from both joints than this part of the way between these lie side by side.
constexpr double kSideBySide = 0.5;
// The skeleton's own word counts for more than that of any skin.
constexpr double kGiven = 1e3;
constexpr std::uint32_t kNoTop = std::numeric_limits<std::uint32_t>::max();

struct NestNeighbour {
  std::uint32_t bone = 0;
  bool found = false;  // by the skin, not by the skeleton
  double below = 0;    // how clearly it hangs on the bone whose neighbour it is, -1 (the other way round) to 1
};
using NestTree = std::vector<std::vector<NestNeighbour>>;

// Per bone that moves skin: the uppermost one above it that does, or itself.
std::vector<std::uint32_t> find_tops(const Rig& rig) {
  std::vector<char> moves(rig.bones.size(), 0);
  for (const InfluenceBlock& block : rig.blocks)
    for (std::size_t k = 0; k < 4; ++k)
      if (block.weight[k] > 0) moves[block.bone[k]] = 1;
  std::vector<std::uint32_t> uppermost(rig.bones.size(), kNoTop), top(rig.bones.size(), kNoTop);
  for (std::uint32_t b = 0; b < top.size(); ++b) {
    const int parent = rig.bones[b].parent;
    if (parent >= 0) uppermost[b] = uppermost[static_cast<std::size_t>(parent)];
    if (moves[b] != 0 && uppermost[b] == kNoTop) uppermost[b] = b;
    if (moves[b] != 0) top[b] = uppermost[b];
  }
  return top;
}

// Pieces of the skeleton, joined where they share most skin; false where there is nothing to join.
bool join_pieces(const Rig& rig, const std::vector<std::uint32_t>& top, NestTree& tree) {
  const auto link = [&](std::uint32_t a, std::uint32_t b, bool found, double below) {
    tree[a].push_back({b, found, below});
    tree[b].push_back({a, found, -below});
  };
  // From the middle of the shared skin to the joint of each.
  const auto ways = [&](const SharedSkin& pair) {
    return std::pair(distance(pair.middle, rig.bones[pair.a].rest_origin),
                     distance(pair.middle, rig.bones[pair.b].rest_origin));
  };
  std::vector<SharedSkin> shared = shared_skin(rig);
  for (SharedSkin& pair : shared) {
    const auto [a, b] = ways(pair);
    const double apart = distance(rig.bones[pair.a].rest_origin, rig.bones[pair.b].rest_origin);
    const double off = std::min(a, b) / std::max({apart, 1e-6 * std::max(a, b), 1e-300});
    pair.amount /= 1 + std::pow(off / kSideBySide, 4);
  }
  std::ranges::stable_sort(shared, std::ranges::greater{}, &SharedSkin::amount);
  DisjointSets pieces(rig.bones.size());
  for (std::uint32_t b = 0; b < top.size(); ++b)
    if (top[b] != kNoTop) pieces.join(b, top[b]);
  bool any = false;
  for (const SharedSkin& pair : shared) {
    if (pieces.find(pair.a) == pieces.find(pair.b)) continue;
    pieces.join(pair.a, pair.b);
    const auto [a, b] = ways(pair);
    link(pair.a, pair.b, true, a + b > 0 ? (a - b) / (a + b) : 0.0);
    any = true;
  }
  for (std::uint32_t b = 0; b < top.size() && any; ++b) {
    if (top[b] == kNoTop || top[b] == b) continue;
    auto above = static_cast<std::uint32_t>(rig.bones[b].parent);
    while (top[above] == kNoTop) above = static_cast<std::uint32_t>(rig.bones[above].parent);
    link(above, b, false, kGiven);
  }
  return any;
}

// Of a component of the tree, in an order in which bones follow the ones they were reached from.
struct NestWalk {
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> from;  // per bone
};
NestWalk walk_from(const NestTree& tree, std::uint32_t root) {
  NestWalk walk{{root}, std::vector<std::uint32_t>(tree.size(), kNoTop)};
  walk.from[root] = root;
  for (std::size_t i = 0; i < walk.order.size(); ++i)
    for (const NestNeighbour& next : tree[walk.order[i]])
      if (walk.from[next.bone] == kNoTop) {
        walk.from[next.bone] = walk.order[i];
        walk.order.push_back(next.bone);
      }
  return walk;
}

// The top from which the bones hang most clearly; of equals the first.
std::uint32_t best_top(const NestTree& tree, const NestWalk& walk, const std::vector<std::uint32_t>& top) {
  std::vector<double> sense(tree.size(), 0);  // against that of the first; a step along an edge turns this edge alone
  const std::uint32_t root = walk.order.front();
  std::uint32_t best = top[root];
  double most = -std::numeric_limits<double>::infinity();
  for (const std::uint32_t x : walk.order) {
    for (const NestNeighbour& next : tree[x])
      if (next.bone != root && walk.from[next.bone] == x) sense[next.bone] = sense[x] - 2 * next.below;
    if (top[x] == x && (sense[x] > most || (sense[x] == most && x < best))) {
      best = x;
      most = sense[x];
    }
  }
  return best;
}

// Bones with their parents before them, as few out of their order as that allows.
void sort_bones(Rig& rig, std::vector<int>& bone_of) {
  const std::size_t n = rig.bones.size();
  bool sorted = true;
  for (std::size_t b = 0; b < n; ++b) sorted = sorted && rig.bones[b].parent < static_cast<int>(b);
  if (sorted) return;
  std::vector<int> depth(n, 0);
  for (std::size_t b = 0; b < n; ++b)
    for (int above = rig.bones[b].parent; above >= 0; above = rig.bones[static_cast<std::size_t>(above)].parent)
      ++depth[b];
  std::vector<std::size_t> order(n), place(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t b) { return depth[b]; });
  for (std::size_t i = 0; i < n; ++i) place[order[i]] = i;
  std::vector<RigBone> bones;
  for (const std::size_t b : order) {
    bones.push_back(rig.bones[b]);
    if (bones.back().parent >= 0)
      bones.back().parent = static_cast<int>(place[static_cast<std::size_t>(bones.back().parent)]);
  }
  rig.bones = std::move(bones);
  for (InfluenceBlock& block : rig.blocks)
    for (std::uint32_t& bone : block.bone) bone = static_cast<std::uint32_t>(place[bone]);
  for (int& bone : bone_of)
    if (bone >= 0) bone = static_cast<int>(place[static_cast<std::size_t>(bone)]);
}

}  // namespace

void nest_bones(Rig& rig, std::vector<int>& bone_of) {
  const std::vector<std::uint32_t> top = find_tops(rig);
  NestTree tree(rig.bones.size());
  if (!join_pieces(rig, top, tree)) return;
  std::vector<char> seen(rig.bones.size(), 0);
  for (std::uint32_t b = 0; b < top.size(); ++b) {
    if (tree[b].empty() || seen[b] != 0) continue;
    const NestWalk walk = walk_from(tree, best_top(tree, walk_from(tree, b), top));
    for (const std::uint32_t x : walk.order) {
      seen[x] = 1;
      for (const NestNeighbour& next : tree[x])
        if (next.found && walk.from[next.bone] == x && next.bone != walk.order.front())
          rig.bones[top[next.bone]].parent = static_cast<int>(x);
    }
  }
  sort_bones(rig, bone_of);
}

Skeleton nested_skeleton(const Rig& rig) {
  Skeleton nested = rig.skeleton;
  const std::vector<char> loose = loose_bones(rig);
  for (std::size_t b = 0; b < loose.size(); ++b)
    if (loose[b] != 0)
      nested.joints[static_cast<std::size_t>(rig.bones[b].joint)].parent =
          rig.bones[static_cast<std::size_t>(rig.bones[b].parent)].joint;
  return nested;
}

}  // namespace cutis
