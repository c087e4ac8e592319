// Quality of deformed meshes, of any method on any character. Definitions: docs/algorithms/metrics.md.
//
//   Metrics metrics(character, context);
//   FrameMetrics m = metrics.measure(frame.positions);      // one frame
//   for (const MetricSummary& s : summarise(all_frames)) …   // mean and worst of a clip
//
// All on the welded mesh (equal rest position and compatible weights). Numbers do not depend on the number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/option_rows.h"
#include "cutis/roles.h"

namespace cutis {

struct MetricsOptions {
  bool intersections = true;  ///< the dearest two can be left out
  bool overlap = true;
  bool per_vertex = false;  ///< fill FrameMetrics::pairs and the arrays per vertex, for pictures
};

/// Of one frame. What was not asked for, or has no meaning for this mesh, is empty.
struct FrameMetrics {
  /// Pairs of triangles that share no vertex and have a point in common.
  std::optional<std::size_t> intersecting_pairs;
  /// Of these, the pairs whose triangles were apart at rest: neither intersected nor touched, to 1e-5 of the size.
  /// Where sheets touch exactly (cards of hair in one plane), rounding alone makes and unmakes intersections.
  std::optional<std::size_t> new_pairs;
  /// Share of vertices, in [0,1], that lie inside the body once moved out by a quarter of the mean edge length.
  std::optional<double> overlap;
  /// Signed volume over the rest pose's, minus 1; empty when `volume_skipped` says why.
  std::optional<double> volume_change;
  std::string volume_skipped;
  /// The same around each joint; as Metrics::regions(). Empty where a vertex is not finite.
  std::vector<std::optional<double>> region_volume_change;
  /// Edges folded sharply (normals with dot product < -0.5) that were not at rest.
  std::size_t folds = 0;
  /// How much the skin's small-scale shape changed, degrees: root mean square, weighted by rest length, of the change
  /// of the angle between the two triangles of an edge, away from where skin touches skin. Needs `intersections`, or
  /// the `touching` of measure(); empty without edges.
  std::optional<double> roughness;
  /// Edges that a method has bent where it need not: by more than 40 degrees from rest, away from where skin touches
  /// skin, while dual quaternion skinning bends them by less than half as much. Needs the `dqs` of measure(), and what
  /// roughness needs.
  std::optional<std::size_t> scars;
  /// Of callers who play a motion more than once (cutis/play.h), % of the height: how far the contact pass moves skin
  /// that is far from all that it holds, and how far a frame depends on those before it.
  std::optional<double> untouched, memory;
  /// Edge length over rest length: 1st and 95th percentile, largest. Empty without edges.
  std::optional<double> stretch_p1, stretch_p95, stretch_max;
  /// Share of the garments' area, in [0,1], that skin stands out of and did not at rest; empty without garments.
  std::optional<double> poke_through;
  /// Edges more than 3 times as long as by dual quaternion skinning; empty where measure() is not given that.
  std::optional<std::size_t> tears;
  /// Of the residuals given to measure(), as absolute values.
  std::optional<double> iso_residual_mean, iso_residual_p95, iso_residual_max;
  /// Input vertices with a coordinate that is not finite. Triangles and edges at them are left out of everything else.
  std::size_t nonfinite = 0;
  /// Largest distance between copies of one welded vertex, metres.
  double seam_gap = 0;

  // With MetricsOptions::per_vertex.
  /// Intersecting pairs of triangles (lower number first, sorted), numbered over all meshes in order.
  std::vector<std::array<std::uint32_t, 2>> pairs;
  /// Per input vertex: the stretch of the edge at it that is farthest from 1 (as a factor); 1 without edges.
  std::vector<float> vertex_stretch;
  /// Per input vertex: mean change of the angles at its edges, degrees, contact included; 0 without edges.
  std::vector<float> vertex_roughness;
  std::vector<std::uint8_t> vertex_scars;       ///< per input vertex: at an edge of `scars`; empty where that is
  std::vector<std::uint8_t> vertex_overlaps;    ///< per input vertex: counted in `overlap`
  std::vector<std::uint8_t> vertex_intersects;  ///< per input vertex: at a triangle of `pairs`
  std::vector<std::uint8_t> vertex_pokes;       ///< per input vertex: of a garment, at a triangle of `poke_through`
  std::vector<std::uint8_t> vertex_tears;       ///< per input vertex: at an edge of `tears`
};

/// The surface around a joint whose volume is watched: where its bone and the parent bone blend.
struct JointRegion {
  int joint = -1;
  std::string name;
  std::size_t triangles = 0;
  double rest_volume = 0;  ///< cubic metres, the open ends capped
};

/// Distances between two shapes of one character, over its welded vertices, metres.
struct FrameDistance {
  double mean = 0, max = 0;
  std::size_t nonfinite = 0;  ///< vertices left out
};

/// How far two shapes of one character are apart, % of its height.
struct ShapeDifference {
  double worst = 0;           ///< of all vertices that are not left out
  std::vector<float> vertex;  ///< per input vertex; 0 where it is left out or not finite
};

/// How much a result depends on the way there: the same frames reached in two passes.
struct PathMetrics {
  double mean = 0, max = 0;     ///< over all frames, metres
  std::size_t worst_frame = 0;  ///< where `max` is
  std::size_t nonfinite = 0;
  std::vector<FrameDistance> frames;
};

class Metrics {
 public:
  /// Measures the rest pose too. The character may be empty, open or not manifold, and need not have weights. Throws
  /// Error(bad_character) when its indices are out of range.
  /// `roles`: what a person says that pieces are; poke_through needs to know what is a garment.
  Metrics(const Character& character, const Context& context, const MetricsOptions& options = {},
          std::span<const RoleChoice> roles = {});
  ~Metrics();
  Metrics(Metrics&&) noexcept;
  Metrics& operator=(Metrics&&) noexcept;

