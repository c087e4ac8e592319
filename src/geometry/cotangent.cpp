// Intrinsic triangulations: a triangle is its three edge lengths.
//   1. Mollify (Sharp, Crane, "A Laplacian for nonmanifold triangle meshes", SGP 2020): a small length is added to all
//      edges of a component, as much as its worst triangle needs to become a proper one.
//   2. Flip edges with two triangles until all are Delaunay (Fisher, Springborn, Bobenko, Schröder, "An algorithm for
//   the
//      construction of intrinsic Delaunay triangulations", SIGGRAPH courses 2006): their cotangents then sum to >= 0.
//   3. Edges that cannot be flipped (borders, three and more triangles, triangles of opposite directions) are clamped.
#include "geometry/cotangent.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/math.h"
#include "geometry/disjoint_sets.h"

namespace cutis {
namespace {

// The slack of the triangle inequality that every triangle gets, in mean edge lengths of its component.
constexpr double kSlack = 1e-5;
// Cotangent sums above this are rounding around 0: both diagonals of the quad are Delaunay.
constexpr double kDelaunay = -1e-10;
// Flips per edge: far beyond what meshes need, so that rounding cannot make the loop endless.
constexpr std::size_t kMostFlipsPerEdge = 64;

constexpr std::int64_t kNoTwin = -1;

class Intrinsic {
 public:
  Intrinsic(std::span<const Vec3d> positions, std::span<const Triangle> triangles)
      : vertex_(triangles.size() * 3), length_(triangles.size() * 3), twin_(triangles.size() * 3, kNoTwin) {
    for (std::size_t t = 0; t < triangles.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k) {
        vertex_[3 * t + k] = triangles[t][k];
        length_[3 * t + k] = distance(positions[triangles[t][k]], positions[triangles[t][(k + 1) % 3]]);
      }
    join(triangles.size());
  }

  // Half-edge h runs from vertex_[h] to vertex_[next(h)].
  static std::size_t next(std::size_t h) { return h % 3 == 2 ? h - 2 : h + 1; }
  static std::size_t previous(std::size_t h) { return h % 3 == 0 ? h + 2 : h - 1; }

  std::size_t mollify(std::size_t vertex_count) {
    const std::vector<std::uint32_t> component = components(vertex_count);
    std::vector<double> sum(vertex_count, 0), need(vertex_count, 0);
    std::vector<std::size_t> count(vertex_count, 0);
    for (std::size_t h = 0; h < length_.size(); ++h) {
      sum[component[vertex_[h]]] += length_[h];
      ++count[component[vertex_[h]]];
    }
    std::size_t thin = 0;
    for (std::size_t t = 0; 3 * t < length_.size(); ++t) {
      const std::uint32_t c = component[vertex_[3 * t]];
      const double mean = sum[c] / static_cast<double>(count[c]);
      const double l0 = length_[3 * t], l1 = length_[3 * t + 1], l2 = length_[3 * t + 2];
      const double slack = std::min({l0 + l1 - l2, l1 + l2 - l0, l2 + l0 - l1});
      if (slack >= kSlack * mean) continue;
      ++thin;
      need[c] = std::max(need[c], kSlack * mean - slack);
    }
    for (std::size_t h = 0; h < length_.size(); ++h) length_[h] += need[component[vertex_[h]]];
    return thin;
  }

  std::size_t flip_to_delaunay() {
    std::vector<std::size_t> queue;
    std::vector<char> queued(length_.size(), 0);
    const auto push = [&](std::size_t h) {
      if (twin_[h] == kNoTwin) return;
      h = std::min(h, static_cast<std::size_t>(twin_[h]));
      if (queued[h] != 0) return;
      queued[h] = 1;
      queue.push_back(h);
    };
    for (std::size_t h = length_.size(); h-- > 0;) push(h);
    std::size_t flips = 0;
    const std::size_t most = kMostFlipsPerEdge * length_.size();
    while (!queue.empty() && flips < most) {
      const std::size_t h = queue.back();
      queue.pop_back();
      queued[h] = 0;
      if (twin_[h] == kNoTwin) continue;
      const auto g = static_cast<std::size_t>(twin_[h]);
      if (h / 3 == g / 3 || cotangent(h) + cotangent(g) >= kDelaunay || !flip(h, g)) continue;
      ++flips;
      for (const std::size_t t : {h / 3, g / 3})
        for (std::size_t k = 0; k < 3; ++k) push(3 * t + k);
    }
    return flips;
  }

  // Of the angle opposite half-edge h.
  [[nodiscard]] double cotangent(std::size_t h) const {
    const double a = length_[h], b = length_[next(h)], c = length_[previous(h)];
    const double area = triangle_area(a, b, c);
    return area > 0 ? (b * b + c * c - a * a) / (4 * area) : 0;
  }
  [[nodiscard]] double area(std::size_t t) const {
    return triangle_area(length_[3 * t], length_[3 * t + 1], length_[3 * t + 2]);
  }
  [[nodiscard]] std::uint32_t vertex(std::size_t h) const { return vertex_[h]; }
  [[nodiscard]] std::size_t half_edges() const { return length_.size(); }

 private:
  // Heron's formula in Kahan's order, which loses no digits on thin triangles.
  static double triangle_area(double a, double b, double c) {
    if (a < b) std::swap(a, b);
    if (a < c) std::swap(a, c);
    if (b < c) std::swap(b, c);
    const double q = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c));
    return q > 0 ? 0.25 * std::sqrt(q) : 0;
  }

