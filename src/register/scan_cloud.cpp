// Planes: hypotheses from points and their normals, the one with the most points near it, refined by least squares
// (RANSAC with a fixed sequence). A plane is taken for floor, table or wall when it is wide beside what is left, and
// what is left lies on one side of it; a wide patch that is very flat goes by itself, whatever lies beyond it (a table
// beside a person, a floor before a wall). Normals: least spread of a point's neighbours (Hoppe 1992), with the sign of
// the file's or, where it has none, along a tree of neighbours whose normals agree best.
#include "register/scan_cloud.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <unordered_map>

#include "base/hash.h"
#include "base/parallel_for.h"
#include "base/polar.h"
#include "cutis/error.h"

namespace cutis {
namespace {

constexpr std::size_t kLeastPoints = 100;      // a body cannot be told from fewer
constexpr std::size_t kDense = 4;              // points looked at first, times those that are kept
constexpr std::size_t kNeighbours = 12;        // that make a normal: two rings
constexpr std::size_t kPlanePoints = 4000;     // that vote for planes
constexpr std::size_t kHypotheses = 300;       // a plane with 3% of the points is missed once in ten thousand
constexpr int kMostPlanes = 3;                 // floor, wall, table
constexpr double kBand = 0.004;                // half a plane's thickness, of the extent of all points
constexpr double kThickest = 0.008;            // the same of a noisy one
constexpr double kFlat = 0.8;                  // cosine of normals that lie across a plane
constexpr double kLeastShare = 0.05;           // of the points, in a plane that matters
constexpr double kLeastSpread = 0.9;           // of a plane, beside that of the others along it: it reaches beyond them
constexpr double kFacingOff = 0.3;             // cosine: of what is counted then; walls of feet and legs are not
constexpr double kWider = 2.5, kSharp = 0.85;  // so much wider, a plane has hardly more points; curved skin has
constexpr double kOtherSide = 0.04;  // share of the others that may be beyond a plane: noise, feet that sink in
// A patch that goes by itself: its narrower spread beside the extent of the others, and how sharp it is.
constexpr double kLeastPatch = 0.08, kSharpPatch = 0.9;
constexpr int kViews = 60;                         // directions that a scanner may look from
constexpr int kLeastViews = 2;                     // that have to show a point
constexpr double kViewCell = 2.5, kViewDepth = 2;  // in spacings: width of a cell, and how far behind its front is seen
constexpr double kStrayFactor = 5;                 // of the usual distance to neighbours
constexpr double kSmallPiece = 0.004;              // share of the points: smaller pieces on their own are dirt

struct Points {
  std::vector<Vec3d> p, n;  // n: as the file has them, 0 where it has none
};

double fraction(std::size_t i, double step) {
  const double x = static_cast<double>(i) * step;
  return x - std::floor(x);
}

// Evenly over the triangles; or the points themselves, every so many.
Points dense_points(const Scan& scan, std::size_t most) {
  Points result;
  if (scan.triangles.empty()) {
    const std::size_t step = (scan.positions.size() + most - 1) / most;
    for (std::size_t i = 0; i < scan.positions.size(); i += step) {
      result.p.push_back(static_cast<Vec3d>(scan.positions[i]));
      result.n.push_back(scan.normals.empty() ? Vec3d{} : normalized(static_cast<Vec3d>(scan.normals[i])));
    }
    return result;
  }
  std::vector<double> until;
  double total = 0;
  for (const Triangle& t : scan.triangles) {
    const auto a = static_cast<Vec3d>(scan.positions[t[0]]), b = static_cast<Vec3d>(scan.positions[t[1]]),
               c = static_cast<Vec3d>(scan.positions[t[2]]);
    total += length(cross(b - a, c - a));
    until.push_back(total);
  }
  if (!(total > 0) || !std::isfinite(total))
    throw Error(ErrorCode::bad_argument, scan.source, "its triangles have no area");
  for (std::size_t i = 0; i < most; ++i) {
    const double at = total * (static_cast<double>(i) + 0.5) / static_cast<double>(most);
    const auto t =
        std::min(static_cast<std::size_t>(std::ranges::upper_bound(until, at) - until.begin()), until.size() - 1);
    const auto a = static_cast<Vec3d>(scan.positions[scan.triangles[t][0]]),
               b = static_cast<Vec3d>(scan.positions[scan.triangles[t][1]]),
               c = static_cast<Vec3d>(scan.positions[scan.triangles[t][2]]);
    // A sequence of low discrepancy in the plane (Roberts 2018), folded into the triangle.
    double u = fraction(i + 1, 0.7548776662466927), v = fraction(i + 1, 0.5698402909980532);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    result.p.push_back(a + (b - a) * u + (c - a) * v);
    result.n.push_back(normalized(cross(b - a, c - a)));
  }
  return result;
}

Points chosen(const Points& all, const std::vector<std::uint32_t>& which) {
  Points result;
  for (const std::uint32_t i : which) {
    result.p.push_back(all.p[i]);
    result.n.push_back(all.n[i]);
  }
  return result;
}

double extent_of(const std::vector<Vec3d>& p) {
  Box box;
  for (const Vec3d& q : p) box.add(q);
  return diagonal(box);
}

struct Plane {
  Vec3d normal;  // to the side of the body
  double offset = 0;
  bool patch = false;  // what lies beyond it stays
  [[nodiscard]] double height(const Vec3d& p) const { return dot(normal, p) - offset; }
};

/// The direction of least spread of points around their mean.
Vec3d least_spread(std::span<const Vec3d> p, Vec3d& mean) {
  mean = {};
  for (const Vec3d& q : p) mean += q;
  mean = mean / static_cast<double>(p.size());
  Mat3d c{{Vec3d{}, Vec3d{}, Vec3d{}}};
  for (const Vec3d& q : p) {
    const Vec3d d = q - mean;
    for (int k = 0; k < 3; ++k) c.col[static_cast<std::size_t>(k)] += d * d[k];
  }
  const SymmetricEigen e = eigen_decompose(c);
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (e.values[k] < e.values[least]) least = k;
  return normalized(e.vectors.col[static_cast<std::size_t>(least)], Vec3d{0, 1, 0});
}

/// Of points in a plane, along the direction in it in which they spread least: root mean square.
double narrower_spread(std::span<const Vec3d> p, const Vec3d& normal) {
  Vec3d mean;
  for (const Vec3d& q : p) mean += q;
  mean = mean / static_cast<double>(p.size());
  const Vec3d x = any_perpendicular(normal), y = cross(normal, x);
  double xx = 0, xy = 0, yy = 0;
  for (const Vec3d& q : p) {
    const double a = dot(x, q - mean), b = dot(y, q - mean);
    xx += a * a, xy += a * b, yy += b * b;
  }
  const double least = 0.5 * (xx + yy) - std::sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy);
  return std::sqrt(std::max(least, 0.0) / static_cast<double>(p.size()));
}

struct Surface {
  std::vector<Vec3d> normal;
  std::vector<double> off, near;  // distance from the neighbours' plane; mean distance to the nearest six
};

Surface surface_at(const Points& points, const PointTree& tree, const Context& context) {
  Surface result;
  const std::size_t n = points.p.size();
  result.normal.resize(n);
  result.off.resize(n);
  result.near.resize(n);
  parallel_for(context, n, 512, [&](std::size_t begin, std::size_t end) {
    std::vector<PointTree::Near> found;
    std::vector<Vec3d> around;
    for (std::size_t i = begin; i < end; ++i) {
      tree.nearest(points.p[i], kNeighbours + 1, 1e300, found);
      around.clear();
      double sum = 0, count = 0;
      for (const auto& near : found) {
        if (near.point != i && count < 6) sum += std::sqrt(near.squared), ++count;
        // Not the other side of something thin, where that is known.
        if (near.point == i || !(dot(points.n[near.point], points.n[i]) < -0.2)) around.push_back(points.p[near.point]);
      }
      Vec3d mean;
      result.normal[i] = around.size() >= 4 ? least_spread(around, mean) : normalized(points.n[i], Vec3d{0, 1, 0});
      result.off[i] = around.size() >= 4 ? std::abs(dot(result.normal[i], points.p[i] - mean)) : 0;
      result.near[i] = count > 0 ? sum / count : 0;
    }
  });
  return result;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// ---- planes ----

/// The plane that most of the points lie in; none when it is not floor, table or wall.
std::optional<Plane> find_plane(const Points& points, const Surface& surface, double band, std::uint64_t seed) {
  const std::vector<Vec3d>& normals = surface.normal;
  const double alone = kStrayFactor * median_of(surface.near);
  const std::size_t n = points.p.size(), step = std::max<std::size_t>(1, n / kPlanePoints);
  const auto is_in = [&](const Plane& plane, std::size_t i) {
    return std::abs(plane.height(points.p[i])) < band && std::abs(dot(plane.normal, normals[i])) > kFlat;
  };
  Plane best;
  std::size_t most = 0;
  for (std::size_t k = 0; k < kHypotheses; ++k) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto i = static_cast<std::size_t>((seed >> 33U) % n);
    Plane plane{normals[i], dot(normals[i], points.p[i])};
    std::size_t count = 0;
    for (std::size_t j = 0; j < n; j += step) count += is_in(plane, j) ? 1 : 0;
    if (count > most) most = count, best = plane;
  }
  if (most < 3) return {};
  std::vector<Vec3d> inside;
  for (int round = 0; round < 4; ++round) {
    inside.clear();
    for (std::size_t i = 0; i < n; ++i)
      if (is_in(best, i)) inside.push_back(points.p[i]);
    if (inside.size() < 3) return {};
    Vec3d mean;
    best.normal = least_spread(inside, mean);
    best.offset = dot(best.normal, mean);
  }
  std::size_t wider = 0;
  for (std::size_t i = 0; i < n; ++i)
    wider += std::abs(best.height(points.p[i])) < kWider * band && std::abs(dot(best.normal, normals[i])) > kFacingOff;
  const double sharp = static_cast<double>(inside.size()) / static_cast<double>(std::max<std::size_t>(wider, 1));
  if (sharp < kSharp) return {};
  const auto spread_along = [&](const std::vector<Vec3d>& p) {
    Vec3d mean;
    for (const Vec3d& q : p) mean += q;
    mean = mean / static_cast<double>(p.size());
    double sum = 0;
    for (const Vec3d& q : p) {
      const Vec3d d = q - mean, along = d - best.normal * dot(best.normal, d);
      sum += dot(along, along);
    }
    return std::sqrt(sum / static_cast<double>(p.size()));
  };
  std::vector<Vec3d> others;
  std::size_t above = 0, below = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (is_in(best, i) || surface.near[i] > alone) continue;
    const double h = best.height(points.p[i]);
    if (std::abs(h) > band) ++(h > 0 ? above : below), others.push_back(points.p[i]);
  }
  if (others.size() < kLeastPoints / 2) return {};
  if (above < below) best = {-best.normal, -best.offset}, std::swap(above, below);
  const double share = static_cast<double>(inside.size()) / static_cast<double>(n);
  if (share < kLeastShare) return {};
  if (static_cast<double>(below) <= kOtherSide * static_cast<double>(others.size()) &&
      spread_along(inside) > kLeastSpread * spread_along(others))
    return best;
  best.patch = true;
  if (sharp > kSharpPatch && narrower_spread(inside, best.normal) > kLeastPatch * extent_of(others)) return best;
  return {};
}

