// Automatic weights: a mesh and a skeleton are enough. Never fails on a mesh: what is wrong with it is worked around,
// counted and named in the report.
//
//   WeightReport report = make_weights(character, {.method = WeightMethod::heat, .symmetric = true}, context);
//
// Mathematics: docs/algorithms/weights-heat.md, docs/algorithms/weights-atlas.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/option_rows.h"

namespace cutis {

enum class WeightMethod {
  heat,   ///< bone heat: Baran and Popović 2007
  atlas,  ///< regions cut at the joints, blended across the cuts: Lu 2008
};

[[nodiscard]] std::string_view to_string(WeightMethod method);
/// Throws Error(bad_argument) that lists the methods.
[[nodiscard]] WeightMethod weight_method_from_string(std::string_view name);
[[nodiscard]] std::vector<std::string> weight_method_names();

struct WeightOptions {
  WeightMethod method = WeightMethod::heat;
  int max_influences = 4;    ///< per vertex, 1 to 64
  bool symmetric = false;    ///< make the weights of mirrored vertices exactly equal
  int smooth_steps = 0;      ///< Laplacian smoothing of the weights, 0 to 1000 steps
  double min_weight = 0.01;  ///< weights below it fade out; in [0, 0.2]
  /// Atlas: how wide regions overlap across the cut between them, in diameters of the cut; in [0.1, 4]. 1 is the
  /// paper's; wider folds less.
  double overlap = 1.5;
  std::map<std::string, double> joint_overlap = {};  ///< atlas: the same for single joints, by name
  /// When the character has weights, joints that none of them uses are helpers and stay without vertices.
  bool keep_helpers = true;
};

/// Something in the mesh or the skeleton that needed other treatment than the rest.
struct WeightFallback {
  std::string what;  ///< e.g. "component without a visible bone: follows the nearest bound surface"
  std::size_t count = 0;
  std::string where;  ///< a few examples: mesh, joint or vertex names; may be empty
};

/// How far mirrored vertices are from having mirrored weights.
struct MirrorReport {
  Vec3d plane_point, plane_normal;           ///< the plane that was found; unit normal
  std::size_t paired_vertices = 0;           ///< welded vertices with a partner (itself, on the plane)
  std::size_t unpaired_vertices = 0;         ///< welded vertices without; they keep their weights
  std::size_t paired_joints = 0;             ///< joints whose partner is another joint
  double error_before = 0, error_after = 0;  ///< largest difference of any weight to its mirror image
};

/// Where the atlas was cut, or was not, between a joint and its parent.
struct CutReport {
  std::string joint;
  std::string place;     ///< "at the joint", "at the waist nearby", "down the bone", "nearest curve", "missing"
  double perimeter = 0;  ///< of the curve, metres
  double width = 0;      ///< of the overlap, metres
  double tilt = 0;       ///< radians between the cutting plane's normal and the bisector of the two bones
};

struct WeightReport {
  double seconds = 0;
  std::size_t vertices = 0, welded_vertices = 0, triangles = 0;
  std::size_t bones = 0;           ///< that could take vertices
  std::size_t weighted_bones = 0;  ///< that got some
  std::vector<WeightFallback> fallbacks;
  std::vector<CutReport> cuts;  ///< atlas: one per joint with a parent
  /// Atlas: the joint of the region that each vertex of all meshes, in order, lies in before regions overlap; -1 where
  /// there is none.
  std::vector<int> regions;
  std::optional<MirrorReport> mirror;      ///< with `symmetric`, when a plane was found
  std::vector<std::size_t> influences;     ///< [k]: welded vertices with k influences; [0] is 0
  double pruned_mean = 0, pruned_max = 0;  ///< weight taken away per vertex by min_weight and max_influences
  /// Half the summed differences of the weights of the two ends of an edge, in [0,1]: mean, 99th percentile, largest.
  double edge_step_mean = 0, edge_step_p99 = 0, edge_step_max = 0;
};

/// Replaces the weights of all meshes but those that hang on bones (Mesh::attached). Throws Error when there is no
/// skeleton or it lies nowhere near the mesh, when an option is out of range, or when the work is cancelled; never
/// because of the mesh.
WeightReport make_weights(Character& character, const WeightOptions& options, const Context& context);

/// Takes over skeleton and clips of `donor`, `scale` times as large; weights are dropped. Both are in scene space: the
/// bones have to run through the mesh, which make_weights() checks.
void take_skeleton(Character& character, const Character& donor, double scale = 1);

template <>
[[nodiscard]] std::span<const OptionRow<WeightOptions>> option_rows();

}  // namespace cutis
