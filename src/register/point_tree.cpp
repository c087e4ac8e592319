#include "register/point_tree.h"

#include <algorithm>
#include <numeric>

namespace cutis {

PointTree::PointTree(std::span<const Vec3d> points)
    : points_(points.begin(), points.end()), order_(points.size()), axis_(points.size(), 0) {
  std::iota(order_.begin(), order_.end(), 0U);
  build(0, order_.size());
  std::vector<Vec3d> sorted(points.size());
  for (std::size_t i = 0; i < order_.size(); ++i) sorted[i] = points_[order_[i]];
  points_ = std::move(sorted);
}

void PointTree::build(std::size_t begin, std::size_t end) {
  if (end - begin <= kLeaf) return;
  Box box;
  for (std::size_t i = begin; i < end; ++i) box.add(points_[order_[i]]);
  const Vec3d wide = box.hi - box.lo;
  const int axis = wide.x >= wide.y && wide.x >= wide.z ? 0 : wide.y >= wide.z ? 1 : 2;
  const std::size_t middle = (begin + end) / 2;
  const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(begin), at(middle), at(end), [&](std::uint32_t a, std::uint32_t b) {
    return points_[a][axis] < points_[b][axis] || (points_[a][axis] == points_[b][axis] && a < b);
  });
  axis_[middle] = static_cast<unsigned char>(axis);
  build(begin, middle);
  build(middle + 1, end);
}

void PointTree::nearest(const Vec3d& p, std::size_t count, double reach, std::vector<Near>& found) const {
  found.clear();
  if (count == 0) return;
  const auto limit = [&] { return found.size() < count ? reach * reach : found.back().squared; };
  const auto look = [&](std::size_t i) {
    const Vec3d d = points_[i] - p;
    const Near near{order_[i], dot(d, d)};
    if (near.squared > reach * reach || (found.size() == count && !(near < found.back()))) return;
    if (found.size() == count) found.pop_back();
    found.insert(std::upper_bound(found.begin(), found.end(), near), near);
  };
  // The near side first; the far side when the split is within what is sought.
  const auto visit = [&](const auto& self, std::size_t begin, std::size_t end) -> void {
    if (end - begin <= kLeaf) {
      for (std::size_t i = begin; i < end; ++i) look(i);
      return;
    }
    const std::size_t middle = (begin + end) / 2;
    const double off = p[axis_[middle]] - points_[middle][axis_[middle]];
    if (off < 0) {
      self(self, begin, middle);
      look(middle);
      if (off * off <= limit()) self(self, middle + 1, end);
    } else {
      self(self, middle + 1, end);
      look(middle);
      if (off * off <= limit()) self(self, begin, middle);
    }
  };
  visit(visit, 0, order_.size());
}

}  // namespace cutis
