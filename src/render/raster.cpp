#include "render/raster.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

constexpr std::size_t kGrain = 4096;
// Backs are as much farther away: of faces that lie on each other back to back (doubled cards of hair) the front is
// seen.
constexpr double kBehind = 1 - 1e-4;

struct PixelBox {
  double x0 = 1e300, y0 = 1e300, x1 = -1e300, y1 = -1e300;
  void add(const View& view, const Vec3d& p) {
    const double x = view.pixel_x(p.x / -p.z), y = view.pixel_y(p.y / -p.z);
    x0 = std::min(x0, x);
    x1 = std::max(x1, x);
    y0 = std::min(y0, y);
    y1 = std::max(y1, y);
  }
};

// Of the part of the triangle beyond the near plane.
PixelBox bounds_of(const View& view, const Vec3d (&v)[3]) {
  PixelBox box;
  const double z_near = -view.near_distance;
  for (int i = 0; i < 3; ++i) {
    const Vec3d &a = v[i], &b = v[(i + 1) % 3];
    if (a.z <= z_near) box.add(view, a);
    if ((a.z <= z_near) != (b.z <= z_near)) {
      Vec3d cut = lerp(a, b, (z_near - a.z) / (b.z - a.z));
      cut.z = z_near;
      box.add(view, cut);
    }
  }
  return box;
}

}  // namespace

TriangleBins::TriangleBins(const View& view, std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                           const Context& context)
    : view_(view),
      tiles_x_((view.width + kTile - 1) / kTile),
      tiles_y_((view.height + kTile - 1) / kTile),
      screen_(triangles.size()),
      bounds_(triangles.size(), Bounds{1, 1, 0, 0}) {
  std::vector<Vec3d> camera(positions.size());
  parallel_for(context, positions.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) camera[i] = view.to_camera(static_cast<Vec3d>(positions[i]));
  });

  const double pixels_per_slope = view.height / (2 * view.tan_y);
  parallel_for(context, triangles.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const Vec3d v[3] = {camera[triangles[t][0]], camera[triangles[t][1]], camera[triangles[t][2]]};
      if (!is_finite(v[0]) || !is_finite(v[1]) || !is_finite(v[2])) continue;
      const Vec3d e[3] = {cross(v[1], v[2]), cross(v[2], v[0]), cross(v[0], v[1])};
      const double det = dot(v[0], e[0]);
      // Edge on, or no area: nothing to see. The test is relative to what rounding leaves.
      const double scale = length(v[0]) * length(e[0]);
      if (!(std::abs(det) > 1e-14 * scale) || !std::isfinite(det)) continue;
      const PixelBox box = bounds_of(view, v);
      if (!(box.x0 < view.width && box.x1 > 0 && box.y0 < view.height && box.y1 > 0)) continue;
      bounds_[t] = {static_cast<float>(std::max(box.x0, 0.0)), static_cast<float>(std::max(box.y0, 0.0)),
                    static_cast<float>(std::min<double>(box.x1, view.width)),
                    static_cast<float>(std::min<double>(box.y1, view.height))};
      ScreenTriangle& s = screen_[t];
      s.front = det < 0;
      for (int i = 0; i < 3; ++i) {
        // Only the sign is changed, never the size: neighbours must agree on a shared edge to the last bit.
        s.edge[i] = det > 0 ? EdgeFunction{e[i].x, e[i].y, -e[i].z} : EdgeFunction{-e[i].x, -e[i].y, e[i].z};
        const double slope = std::sqrt(e[i].x * e[i].x + e[i].y * e[i].y);
        s.pixels[i] = slope > 0 ? pixels_per_slope / slope : 0;
        s.height[i] = s.pixels[i] * std::abs(det) / std::max(-v[i].z, view.near_distance);
      }
      const double scale_to_depth = 1 / std::abs(det);
      s.inverse_depth = {(s.edge[0].x + s.edge[1].x + s.edge[2].x) * scale_to_depth,
                         (s.edge[0].y + s.edge[1].y + s.edge[2].y) * scale_to_depth,
                         (s.edge[0].c + s.edge[1].c + s.edge[2].c) * scale_to_depth};
    }
  });

  // Counting sort into tiles, in the order of the triangles.
  const auto for_tiles = [&](std::size_t t, auto&& body) {
    const Bounds& b = bounds_[t];
    if (b.x0 > b.x1) return;
    const int tx1 = std::min(static_cast<int>(b.x1) / kTile, tiles_x_ - 1);
    const int ty1 = std::min(static_cast<int>(b.y1) / kTile, tiles_y_ - 1);
    for (int ty = static_cast<int>(b.y0) / kTile; ty <= ty1; ++ty)
      for (int tx = static_cast<int>(b.x0) / kTile; tx <= tx1; ++tx)
        body(static_cast<std::size_t>(ty) * static_cast<std::size_t>(tiles_x_) + static_cast<std::size_t>(tx));
  };
  bin_begin_.assign(static_cast<std::size_t>(tiles()) + 1, 0);
  for (std::size_t t = 0; t < triangles.size(); ++t) for_tiles(t, [&](std::size_t tile) { ++bin_begin_[tile + 1]; });
  for (std::size_t i = 1; i < bin_begin_.size(); ++i) bin_begin_[i] += bin_begin_[i - 1];
  bin_.resize(bin_begin_.back());
  std::vector<std::uint32_t> cursor(bin_begin_.begin(), bin_begin_.end() - 1);
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for_tiles(t, [&](std::size_t tile) { bin_[cursor[tile]++] = static_cast<std::uint32_t>(t); });
}