  /// `positions`: all vertices of all meshes in the input's order. `iso_residuals`: optional, one per input vertex; a
  /// NaN marks a vertex that has none. `touching`: optional, one per input vertex, not 0 where it touches other skin,
  /// for the roughness; found from the shape otherwise. `dqs`: optional, dual quaternion skinning in the same pose, for
  /// the scars and tears. Throws Error(bad_argument) on a wrong number of any, and never otherwise.
  [[nodiscard]] FrameMetrics measure(std::span<const Vec3f> positions, std::span<const float> iso_residuals = {},
                                     std::span<const std::uint8_t> touching = {},
                                     std::span<const Vec3f> dqs = {}) const;

  /// The rest pose's own numbers: `rest().overlap` is what reports call rest_overlap.
  [[nodiscard]] const FrameMetrics& rest() const;
  [[nodiscard]] std::span<const JointRegion> regions() const;

  /// Over welded vertices, both in the input's order.
  [[nodiscard]] FrameDistance distance(std::span<const Vec3f> a, std::span<const Vec3f> b) const;
  /// `leave_out`: optional, one per input vertex, not 0 where vertices do not count.
  [[nodiscard]] ShapeDifference difference(std::span<const Vec3f> a, std::span<const Vec3f> b,
                                           std::span<const std::uint8_t> leave_out = {}) const;
  /// Marks of input vertices, grown by that many edges of the welded mesh.
  [[nodiscard]] std::vector<std::uint8_t> within_edges(std::span<const std::uint8_t> marks, int edges) const;
  /// After a motion that ends at the rest pose: what is left.
  [[nodiscard]] FrameDistance distance_to_rest(std::span<const Vec3f> positions) const;
  /// Two passes over a clip, e.g. played forward and in reverse; frame i of both belongs to the same time. Throws
  /// Error(bad_argument) when they differ in length.
  [[nodiscard]] PathMetrics path(std::span<const std::vector<Vec3f>> first,
                                 std::span<const std::vector<Vec3f>> second) const;

  [[nodiscard]] std::size_t vertex_count() const;  ///< of the input
  [[nodiscard]] std::size_t welded_vertex_count() const;
  [[nodiscard]] std::span<const std::uint32_t> first_of_welded() const;  ///< per welded vertex: its first input vertex
  [[nodiscard]] double mean_edge_length() const;                         ///< of the rest pose, metres
  [[nodiscard]] double size() const;  ///< diagonal of the rest pose's bounding box, metres
  /// Largest side of that box, metres: the height of a standing character, the length of one that lies.
  [[nodiscard]] double height() const;
  [[nodiscard]] std::size_t zero_length_edges() const;  ///< at rest; left out of the stretch

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Collects how much vertices jerk: the second difference |p(t-1) - 2 p(t) + p(t+1)| of every welded vertex at every
/// inner frame. Keeps two frames and the largest thousandth of the differences, not the clip.
class PopAccumulator {
 public:
  /// `frames`: how many will be added at most; 0: unknown, and every difference is kept (4 bytes each).
  explicit PopAccumulator(const Metrics& metrics, std::size_t frames = 0);

  /// Frames in order, evenly spaced in time, input's vertex order. Throws Error(bad_argument) on a wrong number of
  /// positions or one frame too many.
  void add(std::span<const Vec3f> positions);

  /// 99.9th percentile, metres; empty before the third frame. Vertices that are not finite are left out.
  [[nodiscard]] std::optional<double> percentile() const;
  [[nodiscard]] double size() const { return size_; }

 private:
  std::vector<std::uint32_t> first_of_welded_;
  std::size_t input_vertices_ = 0;
  double size_ = 0;
  std::size_t expected_frames_ = 0, frames_ = 0;
  std::size_t keep_ = 0;              // so many of the largest; 0: all
  std::size_t count_ = 0;             // differences seen
  std::vector<float> largest_;        // a heap with the smallest on top when keep_ > 0
  std::vector<Vec3f> before_, last_;  // welded vertices of the last two frames
};

/// `pop`: the method's percentile as a multiple of LBS's over the same frames. Both count as at least a millionth of
/// the character's size (float noise), so that two still clips give 1. Empty when either has fewer than three frames.
[[nodiscard]] std::optional<double> pop(const PopAccumulator& method, const PopAccumulator& lbs);

enum class Worse { higher, lower, away_from_zero };

/// One number of FrameMetrics, for tables, JSON and plots.
struct MetricInfo {
  std::string_view name;  ///< as reports call it
  std::string_view unit;  ///< "" for counts and ratios
  std::string_view help;
  Worse worse = Worse::higher;
  std::optional<double> (*value)(const FrameMetrics&) = nullptr;
};
[[nodiscard]] std::span<const MetricInfo> metric_table();

struct MetricSummary {
  std::string name;        ///< of the metric; "volume_change.JOINT" for regions
  std::size_t frames = 0;  ///< that had a value
  double mean = 0, worst = 0;
  std::size_t worst_frame = 0;  ///< the first, where several are equal
};
/// Mean and worst of every metric that at least one frame has, in the order of the table, then of `regions`.
[[nodiscard]] std::vector<MetricSummary> summarise(std::span<const FrameMetrics> frames,
                                                   std::span<const JointRegion> regions = {});

template <>
[[nodiscard]] std::span<const OptionRow<MetricsOptions>> option_rows();

}  // namespace cutis
