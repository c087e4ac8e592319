// The volumetric control mesh: tetrahedra that fill the cage, with samples of the skeleton and the markers as vertices.
//
// Le Naour 2018, section IV-A. Differs: Delaunay (the paper's mesher is not free), carved by the winding
// number of the mesh; points inside are spread so that slivers are rare, and what is left of them is counted and not
// used. The cage is the boundary of what remains; its points stand off the mesh, and more are added until it covers it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cutis/context.h"
#include "volume/control_points.h"
#include "volume/driven_skeleton.h"
#include "volume/tetrahedra.h"

namespace cutis {

struct ControlMeshOptions {
  std::size_t vertices = 2000;  ///< about
  bool cage = true;             ///< false: the vertices of the mesh itself, not simplified, not grown
};

struct ControlMesh {
  std::vector<Vec3d> rest;
  std::vector<Tetrahedron> tetrahedra;  ///< positive, without slivers
  std::vector<Triangle> boundary;       ///< outward
  std::vector<SkeletonSample> samples;
  std::vector<SampleEdge> sample_edges;
  std::vector<std::uint32_t> marker_vertex;  ///< per marker given
  std::vector<Vec3d> marker_offset;          ///< from that vertex to the marker, at rest; 0 unless it lies outside
  std::vector<int> nearest_bone;             ///< per vertex
  double mean_edge = 0;

  // What making it took.
  std::size_t cage_vertices = 0;
  std::size_t cage_intersections = 0;  ///< pairs of boundary triangles that cut each other
  std::size_t uncovered = 0;           ///< vertices of the mesh outside the boundary
  double uncovered_by = 0;             ///< the farthest of them, metres
  std::size_t slivers = 0;             ///< left out
  std::size_t lost_samples = 0;        ///< skeleton samples outside the body
  std::size_t components = 1;          ///< before the loose ones were dropped
  double least_quality = 0;            ///< of any tetrahedron, in (0,1], 1 is regular
};

/// `positions`, `triangles`: the welded mesh at rest. `markers`: their places at rest.
[[nodiscard]] ControlMesh make_control_mesh(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                                            const DrivenSkeleton& skeleton, std::span<const Vec3d> markers,
                                            const ControlMeshOptions& options, const Context& context);

}  // namespace cutis
