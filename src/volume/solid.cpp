#include "volume/solid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/math.h"
#include "cutis/error.h"
#include "geometry/predicates.h"
#include "geometry/topology.h"

namespace cutis {
namespace {

/// Components below this share of the largest one's volume shape nothing.
constexpr double kLeastComponent = 0.02;
/// A cavity is what no way leads out of within this share of the body's size.
constexpr double kWayOut = 0.06;
constexpr int kDirections = 20, kEscapes = 2;

std::vector<Triangle> shaping_triangles(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  const Topology topology = build_topology(positions.size(), triangles);
  std::vector<double> volume(topology.component_count, 0);
  const auto repeats = [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[0] == t[2]; };
  for (const Triangle& t : triangles)
    if (!repeats(t))
      volume[topology.component[t[0]]] +=
          dot(static_cast<Vec3d>(positions[t[0]]),
              cross(static_cast<Vec3d>(positions[t[1]]), static_cast<Vec3d>(positions[t[2]])));
  double largest = 0;
  for (const double v : volume) largest = std::max(largest, v);
  std::vector<Triangle> kept;
  for (const Triangle& t : triangles)
    if (!repeats(t) && !has_zero_area(positions[t[0]], positions[t[1]], positions[t[2]]) &&
        volume[topology.component[t[0]]] >= kLeastComponent * largest)
      kept.push_back(t);
  if (kept.empty() || !(largest > 0))
    throw Error(ErrorCode::bad_character, "control mesh", "the mesh encloses no volume that could be filled");
  return kept;
}

std::vector<std::uint32_t> all_of(std::size_t n) {
  std::vector<std::uint32_t> use(n);
  std::iota(use.begin(), use.end(), 0U);
  return use;
}

/// Directions all around, evenly: a spiral.
const std::array<Vec3d, kDirections>& directions() {
  static const std::array<Vec3d, kDirections> list = [] {
    std::array<Vec3d, kDirections> result;
    for (int i = 0; i < kDirections; ++i) {
      const double y = 1 - (2.0 * i + 1) / kDirections, r = std::sqrt(1 - y * y), a = 2.399963229728653 * i;
      result[static_cast<std::size_t>(i)] = {r * std::cos(a), y, r * std::sin(a)};
    }
    return result;
  }();
  return list;
}

}  // namespace

Solid::Solid(std::span<const Vec3f> positions, std::span<const Triangle> triangles)
    : positions_(positions.begin(), positions.end()),
      triangles_(shaping_triangles(positions, triangles)),
      bvh_(positions_, triangles_, all_of(triangles_.size())),
      winding_(bvh_, positions_, triangles_),
      closest_(bvh_, positions_, triangles_) {
  Box box;
  for (const Triangle& t : triangles_)
    for (const std::uint32_t v : t) box.add(static_cast<Vec3d>(positions_[v]));
  size_ = diagonal(box);
}

double Solid::room(const Vec3d& p, const Vec3d& direction, double least, double most) const {
  double room = most;
  Vec3d inverse_direction;
  for (int k = 0; k < 3; ++k) inverse_direction[k] = 1 / (std::abs(direction[k]) < 1e-12 ? 1e-12 : direction[k]);
  std::array<std::uint32_t, TriangleBvh::kMaxDepth> stack;
  std::size_t top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const std::uint32_t index = stack[--top];
    const TriangleBvh::Node& node = bvh_.nodes()[index];
    double enter = 0, leave = room;
    for (int k = 0; k < 3; ++k) {
      const double a = (static_cast<double>(node.box.lo[k]) - p[k]) * inverse_direction[k],
                   b = (static_cast<double>(node.box.hi[k]) - p[k]) * inverse_direction[k];
      enter = std::max(enter, std::min(a, b));
      leave = std::min(leave, std::max(a, b));
    }
    if (enter > leave) continue;
    if (!node.is_leaf()) {
      stack[top++] = node.right;
      stack[top++] = index + 1;
      continue;
    }
    for (std::uint32_t slot = node.begin; slot < node.end; ++slot) {
      const Triangle& t = triangles_[bvh_.triangle(slot)];
      const auto a = static_cast<Vec3d>(positions_[t[0]]), b = static_cast<Vec3d>(positions_[t[1]]),
                 c = static_cast<Vec3d>(positions_[t[2]]);
      const Vec3d e1 = b - a, e2 = c - a, h = cross(direction, e2), s = p - a;
      const double det = dot(e1, h);
      if (det == 0) continue;
      const double u = dot(s, h) / det, v = dot(direction, cross(s, e1)) / det, at = dot(e2, cross(s, e1)) / det;
      if (u >= 0 && v >= 0 && u + v <= 1 && at >= least && at < room) room = at;
    }
  }
  return room;
}

bool Solid::enclosed(const Vec3d& p) const {
  const double reach = kWayOut * size_;
  int escapes = 0;
  for (const Vec3d& d : directions())
    if (room(p, d, 0, reach) >= reach && ++escapes >= kEscapes) return false;
  return true;
}

bool Solid::buried(const Vec3d& p, const Vec3d& normal) const {
  const double reach = kWayOut * size_, least = 1e-5 * size_;
  int escapes = 0;
  for (const Vec3d& d : directions()) {
    // The half of all directions on the outer side, closer to the normal.
    const Vec3d way = normalized(normal * (dot(d, normal) < 0 ? 2 * std::abs(dot(d, normal)) : 0.0) + d + normal * 0.3);
    if (room(p, way, least, reach) >= reach && ++escapes >= kEscapes) return false;
  }
  return true;
}

}  // namespace cutis
