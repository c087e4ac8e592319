#include "contact/contact_surface.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "base/math.h"
#include "contact/meeting_search.h"
#include "cutis/error.h"
#include "geometry/predicates.h"
#include "geometry/winding_number.h"

namespace cutis {
namespace {

// Of the thickness of a part: longer edges say nothing of how near its skin may come. Clean bodies have none.
constexpr float kGrainOfPart = 2;
// Operations of the rest pose: enough for thousands of pairs that intersect at every vertex.
constexpr std::uint64_t kRestWork = 200'000'000;

void check(const ContactMesh& mesh) {
  const auto fail = [](const std::string& text) { throw Error(ErrorCode::bad_argument, "contact", text); };
  if (mesh.part.size() != mesh.rest.size())
    fail(fmt::format("{} vertices need as many parts, not {}", mesh.rest.size(), mesh.part.size()));
  if (mesh.part_radius.size() != mesh.parts)
    fail(fmt::format("{} parts need as many radii, not {}", mesh.parts, mesh.part_radius.size()));
  for (const std::uint32_t p : mesh.part)
    if (p >= mesh.parts) fail(fmt::format("a vertex names part {} of {}", p, mesh.parts));
  for (const Triangle& t : mesh.triangles)
    for (const std::uint32_t v : t)
      if (v >= mesh.rest.size()) fail(fmt::format("a triangle names vertex {} of {}", v, mesh.rest.size()));
  for (const Vec3f& p : mesh.rest)
    if (!is_finite(p)) fail("a vertex of the rest pose is not finite");
}

}  // namespace

ContactSurface::ContactSurface(const ContactMesh& mesh, const Context& context, const RestIntersections* known) {
  check(mesh);
  rest_.assign(mesh.rest.begin(), mesh.rest.end());
  part_.assign(mesh.part.begin(), mesh.part.end());
  for (const Triangle& t : mesh.triangles) {
    if (has_zero_area(rest_[t[0]], rest_[t[1]], rest_[t[2]])) {
      ++rest_report_.degenerate_triangles;
      continue;
    }
    const std::uint32_t a = part_[t[0]], b = part_[t[1]], c = part_[t[2]];
    if (a != b || b != c) seam_triangles_.push_back(static_cast<std::uint32_t>(triangles_.size()));
    triangles_.push_back(t);
    triangle_part_.push_back(b == c ? b : a);
  }
  context.check_cancelled();
  topology_ = build_topology(rest_.size(), triangles_);
  context.check_cancelled();
  find_rims();
  own_elements();

  Box box;
  for (const Vec3f& p : rest_) box.add(static_cast<Vec3d>(p));
  size_ = diagonal(box);

  edge_length_.assign(rest_.size(), 0.0F);
  for (std::uint32_t v = 0; v < rest_.size(); ++v) {
    const auto neighbours = topology_.vertex_neighbours.row(v);
    double sum = 0;
    for (const std::uint32_t w : neighbours)
      sum += distance(static_cast<Vec3d>(rest_[v]), static_cast<Vec3d>(rest_[w]));
    if (!neighbours.empty()) edge_length_[v] = static_cast<float>(sum / static_cast<double>(neighbours.size()));
  }

  parts_.resize(mesh.parts);
  std::vector<std::vector<std::uint32_t>> triangles_of(mesh.parts);
  for (std::uint32_t t = 0; t < triangles_.size(); ++t) triangles_of[triangle_part_[t]].push_back(t);
  context.check_cancelled();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    parts_[p].tree = TriangleBvh(rest_, triangles_, triangles_of[p]);
    const float radius = mesh.part_radius[p];
    // A part without a radius (no bone axis to measure from) counts as thin as a thousandth of the body.
    parts_[p].thickness = radius > 0 ? radius : static_cast<float>(1e-3 * size_);
    parts_[p].inverse_mass = mesh.part_rigid.empty() || mesh.part_rigid[p] == 0 ? parts_[p].thickness : 0;
  }
  for (const std::uint32_t p : part_) ++parts_[p].vertices;
  grain_ = edge_length_;
  for (std::uint32_t v = 0; v < grain_.size(); ++v)
    grain_[v] = std::min(grain_[v], kGrainOfPart * parts_[part_[v]].thickness);
  for (std::uint32_t p = 0; p < parts_.size(); ++p)
    if (parts_[p].vertices > parts_[main_part_].vertices) main_part_ = p;
  std::vector<std::uint32_t> all(triangles_.size());
  std::iota(all.begin(), all.end(), 0U);
  tree_ = TriangleBvh(rest_, triangles_, all);
  context.check_cancelled();
  lay_out();
  find_rest_intersections(known, context);
}

