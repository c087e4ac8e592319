#include "geometry/closest_point.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/math.h"
#include "base/triangle.h"

namespace cutis {
namespace {

double squared_distance(const Boxf& box, const Vec3d& q) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double d = std::max({static_cast<double>(box.lo[k]) - q[k], q[k] - static_cast<double>(box.hi[k]), 0.0});
    sum += d * d;
  }
  return sum;
}

}  // namespace

std::array<double, 3> closest_in_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& q) {
  double weight[3];
  closest_in_triangle(a, b, c, q, weight);
  return {weight[0], weight[1], weight[2]};
}

ClosestPoint::Hit ClosestPoint::nearest(const Vec3d& q) const {
  Hit hit{0, {}, std::numeric_limits<double>::infinity()};
  double best = std::numeric_limits<double>::infinity();
  const auto nodes = bvh_.nodes();
  std::array<std::pair<std::uint32_t, double>, TriangleBvh::kMaxDepth> stack;
  std::size_t size = 0;
  stack[size++] = {0, squared_distance(nodes[0].box, q)};
  while (size > 0) {
    const auto [index, bound] = stack[--size];
    if (bound > best) continue;
    const TriangleBvh::Node& node = nodes[index];
    if (!node.is_leaf()) {
      std::pair left{index + 1, squared_distance(nodes[index + 1].box, q)};
      std::pair right{node.right, squared_distance(nodes[node.right].box, q)};
      if (left.second < right.second) std::swap(left, right);
      stack[size++] = left;  // the nearer one is on top
      stack[size++] = right;
      continue;
    }
    for (std::uint32_t slot = node.begin; slot < node.end; ++slot) {
      const std::uint32_t t = bvh_.triangle(slot);
      const auto corner = [&](std::size_t k) { return static_cast<Vec3d>(positions_[triangles_[t][k]]); };
      const auto w = closest_in_triangle(corner(0), corner(1), corner(2), q);
      const Vec3d d = corner(0) * w[0] + corner(1) * w[1] + corner(2) * w[2] - q;
      const double dd = dot(d, d);
      if (dd > best || (dd == best && t > hit.triangle)) continue;
      best = dd;
      hit = {t, w, std::sqrt(dd)};
    }
  }
  return hit;
}

}  // namespace cutis