// ---- strays ----

/// What hangs together: pieces by falling size; -1: alone, or in a small piece.
std::vector<int> find_pieces(const Points& points, const PointTree& tree, const Surface& surface, std::size_t& pieces) {
  const std::size_t n = points.p.size();
  const double usual = median_of(surface.near);
  std::vector<int> piece(n, -1);
  std::vector<std::size_t> size;
  std::vector<std::uint32_t> stack;
  std::vector<PointTree::Near> found;
  for (std::size_t i = 0; i < n; ++i) {
    if (piece[i] >= 0 || surface.near[i] > kStrayFactor * usual) continue;
    const int id = static_cast<int>(size.size());
    size.push_back(0);
    stack.assign(1, static_cast<std::uint32_t>(i));
    piece[i] = id;
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      ++size.back();
      tree.nearest(points.p[at], kNeighbours, kStrayFactor * usual, found);
      for (const auto& near : found)
        if (piece[near.point] < 0 && !(surface.near[near.point] > kStrayFactor * usual)) {
          piece[near.point] = id;
          stack.push_back(near.point);
        }
    }
  }
  std::vector<std::size_t> order(size.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  std::vector<int> rank(size.size(), -1);
  pieces = 0;
  for (const std::size_t i : order)
    if (static_cast<double>(size[i]) >= kSmallPiece * static_cast<double>(n)) rank[i] = static_cast<int>(pieces++);
  for (int& p : piece) p = p >= 0 ? rank[static_cast<std::size_t>(p)] : -1;
  return piece;
}

