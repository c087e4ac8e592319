#include "contact/quiet_stars.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

constexpr std::size_t kStarsPerChunk = 1024;
// Larger stars are rare, and not looked at.
constexpr std::size_t kMostSpokes = 16;
// Of a motion that keeps distances: its matrix, transposed and times itself, is that near to 1.
constexpr double kRigid = 1e-6;
// Of the longest edge: more than rounding takes off a height in float.
constexpr float kRounding = 2e-6F;

bool keeps_distances(const Mat3d& m) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = i; j < 3; ++j)
      if (!(std::abs(dot(m.col[i], m.col[j]) - (i == j ? 1 : 0)) <= kRigid)) return false;
  return true;
}

// The shortest height of the triangles of a fan around `hub`, seen along its mean normal; 0 where it is no fan.
float shortest_height(const Vec3f& hub, std::span<const std::uint32_t> rim, std::span<const Vec3f> positions) {
  std::array<Vec3f, kMostSpokes> spoke, across;  // across: twice the areas
  const std::size_t n = rim.size();
  for (std::size_t i = 0; i < n; ++i) spoke[i] = positions[rim[i]] - hub;
  Vec3f normal;
  for (std::size_t i = 0; i < n; ++i) {
    across[i] = cross(spoke[i], spoke[i + 1 < n ? i + 1 : 0]);
    normal += across[i];
  }
  const float size = length(normal);
  if (!(size > 0)) return 0;
  normal = normal * (1 / size);
  const Vec3f axis = cross(normal, spoke[0]);
  float shortest = std::numeric_limits<float>::infinity(), longest = 0;
  int turns = 0;  // how often the rim comes over the axis from below
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3f &a = spoke[i], &b = spoke[i + 1 < n ? i + 1 : 0];
    const float edge = std::sqrt(std::max({dot(a, a), dot(b, b), dot(b - a, b - a)}));
    const float height = dot(across[i], normal);
    if (!(height > 0)) return 0;
    shortest = std::min(shortest, height / edge);
    longest = std::max(longest, edge);
    turns += dot(axis, a) < 0 && dot(axis, b) >= 0 ? 1 : 0;
  }
  return turns == 1 ? shortest - kRounding * longest : 0;
}

}  // namespace

QuietStars::QuietStars(const ContactSurface& surface) : surface_(surface) {
  way_.resize(surface.vertex_count());
  quiet_.resize(surface.vertex_count());
  rigid_.resize(surface.parts().size());
}

void QuietStars::clear() { std::ranges::fill(quiet_, 0); }

void QuietStars::update(std::span<const Vec3f> last, std::span<const Vec3d> to, std::span<const float> pad,
                        std::span<const Affine3d> frame, std::span<const char> wanted, double rounding,
                        const Context& context) {
  const auto part = surface_.part();
  for (std::size_t p = 0; p < rigid_.size(); ++p)
    rigid_[p] = wanted[p] != 0 && keeps_distances(frame[p].linear) ? 1 : 0;
  parallel_for(context, last.size(), kStarsPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      if (rigid_[part[v]] != 0)
        way_[v] = static_cast<float>(distance(transform_point(frame[part[v]], static_cast<Vec3d>(last[v])), to[v]));
  });
  parallel_for(context, last.size(), kStarsPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const auto rim = surface_.rims().row(v);
      quiet_[v] = 0;
      if (rigid_[part[v]] == 0 || rim.empty() || rim.size() > kMostSpokes) continue;
      float way = way_[v], near = pad[v];
      for (const std::uint32_t w : rim) {
        way = std::max(way, way_[w]);
        near = std::max(near, pad[w]);
      }
      quiet_[v] = shortest_height(last[v], rim, last) > 2 * (way + near + static_cast<float>(rounding)) ? 1 : 0;
    }
  });
}

}  // namespace cutis