TriangleBins::TileArea TriangleBins::area(int tile) const {
  const int x0 = tile % tiles_x_ * kTile, y0 = tile / tiles_x_ * kTile;
  return {x0, y0, std::min(x0 + kTile, view_.width), std::min(y0 + kTile, view_.height)};
}

void TriangleBins::visible(int tile, int samples, const CutOuts* holes, std::vector<std::uint32_t>& ids,
                           std::vector<double>& depth) const {
  const TileArea a = area(tile);
  const int columns = (a.x1 - a.x0) * samples, rows = (a.y1 - a.y0) * samples;
  const auto count = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  ids.assign(count, kNothing);
  depth.assign(count, 0.0);  // 1 / depth: 0 is infinitely far
  const double step = 1.0 / samples, most = 1 / view_.near_distance;
  std::vector<double> ray_x(static_cast<std::size_t>(columns));
  for (int i = 0; i < columns; ++i) ray_x[static_cast<std::size_t>(i)] = view_.ray_x(a.x0 + (i + 0.5) * step);

  const auto begin = bin_begin_[static_cast<std::size_t>(tile)], end = bin_begin_[static_cast<std::size_t>(tile) + 1];
  for (std::uint32_t k = begin; k < end; ++k) {
    const std::uint32_t t = bin_[k];
    const ScreenTriangle& s = screen_[t];
    const Bounds& b = bounds_[t];
    const bool has_holes = holes != nullptr && holes->may_have(t);
    // Bounds are stored as float: one sample of slack covers their rounding.
    const int c0 = std::max(0, static_cast<int>((b.x0 - static_cast<float>(a.x0)) * static_cast<float>(samples)) - 1);
    const int c1 =
        std::min(columns - 1, static_cast<int>((b.x1 - static_cast<float>(a.x0)) * static_cast<float>(samples)) + 1);
    const int r0 = std::max(0, static_cast<int>((b.y0 - static_cast<float>(a.y0)) * static_cast<float>(samples)) - 1);
    const int r1 =
        std::min(rows - 1, static_cast<int>((b.y1 - static_cast<float>(a.y0)) * static_cast<float>(samples)) + 1);
    for (int r = r0; r <= r1; ++r) {
      const double ry = view_.ray_y(a.y0 + (r + 0.5) * step);
      const double base0 = s.edge[0].y * ry + s.edge[0].c;
      const double base1 = s.edge[1].y * ry + s.edge[1].c;
      const double base2 = s.edge[2].y * ry + s.edge[2].c;
      const std::size_t row = static_cast<std::size_t>(r) * static_cast<std::size_t>(columns);
      for (int c = c0; c <= c1; ++c) {
        const double rx = ray_x[static_cast<std::size_t>(c)];
        const double e0 = s.edge[0].x * rx + base0, e1 = s.edge[1].x * rx + base1, e2 = s.edge[2].x * rx + base2;
        if (e0 < 0 || e1 < 0 || e2 < 0) continue;
        const double w = s.inverse_depth.at(rx, ry) * (s.front ? 1 : kBehind);
        const std::size_t i = row + static_cast<std::size_t>(c);
        if (w > depth[i] && w <= most) {
          if (has_holes && !holes->is_there(t, s, rx, ry, r % samples * samples + c % samples)) continue;
          depth[i] = w;
          ids[i] = t;
        }
      }
    }
  }
}

}  // namespace cutis
