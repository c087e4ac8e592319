// Marching tetrahedra with continuation: every cell is cut into the six Kuhn tetrahedra around its main diagonal, which
// match across cells, so the result is manifold whatever the field does (no ambiguous cases, unlike marching cubes).
// The front spreads from a first cell through faces whose corners differ in sign.
#include "geometry/isosurface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>

namespace cutis {
namespace {

/// Crossings this close to a node would make needles: they are kept this far along the edge.
constexpr double kMinCrossing = 0.02;

/// Corner i of a cell is at offsets (i & 1, i >> 1 & 1, i >> 2). Each row is positively oriented.
constexpr std::array<std::array<int, 4>, 6> kKuhn = {
    {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}}};

class Tracer {
 public:
  Tracer(const ScalarField& field, const GridAxes& axes)
      : field_(field), axes_(axes), size_{axes.x.size(), axes.y.size(), axes.z.size()} {
    value_.assign(size_[0] * size_[1] * size_[2], std::numeric_limits<double>::quiet_NaN());
    visited_.assign(value_.size(), false);
  }

  SurfaceMesh run(const Vec3d& inside) {
    if (find_first_cell(inside)) {
      while (!front_.empty()) {
        const std::size_t cell = front_.back();
        front_.pop_back();
        march(cell);
      }
    }
    return std::move(mesh_);
  }

  SurfaceMesh run(std::span<const float> values) {
    std::ranges::copy(values, value_.begin());
    spreads_ = false;
    for (std::size_t k = 0; k + 1 < size_[2]; ++k)
      for (std::size_t j = 0; j + 1 < size_[1]; ++j)
        for (std::size_t i = 0; i + 1 < size_[0]; ++i) {
          const std::size_t cell = node(i, j, k);
          int inside = 0;
          for (int c = 0; c < 8; ++c) inside += value_[corner(cell, c)] < 0 ? 1 : 0;
          if (inside > 0 && inside < 8) march(cell);
        }
    return std::move(mesh_);
  }

 private:
  [[nodiscard]] std::size_t node(std::size_t i, std::size_t j, std::size_t k) const {
    return (k * size_[1] + j) * size_[0] + i;
  }
  [[nodiscard]] std::array<std::size_t, 3> coordinates(std::size_t n) const {
    return {n % size_[0], n / size_[0] % size_[1], n / (size_[0] * size_[1])};
  }
  [[nodiscard]] std::size_t corner(std::size_t cell, int c) const {
    return cell + static_cast<std::size_t>(c & 1) + static_cast<std::size_t>(c >> 1 & 1) * size_[0] +
           static_cast<std::size_t>(c >> 2) * size_[0] * size_[1];
  }
  [[nodiscard]] Vec3d point(std::size_t n) const {
    const auto c = coordinates(n);
    return {axes_.x[c[0]], axes_.y[c[1]], axes_.z[c[2]]};
  }
  double value(std::size_t n) {
    if (std::isnan(value_[n])) value_[n] = field_(point(n));
    return value_[n];
  }

  bool find_first_cell(const Vec3d& inside) {
    const auto index = [](const std::vector<double>& axis, double x) {
      const auto it = std::upper_bound(axis.begin(), axis.end(), x);
      return std::clamp<std::ptrdiff_t>(it - axis.begin() - 1, 0, static_cast<std::ptrdiff_t>(axis.size()) - 2);
    };
    const auto i = static_cast<std::size_t>(index(axes_.x, inside.x));
    const auto j = static_cast<std::size_t>(index(axes_.y, inside.y));
    for (auto k = static_cast<std::size_t>(index(axes_.z, inside.z)); k + 1 < size_[2]; ++k) {
      if (value(node(i, j, k)) < 0 && value(node(i, j, k + 1)) >= 0) {
        enter(node(i, j, k));
        return true;
      }
    }
    return false;
  }

  void enter(std::size_t cell) {
    if (visited_[cell]) return;
    visited_[cell] = true;
    front_.push_back(cell);
  }