// ---- what no scanner sees ----

/// Points that are in front from some directions: within a column's front, along directions spread over all.
std::vector<char> seen_from_outside(std::span<const Vec3d> points, double spacing, const Context& context) {
  std::vector<std::vector<char>> seen(kViews);
  parallel_for(context, kViews, 1, [&](std::size_t begin, std::size_t end) {
    std::unordered_map<std::uint64_t, double> front;
    for (std::size_t k = begin; k < end; ++k) {
      const double up = 1 - 2 * (static_cast<double>(k) + 0.5) / kViews, out = std::sqrt(1 - up * up),
                   turn = 2.399963229728653 * static_cast<double>(k);
      const Vec3d v{out * std::cos(turn), up, out * std::sin(turn)};
      const Vec3d x = any_perpendicular(v), y = cross(v, x);
      const auto column = [&](const Vec3d& p) {
        const auto cell = [&](const Vec3d& axis) {
          return static_cast<std::uint64_t>(
              static_cast<std::int64_t>(std::floor(dot(axis, p) / (kViewCell * spacing))));
        };
        return cell(x) << 32U ^ (cell(y) & 0xffffffffU);
      };
      front.clear();
      for (const Vec3d& p : points) {
        const auto [at, fresh] = front.try_emplace(column(p), dot(v, p));
        if (!fresh) at->second = std::max(at->second, dot(v, p));
      }
      seen[k].resize(points.size());
      for (std::size_t i = 0; i < points.size(); ++i)
        seen[k][i] = dot(v, points[i]) > front[column(points[i])] - kViewDepth * spacing ? 1 : 0;
    }
  });
  std::vector<char> result(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    int views = 0;
    for (const std::vector<char>& one : seen) views += one[i];
    result[i] = views >= kLeastViews ? 1 : 0;
  }
  return result;
}

