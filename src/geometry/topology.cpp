// Edges by sorting the three half-edges of every triangle, vertex by vertex; everything else is read off the list.
#include "geometry/topology.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "geometry/disjoint_sets.h"

namespace cutis {
namespace {

struct HalfEdge {
  std::uint32_t a, b, face;
  bool forward;
};

// By vertex a, then b, then face. Rows are short: buckets by vertex, each sorted by itself, are several times as fast
// as one sort of all.
std::vector<HalfEdge> sorted_rows(std::size_t rows, const std::vector<HalfEdge>& given) {
  std::vector<std::uint32_t> cursor(rows + 1, 0);
  for (const HalfEdge& h : given) ++cursor[h.a + 1];
  std::partial_sum(cursor.begin(), cursor.end(), cursor.begin());
  std::vector<HalfEdge> sorted(given.size());
  for (const HalfEdge& h : given) sorted[cursor[h.a]++] = h;
  std::size_t begin = 0;
  for (std::size_t v = 0; v < rows; ++v) {
    const std::size_t end = cursor[v];
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(begin), sorted.begin() + static_cast<std::ptrdiff_t>(end),
              [](const HalfEdge& p, const HalfEdge& q) { return std::tie(p.b, p.face) < std::tie(q.b, q.face); });
    begin = end;
  }
  return sorted;
}

Adjacency make_rows(std::size_t rows, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  Adjacency adjacency;
  adjacency.begin.assign(rows + 1, 0);
  for (const auto& [row, item] : pairs) ++adjacency.begin[row + 1];
  std::partial_sum(adjacency.begin.begin(), adjacency.begin.end(), adjacency.begin.begin());
  adjacency.items.resize(pairs.size());
  std::vector<std::uint32_t> cursor(adjacency.begin.begin(), adjacency.begin.end() - 1);
  for (const auto& [row, item] : pairs) adjacency.items[cursor[row]++] = item;
  return adjacency;
}

// Walks edges with a single triangle. At a vertex where several loops meet, the first unused edge is taken, which
// may join loops that only touch; that is a matter of taste there.
void trace_boundary(Topology& t) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> next;  // (from, to), against the triangle's direction
  for (const Edge& e : t.edges)
    if (e.faces == 1) next.emplace_back(e.forward ? e.b : e.a, e.forward ? e.a : e.b);
  t.boundary_edges = next.size();
  DisjointSets pieces(t.vertex_count);
  std::vector<std::uint32_t> touched;
  for (const auto& [from, to] : next) {
    pieces.join(from, to);
    touched.push_back(from);
    touched.push_back(to);
  }
  for (std::uint32_t& v : touched) v = pieces.find(v);
  std::sort(touched.begin(), touched.end());
  t.boundary_components = static_cast<std::size_t>(std::unique(touched.begin(), touched.end()) - touched.begin());
  // Undirected walk, so that loops of badly oriented meshes close too.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> at;  // vertex -> edge index
  for (std::uint32_t i = 0; i < next.size(); ++i) {
    at.emplace_back(next[i].first, i);
    at.emplace_back(next[i].second, i);
  }
  std::sort(at.begin(), at.end());
  std::vector<char> used(next.size(), 0);
  for (std::uint32_t start = 0; start < next.size(); ++start) {
    if (used[start]) continue;
    used[start] = 1;
    std::vector<std::uint32_t> loop{next[start].first};
    std::uint32_t v = next[start].second;
    while (v != loop.front()) {
      loop.push_back(v);
      auto it = std::lower_bound(at.begin(), at.end(), std::pair<std::uint32_t, std::uint32_t>{v, 0U});
      while (it != at.end() && it->first == v && used[it->second]) ++it;
      if (it == at.end() || it->first != v) break;  // an open chain, next to non-manifold edges
      used[it->second] = 1;
      const auto& [from, to] = next[it->second];
      v = from == v ? to : from;
    }
    t.boundary_loops.push_back(std::move(loop));
  }
}

