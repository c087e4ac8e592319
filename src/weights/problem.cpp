#include "weights/problem.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/math.h"
#include "character/welded_character.h"
#include "geometry/normals.h"
#include "geometry/orient.h"

namespace cutis {
namespace {

constexpr std::size_t kNamesShown = 3;
// Against the square of the longest edge: the area of such a triangle is rounding.
constexpr double kZeroArea = 1e-10;

/// Triangles that count: three different vertices, each set of three once. Drops are reported.
std::vector<Triangle> clean_triangles(const WeightProblem& problem, std::span<const Triangle> triangles,
                                      Fallbacks& fallbacks) {
  std::vector<std::string> repeated, doubles, flat;
  std::vector<std::pair<Triangle, std::uint32_t>> sorted;
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    Triangle key = triangles[t];
    std::sort(key.begin(), key.end());
    if (key[0] == key[1] || key[1] == key[2])
      repeated.push_back(problem.vertex_name(key[1]));
    else
      sorted.emplace_back(key, t);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<char> keep(triangles.size(), 0);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i].first == sorted[i - 1].first)
      doubles.push_back(problem.vertex_name(sorted[i].first[0]));
    else
      keep[sorted[i].second] = 1;
  }
  std::vector<Triangle> result;
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    if (keep[t] == 0) continue;
    const Vec3d a = problem.positions[triangles[t][0]], b = problem.positions[triangles[t][1]],
                c = problem.positions[triangles[t][2]];
    const double longest = std::max({dot(b - a, b - a), dot(c - b, c - b), dot(a - c, a - c)});
    if (length(cross(b - a, c - a)) <= 2 * kZeroArea * longest) flat.push_back(problem.vertex_name(triangles[t][0]));
    result.push_back(triangles[t]);
  }
  report_fallback(fallbacks, "triangles that repeat a vertex: left out", repeated);
  report_fallback(fallbacks, "triangles that are there more than once: counted once", doubles);
  report_fallback(fallbacks, "triangles without area: thickened", flat);
  return result;
}

void report_topology(const WeightProblem& problem, Fallbacks& fallbacks) {
  const Topology& t = problem.topology;
  std::vector<std::string> border, nonmanifold, loose;
  for (const auto& loop : t.boundary_loops) border.push_back(problem.vertex_name(loop.front()));
  for (const Edge& e : t.edges)
    if (e.faces > 2) nonmanifold.push_back(problem.vertex_name(e.a));
  for (std::uint32_t v = 0; v < t.vertex_count; ++v)
    if (t.component[v] == Topology::kNoComponent) loose.push_back(problem.vertex_name(v));
  report_fallback(fallbacks, "open borders: heat does not cross them", border);
  report_fallback(fallbacks, "edges with more than two triangles: heat crosses to all of them", nonmanifold);
  report_fallback(fallbacks, "vertices without a triangle: follow the nearest surface", loose);
  if (t.nonmanifold_vertices > 0)
    fallbacks.push_back(
        {"vertices at which pieces of surface only touch: heat crosses them", t.nonmanifold_vertices, ""});
}

/// Turns the triangles outward and makes normals.
void orient(WeightProblem& problem, std::vector<Triangle>& triangles, Fallbacks& fallbacks) {
  const Topology soup = build_topology(problem.positions.size(), triangles);
  const Orientation orientation = find_orientation(problem.positions, soup);
  std::vector<std::string> inside_out, mixed, one_sided, sheets;
  for (const Orientation::Patch& p : orientation.patches) {
    const std::string name = problem.vertex_name(triangles[p.first_triangle][0]);
    if (!p.orientable)
      one_sided.push_back(name);
    else if (p.two_sided)
      sheets.push_back(name);
    else if (2 * p.turned > p.triangles)
      inside_out.push_back(name);
    if (p.orientable && p.turned > 0 && p.turned < p.triangles) mixed.push_back(name);
  }
  report_fallback(fallbacks, "pieces turned inside out: treated as turned right", inside_out);
  report_fallback(fallbacks, "pieces with triangles of both directions: treated as one direction", mixed);
  report_fallback(fallbacks, "pieces that cannot be oriented: bones are seen from both sides", one_sided);
  report_fallback(fallbacks, "flat open pieces: bones are seen from both sides", sheets);

  problem.two_sided.assign(problem.positions.size(), 0);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (orientation.turned[t] != 0) std::swap(triangles[t][1], triangles[t][2]);
    for (const std::uint32_t v : triangles[t]) problem.two_sided[v] |= orientation.two_sided[t];
  }
  std::vector<Vec3f> positions;
  for (const Vec3d& p : problem.positions) positions.push_back(static_cast<Vec3f>(p));
  for (const Vec3f& n : vertex_normals(positions, triangles)) problem.normals.push_back(static_cast<Vec3d>(n));
}