// ---- signs of normals ----

void turn_outwards(ScanCloud& cloud, const PointTree& tree) {
  const std::size_t n = cloud.points.size();
  struct Way {
    double unlike;
    std::uint32_t to, from;
    bool operator<(const Way& b) const {  // the most alike comes first
      return unlike > b.unlike || (unlike == b.unlike && to > b.to);
    }
  };
  Vec3d mean;
  for (const Vec3d& p : cloud.points) mean += p;
  mean = mean / static_cast<double>(n);
  std::vector<std::uint32_t> outer(n);
  for (std::uint32_t i = 0; i < n; ++i) outer[i] = i;
  std::ranges::stable_sort(outer, [&](std::uint32_t a, std::uint32_t b) {
    return length(cloud.points[a] - mean) > length(cloud.points[b] - mean);
  });
  std::vector<char> done(n, 0);
  std::vector<PointTree::Near> found;
  for (const std::uint32_t start : outer) {
    if (done[start]) continue;
    // The outermost point of a piece faces away from the middle.
    if (dot(cloud.normals[start], cloud.points[start] - mean) < 0) cloud.normals[start] = -cloud.normals[start];
    std::priority_queue<Way> ways;
    ways.push({0, start, start});
    while (!ways.empty()) {
      const Way way = ways.top();
      ways.pop();
      if (done[way.to]) continue;
      done[way.to] = 1;
      if (dot(cloud.normals[way.to], cloud.normals[way.from]) < 0) cloud.normals[way.to] = -cloud.normals[way.to];
      tree.nearest(cloud.points[way.to], kNeighbours, 1e300, found);
      for (const auto& near : found)
        if (!done[near.point])
          ways.push({1 - std::abs(dot(cloud.normals[near.point], cloud.normals[way.to])), near.point, way.to});
    }
  }
}

