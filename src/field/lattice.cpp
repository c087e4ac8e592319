#include "field/lattice.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "geometry/disjoint_sets.h"

namespace cutis {

namespace {

constexpr double kSearchNodes = 12'000;

int nodes_along(double size, double cell) { return static_cast<int>(std::ceil(size / cell - 1e-9)) + 1; }

// Nodes of one row that are next to each other and belong together.
struct Run {
  std::uint32_t row = 0;
  int from = 0, to = 0;  // first and last
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(to - from + 1); }
};

// The nodes with wanted(i) in runs, and which runs touch, with diagonals or without. The first run of a piece, in the
// order of the nodes, stands for it.
struct PiecesOfRuns {
  std::vector<Run> runs;
  std::vector<std::uint32_t> piece;  // of each run
};

template <class Wanted>
PiecesOfRuns find_runs(const Lattice& l, bool diagonals, Wanted&& wanted) {
  PiecesOfRuns found;
  const auto nx = static_cast<std::size_t>(l.nx);
  const int rows = l.ny * l.nz, reach = diagonals ? 1 : 0;
  std::vector<std::size_t> row_begin;
  for (int row = 0; row < rows; ++row) {
    row_begin.push_back(found.runs.size());
    const std::size_t first = static_cast<std::size_t>(row) * nx;
    for (int i = 0; i < l.nx; ++i) {
      if (!wanted(first + static_cast<std::size_t>(i))) continue;
      Run run{static_cast<std::uint32_t>(row), i, i};
      while (run.to + 1 < l.nx && wanted(first + static_cast<std::size_t>(run.to + 1))) ++run.to;
      found.runs.push_back(run);
      i = run.to + 1;
    }
  }
  row_begin.push_back(found.runs.size());
  DisjointSets sets(found.runs.size());
  const auto join_rows = [&](int row, int other) {
    auto at = static_cast<std::size_t>(row), to = static_cast<std::size_t>(other);
    std::size_t a = row_begin[at], b = row_begin[to];
    while (a < row_begin[at + 1] && b < row_begin[to + 1]) {
      const Run &run = found.runs[a], &touched = found.runs[b];
      if (run.from <= touched.to + reach && touched.from <= run.to + reach)
        sets.join(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
      ++(run.to < touched.to ? a : b);
    }
  };
  for (int k = 0, row = 0; k < l.nz; ++k)
    for (int j = 0; j < l.ny; ++j, ++row) {
      if (j > 0) join_rows(row, row - 1);
      if (k == 0) continue;
      for (int dj = -reach; dj <= reach; ++dj)
        if (j + dj >= 0 && j + dj < l.ny) join_rows(row, row - l.ny + dj);
    }
  for (std::uint32_t i = 0; i < found.runs.size(); ++i) found.piece.push_back(sets.find(i));
  return found;
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
  const auto nx = static_cast<std::size_t>(l.nx);
  pieces.in_support.assign(l.size(), 0);
  const PiecesOfRuns inside = find_runs(l, true, [&](std::size_t i) { return l.values[i] < 0; });
  std::vector<std::size_t> nodes(inside.runs.size(), 0);
  for (std::size_t r = 0; r < inside.runs.size(); ++r) nodes[inside.piece[r]] += inside.runs[r].count();
  std::size_t largest = 0;
  for (std::size_t r = 0; r < nodes.size(); ++r) {
    pieces.stray_nodes += nodes[r];
    pieces.stray_pieces += nodes[r] > 0 ? 1 : 0;
    if (nodes[r] > nodes[largest]) largest = r;
  }
  if (nodes.empty()) return pieces;
  pieces.inside_nodes = nodes[largest];
  pieces.stray_nodes -= pieces.inside_nodes;
  --pieces.stray_pieces;

  const Run& seed = inside.runs[largest];
  const PiecesOfRuns support =
      find_runs(l, true, [&](std::size_t i) { return l.values[i] < static_cast<float>(radius); });
  const auto holds_seed = [&](const Run& run) {
    return run.row == seed.row && run.from <= seed.from && run.to >= seed.from;
  };
  const auto holder = std::ranges::find_if(support.runs, holds_seed) - support.runs.begin();
  for (std::size_t r = 0; r < support.runs.size(); ++r) {
    if (support.piece[r] != support.piece[static_cast<std::size_t>(holder)]) continue;
    const Run& run = support.runs[r];
    const std::size_t first = run.row * nx;
    for (int i = run.from; i <= run.to; ++i) pieces.in_support[first + static_cast<std::size_t>(i)] = 1;
  }

  const PiecesOfRuns outside = find_runs(l, false, [&](std::size_t i) { return !(l.values[i] < 0); });
  std::vector<std::uint8_t> open(outside.runs.size(), 0);
  for (std::size_t r = 0; r < outside.runs.size(); ++r) {
    const Run& run = outside.runs[r];
    const int j = static_cast<int>(run.row) % l.ny, k = static_cast<int>(run.row) / l.ny;
    if (run.from == 0 || run.to == l.nx - 1 || j == 0 || j == l.ny - 1 || k == 0 || k == l.nz - 1)
      open[outside.piece[r]] = 1;
  }
  std::vector<std::size_t> middle(outside.runs.size());  // of each void: where the distance is largest
  std::vector<std::uint32_t> voids;
  for (std::uint32_t r = 0; r < outside.runs.size(); ++r) {
    const std::uint32_t piece = outside.piece[r];
    if (open[piece] != 0) continue;
    const Run& run = outside.runs[r];
    const std::size_t first = run.row * nx;
    if (piece == r) {
      voids.push_back(r);
      middle[r] = first + static_cast<std::size_t>(run.from);
    }
    pieces.void_nodes += run.count();
    for (int i = run.from; i <= run.to; ++i)
      if (const std::size_t at = first + static_cast<std::size_t>(i); l.values[at] > l.values[middle[piece]])
        middle[piece] = at;
  }
  pieces.voids = voids.size();
  for (const std::uint32_t v : voids) {
    const auto row = static_cast<int>(middle[v] / nx);
    pieces.void_centers.push_back(l.node(static_cast<int>(middle[v] % nx), row % l.ny, row / l.ny));
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