// From triangle to triangle; a walk that is back after as many steps as there are triangles has seen them all.
void ContactSurface::find_rims() {
  rims_.begin.assign(1, 0);
  for (std::uint32_t v = 0; v < rest_.size(); ++v) {
    const auto faces = topology_.vertex_faces.row(v);
    const auto after = [&](std::uint32_t f, std::uint32_t w) {
      const Triangle& t = triangles_[f];
      return w == t[0] ? t[1] : w == t[1] ? t[2] : t[0];
    };
    bool closed = std::ranges::all_of(faces, [&](std::uint32_t f) {
      return std::ranges::all_of(triangles_[f], [&](std::uint32_t w) { return part_[w] == part_[v]; });
    });
    const std::size_t begin = rims_.items.size();
    const std::uint32_t first = faces.empty() ? v : after(faces[0], v);
    std::uint32_t at = first;
    for (std::size_t i = 0; i < faces.size() && closed; ++i) {
      rims_.items.push_back(at);
      const auto face = std::ranges::find_if(faces, [&](std::uint32_t f) { return after(f, v) == at; });
      if (face != faces.end()) at = after(*face, at);
      closed = face != faces.end() && (at == first) == (i + 1 == faces.size());
    }
    if (!closed) rims_.items.resize(begin);
    rims_.begin.push_back(static_cast<std::uint32_t>(rims_.items.size()));
  }
}

void ContactSurface::own_elements() {
  ownership_.resize(triangles_.size());
  std::vector<std::uint32_t> seen;  // parts of the triangles so far
  const auto first_of_its_part = [&](std::uint32_t t) {
    if (std::find(seen.begin(), seen.end(), triangle_part_[t]) != seen.end()) return false;
    seen.push_back(triangle_part_[t]);
    return true;
  };
  for (std::uint32_t v = 0; v < rest_.size(); ++v) {
    seen.clear();
    for (const std::uint32_t t : topology_.vertex_faces.row(v)) {
      if (!first_of_its_part(t)) continue;
      for (unsigned k = 0; k < 3; ++k)
        if (triangles_[t][k] == v) ownership_[t].vertices |= static_cast<std::uint8_t>(1U << k);
    }
  }
  for (std::size_t e = 0; e < topology_.edges.size(); ++e) {
    const Edge& edge = topology_.edges[e];
    seen.clear();
    for (const std::uint32_t t : topology_.edge_faces.row(e)) {
      if (!first_of_its_part(t)) continue;
      for (unsigned k = 0; k < 3; ++k) {
        const std::uint32_t a = triangles_[t][k], b = triangles_[t][(k + 1) % 3];
        if (std::min(a, b) == edge.a && std::max(a, b) == edge.b)
          ownership_[t].edges |= static_cast<std::uint8_t>(1U << k);
      }
    }
  }
}

