// What the methods of automatic weights share: the problem they get and the matrix they return.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/weights.h"
#include "geometry/topology.h"

namespace cutis {

struct Segment {
  Vec3d from, to;
};

/// A bone that may take vertices.
struct WeightBone {
  int joint = -1;                 ///< index into Skeleton::joints
  int parent = -1;                ///< nearest ancestor among WeightProblem::bones, or -1
  Vec3d from, to;                 ///< as DESIGN: to the child, or the mean of the children; a leaf's end is guessed
  std::vector<Segment> segments;  ///< one to each child; one for a leaf
  bool leaf = false;
  bool point = false;  ///< from and to coincide
};

class BoneVisibility;  // weights/bone_visibility.h

/// The whole character as one surface of welded vertices (equal positions, whatever weights they had).
struct WeightProblem {
  const Character* character = nullptr;
  double size = 0;               ///< diagonal of the bounding box, metres; > 0
  std::vector<Vec3d> positions;  ///< rest pose
  /// Triangles without repeated vertices and without doubles, turned outward where outward is known.
  Topology topology;
  std::vector<Vec3d> normals;              ///< unit, outward where outward is known
  std::vector<std::uint8_t> two_sided;     ///< per vertex: outward is not known here (sheets, not orientable)
  std::vector<std::uint32_t> input_begin;  ///< first input vertex of each mesh, and the end
  std::vector<std::uint32_t> welded_of;    ///< per input vertex
  std::vector<std::uint32_t> first_of;     ///< per welded vertex: its first input vertex
  std::vector<WeightBone> bones;
  std::shared_ptr<const BoneVisibility> visibility;  ///< rays through the mesh; refers to this problem
  std::vector<std::string> component_names;          ///< for reports: "mesh 'Body'", "mesh 'Body', piece 3"

  /// "vertex 12 of mesh 'Body'", of a welded vertex.
  [[nodiscard]] std::string vertex_name(std::uint32_t vertex) const;
};

/// Sparse rows: (index into WeightProblem::bones, weight). Weights are >= 0 and a row sums to 1; an empty row is a
/// vertex that the method could not reach: it takes the weights of the nearest surface point of those that it could.
struct WeightMatrix {
  using Row = std::vector<std::pair<std::uint32_t, double>>;
  std::vector<Row> rows;  ///< per welded vertex; bones in ascending order
  /// Components (as in Topology::component) that shall move as one rigid piece.
  std::vector<std::uint32_t> rigid_components;
};

using Fallbacks = std::vector<WeightFallback>;

[[nodiscard]] WeightMatrix heat_weights(const WeightProblem& problem, Fallbacks& fallbacks, const Context& context);
/// Fills the report's fallbacks, cuts and regions.
[[nodiscard]] WeightMatrix atlas_weights(const WeightProblem& problem, const WeightOptions& options,
                                         WeightReport& report, const Context& context);

}  // namespace cutis
