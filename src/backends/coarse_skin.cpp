#include "backends/coarse_skin.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/math.h"
#include "rig/parts.h"

namespace cutis {
namespace {

// Of the edges around: files have pairs of vertices that should be one.
constexpr float kShort = 0.25F;

// From one normal to the other about the edge, radians.
float angle_between(const Vec3f& a, const Vec3f& b, const Vec3f& left, const Vec3f& right) {
  const Vec3f edge = b - a, n = cross(edge, left - a), m = cross(right - a, edge);
  return std::atan2(dot(normalized(edge), cross(n, m)), dot(n, m));
}

}  // namespace

CoarseSkin::CoarseSkin(const RigSurface& surface, std::span<const std::uint32_t> piece) {
  std::uint32_t pieces = 0;
  for (const std::uint32_t p : piece)
    if (p != kNotCoarse) pieces = std::max(pieces, p + 1);
  if (pieces == 0) return;
  vertices_.begin.assign(pieces + 1, 0);
  for (const std::uint32_t p : piece)
    if (p != kNotCoarse) ++vertices_.begin[p + 1];
  for (std::uint32_t p = 0; p < pieces; ++p) vertices_.begin[p + 1] += vertices_.begin[p];
  vertices_.items.resize(vertices_.begin.back());
  std::vector<std::uint32_t> next(vertices_.begin.begin(), vertices_.begin.end() - 1);
  for (std::uint32_t v = 0; v < piece.size(); ++v)
    if (piece[v] != kNotCoarse) vertices_.items[next[piece[v]]++] = v;
  struct Side {
    std::uint32_t piece, a, b, corner;
    bool forward;
  };
  std::vector<Side> sides;
  for (const Triangle& t : surface.triangles)
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = t[i], b = t[(i + 1) % 3];
      if (piece[a] != kNotCoarse) sides.push_back({piece[a], std::min(a, b), std::max(a, b), t[(i + 2) % 3], a < b});
    }
  const auto key = [](const Side& s) { return std::tuple(s.piece, s.a, s.b); };
  std::ranges::stable_sort(sides, [&](const Side& x, const Side& y) { return key(x) < key(y); });
  edges_begin_.assign(pieces + 1, 0);
  for (std::size_t i = 0, end = 0; i < sides.size(); i = end) {
    while (end < sides.size() && key(sides[end]) == key(sides[i])) ++end;
    if (end != i + 2 || sides[i].forward == sides[i + 1].forward) continue;
    const Side &left = sides[sides[i].forward ? i : i + 1], &right = sides[sides[i].forward ? i + 1 : i];
    const auto& p = surface.positions;
    const float length = distance(p[left.a], p[left.b]);
    edges_.push_back({left.a, left.b, left.corner, right.corner,
                      angle_between(p[left.a], p[left.b], p[left.corner], p[right.corner]), length,
                      std::max(length, kShort * 0.5F * (surface.edge[left.a] + surface.edge[left.b]))});
    edges_begin_[left.piece + 1] = edges_.size();
  }
  for (std::size_t p = 1; p <= pieces; ++p) edges_begin_[p] = std::max(edges_begin_[p], edges_begin_[p - 1]);
}

float CoarseSkin::longest(std::size_t piece, std::span<const Vec3f> positions) const {
  float most = 0;
  for (std::size_t e = edges_begin_[piece]; e < edges_begin_[piece + 1]; ++e)
    if (edges_[e].counts > 0)
      most = std::max(most, distance(positions[edges_[e].a], positions[edges_[e].b]) / edges_[e].counts);
  return most;
}

std::optional<float> CoarseSkin::roughness(std::size_t piece, std::span<const Vec3f> positions,
                                           std::span<const char> leave_out) const {
  double sum = 0, weight = 0;
  for (std::size_t e = edges_begin_[piece]; e < edges_begin_[piece + 1]; ++e) {
    const Edge& edge = edges_[e];
    if (leave_out[edge.a] != 0 || leave_out[edge.b] != 0) continue;
    const float change = std::abs(
        angle_between(positions[edge.a], positions[edge.b], positions[edge.left], positions[edge.right]) - edge.angle);
    if (!std::isfinite(change)) continue;
    const double turn = std::min<double>(change, 2 * kPi - static_cast<double>(change));
    sum += static_cast<double>(edge.length) * turn * turn;
    weight += static_cast<double>(edge.length);
  }
  if (!(weight > 0)) return std::nullopt;
  return static_cast<float>(std::sqrt(sum / weight) * 180 / kPi);
}

}  // namespace cutis