void ContactSurface::lay_out() {
  BroadLayout& l = layout_;
  std::uint32_t nodes = 0;
  std::vector<std::uint32_t> corner_of(rest_.size());
  std::vector<std::uint32_t> seen(rest_.size(), ~0U);  // in which part last
  const auto begin_part = [&] {
    l.node_begin.push_back(nodes);
    l.slot_begin.push_back(static_cast<std::uint32_t>(l.slot_triangle.size()));
    l.corner_begin.push_back(static_cast<std::uint32_t>(l.corner_vertex.size()));
  };
  for (std::uint32_t p = 0; p < parts_.size(); ++p) {
    const TriangleBvh& tree = parts_[p].tree;
    begin_part();
    nodes += static_cast<std::uint32_t>(tree.nodes().size());
    for (const TriangleBvh::Node& node : tree.nodes()) l.node_leaf.push_back(node.is_leaf() ? l.leaves++ : 0);
    for (std::uint32_t slot = 0; slot < tree.slots(); ++slot) {
      l.slot_triangle.push_back(tree.triangle(slot));
      std::array<std::uint32_t, 3>& corner = l.slot_corner.emplace_back();
      for (unsigned k = 0; k < 3; ++k) {
        const std::uint32_t v = triangles_[l.slot_triangle.back()][k];
        if (seen[v] != p) {
          seen[v] = p;
          corner_of[v] = static_cast<std::uint32_t>(l.corner_vertex.size());
          l.corner_vertex.push_back(v);
        }
        corner[k] = corner_of[v];
      }
    }
    for (const TriangleBvh::Node& node : tree.nodes()) {
      if (!node.is_leaf()) continue;
      constexpr std::int32_t kNone = BroadLayout::kNoVertex;
      std::array<Int4, 3>& vertex = l.leaf_vertex.emplace_back();
      for (unsigned k = 0; k < 3; ++k) {
        vertex[k].v = Int4::Lanes{kNone, kNone, kNone, kNone};
        for (std::uint32_t i = 0; i < node.end - node.begin; ++i)
          vertex[k].v[i] = static_cast<std::int32_t>(triangles_[tree.triangle(node.begin + i)][k]);
      }
    }
  }
  begin_part();
}

void ContactSurface::find_rest_intersections(const RestIntersections* known, const Context& context) {
  tangled_.assign(rest_.size(), 0);
  if (known != nullptr) {
    rest_report_.endless = known->endless;
    rest_intersections_ = known->pairs;
  } else {
    WorkMeter meter;
    meter.start(kRestWork, 0);
    std::vector<std::vector<std::uint64_t>> found;
    find_intersections(tree_, triangles_, rest_, found, &meter, context);
    rest_report_.endless = meter.stopped();
    if (!rest_report_.endless)
      for (const auto& keys : found) rest_intersections_.insert(rest_intersections_.end(), keys.begin(), keys.end());
  }
  rest_report_.intersecting_pairs = rest_intersections_.size();
  std::vector<std::uint64_t> between;  // components
  for (const std::uint64_t k : rest_intersections_) {
    const auto a = static_cast<std::uint32_t>(k >> 32U), b = static_cast<std::uint32_t>(k);
    const std::uint32_t ca = topology_.component[triangles_[a][0]], cb = topology_.component[triangles_[b][0]];
    if (ca != cb) {
      excluded_components_.insert(pair_key(ca, cb));
      between.push_back(k);
      continue;
    }
    // With the triangles around both: the border of a patch that passes through another would catch on it.
    for (const std::uint32_t v : triangles_[a])
      for (const std::uint32_t s : topology_.vertex_faces.row(v))
        for (const std::uint32_t w : triangles_[b])
          for (const std::uint32_t t : topology_.vertex_faces.row(w)) {
            excluded_triangles_.insert(pair_key(s, t));
            for (const std::uint32_t u : triangles_[s]) tangled_[u] = 1;
            for (const std::uint32_t u : triangles_[t]) tangled_[u] = 1;
          }
  }
  rest_report_.excluded_components = excluded_components_.size();
  sink_components(between);
}

