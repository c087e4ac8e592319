// An independent exact answer to "do these triangles meet", for integer coordinates.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace cutis::test {

__extension__ typedef __int128 Wide;  // "using" would warn that it is not in the standard
using Point = std::array<std::int64_t, 3>;
using Corners = std::array<Point, 3>;
using Axis = std::array<Wide, 3>;

// Two convex sets are apart when some axis separates them strictly; for triangles the axes to try are the normals,
// products of edges, and in one plane the edges' normals. All in integers.
inline Axis difference(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Axis product(const Axis& a, const Axis& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline bool separates(const Axis& n, const Corners& a, const Corners& b) {
  const auto range = [&](const Corners& t) {
    std::array<Wide, 3> d{};
    for (std::size_t i = 0; i < 3; ++i) d[i] = n[0] * t[i][0] + n[1] * t[i][1] + n[2] * t[i][2];
    return std::pair{std::min({d[0], d[1], d[2]}), std::max({d[0], d[1], d[2]})};
  };
  const auto [a_lo, a_hi] = range(a);
  const auto [b_lo, b_hi] = range(b);
  return a_hi < b_lo || b_hi < a_lo;
}
/// No point in common. Both triangles must have an area; coordinates up to 2^24.
inline bool separated(const Corners& a, const Corners& b) {
  const auto edge = [](const Corners& t, std::size_t k) { return difference(t[(k + 1) % 3], t[k]); };
  const Axis na = product(edge(a, 0), edge(a, 1)), nb = product(edge(b, 0), edge(b, 1));
  if (separates(na, a, b) || separates(nb, a, b)) return true;
  for (std::size_t i = 0; i < 3; ++i) {
    if (separates(product(na, edge(a, i)), a, b) || separates(product(nb, edge(b, i)), a, b)) return true;
    for (std::size_t j = 0; j < 3; ++j)
      if (separates(product(edge(a, i), edge(b, j)), a, b)) return true;
  }
  return false;
}

}  // namespace cutis::test
