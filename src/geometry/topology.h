// Who is next to whom: edges, faces at vertices, components, boundary loops, what is not manifold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cutis/types.h"

namespace cutis {

/// Compressed rows: the items of row i are items[begin[i] .. begin[i+1]).
struct Adjacency {
  std::vector<std::uint32_t> begin, items;
  [[nodiscard]] std::span<const std::uint32_t> row(std::size_t i) const {
    return {items.data() + begin[i], items.data() + begin[i + 1]};
  }
};

struct Edge {
  std::uint32_t a = 0, b = 0;  ///< a < b
  std::uint32_t faces = 0;     ///< how many triangles use it
  std::uint32_t forward = 0;   ///< how many of them run from a to b
};

/// Of a triangle soup over `vertex_count` vertices. Triangles with a repeated vertex are left out of everything.
struct Topology {
  std::size_t vertex_count = 0;
  std::vector<Triangle> triangles;       ///< all, in the input's order
  std::vector<Edge> edges;               ///< sorted by (a, b)
  Adjacency edge_faces;                  ///< triangles at each edge
  Adjacency vertex_faces;                ///< triangles at each vertex
  Adjacency vertex_neighbours;           ///< vertices joined by an edge, sorted
  std::vector<std::uint32_t> component;  ///< per vertex; numbered by first vertex; kNoComponent if unused
  std::size_t component_count = 0;
  std::vector<std::vector<std::uint32_t>> boundary_loops;  ///< vertices in order along each loop
  std::size_t boundary_components = 0;  ///< connected pieces of the boundary: loops that touch count once
  std::size_t boundary_edges = 0;
  std::size_t nonmanifold_edges = 0;     ///< more than two triangles
  std::size_t nonmanifold_vertices = 0;  ///< the fan of triangles around it falls apart (edges aside)
  std::size_t inconsistent_edges = 0;    ///< two triangles that run the same way
  std::size_t repeated_vertex_triangles = 0;

  static constexpr std::uint32_t kNoComponent = 0xffffffffU;
  [[nodiscard]] bool closed() const {
    return boundary_edges == 0 && nonmanifold_edges == 0 && inconsistent_edges == 0 && !edges.empty();
  }
  /// Index into edges, or -1.
  [[nodiscard]] std::int64_t find_edge(std::uint32_t a, std::uint32_t b) const;
};

[[nodiscard]] Topology build_topology(std::size_t vertex_count, std::span<const Triangle> triangles);

}  // namespace cutis
