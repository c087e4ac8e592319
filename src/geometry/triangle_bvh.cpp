// Top-down build. Each node is cut along the axis on which its box centres spread most, at the best of a few
// equidistant planes by the surface area heuristic; where that does not separate anything, or deep down in a lopsided
// tree, at the median.
#include "geometry/triangle_bvh.h"

#include <limits>
#include <numeric>

namespace cutis {
namespace {

constexpr int kBins = 16;
// Beyond this depth every cut halves: the tree stays shallower than 48 + 32 + 1 < kMaxDepth.
constexpr int kMedianDepth = 48;

Boxf empty_box() {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  return {{kInf, kInf, kInf}, {-kInf, -kInf, -kInf}};
}
void grow(Boxf& a, const Vec3f& p) {
  a.lo = {std::min(a.lo.x, p.x), std::min(a.lo.y, p.y), std::min(a.lo.z, p.z)};
  a.hi = {std::max(a.hi.x, p.x), std::max(a.hi.y, p.y), std::max(a.hi.z, p.z)};
}
void grow(Boxf& a, const Boxf& b) {
  grow(a, b.lo);
  grow(a, b.hi);
}
// Halves before the sum, so that no finite box overflows.
Vec3f middle(const Boxf& b) { return b.lo * 0.5F + b.hi * 0.5F; }
double half_area(const Boxf& b) {
  const double x = static_cast<double>(b.hi.x) - b.lo.x, y = static_cast<double>(b.hi.y) - b.lo.y,
               z = static_cast<double>(b.hi.z) - b.lo.z;
  return x * y + y * z + z * x;
}

struct Item {
  Boxf box;
  Vec3f middle;
  std::uint32_t triangle;
};

struct Bin {
  Boxf box = empty_box();
  std::uint32_t count = 0;
};

// Reorders items[begin, end) and returns where the right child starts.
std::uint32_t split(std::vector<Item>& items, std::uint32_t begin, std::uint32_t end, const Boxf& middles, int depth) {
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (static_cast<double>(middles.hi[k]) - middles.lo[k] > static_cast<double>(middles.hi[axis]) - middles.lo[axis])
      axis = k;
  const double lo = middles.lo[axis], extent = static_cast<double>(middles.hi[axis]) - lo;
  const auto first = items.begin() + begin, last = items.begin() + end;
  if (extent > 0 && depth < kMedianDepth) {
    const double scale = kBins / extent;
    const auto bin_of = [&](const Item& item) {
      return std::min(kBins - 1, static_cast<int>((item.middle[axis] - lo) * scale));
    };
    std::array<Bin, kBins> bins;
    for (auto it = first; it != last; ++it) {
      Bin& bin = bins[static_cast<std::size_t>(bin_of(*it))];
      grow(bin.box, it->box);
      ++bin.count;
    }
    std::array<double, kBins> right_cost{};  // of bins k.. as the right child
    Bin right;
    for (std::size_t k = kBins; k-- > 1;) {
      grow(right.box, bins[k].box);
      right.count += bins[k].count;
      right_cost[k] = right.count > 0 ? half_area(right.box) * right.count : 0;
    }
    Bin left;
    int best = 0;
    double best_cost = std::numeric_limits<double>::infinity();
    for (std::size_t k = 1; k < kBins; ++k) {
      grow(left.box, bins[k - 1].box);
      left.count += bins[k - 1].count;
      if (left.count == 0 || left.count == end - begin) continue;
      const double cost = half_area(left.box) * left.count + right_cost[k];
      if (cost < best_cost) {
        best_cost = cost;
        best = static_cast<int>(k);
      }
    }
    if (best > 0)
      return static_cast<std::uint32_t>(
          std::partition(first, last, [&](const Item& item) { return bin_of(item) < best; }) - items.begin());
  }
  const std::uint32_t mid = begin + (end - begin) / 2;
  std::nth_element(first, items.begin() + mid, last, [axis](const Item& a, const Item& b) {
    return a.middle[axis] != b.middle[axis] ? a.middle[axis] < b.middle[axis] : a.triangle < b.triangle;
  });
  return mid;
}

}  // namespace

TriangleBvh::TriangleBvh(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                         std::span<const std::uint32_t> use) {
  if (use.empty()) return;
  std::vector<Item> items;
  items.reserve(use.size());
  for (const std::uint32_t t : use) {
    Boxf box = empty_box();
    for (const std::uint32_t v : triangles[t]) grow(box, positions[v]);
    items.push_back({box, middle(box), t});
  }
  nodes_.reserve(use.size());

  struct Task {
    std::uint32_t begin, end, parent;  // parent: the node whose right child this is; itself none for the left ones
    int depth;
  };
  constexpr std::uint32_t kNone = 0xffffffffU;
  std::vector<Task> tasks{{0, static_cast<std::uint32_t>(items.size()), kNone, 0}};
  while (!tasks.empty()) {
    const Task task = tasks.back();
    tasks.pop_back();
    const auto index = static_cast<std::uint32_t>(nodes_.size());
    if (task.parent != kNone) nodes_[task.parent].right = index;
    Boxf box = empty_box(), middles = empty_box();
    for (std::uint32_t i = task.begin; i < task.end; ++i) {
      grow(box, items[i].box);
      grow(middles, items[i].middle);
    }
    nodes_.push_back({box, task.begin, task.end, 0});
    if (task.end - task.begin <= kLeafSize) {
      leaves_.push_back(index);
      continue;
    }
    const std::uint32_t mid = split(items, task.begin, task.end, middles, task.depth);
    tasks.push_back({mid, task.end, index, task.depth + 1});
    tasks.push_back({task.begin, mid, kNone, task.depth + 1});
  }
  order_.reserve(items.size());
  boxes_.reserve(items.size());
  for (const Item& item : items) {
    order_.push_back(item.triangle);
    boxes_.push_back(item.box);
  }
}

void TriangleBvh::refit(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  for (std::size_t slot = 0; slot < order_.size(); ++slot) {
    boxes_[slot] = empty_box();
    for (const std::uint32_t v : triangles[order_[slot]]) grow(boxes_[slot], positions[v]);
  }
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    Node& node = nodes_[n];
    node.box = empty_box();
    if (node.is_leaf()) {
      for (std::uint32_t slot = node.begin; slot < node.end; ++slot) grow(node.box, boxes_[slot]);
    } else {
      grow(node.box, nodes_[n + 1].box);
      grow(node.box, nodes_[node.right].box);
    }
  }
}

}  // namespace cutis
