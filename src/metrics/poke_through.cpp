// From points spread over a garment a short way outwards: the first skin on it, seen from inside, has come through.
// Skin seen from outside is another part of the body that is near, and is no fault of the garment's.
#include "metrics/poke_through.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"
#include "geometry/closest_point.h"
#include "geometry/normals.h"
#include "geometry/triangle_bvh.h"
#include "geometry/visit_box.h"

namespace cutis {
namespace {

constexpr std::size_t kTrianglesPerChunk = 64;
// Of the size: as far as skin is looked for; four times as near as cloth lies (roles.cpp).
constexpr double kPokeReach = 0.1;
// Points of a triangle, barycentric.
constexpr std::size_t kPoints = 4;
constexpr std::array<std::array<double, 3>, kPoints> kAt{{{1.0 / 3, 1.0 / 3, 1.0 / 3},
                                                          {2.0 / 3, 1.0 / 6, 1.0 / 6},
                                                          {1.0 / 6, 2.0 / 3, 1.0 / 6},
                                                          {1.0 / 6, 1.0 / 6, 2.0 / 3}}};

// Whether the first triangle on the way from p is met from behind.
bool leaves_skin(const Vec3d& p, const Vec3d& way, const TriangleBvh& tree, std::span<const Vec3f> positions,
                 std::span<const Triangle> triangles) {
  const Vec3d q = p + way;
  Boxf box;
  for (int k = 0; k < 3; ++k) {
    box.lo[k] = std::nextafter(static_cast<float>(std::min(p[k], q[k])), -INFINITY);
    box.hi[k] = std::nextafter(static_cast<float>(std::max(p[k], q[k])), INFINITY);
  }
  double first = 2;
  bool behind = false;
  (void)visit_box(tree, box, [&](std::uint32_t triangle) {
    const Triangle& t = triangles[triangle];
    const auto a = static_cast<Vec3d>(positions[t[0]]);
    const Vec3d u = static_cast<Vec3d>(positions[t[1]]) - a, v = static_cast<Vec3d>(positions[t[2]]) - a;
    const Vec3d side = cross(way, v), from = p - a;
    const double facing = dot(u, side);  // -way . (u x v)
    if (facing == 0) return true;
    const Vec3d across = cross(from, u);
    const double s = dot(from, side) / facing, r = dot(way, across) / facing, along = dot(v, across) / facing;
    if (s < 0 || r < 0 || s + r > 1 || along < 0 || along > 1 || along >= first) return true;
    first = along;
    behind = facing < 0;
    return true;
  });
  return behind;
}

}  // namespace

PokeThrough::PokeThrough(const WeldedCharacter& welded, const Roles& roles, double size, const Context& context)
    : welded_(welded), reach_(kPokeReach * size) {
  const PosedSurface surface = pose_surface(welded, welded.input_positions);
  for (const std::uint32_t t : surface.usable) {
    const std::uint32_t p = roles.piece[welded.weld.first_of[welded.topology.triangles[t][0]]];
    if (p >= roles.pieces.size()) continue;
    if (roles.pieces[p].role == PieceRole::garment) garment_.push_back(t);
    if (roles.pieces[p].role == PieceRole::body) skin_.push_back(t);
  }
  if (garment_.empty() || skin_.empty()) {
    garment_.clear();
    return;
  }
  const TriangleBvh tree(surface.positions, welded.topology.triangles, skin_);
  const ClosestPoint closest(tree, surface.positions, welded.topology.triangles);
  const auto at = [&](std::uint32_t v) { return static_cast<Vec3d>(surface.positions[v]); };
  for (const std::uint32_t t : garment_) {
    const Triangle& f = welded.topology.triangles[t];
    const Vec3d middle = (at(f[0]) + at(f[1]) + at(f[2])) * (1.0 / 3);
    const auto hit = closest.nearest(middle);
    const Triangle& below = welded.topology.triangles[hit.triangle];
    Vec3d foot;
    for (std::size_t k = 0; k < 3; ++k) foot += at(below[k]) * hit.barycentric[k];
    const Vec3d n = face_normal<double>(surface.positions, f);
    // Away from the skin's own outside: also of a garment that is sunk into the skin.
    const bool over = dot(middle - foot, face_normal<double>(surface.positions, below)) >= 0;
    outward_.push_back((dot(n, middle - foot) >= 0) == over ? 1.0F : -1.0F);
    area_.push_back(0.5 * length(n));
  }
  rest_ = find_outside(surface, context);
  for (std::size_t i = 0; i < rest_.size(); ++i)
    if (rest_[i] == 0) all_ += area_[i / kPoints] / kPoints;
}

std::vector<std::uint8_t> PokeThrough::find_outside(const PosedSurface& surface, const Context& context) const {
  std::vector<std::uint8_t> outside(garment_.size() * kPoints, 0);
  std::vector<std::uint32_t> usable;
  std::ranges::set_intersection(skin_, surface.usable, std::back_inserter(usable));
  if (usable.empty()) return outside;
  const TriangleBvh tree(surface.positions, welded_.topology.triangles, usable);
  parallel_for(context, garment_.size(), kTrianglesPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Triangle& f = welded_.topology.triangles[garment_[i]];
      if (!surface.finite[f[0]] || !surface.finite[f[1]] || !surface.finite[f[2]]) continue;
      const Vec3d n = normalized(face_normal<double>(surface.positions, f), Vec3d{});
      if (n == Vec3d{}) continue;
      for (std::size_t k = 0; k < kPoints; ++k) {
        Vec3d p;
        for (std::size_t c = 0; c < 3; ++c) p += static_cast<Vec3d>(surface.positions[f[c]]) * kAt[k][c];
        outside[i * kPoints + k] =
            leaves_skin(p, n * (reach_ * outward_[i]), tree, surface.positions, welded_.topology.triangles) ? 1 : 0;
      }
    }
  });
  return outside;
}

std::optional<PokeThrough::Result> PokeThrough::measure(const PosedSurface& surface, const Context& context) const {
  if (garment_.empty()) return std::nullopt;
  Result result;
  result.vertex.assign(surface.positions.size(), 0);
  const std::vector<std::uint8_t> now = find_outside(surface, context);
  double poked = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] == 0 || rest_[i] != 0) continue;
    poked += area_[i / kPoints] / kPoints;
    for (const std::uint32_t v : welded_.topology.triangles[garment_[i / kPoints]]) result.vertex[v] = 1;
  }
  result.share = all_ > 0 ? poked / all_ : 0;
  return result;
}

}  // namespace cutis