/// Along which direction the points lie in one layer, as what a scanner sees from one side does; none: along no one.
std::optional<Vec3d> one_sided(const ScanCloud& cloud) {
  constexpr int kDirections = 100;         // over a half space: ten degrees apart
  constexpr double kCell = 2, kLayer = 4;  // in spacings: width of a column, depth that is another layer
  constexpr double kMostDeep = 0.3;        // share of columns with two layers; steep skin looks like two
  double least = kMostDeep;
  std::optional<Vec3d> best;
  for (int k = 0; k < kDirections; ++k) {
    const double up = (k + 0.5) / kDirections, out = std::sqrt(1 - up * up), turn = 2.399963229728653 * k;
    const Vec3d v{out * std::cos(turn), up, out * std::sin(turn)};
    const Vec3d x = any_perpendicular(v), y = cross(v, x);
    struct Column {
      double low = 1e300, high = -1e300;
    };
    std::unordered_map<std::uint64_t, Column> columns;
    for (const Vec3d& p : cloud.points) {
      const auto cell = [&](const Vec3d& axis) {
        return static_cast<std::uint64_t>(
            static_cast<std::int64_t>(std::floor(dot(axis, p) / (kCell * cloud.spacing))));
      };
      Column& column = columns[cell(x) << 32U ^ (cell(y) & 0xffffffffU)];
      column.low = std::min(column.low, dot(v, p));
      column.high = std::max(column.high, dot(v, p));
    }
    double deep = 0;
    for (const auto& [key, column] : columns) deep += column.high - column.low > kLayer * cloud.spacing ? 1 : 0;
    deep /= static_cast<double>(columns.size());
    if (deep < least) least = deep, best = v;
  }
  return best;
}

/// Whether normals point into hollows rather than off bulges, over all: bodies bulge.
bool faces_hollows(const ScanCloud& cloud, const PointTree& tree) {
  constexpr std::size_t kAround = 60;
  double sum = 0;
  std::vector<PointTree::Near> found;
  for (std::size_t i = 0; i < cloud.points.size(); i += 4) {
    tree.nearest(cloud.points[i], kAround, 1e300, found);
    Vec3d mean;
    for (const auto& near : found) mean += cloud.points[near.point];
    sum += dot(cloud.normals[i], cloud.points[i] - mean / static_cast<double>(found.size()));
  }
  return sum < 0;
}

/// Whether the normals point inwards as a whole: at the ends along many directions.
bool faces_inwards(const ScanCloud& cloud) {
  double sum = 0;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z) {
        if (x == 0 && y == 0 && z == 0) continue;
        const Vec3d d = normalized(Vec3d{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
        std::size_t far = 0;
        for (std::size_t i = 1; i < cloud.points.size(); ++i)
          if (dot(d, cloud.points[i]) > dot(d, cloud.points[far])) far = i;
        sum += dot(d, cloud.normals[far]);
      }
  return sum < 0;
}

}  // namespace

std::vector<std::uint32_t> thinned(const std::vector<Vec3d>& points, std::size_t most) {
  std::vector<std::uint32_t> result(points.size());
  for (std::uint32_t i = 0; i < points.size(); ++i) result[i] = i;
  if (points.size() <= most) return result;
  Box box;
  for (const Vec3d& p : points) box.add(p);
  const double extent = diagonal(box);
  struct Cell {
    Vec3d sum;
    double count = 0;
    std::uint32_t best = 0;
    double nearest = 1e300;
  };
  // At first far too small: as if all points were within a tenth of the box.
  double side = 0.05 * extent / std::sqrt(static_cast<double>(std::max<std::size_t>(most, 1)));
  for (int round = 0; round < 80; ++round, side *= 1.12) {
    std::unordered_map<std::uint64_t, std::uint32_t> index;
    std::vector<Cell> cells;
    const auto key = [&](const Vec3d& p) {
      const auto part = [&](int k) { return static_cast<std::uint64_t>((p[k] - box.lo[k]) / side) & 0x1fffffU; };
      return part(0) << 42U | part(1) << 21U | part(2);
    };
    std::vector<std::uint32_t> cell_of(points.size());
    for (std::size_t i = 0; i < points.size() && cells.size() <= most; ++i) {
      const auto [at, fresh] = index.try_emplace(key(points[i]), static_cast<std::uint32_t>(cells.size()));
      if (fresh) cells.emplace_back();
      cell_of[i] = at->second;
      cells[at->second].sum += points[i];
      cells[at->second].count += 1;
    }
    if (cells.size() > most) continue;
    for (std::uint32_t i = 0; i < points.size(); ++i) {
      Cell& cell = cells[cell_of[i]];
      const Vec3d d = points[i] - cell.sum / cell.count;
      if (dot(d, d) < cell.nearest) cell.nearest = dot(d, d), cell.best = i;
    }
    result.clear();
    for (const Cell& cell : cells) result.push_back(cell.best);
    std::ranges::sort(result);
    return result;
  }
  result.resize(most);
  return result;
}

