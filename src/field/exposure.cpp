#include "field/exposure.h"

#include <array>
#include <cmath>
#include <numeric>

#include "base/math.h"

namespace cutis {

namespace {

constexpr double kTilt = 0.9;     // radians from the normal, of four of the five rays
constexpr int kMostHits = 2;      // of five
constexpr double kEdge = 1e-7;    // rays along an edge meet its triangles
constexpr double kOffset = 1e-3;  // of the part's extent

bool meets_box(const Boxf& box, const Vec3d& o, const Vec3d& inverse) {
  double enter = 0, leave = 1e300;
  for (int a = 0; a < 3; ++a) {
    const double t0 = (static_cast<double>(box.lo[a]) - o[a]) * inverse[a];
    const double t1 = (static_cast<double>(box.hi[a]) - o[a]) * inverse[a];
    enter = std::max(enter, std::min(t0, t1));
    leave = std::min(leave, std::max(t0, t1));
  }
  return enter <= leave;
}

bool meets_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& origin, const Vec3d& direction) {
  const Vec3d e1 = b - a, e2 = c - a, h = cross(direction, e2), o = origin - a;
  const double det = dot(e1, h);
  if (std::abs(det) < 1e-300) return false;
  const double u = dot(o, h) / det;
  if (u < -kEdge || u > 1 + kEdge) return false;
  const Vec3d q = cross(o, e1);
  const double v = dot(direction, q) / det;
  return v >= -kEdge && u + v <= 1 + kEdge && dot(e2, q) / det > 0;
}

}  // namespace

Exposure::Exposure(const PartPatch& patch) : triangles_(patch.triangles) {
  Box box;
  for (const Vec3d& p : patch.points) {
    positions_.push_back(static_cast<Vec3f>(p));
    box.add(p);
  }
  offset_ = kOffset * diagonal(box);
  std::vector<std::uint32_t> all(triangles_.size());
  std::iota(all.begin(), all.end(), 0U);
  bvh_ = TriangleBvh(positions_, triangles_, all);
}

bool Exposure::is_hit(const Vec3d& origin, const Vec3d& direction) const {
  if (bvh_.empty()) return false;
  const auto invert = [](double x) { return 1 / (std::abs(x) > 1e-12 ? x : std::copysign(1e-12, x)); };
  const Vec3d inverse{invert(direction.x), invert(direction.y), invert(direction.z)};
  std::array<std::uint32_t, TriangleBvh::kMaxDepth> stack;
  std::size_t size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const std::uint32_t index = stack[--size];
    const TriangleBvh::Node& node = bvh_.nodes()[index];
    if (!meets_box(node.box, origin, inverse)) continue;
    if (!node.is_leaf()) {
      stack[size++] = node.right;
      stack[size++] = index + 1;
      continue;
    }
    for (std::uint32_t slot = node.begin; slot < node.end; ++slot) {
      const Triangle& t = triangles_[bvh_.triangle(slot)];
      if (meets_triangle(static_cast<Vec3d>(positions_[t[0]]), static_cast<Vec3d>(positions_[t[1]]),
                         static_cast<Vec3d>(positions_[t[2]]), origin, direction))
        return true;
    }
  }
  return false;
}

bool Exposure::is_exposed(const Vec3d& p, const Vec3d& n) const {
  const Vec3d origin = p + n * offset_, u = any_perpendicular(n), v = cross(n, u);
  int hits = is_hit(origin, n) ? 1 : 0;
  for (int i = 0; i < 4 && hits <= kMostHits; ++i) {
    const Vec3d side = i == 0 ? u : i == 1 ? v : i == 2 ? -u : -v;
    if (is_hit(origin, n * std::cos(kTilt) + side * std::sin(kTilt))) ++hits;
  }
  return hits <= kMostHits;
}

}  // namespace cutis
