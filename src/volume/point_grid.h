// Points in a hash of cells: who is near.
#pragma once

#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/math.h"

namespace cutis {

class PointGrid {
 public:
  explicit PointGrid(double cell) : cell_(cell) {}

  void add(const Vec3d& p) {
    cells_[key(p, 0, 0, 0)].push_back(static_cast<std::uint32_t>(points_.size()));
    points_.push_back(p);
  }
  [[nodiscard]] const std::vector<Vec3d>& points() const { return points_; }

  /// visit(index) for every point within `radius` of p, and some beyond.
  template <class Visit>
  void visit_near(const Vec3d& p, double radius, Visit&& visit) const {
    const int reach = static_cast<int>(std::ceil(radius / cell_));
    for (int x = -reach; x <= reach; ++x)
      for (int y = -reach; y <= reach; ++y)
        for (int z = -reach; z <= reach; ++z)
          if (const auto found = cells_.find(key(p, x, y, z)); found != cells_.end())
            for (const std::uint32_t i : found->second) visit(i);
  }
  [[nodiscard]] bool any_within(const Vec3d& p, double radius) const {
    bool found = false;
    visit_near(p, radius, [&](std::uint32_t i) {
      const Vec3d d = points_[i] - p;
      found = found || dot(d, d) < radius * radius;
    });
    return found;
  }
  /// Index of the nearest, brute force beyond the first ring of cells; -1 when there are none.
  [[nodiscard]] int nearest(const Vec3d& p) const {
    int best = -1;
    double least = 1e300;
    const auto look = [&](std::uint32_t i) {
      const Vec3d d = points_[i] - p;
      const double d2 = dot(d, d);
      if (d2 < least || (d2 == least && static_cast<int>(i) < best)) least = d2, best = static_cast<int>(i);
    };
    visit_near(p, cell_, look);
    if (best < 0 || least > cell_ * cell_)
      for (std::uint32_t i = 0; i < points_.size(); ++i) look(i);
    return best;
  }

 private:
  [[nodiscard]] std::uint64_t key(const Vec3d& p, int dx, int dy, int dz) const {
    const auto part = [&](double v, int d) {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(v / cell_)) + d + (1 << 20)) & 0x1fffffU;
    };
    return part(p.x, dx) << 42U | part(p.y, dy) << 21U | part(p.z, dz);
  }
  double cell_;
  std::vector<Vec3d> points_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;
};

}  // namespace cutis