  std::uint32_t vertex(std::size_t cell, int c0, int c1) {
    if (c0 > c1) std::swap(c0, c1);
    // In Kuhn's subdivision the corner sets are nested, so the lower corner and the difference name the edge.
    const std::size_t a = corner(cell, c0), b = corner(cell, c1);
    const auto [it, is_new] = edge_vertex_.try_emplace(a * 8 + static_cast<std::size_t>(c1 - c0),
                                                       static_cast<std::uint32_t>(mesh_.positions.size()));
    if (is_new) {
      const double fa = value(a), fb = value(b);
      const double t = std::clamp(fa / (fa - fb), kMinCrossing, 1 - kMinCrossing);
      mesh_.positions.push_back(point(a) * (1 - t) + point(b) * t);
    }
    return it->second;
  }

  void march(std::size_t cell) {
    std::array<bool, 8> in{};
    for (int c = 0; c < 8; ++c) in[static_cast<std::size_t>(c)] = value(corner(cell, c)) < 0;
    for (const auto& tet : kKuhn) march_tetrahedron(cell, tet, in);
    if (!spreads_) return;

    const auto ijk = coordinates(cell);
    std::size_t step = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const bool upper : {false, true}) {
        int inside = 0;
        for (std::size_t c = 0; c < 8; ++c)
          if (((c >> axis & 1U) != 0) == upper) inside += in[c] ? 1 : 0;
        if (inside == 0 || inside == 4) continue;
        if (upper && ijk[axis] + 2 < size_[axis]) enter(cell + step);
        if (!upper && ijk[axis] > 0) enter(cell - step);
      }
      step *= size_[axis];
    }
  }

  void march_tetrahedron(std::size_t cell, std::array<int, 4> tet, const std::array<bool, 8>& in) {
    const auto inside = [&](int i) { return in[static_cast<std::size_t>(tet[static_cast<std::size_t>(i)])]; };
    // Inside corners first; an odd number of swaps would turn the tetrahedron inside out, so one more sets it right.
    bool odd = false;
    int count = 0;
    for (int i = 0; i < 4; ++i) {
      if (!inside(i)) continue;
      if (i != count) {
        std::swap(tet[static_cast<std::size_t>(i)], tet[static_cast<std::size_t>(count)]);
        odd = !odd;
      }
      ++count;
    }
    if (count == 0 || count == 4) return;
    if (odd) {
      if (count == 3) {
        std::swap(tet[0], tet[1]);
      } else {
        std::swap(tet[2], tet[3]);
      }
    }
    const auto v = [&](std::size_t i, std::size_t j) { return vertex(cell, tet[i], tet[j]); };
    if (count == 1) {
      mesh_.triangles.push_back({v(0, 1), v(0, 2), v(0, 3)});
    } else if (count == 3) {
      mesh_.triangles.push_back({v(3, 0), v(3, 1), v(3, 2)});
    } else {
      const std::uint32_t a = v(0, 2), b = v(0, 3), c = v(1, 3), d = v(1, 2);
      mesh_.triangles.push_back({a, b, c});
      mesh_.triangles.push_back({a, c, d});
    }
  }

  const ScalarField& field_;
  const GridAxes& axes_;
  std::array<std::size_t, 3> size_;
  std::vector<double> value_;
  std::vector<bool> visited_;
  bool spreads_ = true;  // to neighbouring cells
  std::vector<std::size_t> front_;
  std::unordered_map<std::size_t, std::uint32_t> edge_vertex_;
  SurfaceMesh mesh_;
};

}  // namespace

SurfaceMesh trace_isosurface(const ScalarField& field, const GridAxes& axes, const Vec3d& inside) {
  if (axes.x.size() < 2 || axes.y.size() < 2 || axes.z.size() < 2) return {};
  return Tracer(field, axes).run(inside);
}

SurfaceMesh extract_isosurface(std::span<const float> values, const GridAxes& axes) {
  if (axes.x.size() < 2 || axes.y.size() < 2 || axes.z.size() < 2) return {};
  const ScalarField none = [](const Vec3d&) { return 1.0; };
  return Tracer(none, axes).run(values);
}

}  // namespace cutis
