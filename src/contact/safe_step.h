// From one mesh without intersections to the next: whatever is proposed, what comes out has none.
//
//   SafeStep safe({rest, triangles, part, parts, radius}, {}, context);
//   report = safe.step(last, proposed, part_motion, moved, context);   // proposed: in as wished, out certified
//
// Every pair of vertex and face, or edge and edge, is followed along a continuous path from the last mesh to the new
// one. Pairs that meet are pushed apart along the direction in which they were apart at the time of impact: since the
// last mesh is valid, that is the right side, without signs, normals or fields. What still meets after that is held
// back. Positions are certified as the floats that are handed out. docs/algorithms/contact.md has the whole story.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/work_meter.h"
#include "contact/contact_surface.h"
#include "contact/meeting_search.h"
#include "cutis/context.h"

namespace cutis {

/// "Edges" are local: the mean length of the edges at a vertex at rest.
struct SafeStepOptions {
  double gap_edges = 0.15;    ///< kept between touching skins, in [0, 0.5]; half the distance at rest where less
  int sweeps = 12;            ///< of the projection, >= 1; more: fewer vertices are held back
  int rounds = 3;             ///< of the whole step while vertices are held back, >= 1; bounds the time
  double pad_edges = 0.1;     ///< beyond which a pushed vertex is searched for again, in [gap_edges / 2, 1]
  double max_push_edges = 1;  ///< of one correction, > 0: larger ones tear more than they mend
  double done_edges = 0.05;   ///< held back by less than this counts as arrived
  std::size_t max_pairs = 6'000'000;   ///< beyond, the step is refused: all parts keep their shape
  std::size_t max_tests = 60'000'000;  ///< of pairs, in the certification; beyond, the step is refused
};

struct SafeStepReport {
  bool certified = true;       ///< no intersections but the excluded and released ones, and what `last` had
  std::size_t candidates = 0;  ///< pairs of elements that could meet
  std::size_t hits = 0;        ///< of these, on the proposed way
  std::size_t tests = 0;       ///< of pairs on their way, in the certification
  std::size_t pushed = 0;      ///< vertices moved off the proposal by more than a hundredth of an edge
  std::size_t truncated = 0;   ///< vertices held back in the last round
  std::size_t touching = 0;    ///< pairs that touch in `last` already: they cannot be certified
  std::size_t nonfinite = 0;   ///< proposals that were not finite: carried along with their part
  std::size_t released = 0;    ///< pairs of parts that are let go
  std::size_t rearmed = 0;     ///< pairs of parts that came apart in this step
  bool refused = false;  ///< more than max_pairs or max_tests, or it did not settle: nothing but the main part's motion
                         ///< was applied
  bool stopped = false;  ///< the meter stopped: the proposal was not looked at, and nothing is kept of it
  int rounds = 0;
  double max_push_edges = 0;  ///< farthest from the proposal
  double max_lag_edges = 0;   ///< farthest held back; above 1 the step was too long: halve it
  double broad_ms = 0, project_ms = 0, certify_ms = 0, total_ms = 0;
};

/// What becomes of vertices that cannot be held back along their own ways, pinched between parts that move differently.
enum class Pinched {
  hold_back,  ///< they stay behind with the main part, and so does all that meets them then: in the worst case the body
  refuse      ///< the step is refused; blocking() says which parts pinch them
};

/// A vertex near another skin after the step.
struct ContactRecord {
  std::uint32_t vertex = 0;
  std::uint32_t other_part = 0;
  float distance = 0;  ///< metres
  float push = 0;      ///< how far it was moved off the proposal, metres: how deep it would be
  Vec3f normal;        ///< unit, from the other skin
};

/// What a safe step remembers from one step to the next.
struct SafeStepState {
  struct Released {
    std::uint32_t a = 0, b = 0;  ///< parts, lower number first
    bool met = false;            ///< since they were released
    bool meets = false;          ///< now, as far as it is known
    int steps = 0;
  };
  std::vector<Released> released;
  std::vector<ContactRecord> contacts;
};

class SafeStep {
 public:
  /// Copies the mesh; finds what intersects at rest, excludes it and warns.
  SafeStep(const ContactMesh& mesh, const SafeStepOptions& options, const Context& context);
  /// The same on a surface that others may use, too.
  SafeStep(std::shared_ptr<const ContactSurface> surface, const SafeStepOptions& options, const Context& context);
  ~SafeStep();
  SafeStep(SafeStep&&) noexcept;
  SafeStep& operator=(SafeStep&&) noexcept;

  /// `last`: a valid mesh. `proposed`: in: the mesh wanted, out: a valid one. `part_motion`: of every part over the
  /// step (posed now from posed then). `moved`: per vertex, not 0 where it may differ from part_motion * last (what
  /// differs is found anyway). `meter`: counts, and stops the step; `away`: metres that the mesh will be shifted by
  /// before it is handed out; `pinched`: see there. Throws Error(bad_argument) on wrong sizes and never otherwise.
  SafeStepReport step(std::span<const Vec3f> last, std::span<Vec3f> proposed, std::span<const Affine3d> part_motion,
                      std::span<const char> moved, const Context& context, WorkMeter* meter = nullptr, double away = 0,
                      Pinched pinched = Pinched::hold_back);

  /// After the last step, sorted by vertex, one per vertex: its nearest.
  [[nodiscard]] std::span<const ContactRecord> contacts() const;

  /// Pairs of parts, lower number first, sorted, that kept the last step from being settled; a part and itself, too.
  /// Empty but after a refusal.
  [[nodiscard]] std::span<const std::array<std::uint32_t, 2>> blocking() const;

  /// Lets two parts pass through each other, or a part through itself. They are armed again once they have intersected
  /// and are apart, or when they have not intersected for some steps; a part and itself by rearm_if() alone. `meets`:
  /// they intersect already.
  void release(std::uint32_t part_a, std::uint32_t part_b, bool meets = false);
  /// The pairs of all that were let go that intersect are those of `meeting`.
  void set_meeting(std::span<const MeetingParts> meeting);
  void rearm_if(const std::function<bool(const SafeStepState::Released&)>& wanted);
  [[nodiscard]] bool all_apart() const;  ///< no pair that was let go intersects, as far as it is known
  [[nodiscard]] std::span<const SafeStepState::Released> released_pairs() const;  ///< sorted by numbers
  [[nodiscard]] bool released(std::uint32_t part_a, std::uint32_t part_b) const;
  void rearm_all();

  [[nodiscard]] SafeStepState save_state() const;
  /// Of this or another safe step on the same mesh.
  void restore_state(const SafeStepState& state);

  [[nodiscard]] const ContactSurface& surface() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
