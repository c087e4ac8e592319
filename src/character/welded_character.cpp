#include "character/welded_character.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/math.h"
#include "character/indices.h"
#include "geometry/disjoint_sets.h"

namespace cutis {
namespace {

// Files that are compressed primitive by primitive round the two sides of a seam apart, by up to this share of the size
// (a thousandth of a metre), but never by more than that of the edges there.
constexpr double kSeamOfSize = 4e-4, kSeamOfEdge = 0.05;

// A border edge, as its only triangle runs along it.
struct Border {
  std::uint32_t from = 0, to = 0;
  Vec3d middle;
  double length = 0;
};

std::vector<Border> borders_of(const Topology& topology, std::span<const Vec3f> positions) {
  std::vector<Border> borders;
  for (const Edge& e : topology.edges) {
    if (e.faces != 1) continue;
    const auto a = static_cast<Vec3d>(positions[e.a]), b = static_cast<Vec3d>(positions[e.b]);
    if (!is_finite(a) || !is_finite(b)) continue;
    borders.push_back({e.forward == 1 ? e.a : e.b, e.forward == 1 ? e.b : e.a, (a + b) * 0.5, distance(a, b)});
  }
  return borders;
}

// For every border edge the nearest one that runs along it the other way, within the tolerance at both ends; or itself.
std::vector<std::uint32_t> partners_of(const std::vector<Border>& borders, std::span<const Vec3f> positions,
                                       const Vec3d& lowest, double reach) {
  const auto cell = [&](const Vec3d& p, int k) {  // a few thousand, wherever the body is
    return static_cast<std::int64_t>(std::floor((p[k] - lowest[k]) / reach));
  };
  const auto key = [](std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<std::uint64_t>(x * 73856093LL) ^ static_cast<std::uint64_t>(y * 19349663LL) ^
           static_cast<std::uint64_t>(z * 83492791LL);
  };
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells;
  for (std::uint32_t i = 0; i < borders.size(); ++i) {
    const Vec3d& p = borders[i].middle;
    cells[key(cell(p, 0), cell(p, 1), cell(p, 2))].push_back(i);
  }
  const auto gap = [&](std::uint32_t a, std::uint32_t b) {
    return static_cast<double>(distance(positions[a], positions[b]));
  };
  std::vector<std::uint32_t> partner(borders.size());
  for (std::uint32_t i = 0; i < borders.size(); ++i) {
    const Border& e = borders[i];
    partner[i] = i;
    double nearest = reach;
    for (int k = 0; k < 27; ++k) {
      const auto it = cells.find(
          key(cell(e.middle, 0) + k % 3 - 1, cell(e.middle, 1) + k / 3 % 3 - 1, cell(e.middle, 2) + k / 9 - 1));
      if (it == cells.end()) continue;
      for (const std::uint32_t j : it->second) {
        const Border& f = borders[j];
        const double apart = std::max(gap(e.from, f.to), gap(e.to, f.from));
        if (j == i || !(apart <= kSeamOfEdge * std::min(e.length, f.length)) || !(apart <= nearest)) continue;
        if (apart == nearest && partner[i] <= j) continue;
        nearest = apart;
        partner[i] = j;
      }
    }
  }
  return partner;
}

}  // namespace

WeightRow weight_row(const Weights& weights, std::size_t vertex) {
  const std::uint32_t begin = weights.row_begin[vertex], end = weights.row_begin[vertex + 1];
  return {{weights.joint.data() + begin, weights.joint.data() + end},
          {weights.weight.data() + begin, weights.weight.data() + end}};
}

double weight_difference(const WeightRow& a, const WeightRow& b) {
  double difference = 0;
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    const auto it = std::find(b.joints.begin(), b.joints.end(), a.joints[i]);
    const double other = it == b.joints.end() ? 0.0 : b.weights[static_cast<std::size_t>(it - b.joints.begin())];
    difference += std::abs(a.weights[i] - other);
  }
  for (std::size_t i = 0; i < b.joints.size(); ++i)
    if (std::find(a.joints.begin(), a.joints.end(), b.joints[i]) == a.joints.end()) difference += b.weights[i];
  return difference;
}

