// What contact needs to know about a surface once and for all: who owns which element, the trees of its parts, local
// edge lengths, and what already intersects at rest.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/float4.h"
#include "base/work_meter.h"
#include "cutis/context.h"
#include "geometry/topology.h"
#include "geometry/triangle_bvh.h"
#include "kernels/element_pair.h"

namespace cutis {

/// A welded surface at rest.
struct ContactMesh {
  std::span<const Vec3f> rest;
  std::span<const Triangle> triangles;
  std::span<const std::uint32_t> part;  ///< per vertex, below `parts`
  std::size_t parts = 0;
  std::span<const float> part_radius;     ///< per part, metres: thick parts yield more, in proportion
  std::span<const char> part_rigid = {};  ///< per part: 1 does not yield at all; empty: all do
};

/// Two elements that might meet: points as in kernels/element_pair.h.
struct CandidatePair {
  std::array<std::uint32_t, 4> vertex{};
  std::uint32_t frame = 0;       ///< the part in whose moving frame the pair is tested
  std::uint32_t other_part = 0;  ///< the part of the other element; `frame` for a pair within one part
  ElementPair kind = ElementPair::vertex_face;
  bool sheet = false;  ///< neighbours on the surface: not a contact of two skins
  float distance = 0;  ///< at the start of the step, metres
  float gap = 0;       ///< to be kept, metres
};

/// Two numbers in one, the lower in the upper half.
[[nodiscard]] inline std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) {
  return (static_cast<std::uint64_t>(a < b ? a : b) << 32U) | (a < b ? b : a);
}

/// What intersects at rest, when it is known already.
struct RestIntersections {
  std::vector<std::uint64_t> pairs;  ///< ContactSurface::rest_intersections()
  bool endless = false;              ///< ContactSurface::RestReport
};

/// The trees of all parts, one after the other: for arrays over their nodes, triangles and corners. A part's corners
/// are the vertices of its triangles: its own, and at seams those of other parts.
struct BroadLayout {
  std::vector<std::uint32_t> node_begin, slot_begin, corner_begin;  ///< per part and one more
  std::vector<std::uint32_t> node_leaf;                             ///< which of the leaves
  std::vector<std::uint32_t> slot_triangle;
  std::vector<std::array<std::uint32_t, 3>> slot_corner;
  std::vector<std::uint32_t> corner_vertex;
  std::vector<std::array<Int4, 3>> leaf_vertex;  ///< per leaf: the vertices of its triangles, a lane each, or kNoVertex
  std::uint32_t leaves = 0;
  static constexpr std::int32_t kNoVertex = -1;
};

/// The mesh at rest, in parts: never changes.
class ContactSurface {
 public:
  /// Which vertices and edges (k: from corner k to corner k + 1) a triangle stands for. Every vertex and edge has one
  /// triangle that owns it in each part that it borders on, so that pairs of triangles of two parts name each pair of
  /// elements once. At seams it is named once a part: two triangles do not meet if all their elements keep apart on one
  /// and the same way, hence each pair of parts must test all elements of its triangles in its own frame.
  struct Ownership {
    std::uint8_t vertices = 0, edges = 0;  ///< bit k
  };
  struct Part {
    TriangleBvh tree;        ///< over rest positions; empty for a part without triangles
    float thickness = 1;     ///< metres
    float inverse_mass = 1;  ///< that, or 0
    std::uint32_t vertices = 0;
  };
  struct RestReport {
    std::size_t intersecting_pairs = 0;   ///< of triangles without a common vertex
    std::size_t excluded_components = 0;  ///< pairs of components that intersect: they ignore each other around there
    std::size_t degenerate_triangles = 0;
    bool endless = false;  ///< intersects in more places than are looked at: no mesh can be told to be valid
  };

  /// Copies the mesh. Throws Error(bad_argument) when sizes or numbers do not fit together.
  ContactSurface(const ContactMesh& mesh, const Context& context, const RestIntersections* known = nullptr);