// Pieces that pass through each other at rest ignore each other where they do: the triangles that intersect, what lies
// inside the other piece, and what is as near to that, along the piece, as half the hole that it makes is wide. A limb
// that is stuck into a body swings about there.
void ContactSurface::sink_components(std::span<const std::uint64_t> pairs) {
  constexpr double kLeastEdges = 2;
  if (pairs.empty()) return;
  struct Meeting {
    std::uint32_t own, other;             // components
    std::vector<std::uint32_t> vertices;  // of triangles that intersect
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Meeting> meetings;
  for (const std::uint64_t k : pairs) {
    const auto a = static_cast<std::uint32_t>(k >> 32U), b = static_cast<std::uint32_t>(k);
    const std::uint32_t ca = topology_.component[triangles_[a][0]], cb = topology_.component[triangles_[b][0]];
    for (const auto& [t, own, other] : {std::tuple{a, ca, cb}, std::tuple{b, cb, ca}}) {
      Meeting& meeting = meetings.try_emplace({own, other}, Meeting{own, other, {}}).first->second;
      meeting.vertices.insert(meeting.vertices.end(), triangles_[t].begin(), triangles_[t].end());
    }
  }
  std::vector<std::vector<std::uint32_t>> triangles_of(topology_.component_count),
      vertices_of(topology_.component_count);
  for (std::uint32_t t = 0; t < triangles_.size(); ++t)
    triangles_of[topology_.component[triangles_[t][0]]].push_back(t);
  for (std::uint32_t v = 0; v < rest_.size(); ++v)
    if (topology_.component[v] != Topology::kNoComponent) vertices_of[topology_.component[v]].push_back(v);
  const auto at = [&](std::uint32_t v) { return static_cast<Vec3d>(rest_[v]); };
  std::vector<float> reach(rest_.size());
  std::vector<char> marked(rest_.size());
  for (auto& [key, meeting] : meetings) {
    const TriangleBvh tree(rest_, triangles_, triangles_of[meeting.other]);
    const WindingNumber winding(tree, rest_, triangles_);
    const Boxf& box = tree.nodes()[0].box;
    std::ranges::fill(marked, 0);
    for (const std::uint32_t v : meeting.vertices) marked[v] = 1;
    for (const std::uint32_t v : vertices_of[meeting.own])
      if (overlap(Boxf{rest_[v], rest_[v]}, box) && winding.exceeds(at(v), 0.5)) marked[v] = 1;
    // Each connected patch of them reaches as far as it is wide.
    std::ranges::fill(reach, 0.0F);
    std::vector<std::uint32_t> patch, ring;
    for (const std::uint32_t seed : vertices_of[meeting.own]) {
      if (marked[seed] != 1) continue;
      Box wide;
      double edge = 0;
      patch.assign(1, seed);
      marked[seed] = 2;
      for (std::size_t i = 0; i < patch.size(); ++i) {
        wide.add(at(patch[i]));
        edge = std::max(edge, static_cast<double>(edge_length_[patch[i]]));
        for (const std::uint32_t w : topology_.vertex_neighbours.row(patch[i]))
          if (marked[w] == 1) {
            marked[w] = 2;
            patch.push_back(w);
          }
      }
      const auto far = static_cast<float>(std::max(kLeastEdges * edge, 0.5 * diagonal(wide)));
      for (const std::uint32_t v : patch) {
        reach[v] = std::max(reach[v], far);
        ring.push_back(v);
      }
    }
    // What is left of the reach at a vertex, the largest over all ways; few rings, so plain repetition does.
    while (!ring.empty()) {
      std::vector<std::uint32_t> next;
      for (const std::uint32_t v : ring)
        for (const std::uint32_t w : topology_.vertex_neighbours.row(v)) {
          const float left = reach[v] - static_cast<float>(distance(at(v), at(w)));
          if (!(left > reach[w])) continue;
          reach[w] = left;
          next.push_back(w);
        }
      ring.swap(next);
    }
    for (const std::uint32_t v : vertices_of[meeting.own])
      if (reach[v] > 0) sunk_.insert((static_cast<std::uint64_t>(v) << 32U) | meeting.other);
  }
}

double ContactSurface::travel_near(std::uint32_t a, std::uint32_t b, const Affine3d& from, const Affine3d& to,
                                   double margin, double least, WorkMeter* meter) const {
  const TriangleBvh &tree_a = parts_[a].tree, &tree_b = parts_[b].tree;
  if (tree_a.empty() || tree_b.empty()) return 0;
  double farthest = 0;
  WorkCount work(meter);
  double travel = 0;  // of the last pair's box
  const auto near = [&](std::uint32_t i, std::uint32_t j) {
    const TriangleBvh::Node &na = tree_a.nodes()[i], &nb = tree_b.nodes()[j];
    const Vec3d lo = static_cast<Vec3d>(na.box.lo), hi = static_cast<Vec3d>(na.box.hi);
    const Vec3d centre = (lo + hi) * 0.5, h = (hi - lo) * 0.5;
    const Vec3d start = transform_point(from, centre), end = transform_point(to, centre);
    Vec3d reach, wave;  // of the box about its centre; of its way about the centre's
    for (int k = 0; k < 3; ++k) {
      reach[k] = margin;
      for (std::size_t c = 0; c < 3; ++c) {
        const double along = h[static_cast<int>(c)];
        reach[k] += along * std::max(std::abs(from.linear.col[c][k]), std::abs(to.linear.col[c][k]));
        wave[k] += along * std::abs(to.linear.col[c][k] - from.linear.col[c][k]);
      }
    }
    travel = distance(start, end);
    if (travel + length(wave) <= std::max(farthest, least)) return false;
    for (int k = 0; k < 3; ++k)
      if (!(std::min(start[k], end[k]) - reach[k] <= nb.box.hi[k] &&
            std::max(start[k], end[k]) + reach[k] >= nb.box.lo[k]))
        return false;
    return true;
  };
  visit_pairs(
      tree_a.nodes(), tree_b.nodes(), {0, 0}, false, [&] { return work.spend(2); }, near,
      [&](std::uint32_t, std::uint32_t) { farthest = std::max(farthest, travel); });
  return farthest;
}

bool ContactSurface::triangles_excluded(std::uint32_t a, std::uint32_t b) const {
  if (excluded_triangles_.contains(pair_key(a, b))) return true;
  const std::uint32_t ca = topology_.component[triangles_[a][0]], cb = topology_.component[triangles_[b][0]];
  if (ca == cb || !excluded_components_.contains(pair_key(ca, cb))) return false;
  return std::ranges::any_of(triangles_[a], [&](std::uint32_t v) { return is_sunk(v, cb); }) ||
         std::ranges::any_of(triangles_[b], [&](std::uint32_t v) { return is_sunk(v, ca); });
}

bool ContactSurface::neighbours(ElementPair kind, const std::array<std::uint32_t, 4>& v) const {
  const std::size_t split = kind == ElementPair::vertex_face ? 1 : 2;
  for (std::size_t i = 0; i < split; ++i)
    for (std::size_t j = split; j < 4; ++j) {
      const auto a = topology_.vertex_neighbours.row(v[i]), b = topology_.vertex_neighbours.row(v[j]);
      if (std::binary_search(a.begin(), a.end(), v[j])) return true;
      for (const std::uint32_t w : a)
        if (std::binary_search(b.begin(), b.end(), w)) return true;
    }
  return false;
}

bool ContactSurface::excluded(ElementPair kind, const std::array<std::uint32_t, 4>& v) const {
  const std::uint32_t other = kind == ElementPair::vertex_face ? v[1] : v[2];
  if (!excluded_components_.empty()) {
    const std::uint32_t ca = topology_.component[v[0]], cb = topology_.component[other];
    if (ca != cb && excluded_components_.contains(pair_key(ca, cb))) {
      const std::size_t split = kind == ElementPair::vertex_face ? 1 : 2;
      for (std::size_t i = 0; i < 4; ++i)
        if (is_sunk(v[i], i < split ? cb : ca)) return true;
    }
  }
  if (excluded_triangles_.empty() || tangled_[v[0]] == 0 || tangled_[other] == 0) return false;
  const auto holds = [&](std::uint32_t t, std::uint32_t w) {
    return triangles_[t][0] == w || triangles_[t][1] == w || triangles_[t][2] == w;
  };
  for (const std::uint32_t a : topology_.vertex_faces.row(v[0])) {
    if (kind == ElementPair::edge_edge && !holds(a, v[1])) continue;
    for (const std::uint32_t b : topology_.vertex_faces.row(other)) {
      const bool fits = kind == ElementPair::edge_edge ? holds(b, v[3]) : holds(b, v[2]) && holds(b, v[3]);
      if (fits && triangles_excluded(a, b)) return true;
    }
  }
  return false;
}

}  // namespace cutis