ScanCloud make_cloud(const Scan& scan, const RegisterOptions& options, const Context& context) {
  const auto most = static_cast<std::size_t>(options.points);
  const auto too_few = [&](std::size_t left) {
    if (left < kLeastPoints)
      throw Error(ErrorCode::bad_argument, scan.source,
                  fmt::format("only {} points of the scan are left to look at, and a body cannot be told from fewer "
                              "than {}; scan it more densely",
                              left, kLeastPoints));
  };
  too_few(scan.triangles.empty() ? scan.positions.size() : kLeastPoints);
  context.progress("scan", 0);
  Points all = dense_points(scan, kDense * most);
  const double whole = extent_of(all.p);
  if (!(whole > 0) || !std::isfinite(whole))
    throw Error(ErrorCode::bad_argument, scan.source, "all points of the scan are at one place");

  ScanCloud cloud;
  if (options.floor) {
    // Found among few points, taken out of all.
    for (int k = 0; k < kMostPlanes; ++k) {
      context.check_cancelled();
      const Points few = chosen(all, thinned(all.p, most / 3));
      const PointTree tree(few.p);
      const Surface surface = surface_at(few, tree, context);
      const double extent = extent_of(few.p);
      const double band = std::clamp(3 * 1.4826 * median_of(surface.off), kBand * extent, kThickest * extent);
      const auto plane = find_plane(few, surface, band, 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(k));
      if (!plane) break;
      Points rest;
      for (std::size_t i = 0; i < all.p.size(); ++i) {
        if (plane->patch ? std::abs(plane->height(all.p[i])) < band : plane->height(all.p[i]) < band) {
          ++cloud.plane_points;
          continue;
        }
        rest.p.push_back(all.p[i]);
        rest.n.push_back(all.n[i]);
      }
      all = std::move(rest);
      cloud.plane_normals.push_back(plane->normal);
      ++cloud.planes;
    }
  }
  too_few(all.p.size());
  Points points = chosen(all, thinned(all.p, most));
  {
    const PointTree tree(points.p);
    const Surface surface = surface_at(points, tree, context);
    const std::vector<int> piece = find_pieces(points, tree, surface, cloud.pieces);
    const std::vector<char> seen = seen_from_outside(points.p, median_of(surface.near), context);
    std::vector<std::uint32_t> kept;
    for (std::uint32_t i = 0; i < piece.size(); ++i) {
      if (piece[i] < 0) {
        ++cloud.stray_points;
      } else if (!seen[i]) {
        ++cloud.hidden_points;
      } else {
        kept.push_back(i);
        cloud.piece.push_back(piece[i]);
      }
    }
    points = chosen(points, kept);
  }
  too_few(points.p.size());
  context.progress("scan", 0.6);
  const PointTree tree(points.p);
  const Surface surface = surface_at(points, tree, context);
  cloud.points = points.p;
  cloud.normals = surface.normal;
  cloud.spacing = median_of(surface.near);
  cloud.noise = 1.4826 * median_of(surface.off);
  std::size_t known = 0;
  for (const Vec3d& n : points.n) known += dot(n, n) > 0.5 ? 1 : 0;
  cloud.oriented = known > points.n.size() * 9 / 10;
  const std::optional<Vec3d> seen_along = one_sided(cloud);
  cloud.one_sided = seen_along.has_value();
  if (cloud.oriented) {
    for (std::size_t i = 0; i < points.n.size(); ++i)
      if (dot(points.n[i], cloud.normals[i]) < 0) cloud.normals[i] = -cloud.normals[i];
  } else if (seen_along) {
    for (Vec3d& n : cloud.normals)
      if (dot(n, *seen_along) < 0) n = -n;
    if (faces_hollows(cloud, tree))
      for (Vec3d& n : cloud.normals) n = -n;
  } else {
    turn_outwards(cloud, tree);
  }
  if ((cloud.oriented || !seen_along) && faces_inwards(cloud))
    for (Vec3d& n : cloud.normals) n = -n;
  context.progress("scan", 1);
  return cloud;
}

}  // namespace cutis
