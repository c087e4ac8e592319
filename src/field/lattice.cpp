#include "field/lattice.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace cutis {

namespace {

constexpr double kSearchNodes = 30'000;

int nodes_along(double size, double cell) { return static_cast<int>(std::ceil(size / cell - 1e-9)) + 1; }

// Marks what is connected to `seed` among nodes with wanted(i), with diagonals or without; returns how many.
template <class Wanted>
std::size_t flood(const Lattice& l, std::size_t seed, bool diagonals, std::vector<std::uint8_t>& mark,
                  Wanted&& wanted) {
  std::vector<std::size_t> stack{seed};
  mark[seed] = 1;
  std::size_t count = 0;
  const auto nx = static_cast<std::size_t>(l.nx), ny = static_cast<std::size_t>(l.ny);
  while (!stack.empty()) {
    const std::size_t at = stack.back();
    stack.pop_back();
    ++count;
    const int i = static_cast<int>(at % nx), j = static_cast<int>(at / nx % ny), k = static_cast<int>(at / (nx * ny));
    for (int dk = -1; dk <= 1; ++dk)
      for (int dj = -1; dj <= 1; ++dj)
        for (int di = -1; di <= 1; ++di) {
          if (!diagonals && std::abs(di) + std::abs(dj) + std::abs(dk) != 1) continue;
          const int a = i + di, b = j + dj, c = k + dk;
          if (a < 0 || b < 0 || c < 0 || a >= l.nx || b >= l.ny || c >= l.nz) continue;
          const std::size_t next =
              (static_cast<std::size_t>(c) * ny + static_cast<std::size_t>(b)) * nx + static_cast<std::size_t>(a);
          if (mark[next] != 0 || !wanted(next)) continue;
          mark[next] = 1;
          stack.push_back(next);
        }
  }
  return count;
}

}  // namespace

double lattice_nodes(const OrientedBox& box, double cell) {
  return static_cast<double>(nodes_along(box.size.x, cell)) * nodes_along(box.size.y, cell) *
         nodes_along(box.size.z, cell);
}

double bounded_cell(const OrientedBox& box, double cell, double max_nodes) {
  return std::max(cell, std::cbrt(box.size.x * box.size.y * box.size.z / max_nodes));
}

Lattice sample_lattice(const PartShape& shape, const OrientedBox& box, double cell, bool precise) {
  Lattice l{box,
            cell,
            std::max(2, nodes_along(box.size.x, cell)),
            std::max(2, nodes_along(box.size.y, cell)),
            std::max(2, nodes_along(box.size.z, cell)),
            {},
            {}};
  const std::size_t n =
      static_cast<std::size_t>(l.nx) * static_cast<std::size_t>(l.ny) * static_cast<std::size_t>(l.nz);
  std::vector<Vec3f> points;
  points.reserve(n);
  for (int k = 0; k < l.nz; ++k)
    for (int j = 0; j < l.ny; ++j)
      for (int i = 0; i < l.nx; ++i) points.push_back(static_cast<Vec3f>(l.node(i, j, k)));
  l.values.resize(n);
  l.gradients.resize(n);
  shape.eval(points, l.values, l.gradients, precise);
  return l;
}

Pieces find_pieces(const Lattice& l, double radius) {
  Pieces pieces;
  const std::size_t n = l.size();
  std::vector<std::uint8_t> mark(n, 0);
  const auto inside = [&](std::size_t i) { return l.values[i] < 0; };
  std::size_t seed = n;
  for (std::size_t i = 0; i < n; ++i) {
    if (mark[i] != 0 || !inside(i)) continue;
    const std::size_t count = flood(l, i, true, mark, inside);
    pieces.stray_nodes += count;
    ++pieces.stray_pieces;
    if (count > pieces.inside_nodes) {
      pieces.inside_nodes = count;
      seed = i;
    }
  }
  pieces.in_support.assign(n, 0);
  if (seed == n) return pieces;
  pieces.stray_nodes -= pieces.inside_nodes;
  --pieces.stray_pieces;
  flood(l, seed, true, pieces.in_support, [&](std::size_t i) { return l.values[i] < static_cast<float>(radius); });

  std::ranges::fill(mark, 0);
  const auto outside = [&](std::size_t i) { return !inside(i); };
  for (int k = 0; k < l.nz; ++k)
    for (int j = 0; j < l.ny; ++j)
      for (int i = 0; i < l.nx; ++i) {
        const bool border = i == 0 || j == 0 || k == 0 || i == l.nx - 1 || j == l.ny - 1 || k == l.nz - 1;
        const std::size_t at =
            (static_cast<std::size_t>(k) * static_cast<std::size_t>(l.ny) + static_cast<std::size_t>(j)) *
                static_cast<std::size_t>(l.nx) +
            static_cast<std::size_t>(i);
        if (border && mark[at] == 0 && outside(at)) flood(l, at, false, mark, outside);
      }
  const auto node_of = [&](std::size_t i) {
    const auto nx = static_cast<std::size_t>(l.nx), ny = static_cast<std::size_t>(l.ny);
    return l.node(static_cast<int>(i % nx), static_cast<int>(i / nx % ny), static_cast<int>(i / (nx * ny)));
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (mark[i] != 0 || !outside(i)) continue;
    const std::vector<std::uint8_t> before = mark;
    pieces.void_nodes += flood(l, i, false, mark, outside);
    ++pieces.voids;
    std::size_t middle = i;  // where the distance is largest
    for (std::size_t m = 0; m < n; ++m)
      if (mark[m] != before[m] && l.values[m] > l.values[middle]) middle = m;
    pieces.void_centers.push_back(node_of(middle));
  }
  return pieces;
}

std::optional<OrientedBox> find_support_box(const PartShape& shape, const OrientedBox& start, double radius,
                                            double reach) {
  OrientedBox box = start;
  double grown = 0;
  for (double step = 1.25 * radius; grown <= reach; step = std::max(radius, reach / 4)) {
    for (int a = 0; a < 3; ++a) {
      box.corner -= box.axes.col[static_cast<std::size_t>(a)] * step;
      box.size[a] += 2 * step;
    }
    grown += step;
    const double cell = bounded_cell(box, radius / 2.5, kSearchNodes);
    const Lattice l = sample_lattice(shape, box, cell);
    const Pieces pieces = find_pieces(l, radius);
    if (pieces.inside_nodes == 0) continue;
    int lo[3] = {l.nx, l.ny, l.nz}, hi[3] = {-1, -1, -1};
    std::size_t at = 0;
    for (int k = 0; k < l.nz; ++k)
      for (int j = 0; j < l.ny; ++j)
        for (int i = 0; i < l.nx; ++i, ++at) {
          if (pieces.in_support[at] == 0) continue;
          const int index[3] = {i, j, k};
          for (int a = 0; a < 3; ++a) {
            lo[a] = std::min(lo[a], index[a]);
            hi[a] = std::max(hi[a], index[a]);
          }
        }
    if (lo[0] == 0 || lo[1] == 0 || lo[2] == 0 || hi[0] == l.nx - 1 || hi[1] == l.ny - 1 || hi[2] == l.nz - 1) continue;
    // One cell of room: the set ends somewhere between its last node and the next.
    box.corner = l.node(lo[0] - 1, lo[1] - 1, lo[2] - 1);
    for (int a = 0; a < 3; ++a) box.size[a] = cell * (hi[a] - lo[a] + 2);
    return box;
  }
  return std::nullopt;
}

}  // namespace cutis