JoinedMeshes join_meshes(const Character& character) {
  check_indices(character);
  JoinedMeshes result;
  result.input_positions.reserve(character.vertex_count());
  result.input_triangles.reserve(character.triangle_count());
  for (const Mesh& mesh : character.meshes) {
    const auto begin = static_cast<std::uint32_t>(result.input_positions.size());
    result.mesh_begin.push_back(begin);
    result.input_positions.insert(result.input_positions.end(), mesh.positions.begin(), mesh.positions.end());
    for (const Triangle& t : mesh.triangles)
      result.input_triangles.push_back({t[0] + begin, t[1] + begin, t[2] + begin});
  }
  result.mesh_begin.push_back(static_cast<std::uint32_t>(result.input_positions.size()));
  return result;
}

namespace {

// Joins the two sides of seams that rounding has parted; false: there are none.
template <class Compatible>
bool close_seams(WeldedCharacter& welded, const Compatible& compatible) {
  const std::vector<Border> borders = borders_of(welded.topology, welded.positions);
  if (borders.empty()) return false;
  Box box;
  for (const Vec3f& p : welded.positions)
    if (is_finite(p)) box.add(static_cast<Vec3d>(p));
  const double reach = kSeamOfSize * diagonal(box);
  if (!(reach > 0)) return false;
  const std::vector<std::uint32_t> partner = partners_of(borders, welded.positions, box.lo, reach);
  const Topology& topology = welded.topology;
  const auto may_join = [&](std::uint32_t a, std::uint32_t b) {
    return a == b || (topology.find_edge(std::min(a, b), std::max(a, b)) < 0 &&
                      compatible(welded.weld.first_of[a], welded.weld.first_of[b]));
  };
  DisjointSets sets(welded.positions.size());
  bool any = false;
  for (std::uint32_t i = 0; i < borders.size(); ++i) {
    const std::uint32_t j = partner[i];
    if (j <= i || partner[j] != i) continue;
    const Border &e = borders[i], &f = borders[j];
    if (!may_join(e.from, f.to) || !may_join(e.to, f.from)) continue;
    any = any || e.from != f.to || e.to != f.from;
    sets.join(e.from, f.to);
    sets.join(e.to, f.from);
  }
  if (!any) return false;
  Weld closed;
  std::vector<std::uint32_t> number(welded.positions.size());
  for (std::uint32_t v = 0; v < number.size(); ++v) {
    const std::uint32_t first = sets.find(v);  // the smallest of its set
    if (first == v) {
      number[v] = static_cast<std::uint32_t>(closed.first_of.size());
      closed.first_of.push_back(welded.weld.first_of[v]);
    } else {
      number[v] = number[first];
    }
  }
  for (const std::uint32_t v : welded.weld.welded_of) closed.welded_of.push_back(number[v]);
  welded.weld = std::move(closed);
  return true;
}

}  // namespace

WeldedCharacter weld_character(const Character& character, const Context* context) {
  const auto ask = [&] {
    if (context != nullptr) context->check_cancelled();
  };
  WeldedCharacter result{join_meshes(character), {}, {}, {}};
  std::vector<std::uint32_t> mesh_of;
  mesh_of.reserve(character.vertex_count());
  for (std::uint32_t m = 0; m < character.meshes.size(); ++m)
    mesh_of.insert(mesh_of.end(), character.meshes[m].positions.size(), m);
  ask();
  const auto compatible = [&](std::uint32_t a, std::uint32_t b) {
    const Weights& wa = character.meshes[mesh_of[a]].weights;
    const Weights& wb = character.meshes[mesh_of[b]].weights;
    if (wa.empty() || wb.empty()) return wa.empty() == wb.empty();
    return weight_difference(weight_row(wa, a - result.mesh_begin[mesh_of[a]]),
                             weight_row(wb, b - result.mesh_begin[mesh_of[b]])) <= kCompatibleWeights;
  };
  result.weld = weld(result.input_positions, compatible);
  ask();
  const auto build = [&] {
    result.positions.clear();
    for (const std::uint32_t v : result.weld.first_of) result.positions.push_back(result.input_positions[v]);
    result.topology = build_topology(result.positions.size(), weld_triangles(result.weld, result.input_triangles));
  };
  build();
  ask();
  if (close_seams(result, compatible)) build();
  ask();
  return result;
}

}  // namespace cutis
