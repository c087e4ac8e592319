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

#include "base/work_meter.h"
#include "contact/contact_surface.h"
#include "contact/path_box.h"
#include "contact/quiet_stars.h"
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
  float gap_edges = 0;         ///< CandidatePair::gap in local edges
  std::size_t max_pairs = 0;   ///< give up beyond
  WorkMeter* meter = nullptr;  ///< give up when it stops
};

class BroadPhase {
 public:
  explicit BroadPhase(const ContactSurface& surface);

  /// Appends the pairs that could come nearer than nothing, or end nearer than their pads: with at least one vertex of
  /// `flagged`; with `all_relative`, which starts a new step, also pairs of parts that move relative to each other.
  /// Without it, only flagged vertices may have moved since the last call. `released(a, b)` parts are
  /// skipped. Returns false when there are more than options.max_pairs, or the meter stops. The order does not depend
  /// on threads.
  bool collect(const StepPaths& paths, std::span<const char> flagged, bool all_relative, std::span<const char> released,
               const BroadPhaseOptions& options, std::vector<CandidatePair>& pairs, const Context& context);

  [[nodiscard]] double rounding() const { return rounding_; }  ///< of float coordinates in the last collect(), metres

 private:
  struct Task {
    std::uint32_t part_a, node_a, part_b, node_b;  // b's frame
    bool all;
  };
  struct Corners;
  struct LeafScratch;
  void enclose_parts(const StepPaths& paths, std::span<const char> flagged, bool fresh, const Context& context);
  bool plan(const StepPaths& paths, std::span<const char> flagged, bool all_relative, std::span<const char> released,
            WorkMeter* meter, const Context& context);
  bool find_near_parts(const StepPaths& paths, WorkCount& work);
  void fit(const StepPaths& paths, std::span<const char> flagged, std::size_t part);
  [[nodiscard]] bool flagged_node(std::uint32_t part, std::size_t node) const {
    return part_flag_[part] != 0 && node_flag_[node] != 0;
  }
  [[nodiscard]] PathBox in_frame(const Affine3d& frame, const PathBox& last, const PathBox& to) const;
  void expand(const StepPaths& paths, Task task, WorkCount& work);
  [[nodiscard]] bool may_meet(const StepPaths& paths, const Task& task) const;
  void run(const StepPaths& paths, std::span<const char> flagged, const BroadPhaseOptions& options, const Task& task,
           std::vector<CandidatePair>& out) const;
  [[nodiscard]] unsigned in_quiet_stars(const Triangle& triangle, std::size_t leaf) const;
  void test_leaves(const StepPaths& paths, std::span<const char> flagged, const BroadPhaseOptions& options,
                   const Task& task, LeafScratch& scratch, WorkCount& work, std::vector<CandidatePair>& out) const;
  [[nodiscard]] bool moves_relative(const StepPaths& paths, std::uint32_t a, std::uint32_t b) const;

  // Boxes that have no other word are of the path in the own part's frame; `last` of the last mesh, `to` of the end of
  // the step. Arrays of nodes, leaves and corners are as the layout says.
  const ContactSurface& surface_;
  const BroadLayout& layout_;
  std::vector<PathBox> part_path_, part_last_, part_to_;  // part_path_: no smaller than its root node's
  std::vector<char> part_flag_, part_fitted_;             // has flagged corners; the boxes below are of this step
  std::vector<PathBox> node_path_, node_last_, node_to_;
  std::vector<char> node_flag_;
  std::vector<FourBoxes> leaf_path_;  // of its triangles
  std::vector<char> leaf_flag_;       // a bit per triangle
  std::vector<PathBox> corner_path_, corner_to_;
  std::vector<Vec3d> corner_start_;  // last, moved with the part
  QuietStars quiet_;
  std::vector<Task> whole_, tasks_;  // of parts; of nodes
  std::vector<std::uint32_t> to_be_fitted_;
  std::vector<std::array<std::uint32_t, 2>> near_parts_;  // of very many parts: pairs that may come near, sorted
  std::vector<PathBox> swept_, reaching_;                 // per part: seen from the main part; with its own motion
  std::vector<std::uint32_t> by_x_;                       // parts
  std::vector<std::vector<CandidatePair>> found_;         // per chunk of tasks
  double rounding_ = 0;
};

}  // namespace cutis
