// With D the distance to the nearest own vertex or to the bone, the fence is a distance field of its own, D - 1.25 r:
// its 0.5 surface lies further away than any point inside a tube of thickness r is. The part's distance becomes the
// larger of the two. D changes by at most the distance between two points, so most nodes are passed over unseen.
#include "bind/fence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/segment.h"

namespace cutis {
namespace {

constexpr double kReach = 1.25;  // support radii
constexpr double kFade = 0.25;   // radii below its surface where the fence begins to vanish; gone at twice that
constexpr double kSteep = 5;     // slope of its end: -0.5 r becomes -1.5 r, below all that a field holds

struct Nearest {
  double distance = std::numeric_limits<double>::max();
  Vec3d point;
};

Nearest nearest_own(std::span<const Vec3f> own, const Vec3d& from, const Vec3d& to, const Vec3d& p) {
  Nearest nearest;
  nearest.point = nearest_on_segment(p, from, to);
  double best = dot(p - nearest.point, p - nearest.point);
  const auto q = static_cast<Vec3f>(p);
  auto best_f = static_cast<float>(best);
  std::size_t at = own.size();
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Vec3f d = own[i] - q;
    const float away = dot(d, d);
    if (away >= best_f) continue;
    best_f = away;
    at = i;
  }
  if (at < own.size()) {
    nearest.point = static_cast<Vec3d>(own[at]);
    best = dot(p - nearest.point, p - nearest.point);
  }
  nearest.distance = std::sqrt(best);
  return nearest;
}

std::int16_t quantised(double x) { return static_cast<std::int16_t>(std::lround(std::clamp(x, -32767.0, 32767.0))); }

}  // namespace

void fence_field(RigField& field, std::span<const Vec3f> own, const Vec3d& from, const Vec3d& to, double edge) {
  if (field.empty() || own.empty()) return;
  const GridView& grid = field.grid;
  const auto widen = [](const Vec3f& v) { return static_cast<Vec3d>(v); };
  const Mat3d rest_from_slope{
      {widen(grid.rest_from_slope.col[0]), widen(grid.rest_from_slope.col[1]), widen(grid.rest_from_slope.col[2])}};
  const Mat3d slope_from_rest = inverse(rest_from_slope);
  const Mat3d grid_from_rest{{widen(grid.grid_from_rest.linear.col[0]), widen(grid.grid_from_rest.linear.col[1]),
                              widen(grid.grid_from_rest.linear.col[2])}};
  const Affine3d rest_from_grid = inverse(Affine3d{grid_from_rest, widen(grid.grid_from_rest.translation)});
  const double r = grid.radius, reach = kReach * r + 0.5 * edge;
  const double cell = length(rest_from_grid.linear.col[0]);
  const double fade = -kFade * r, gone = 2 * fade;
  std::size_t row = 0;
  for (int k = 0; k < grid.nz; ++k)
    for (int j = 0; j < grid.ny; ++j, row += static_cast<std::size_t>(grid.nx))
      for (int i = 0; i < grid.nx; ++i) {
        GridNode& node = field.nodes[row + static_cast<std::size_t>(i)];
        const double value = static_cast<double>(grid.value_step) * node.value;
        if (value >= r) continue;
        const Vec3d p = transform_point(rest_from_grid,
                                        Vec3d{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
        const Nearest nearest = nearest_own(own, from, to, p);
        double fence = nearest.distance - reach;
        if (fence < gone) {
          i += static_cast<int>((gone - fence) / cell);
          continue;
        }
        Vec3d gradient = normalized(p - nearest.point);
        if (fence < fade) {
          fence = fade + kSteep * (fence - fade);
          gradient *= kSteep;
        }
        if (fence <= value) continue;
        const Vec3d slope = slope_from_rest * gradient * (0.5 / static_cast<double>(grid.slope_step));
        node = {quantised(fence / static_cast<double>(grid.value_step)), quantised(slope.x), quantised(slope.y),
                quantised(slope.z)};
      }
}

}  // namespace cutis
