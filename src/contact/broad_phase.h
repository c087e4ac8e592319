// Which elements might meet during a step.
//
// Every pair of parts is tested in the moving frame of the thicker one: there the start of the step is the last mesh
// carried along, and only what moves relative to that part counts. Different pairs may take different paths: if no pair
// of elements meets on its own path, the end of the step has no intersection.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "contact/contact_surface.h"
#include "contact/path_box.h"
#include "cutis/context.h"

namespace cutis {

/// The ways of all vertices, seen from part k: from frame[k] * last to `to`, straight; they may end anywhere within
/// `pad` of `to`.
struct StepPaths {
  std::span<const Vec3f> last;
  std::span<const Vec3d> to;
  std::span<const float> pad;       ///< per vertex, metres
  std::span<const Affine3d> frame;  ///< per part: its motion over the step
};

struct BroadPhaseOptions {
  float gap_edges = 0;        ///< CandidatePair::gap in local edges
  std::size_t max_pairs = 0;  ///< give up beyond
};

class BroadPhase {
 public:
  explicit BroadPhase(const ContactSurface& surface);

  /// Appends the pairs that could come nearer than nothing, or end nearer than their pads: with at least one vertex of
  /// `flagged`; with `all_relative`, which starts a new step, also pairs of parts that move relative to each other.
  /// Without it, only flagged vertices may have moved since the last call. `released(a, b)` parts are
  /// skipped. Returns false when there are more than options.max_pairs. The order does not depend on threads.
  bool collect(const StepPaths& paths, std::span<const char> flagged, bool all_relative, std::span<const char> released,
               const BroadPhaseOptions& options, std::vector<CandidatePair>& pairs, const Context& context);

  /// Whether triangles of the two parts intersect in this mesh (exact).
  [[nodiscard]] bool parts_intersect(std::span<const Vec3f> positions, std::uint32_t a, std::uint32_t b);

  [[nodiscard]] double rounding() const { return rounding_; }  ///< of float coordinates in the last collect(), metres

 private:
  struct Task {
    std::uint32_t part_a, node_a, part_b, node_b;  // b's frame
    bool all;
  };
  struct Corners;
  struct LeafScratch;
  void refit(const StepPaths& paths, std::span<const char> flagged, bool fresh, const Context& context);
  void refit_vertex(const StepPaths& paths, std::size_t v);
  void refit_guest(const StepPaths& paths, std::size_t i);
  void refit_nodes(const StepPaths& paths, std::size_t part);
  [[nodiscard]] bool flagged_node(std::uint32_t part, std::size_t node) const {
    return part_flag_[part] != 0 && node_flag_[node] != 0;
  }
  [[nodiscard]] PathBox box_in_frame(const Affine3d& frame, std::size_t node) const;
  void plan(const StepPaths& paths, bool all_relative, std::span<const char> released);
  void expand(const StepPaths& paths, Task task);
  void run(const StepPaths& paths, std::span<const char> flagged, const BroadPhaseOptions& options, const Task& task,
           std::vector<CandidatePair>& out) const;
  void test_leaves(const StepPaths& paths, std::span<const char> flagged, const BroadPhaseOptions& options,
                   const Task& task, LeafScratch& scratch, std::vector<CandidatePair>& out) const;
  [[nodiscard]] bool moves_relative(const StepPaths& paths, std::uint32_t a, std::uint32_t b) const;

  // A corner of a triangle whose vertex belongs to another part than the triangle.
  struct Guest {
    std::uint32_t vertex, part;
  };

  const ContactSurface& surface_;
  std::vector<std::uint32_t> node_begin_, slot_begin_;  // per part, into the arrays below
  std::vector<PathBox> own_, last_, to_;                // per node: own frame's path; last mesh; end of the step
  std::vector<char> node_flag_;
  std::vector<PathBox> slot_own_;  // per triangle: own frame's path
  std::vector<char> slot_flag_;
  std::vector<std::uint32_t> slot_triangle_;
  std::vector<std::array<std::uint32_t, 3>> corner_;  // per triangle, into path_
  std::vector<Guest> guests_;
  std::vector<PathBox> path_;            // in the own frame: of the vertices, then of the guests
  std::vector<PathBox> vertex_to_;       // per vertex: end of the step
  std::vector<char> stale_, part_flag_;  // per part: boxes to be made anew; flags below it
  std::vector<Vec3d> carried_;           // per vertex: last, moved with its own part
  std::vector<Task> tasks_;
  std::vector<std::vector<CandidatePair>> found_;  // per chunk of tasks
  std::vector<std::uint32_t> list_a_, list_b_;     // triangles of two parts that may intersect
  double rounding_ = 0;
};

}  // namespace cutis
