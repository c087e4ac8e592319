// Points are put in one after the other (Bowyer 1981, Watson 1981): tetrahedra whose circumsphere holds the new point
// go, and the hole is filled with tetrahedra from its faces to the point. Outside the hull there are tetrahedra, too,
// on a vertex at infinity, so that every face has two sides.
//
// Exact signs make this sound without perturbing anything: of a tetrahedron the point is held when it is *strictly*
// inside the sphere. A face of the hole never lies in a plane with the point: the sphere on its other side would then
// hold the point as well, since both spheres cut that plane in the same circle. So no new tetrahedron is flat.
//
// Coordinates are integers of 23 bits: the determinant for spheres is below 2^121, which 128 bits hold. Rounded
// arithmetic answers first where its error bound lets it.
#include "volume/delaunay.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "cutis/error.h"

namespace cutis {
namespace {

__extension__ using Int128 = __int128;
using GridPoint = std::array<std::int64_t, 3>;

/// Cells along the longest side: between this many bits and one less.
constexpr int kDelaunayGridBits = 23;
constexpr std::uint32_t kNoCell = 0xffffffff;
/// Of the rounded determinants: some dozen operations, each off by 2^-53 of the sum of magnitudes.
constexpr double kDeterminantRounding = 0x1p-48;

int sign(Int128 x) { return (x > 0) - (x < 0); }
int sign(double x) { return (x > 0) - (x < 0); }

GridPoint operator-(const GridPoint& a, const GridPoint& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// The determinants as polynomials: of T = Int128 exactly; of T = double rounded, with `magnitude` the sum of the
/// absolute values that were added.
template <class T>
T determinant3(const GridPoint& u, const GridPoint& v, const GridPoint& w, double& magnitude) {
  T sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    const std::int64_t a = v[i] * w[j], b = v[j] * w[i];
    sum += static_cast<T>(u[k]) * static_cast<T>(a - b);
    magnitude +=
        std::abs(static_cast<double>(u[k])) * (std::abs(static_cast<double>(a)) + std::abs(static_cast<double>(b)));
  }
  return sum;
}

/// +1: d sees a, b, c counter-clockwise from behind.
int orientation(const GridPoint& a, const GridPoint& b, const GridPoint& c, const GridPoint& d) {
  double magnitude = 0;
  const double rounded = determinant3<double>(b - a, c - a, d - a, magnitude);
  if (std::abs(rounded) > kDeterminantRounding * magnitude) return sign(rounded);
  return sign(determinant3<Int128>(b - a, c - a, d - a, magnitude));
}

template <class T>
T sphere_determinant(const std::array<GridPoint, 4>& p, double& magnitude) {
  T sum = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const GridPoint& own = p[k];
    const std::int64_t lift = own[0] * own[0] + own[1] * own[1] + own[2] * own[2];
    double minor_magnitude = 0;
    const T minor = determinant3<T>(p[(k + 1) % 4], p[(k + 2) % 4], p[(k + 3) % 4], minor_magnitude);
    sum += (k % 2 == 0 ? T{1} : T{-1}) * static_cast<T>(lift) * minor;
    magnitude += static_cast<double>(lift) * minor_magnitude;
  }
  return sum;
}

/// +1: e is inside the sphere through the corners of the positive tetrahedron a, b, c, d; 0: on it.
int in_sphere(const GridPoint& a, const GridPoint& b, const GridPoint& c, const GridPoint& d, const GridPoint& e) {
  const std::array<GridPoint, 4> p{a - e, b - e, c - e, d - e};
  double magnitude = 0;
  const double rounded = sphere_determinant<double>(p, magnitude);
  if (std::abs(rounded) > kDeterminantRounding * magnitude) return sign(rounded);
  return sign(sphere_determinant<Int128>(p, magnitude));
}

std::vector<GridPoint> on_delaunay_grid(std::span<const Vec3d> points) {
  Box box;
  for (const Vec3d& p : points) box.add(p);
  const Vec3d sides = box.hi - box.lo;
  const double cell = delaunay_grid(std::max({sides.x, sides.y, sides.z}));
  std::vector<GridPoint> sites;
  sites.reserve(points.size());
  const Vec3d lo{std::floor(box.lo.x / cell), std::floor(box.lo.y / cell), std::floor(box.lo.z / cell)};
  for (const Vec3d& p : points) {
    GridPoint s{};
    for (int k = 0; k < 3; ++k) s[static_cast<std::size_t>(k)] = std::llround(p[k] / cell - lo[k]);
    sites.push_back(s);
  }
  return sites;
}

/// Along a curve through space, so that a point is put in near the one before.
std::vector<std::uint32_t> along_a_curve(std::span<const GridPoint> sites) {
  const auto spread = [](std::uint64_t x) {  // 21 bits, two empty ones after each
    x = (x | x << 32U) & 0x1f00000000ffffULL;
    x = (x | x << 16U) & 0x1f0000ff0000ffULL;
    x = (x | x << 8U) & 0x100f00f00f00f00fULL;
    x = (x | x << 4U) & 0x10c30c30c30c30c3ULL;
    return (x | x << 2U) & 0x1249249249249249ULL;
  };
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
  for (std::uint32_t i = 0; i < sites.size(); ++i) {
    std::uint64_t key = 0;
    for (std::size_t k = 0; k < 3; ++k) key |= spread(static_cast<std::uint64_t>(sites[i][k]) >> 3U) << k;
    keys.emplace_back(key, i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::uint32_t> order;
  for (const auto& [key, i] : keys) order.push_back(i);
  return order;
}

class Triangulation {
 public:
  explicit Triangulation(std::vector<GridPoint> sites)
      : sites_(std::move(sites)), infinite_(static_cast<std::uint32_t>(sites_.size())) {}

  /// False: all points are in a plane.
  bool run() {
    std::vector<std::uint32_t> order = along_a_curve(sites_);
    if (!begin(order)) return false;
    for (const std::uint32_t point : order) insert(point);
    return true;
  }

  [[nodiscard]] std::vector<Tetrahedron> result() const {
    std::vector<Tetrahedron> list;
    for (const Cell& c : cells_) {
      if (!c.alive || slot_of_infinite(c) < 4) continue;
      // Even permutations alone: it stays positive.
      Tetrahedron t = c.corner;
      const auto least = static_cast<std::size_t>(std::min_element(t.begin(), t.end()) - t.begin());
      if (least != 0) {
        std::swap(t[0], t[least]);
        std::swap(t[1 + least % 3], t[1 + (least + 1) % 3]);
      }
      const auto next = std::min_element(t.begin() + 1, t.end());
      std::rotate(t.begin() + 1, next, t.end());
      list.push_back(t);
    }
    std::sort(list.begin(), list.end());
    return list;
  }

 private:
  /// A neighbour is on the other side of the face across from the corner of the same number. One corner may be at
  /// infinity: with a point in its place the cell is positive when the point is outside the hull's face.
  struct Cell {
    Tetrahedron corner{};
    std::array<std::uint32_t, 4> neighbour{kNoCell, kNoCell, kNoCell, kNoCell};
    bool alive = true;
    std::uint32_t seen = kNoCell;  // by which insertion, as held
  };
  /// A face of the hole, or of what fills it: an edge of the hole's rim meets two of the new cells.
  struct Rim {
    std::uint64_t edge;
    std::uint32_t cell, slot;
    bool operator<(const Rim& other) const { return edge != other.edge ? edge < other.edge : cell < other.cell; }
  };

  [[nodiscard]] std::size_t slot_of_infinite(const Cell& c) const {
    return static_cast<std::size_t>(std::find(c.corner.begin(), c.corner.end(), infinite_) - c.corner.begin());
  }
  [[nodiscard]] int orientation_with(const Cell& c, std::size_t slot, std::uint32_t point) const {
    Tetrahedron t = c.corner;
    t[slot] = point;
    return orientation(sites_[t[0]], sites_[t[1]], sites_[t[2]], sites_[t[3]]);
  }
  [[nodiscard]] bool holds(const Cell& c, std::uint32_t point) const {
    const std::size_t slot = slot_of_infinite(c);
    if (slot == 4)
      return in_sphere(sites_[c.corner[0]], sites_[c.corner[1]], sites_[c.corner[2]], sites_[c.corner[3]],
                       sites_[point]) > 0;
    const int side = orientation_with(c, slot, point);
    // In the plane of the hull's face: its circle is the one of the sphere behind it.
    return side != 0 ? side > 0 : holds(cells_[c.neighbour[slot]], point);
  }

  /// The first tetrahedron; its points leave the order.
  bool begin(std::vector<std::uint32_t>& order) {
    Tetrahedron first{};
    std::size_t count = 0;
    const auto spans = [&](std::uint32_t point) {
      const GridPoint d = sites_[point] - sites_[first[0]];
      if (count < 2) return count == 0 || d != GridPoint{};
      const GridPoint u = sites_[first[1]] - sites_[first[0]];
      if (count == 2) {
        for (std::size_t k = 0; k < 3; ++k)
          if (u[k] * d[(k + 1) % 3] != u[(k + 1) % 3] * d[k]) return true;
        return false;
      }
      return orientation(sites_[first[0]], sites_[first[1]], sites_[first[2]], sites_[point]) != 0;
    };
    std::erase_if(order, [&](std::uint32_t point) {
      if (count == 4 || !spans(point)) return false;
      first[count++] = point;
      return true;
    });
    if (count < 4) return false;
    if (orientation(sites_[first[0]], sites_[first[1]], sites_[first[2]], sites_[first[3]]) < 0)
      std::swap(first[2], first[3]);
    cells_.resize(5);
    cells_[0].corner = first;
    for (std::uint32_t i = 0; i < 4; ++i) {
      Cell& outer = cells_[i + 1];
      outer.corner = first;
      outer.corner[i] = infinite_;
      std::swap(outer.corner[(i + 1) % 4], outer.corner[(i + 2) % 4]);  // seen from the other side
      cells_[0].neighbour[i] = i + 1;
      outer.neighbour[i] = 0;
    }
    for (std::uint32_t i = 1; i < 5; ++i)
      for (std::size_t slot = 0; slot < 4; ++slot)
        if (const std::uint32_t corner = cells_[i].corner[slot]; corner != infinite_)
          cells_[i].neighbour[slot] =
              1 + static_cast<std::uint32_t>(std::find(first.begin(), first.end(), corner) - first.begin());
    return true;
  }

  /// A cell that holds the point: through faces that it is behind, which ends, since spheres come nearer to it.
  /// kNoCell: it is a corner already.
  [[nodiscard]] std::uint32_t locate(std::uint32_t point) const {
    std::uint32_t at = last_;
    if (const std::size_t slot = slot_of_infinite(cells_[at]); slot < 4) at = cells_[at].neighbour[slot];
    for (bool moved = true; moved;) {
      moved = false;
      const Cell& c = cells_[at];
      for (std::size_t i = 0; i < 4 && !moved; ++i)
        if (orientation_with(c, i, point) < 0) {
          at = c.neighbour[i];
          moved = true;
        }
      if (moved && slot_of_infinite(cells_[at]) < 4) return at;
    }
    for (const std::uint32_t corner : cells_[at].corner)
      if (sites_[corner] == sites_[point]) return kNoCell;
    return at;
  }

  std::uint32_t new_cell() {
    if (free_.empty()) {
      cells_.emplace_back();
      return static_cast<std::uint32_t>(cells_.size() - 1);
    }
    const std::uint32_t cell = free_.back();
    free_.pop_back();
    cells_[cell] = {};
    return cell;
  }

  void insert(std::uint32_t point) {
    const std::uint32_t start = locate(point);
    if (start == kNoCell) return;
    hole_.assign(1, start);
    cells_[start].seen = point;
    rim_.clear();
    filling_.clear();
    for (std::size_t next = 0; next < hole_.size(); ++next)
      for (std::size_t i = 0; i < 4; ++i) {
        const std::uint32_t other = cells_[hole_[next]].neighbour[i];
        if (cells_[other].seen == point) continue;
        if (holds(cells_[other], point)) {
          cells_[other].seen = point;
          hole_.push_back(other);
          continue;
        }
        filling_.push_back({hole_[next], static_cast<std::uint32_t>(i), other});
      }
    for (const auto& [inner, slot, outer] : filling_) {
      const std::uint32_t made = new_cell();
      Cell& c = cells_[made];
      c.corner = cells_[inner].corner;
      c.corner[slot] = point;
      c.neighbour[slot] = outer;
      auto& back = cells_[outer].neighbour;
      *std::find(back.begin(), back.end(), inner) = made;
      for (std::uint32_t j = 0; j < 4; ++j) {
        if (j == slot) continue;
        std::array<std::uint32_t, 2> edge{};
        std::size_t n = 0;
        for (std::uint32_t k = 0; k < 4; ++k)
          if (k != slot && k != j) edge[n++] = c.corner[k];
        rim_.push_back(
            {static_cast<std::uint64_t>(std::min(edge[0], edge[1])) << 32U | std::max(edge[0], edge[1]), made, j});
      }
      last_ = made;
    }
    std::sort(rim_.begin(), rim_.end());
    for (std::size_t k = 0; k + 1 < rim_.size(); k += 2) {
      cells_[rim_[k].cell].neighbour[rim_[k].slot] = rim_[k + 1].cell;
      cells_[rim_[k + 1].cell].neighbour[rim_[k + 1].slot] = rim_[k].cell;
    }
    for (const std::uint32_t gone : hole_) {
      cells_[gone].alive = false;
      free_.push_back(gone);
    }
  }

  std::vector<GridPoint> sites_;
  std::uint32_t infinite_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> free_, hole_;
  std::vector<std::array<std::uint32_t, 3>> filling_;  // inner cell, its face, outer cell
  std::vector<Rim> rim_;
  std::uint32_t last_ = 0;
};

}  // namespace

double delaunay_grid(double side) {
  return side > 0 && std::isfinite(side) ? std::ldexp(1.0, std::ilogb(side) + 1 - kDelaunayGridBits) : 1;
}

std::vector<Tetrahedron> delaunay_tetrahedra(std::span<const Vec3d> points) {
  Triangulation triangulation(points.empty() ? std::vector<GridPoint>{} : on_delaunay_grid(points));
  if (points.size() < 5 || !triangulation.run())
    throw Error(ErrorCode::bad_character, "control mesh", "its points span no volume; is the mesh flat or empty?");
  return triangulation.result();
}

}  // namespace cutis