// A vertex is manifold when its triangles form one fan: joined through shared edges at the vertex they are one set.
std::size_t count_nonmanifold_vertices(const Topology& t) {
  std::size_t count = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> spokes;  // (other vertex, local face)
  DisjointSets sets(0);
  for (std::size_t v = 0; v < t.vertex_count; ++v) {
    const auto faces = t.vertex_faces.row(v);
    if (faces.size() < 2) continue;
    spokes.clear();
    for (std::uint32_t i = 0; i < faces.size(); ++i)
      for (const std::uint32_t w : t.triangles[faces[i]])
        if (w != v) spokes.emplace_back(w, i);
    std::sort(spokes.begin(), spokes.end());
    sets.reset(faces.size());
    for (std::size_t i = 1; i < spokes.size(); ++i)
      if (spokes[i].first == spokes[i - 1].first) sets.join(spokes[i].second, spokes[i - 1].second);
    for (std::uint32_t i = 1; i < faces.size(); ++i) {
      if (sets.find(i) != sets.find(0)) {
        ++count;
        break;
      }
    }
  }
  return count;
}

}  // namespace

std::int64_t Topology::find_edge(std::uint32_t a, std::uint32_t b) const {
  if (a > b) std::swap(a, b);
  const auto it = std::lower_bound(edges.begin(), edges.end(), std::pair{a, b},
                                   [](const Edge& e, const auto& key) { return std::pair{e.a, e.b} < key; });
  return it != edges.end() && it->a == a && it->b == b ? it - edges.begin() : -1;
}

Topology build_topology(std::size_t vertex_count, std::span<const Triangle> triangles) {
  Topology t;
  t.vertex_count = vertex_count;
  t.triangles.assign(triangles.begin(), triangles.end());

  std::vector<HalfEdge> half;
  half.reserve(triangles.size() * 3);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> at_vertex;
  at_vertex.reserve(triangles.size() * 3);
  for (std::uint32_t f = 0; f < triangles.size(); ++f) {
    const Triangle& tri = triangles[f];
    if (tri[0] == tri[1] || tri[1] == tri[2] || tri[2] == tri[0]) {
      ++t.repeated_vertex_triangles;
      continue;
    }
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t a = tri[k], b = tri[(k + 1) % 3];
      half.push_back({std::min(a, b), std::max(a, b), f, a < b});
      at_vertex.emplace_back(a, f);
    }
  }
  t.vertex_faces = make_rows(vertex_count, at_vertex);
  half = sorted_rows(vertex_count, half);

  std::vector<std::pair<std::uint32_t, std::uint32_t>> at_edge, neighbours;
  DisjointSets sets(vertex_count);
  for (const HalfEdge& h : half) {
    if (t.edges.empty() || t.edges.back().a != h.a || t.edges.back().b != h.b) {
      t.edges.push_back({h.a, h.b, 0, 0});
      sets.join(h.a, h.b);
    }
    Edge& e = t.edges.back();
    ++e.faces;
    e.forward += h.forward;
    at_edge.emplace_back(static_cast<std::uint32_t>(t.edges.size() - 1), h.face);
  }
  t.edge_faces = make_rows(t.edges.size(), at_edge);
  // Edges come in the order of (a, b): what is smaller than a vertex first, then what is larger, each in order.
  neighbours.reserve(2 * t.edges.size());
  for (const Edge& e : t.edges) neighbours.emplace_back(e.b, e.a);
  for (const Edge& e : t.edges) neighbours.emplace_back(e.a, e.b);
  t.vertex_neighbours = make_rows(vertex_count, neighbours);
  for (const Edge& e : t.edges) {
    t.nonmanifold_edges += e.faces > 2;
    t.inconsistent_edges += e.faces == 2 && e.forward != 1;
  }

  t.component.assign(vertex_count, Topology::kNoComponent);
  std::vector<std::uint32_t> number(vertex_count, Topology::kNoComponent);
  for (std::uint32_t v = 0; v < vertex_count; ++v) {
    if (t.vertex_faces.row(v).empty()) continue;
    std::uint32_t& n = number[sets.find(v)];
    if (n == Topology::kNoComponent) n = static_cast<std::uint32_t>(t.component_count++);
    t.component[v] = n;
  }
  trace_boundary(t);
  t.nonmanifold_vertices = count_nonmanifold_vertices(t);
  return t;
}

}  // namespace cutis
