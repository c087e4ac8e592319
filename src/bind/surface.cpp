// Edge weights are cotangents, kept above a hundredth: a negative one would push neighbours through each other.
//
// Turn weights that are spread start as 1 on the bone's own part and are spread by one implicit step of heat flow,
// (M + L) w = M w0, whose conductivity follows the thickness of the parts: the blend is about as wide as the limb is
// thick, on a finger as on a thigh.
#include "bind/surface.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "cutis/error.h"
#include "geometry/cotangent.h"
#include "geometry/normals.h"
#include "numerics/prefactored_solver.h"

namespace cutis {
namespace {

constexpr double kLeastCotangent = 0.01;
constexpr double kLargestCotangent = 50;  // a needle must not hold its neighbours
constexpr double kLeastTurn = 0.004;      // weights below are left out
constexpr std::size_t kMostTurns = 8;
constexpr std::size_t kColumns = 16;  // bones solved at a time

double cotangent(const Vec3d& at, const Vec3d& a, const Vec3d& b) {
  const Vec3d u = a - at, v = b - at;
  const double s = length(cross(u, v));
  return s > 0 ? std::clamp(dot(u, v) / s, -kLargestCotangent, kLargestCotangent) : kLargestCotangent;
}

void set_neighbours(const Topology& topology, RigSurface& surface) {
  surface.neighbours.begin = topology.vertex_neighbours.begin;
  surface.neighbours.items = topology.vertex_neighbours.items;
  std::vector<double> weight(surface.neighbours.items.size(), 0.0);
  const auto add = [&](std::uint32_t a, std::uint32_t b, double w) {
    const auto row = surface.neighbours.row(a);
    const auto it = std::lower_bound(row.begin(), row.end(), b);
    weight[static_cast<std::size_t>(&*it - surface.neighbours.items.data())] += w;
  };
  for (const Triangle& t : surface.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t at = t[k], a = t[(k + 1) % 3], b = t[(k + 2) % 3];
      const double half =
          0.5 * cotangent(static_cast<Vec3d>(surface.positions[at]), static_cast<Vec3d>(surface.positions[a]),
                          static_cast<Vec3d>(surface.positions[b]));
      add(a, b, half);
      add(b, a, half);
    }
  surface.neighbour_weight.resize(weight.size());
  std::transform(weight.begin(), weight.end(), surface.neighbour_weight.begin(),
                 [](double w) { return static_cast<float>(std::max(w, kLeastCotangent)); });
}

void set_edges(RigSurface& surface) {
  double sum = 0;
  std::size_t count = 0;
  surface.edge.assign(surface.size(), 0.0F);
  for (std::size_t v = 0; v < surface.size(); ++v) {
    const auto row = surface.neighbours.row(v);
    double own = 0;
    for (const std::uint32_t w : row)
      own += distance(static_cast<Vec3d>(surface.positions[v]), static_cast<Vec3d>(surface.positions[w]));
    if (!row.empty()) surface.edge[v] = static_cast<float>(own / static_cast<double>(row.size()));
    sum += own;
    count += row.size();
  }
  const auto mean = static_cast<float>(count > 0 ? sum / static_cast<double>(count) : 1.0);
  for (float& e : surface.edge)
    if (!(e > 0)) e = mean;
}

struct Turn {
  std::uint32_t bone = 0;
  float weight = 0;
};

}  // namespace

void spread_turns(std::span<const double> radius, double width, const Context& context, RigSurface& surface) {
  const std::size_t n = surface.size();
  std::vector<Vec3d> positions(n);
  for (std::size_t v = 0; v < n; ++v) positions[v] = static_cast<Vec3d>(surface.positions[v]);
  const CotangentLaplacian laplacian = cotangent_laplacian(positions, surface.triangles);
  const auto reach = [&](std::uint32_t v) {
    return surface.owner[v] == RigSurface::kNoBone ? 0.0 : width * radius[surface.owner[v]];
  };
  std::vector<double> mass = laplacian.mass;
  double mean = 0;
  for (const double m : mass) mean += m / static_cast<double>(std::max<std::size_t>(n, 1));
  for (double& m : mass) m = std::max(m, 1e-6 * mean + 1e-30);
  std::vector<MatrixEntry> entries;
  for (std::uint32_t v = 0; v < n; ++v) entries.push_back({v, v, mass[v]});
  for (const EdgeWeight& e : laplacian.edges) {
    const double w = e.weight * reach(e.a) * reach(e.b);
    entries.push_back({e.a, e.a, w});
    entries.push_back({e.b, e.b, w});
    entries.push_back({e.b, e.a, -w});  // a < b: the lower triangle
  }
  std::vector<std::vector<Turn>> turns(n);
  std::vector<std::uint32_t> bones(surface.owner.begin(), surface.owner.end());
  std::ranges::sort(bones);
  bones.erase(std::unique(bones.begin(), bones.end()), bones.end());
  std::erase(bones, RigSurface::kNoBone);
  if (bones.size() > 1 && width > 0) {
    const PrefactoredSolver solver(n, entries, &context);
    if (!solver.ok()) throw Error(ErrorCode::bad_character, "bind", "the surface's heat flow could not be solved");
    std::vector<double> block;
    for (std::size_t first = 0; first < bones.size(); first += kColumns) {
      const std::size_t columns = std::min(kColumns, bones.size() - first);
      block.assign(n * columns, 0.0);
      for (std::uint32_t v = 0; v < n; ++v)
        for (std::size_t c = 0; c < columns; ++c)
          if (surface.owner[v] == bones[first + c]) block[v * columns + c] = mass[v];
      solver.solve(block, columns, context);
      for (std::uint32_t v = 0; v < n; ++v)
        for (std::size_t c = 0; c < columns; ++c) {
          const double w = block[v * columns + c];
          if (w > kLeastTurn || surface.owner[v] == bones[first + c])
            turns[v].push_back({bones[first + c], static_cast<float>(std::max(w, kLeastTurn))});
        }
    }
  } else {
    for (std::uint32_t v = 0; v < n; ++v)
      if (surface.owner[v] != RigSurface::kNoBone) turns[v].push_back({surface.owner[v], 1.0F});
  }
  surface.turn = {{0}, {}};
  surface.turn_weight.clear();
  for (std::vector<Turn>& row : turns) {
    std::ranges::stable_sort(row, [](const Turn& a, const Turn& b) { return a.weight > b.weight; });
    if (row.size() > kMostTurns) row.resize(kMostTurns);
    float sum = 0;
    for (const Turn& t : row) sum += t.weight;
    for (const Turn& t : row) {
      surface.turn.items.push_back(t.bone);
      surface.turn_weight.push_back(t.weight / sum);
    }
    surface.turn.begin.push_back(static_cast<std::uint32_t>(surface.turn.items.size()));
  }
}

void take_turns(const Rig& rig, RigSurface& surface) {
  surface.turn = {{0}, {}};
  surface.turn_weight.clear();
  for (const std::uint32_t input : surface.first_of) {
    const std::size_t begin = rig.block_begin.empty() ? input : rig.block_begin[input];
    const std::size_t end = rig.block_begin.empty() ? input + 1 : rig.block_begin[input + 1];
    for (std::size_t b = begin; b < end; ++b)
      for (std::size_t k = 0; k < 4; ++k) {
        if (!(rig.blocks[b].weight[k] > 0)) continue;
        surface.turn.items.push_back(rig.blocks[b].bone[k]);
        surface.turn_weight.push_back(rig.blocks[b].weight[k]);
      }
    surface.turn.begin.push_back(static_cast<std::uint32_t>(surface.turn.items.size()));
  }
}

RigSurface make_surface(const WeldedCharacter& welded, std::span<const std::uint32_t> owner) {
  RigSurface surface;
  surface.welded_of = welded.weld.welded_of;
  surface.first_of = welded.weld.first_of;
  surface.positions = welded.positions;
  surface.owner.assign(owner.begin(), owner.end());
  for (const Triangle& t : welded.topology.triangles)
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) surface.triangles.push_back(t);
  surface.normals = vertex_normals(surface.positions, surface.triangles);
  set_neighbours(welded.topology, surface);
  set_edges(surface);
  return surface;
}

}  // namespace cutis