/// "mesh 'Body'", with a number when the mesh has several pieces.
std::vector<std::string> name_components(const WeightProblem& problem) {
  const Topology& t = problem.topology;
  std::vector<std::uint32_t> mesh_of(t.component_count, 0);
  std::vector<char> seen(t.component_count, 0);
  std::vector<std::size_t> pieces(problem.character->meshes.size(), 0);
  std::vector<std::size_t> number(t.component_count, 0);
  for (std::uint32_t v = 0; v < t.vertex_count; ++v) {
    const std::uint32_t c = t.component[v];
    if (c == Topology::kNoComponent || seen[c] != 0) continue;
    seen[c] = 1;
    const auto it = std::upper_bound(problem.input_begin.begin(), problem.input_begin.end(), problem.first_of[v]);
    mesh_of[c] = static_cast<std::uint32_t>(it - problem.input_begin.begin()) - 1;
    number[c] = ++pieces[mesh_of[c]];
  }
  std::vector<std::string> names;
  for (std::size_t c = 0; c < t.component_count; ++c) {
    const std::string& mesh = problem.character->meshes[mesh_of[c]].name;
    names.push_back(pieces[mesh_of[c]] == 1 ? fmt::format("mesh '{}'", mesh)
                                            : fmt::format("mesh '{}' piece {}", mesh, number[c]));
  }
  return names;
}

}  // namespace

std::string few_of(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kNamesShown);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

void report_fallback(Fallbacks& fallbacks, std::string what, const std::vector<std::string>& names) {
  if (!names.empty()) fallbacks.push_back({std::move(what), names.size(), few_of(names)});
}

std::string WeightProblem::vertex_name(std::uint32_t vertex) const {
  const std::uint32_t input = first_of[vertex];
  const auto it = std::upper_bound(input_begin.begin(), input_begin.end(), input);
  const auto mesh = static_cast<std::size_t>(it - input_begin.begin()) - 1;
  return fmt::format("mesh '{}' vertex {}", character->meshes[mesh].name, input - input_begin[mesh]);
}

WeightProblem make_surface(const Character& character, Fallbacks& fallbacks) {
  WeightProblem problem;
  problem.character = &character;
  std::vector<Vec3f> input;
  std::vector<Triangle> input_triangles;
  for (const Mesh& mesh : character.meshes) {
    const auto begin = static_cast<std::uint32_t>(input.size());
    problem.input_begin.push_back(begin);
    input.insert(input.end(), mesh.positions.begin(), mesh.positions.end());
    for (const Triangle& t : mesh.triangles) input_triangles.push_back({t[0] + begin, t[1] + begin, t[2] + begin});
  }
  problem.input_begin.push_back(static_cast<std::uint32_t>(input.size()));
  Weld welded = weld(input);
  Box box;
  for (const std::uint32_t v : welded.first_of) {
    problem.positions.push_back(static_cast<Vec3d>(input[v]));
    box.add(problem.positions.back());
  }
  problem.size = diagonal(box) > 0 ? diagonal(box) : 1;
  std::vector<Triangle> triangles = weld_triangles(welded, input_triangles);
  problem.welded_of = std::move(welded.welded_of);
  problem.first_of = std::move(welded.first_of);
  triangles = clean_triangles(problem, triangles, fallbacks);
  orient(problem, triangles, fallbacks);
  problem.topology = build_topology(problem.positions.size(), triangles);
  problem.component_names = name_components(problem);
  report_topology(problem, fallbacks);
  return problem;
}

}  // namespace cutis