  [[nodiscard]] std::size_t vertex_count() const { return rest_.size(); }
  [[nodiscard]] std::span<const Vec3f> rest() const { return rest_; }
  [[nodiscard]] std::span<const Triangle> triangles() const { return triangles_; }
  [[nodiscard]] std::span<const Ownership> ownership() const { return ownership_; }
  [[nodiscard]] std::span<const std::uint32_t> part() const { return part_; }                      ///< of vertices
  [[nodiscard]] std::span<const std::uint32_t> triangle_part() const { return triangle_part_; }    ///< of most corners
  [[nodiscard]] std::span<const std::uint32_t> seam_triangles() const { return seam_triangles_; }  ///< of several parts
  [[nodiscard]] std::span<const Part> parts() const { return parts_; }
  [[nodiscard]] std::span<const float> edge_length() const { return edge_length_; }  ///< mean at each vertex
  /// That, or twice the thickness of the vertex's part where edges are longer. What skin keeps from skin, and how far
  /// around it is looked, goes by this: edges of low-poly limbs are many times as long as these are thick, and all of
  /// such a limb would be near all of it.
  [[nodiscard]] std::span<const float> grain() const { return grain_; }
  [[nodiscard]] const Topology& topology() const { return topology_; }
  /// Per vertex, the vertices around it, each joined to the next by a triangle with it, in the order of its corners.
  /// Empty where these are not all, or do not close, or are of several parts.
  [[nodiscard]] const Adjacency& rims() const { return rims_; }
  [[nodiscard]] std::uint32_t main_part() const { return main_part_; }  ///< the one with most vertices
  [[nodiscard]] double size() const { return size_; }                   ///< diagonal of the rest pose's box
  [[nodiscard]] const RestReport& rest_report() const { return rest_report_; }

  /// Whether the pair is to be left alone because of intersections at rest.
  [[nodiscard]] bool excluded(ElementPair kind, const std::array<std::uint32_t, 4>& v) const;
  /// Whether the two elements are joined by an edge or two.
  [[nodiscard]] bool neighbours(ElementPair kind, const std::array<std::uint32_t, 4>& v) const;

  /// How far skin of part a moves that comes within `margin` of skin of part b, when a's points go from where `from`
  /// takes them at rest to where `to` does, b's stay where they are at rest; metres. By boxes of a few triangles; skin
  /// that moves by no more than `least` is passed over. When the meter stops: so far.
  [[nodiscard]] double travel_near(std::uint32_t a, std::uint32_t b, const Affine3d& from, const Affine3d& to,
                                   double margin, double least, WorkMeter* meter = nullptr) const;

  /// Whether two triangles (numbers of triangles()) intersect at rest, or are near such, or of pieces that do.
  [[nodiscard]] bool triangles_excluded(std::uint32_t a, std::uint32_t b) const;
  /// Pairs of triangles that intersect at rest, lower number in the upper half.
  [[nodiscard]] std::span<const std::uint64_t> rest_intersections() const { return rest_intersections_; }
  [[nodiscard]] const TriangleBvh& tree() const { return tree_; }  ///< of all triangles, at rest
  [[nodiscard]] const BroadLayout& layout() const { return layout_; }

 private:
  void own_elements();
  void lay_out();
  void find_rims();
  void sink_components(std::span<const std::uint64_t> pairs);
  [[nodiscard]] bool is_sunk(std::uint32_t vertex, std::uint32_t component) const {
    return sunk_.contains((static_cast<std::uint64_t>(vertex) << 32U) | component);
  }
  void find_rest_intersections(const RestIntersections* known, const Context& context);

  std::vector<Vec3f> rest_;
  std::vector<Triangle> triangles_;
  std::vector<std::uint32_t> part_, triangle_part_, seam_triangles_;
  Topology topology_;
  Adjacency rims_;
  std::vector<Ownership> ownership_;
  std::vector<Part> parts_;
  std::vector<float> edge_length_, grain_;
  std::uint32_t main_part_ = 0;
  double size_ = 0;
  RestReport rest_report_;
  std::vector<std::uint64_t> rest_intersections_;
  std::vector<char> tangled_;                             // per vertex: some triangle near it intersects at rest
  std::unordered_set<std::uint64_t> excluded_triangles_;  // lower number in the upper half
  std::unordered_set<std::uint64_t> excluded_components_;
  std::unordered_set<std::uint64_t>
      sunk_;          // vertex, in the upper half, and component that it passes through or is near
  TriangleBvh tree_;  // of all parts
  BroadLayout layout_;
};

}  // namespace cutis
