// Distance along a triangle mesh to a curve that lies on it.
//
// Fast marching (Kimmel and Sethian, "Computing geodesic paths on manifolds", PNAS 1998): the front leaves the curve
// exactly, triangle by triangle, and goes on by solving |grad d| = 1 in triangles whose far corner is acute; obtuse
// corners are split by unfolding what lies across their edge. First order: the error is a fraction of an edge length
// (docs/algorithms/weights-atlas.md has the numbers), none where fronts are straight and the surface unfolds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cutis/types.h"
#include "geometry/topology.h"

namespace cutis {

/// A straight piece of a curve, inside one triangle (its borders included).
struct CurveSegment {
  std::uint32_t face = 0;
  Vec3d a, b;  ///< may coincide: a point
};

struct VertexDistance {
  std::uint32_t vertex = 0;
  double distance = 0;
};

/// Prepared once per mesh, then asked for as many curves as needed, from any number of threads at a time.
class Geodesics {
 public:
  /// Both are kept by reference. Any triangle soup: open borders end the front, edges with more than two triangles
  /// pass it on to all, triangles without area carry it along their edges. Positions must be finite.
  Geodesics(std::span<const Vec3d> positions, const Topology& topology);

  /// What a query needs besides; keep one per thread to save its allocation.
  struct Scratch {
    std::vector<double> distance;
    std::vector<std::uint8_t> accepted;
    std::vector<VertexDistance> heap;
    std::vector<std::uint32_t> touched;
  };

  /// Vertices no farther than `max_distance`, nearest first. Vertices that no path reaches are not in the list.
  [[nodiscard]] std::vector<VertexDistance> distances(std::span<const CurveSegment> curve, double max_distance,
                                                      Scratch& scratch) const;

 private:
  // The front arrives at `target` from between p and q; all lengths in the plane of the three.
  struct Stencil {
    std::uint32_t target = 0, p = 0, q = 0;
    double pp = 0, qq = 0, pq = 0;  // dot products of p - target and q - target
    bool flat = false;              // no area: along the edges only
  };

  void add_stencils(std::uint32_t face, int corner);
  void seed(const CurveSegment& segment, double max_distance, Scratch& scratch) const;
  void lower(std::uint32_t vertex, double value, double max_distance, Scratch& scratch) const;
  [[nodiscard]] static double arrive(const Stencil& s, double dp, double dq);

  std::span<const Vec3d> positions_;
  const Topology* topology_;
  std::vector<Stencil> stencils_;
  Adjacency uses_;  // per vertex: stencils with it as p or q
};

}  // namespace cutis