  // Twins: edges with exactly two triangles that run along it in opposite directions.
  void join(std::size_t triangles) {
    std::vector<std::size_t> order(3 * triangles);
    std::iota(order.begin(), order.end(), 0U);
    const auto key = [&](std::size_t h) {
      return std::pair{std::min(vertex_[h], vertex_[next(h)]), std::max(vertex_[h], vertex_[next(h)])};
    };
    std::sort(order.begin(), order.end(),
              [&](std::size_t g, std::size_t h) { return std::tuple{key(g), g} < std::tuple{key(h), h}; });
    for (std::size_t i = 0; i < order.size();) {
      std::size_t end = i + 1;
      while (end < order.size() && key(order[end]) == key(order[i])) ++end;
      if (end - i == 2 && vertex_[order[i]] != vertex_[order[i + 1]]) {
        twin_[order[i]] = static_cast<std::int64_t>(order[i + 1]);
        twin_[order[i + 1]] = static_cast<std::int64_t>(order[i]);
      }
      i = end;
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> components(std::size_t vertex_count) const {
    DisjointSets sets(vertex_count);
    for (std::size_t h = 0; h < vertex_.size(); ++h) sets.join(vertex_[h], vertex_[next(h)]);
    std::vector<std::uint32_t> component(vertex_count);
    for (std::uint32_t v = 0; v < vertex_count; ++v) component[v] = sets.find(v);
    return component;
  }

  // The other diagonal of the quad around edge h = (i,j), laid out in the plane with i at the origin and j on the x
  // axis. False, and nothing changes, when rounding leaves no proper triangles.
  bool flip(std::size_t h, std::size_t g) {
    const std::size_t hn = next(h), hp = previous(h), gn = next(g), gp = previous(g);
    const double base = length_[h];
    // Third vertex of triangle h: `from_i` away from i, `from_j` away from j.
    const auto apex = [&](double from_i, double from_j) {
      const double x = (base * base + from_i * from_i - from_j * from_j) / (2 * base);
      return std::pair{x, 2 * triangle_area(base, from_i, from_j) / base};
    };
    const auto [kx, ky] = apex(length_[hp], length_[hn]);
    const auto [lx, ly] = apex(length_[gn], length_[gp]);
    const double diagonal = std::hypot(kx - lx, ky + ly);
    const std::uint32_t i = vertex_[h], j = vertex_[g], k = vertex_[hp], l = vertex_[gp];
    const double jk = length_[hn], ki = length_[hp], il = length_[gn], lj = length_[gp];
    if (!(triangle_area(diagonal, lj, jk) > 0) || !(triangle_area(diagonal, ki, il) > 0)) return false;
    const std::array<std::int64_t, 4> outside{twin_[gp], twin_[hn], twin_[hp], twin_[gn]};

    const std::size_t p = h / 3 * 3, q = g / 3 * 3;
    vertex_[p] = k, vertex_[p + 1] = l, vertex_[p + 2] = j;
    length_[p] = diagonal, length_[p + 1] = lj, length_[p + 2] = jk;
    vertex_[q] = l, vertex_[q + 1] = k, vertex_[q + 2] = i;
    length_[q] = diagonal, length_[q + 1] = ki, length_[q + 2] = il;
    // Twins may be among the moved half-edges themselves (an edge glued to its neighbour): translate them.
    const std::array<std::size_t, 4> old{gp, hn, hp, gn}, now{p + 1, p + 2, q + 1, q + 2};
    const auto moved = [&](std::int64_t t) {
      for (std::size_t m = 0; m < 4; ++m)
        if (t == static_cast<std::int64_t>(old[m])) return static_cast<std::int64_t>(now[m]);
      return t;
    };
    for (std::size_t m = 0; m < 4; ++m) {
      const std::int64_t t = moved(outside[m]);
      twin_[now[m]] = t;
      if (t != kNoTwin) twin_[static_cast<std::size_t>(t)] = static_cast<std::int64_t>(now[m]);
    }
    twin_[p] = static_cast<std::int64_t>(q);
    twin_[q] = static_cast<std::int64_t>(p);
    return true;
  }

  std::vector<std::uint32_t> vertex_;
  std::vector<double> length_;
  std::vector<std::int64_t> twin_;
};

}  // namespace

CotangentLaplacian cotangent_laplacian(std::span<const Vec3d> positions, std::span<const Triangle> triangles) {
  CotangentLaplacian result;
  result.mass.assign(positions.size(), 0);
  Intrinsic mesh(positions, triangles);
  result.thin_triangles = mesh.mollify(positions.size());
  for (std::size_t t = 0; 3 * t < mesh.half_edges(); ++t)
    for (std::size_t k = 0; k < 3; ++k) result.mass[mesh.vertex(3 * t + k)] += mesh.area(t) / 3;
  result.flips = mesh.flip_to_delaunay();

  std::vector<EdgeWeight> edges;
  edges.reserve(mesh.half_edges());
  for (std::size_t h = 0; h < mesh.half_edges(); ++h) {
    const std::uint32_t a = mesh.vertex(h), b = mesh.vertex(Intrinsic::next(h));
    if (a != b) edges.push_back({std::min(a, b), std::max(a, b), 0.5 * mesh.cotangent(h)});
  }
  std::stable_sort(edges.begin(), edges.end(),
                   [](const EdgeWeight& p, const EdgeWeight& q) { return std::pair{p.a, p.b} < std::pair{q.a, q.b}; });
  for (const EdgeWeight& e : edges) {
    if (!result.edges.empty() && result.edges.back().a == e.a && result.edges.back().b == e.b)
      result.edges.back().weight += e.weight;
    else
      result.edges.push_back(e);
  }
  for (EdgeWeight& e : result.edges) e.weight = std::max(e.weight, 0.0);
  return result;
}

}  // namespace cutis
