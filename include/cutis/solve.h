// One character over time: poses in, deformed meshes out.
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
#include "cutis/rig.h"
#include "cutis/skin_contact.h"

namespace cutis {

enum class Method {
  lbs,       ///< linear blend skinning
  dqs,       ///< dual quaternion skinning
  implicit,  ///< lbs or dqs, corrected on the implicit skin: each frame by itself (Vaillant 2013, EPFL)
  tracking,  ///< the skin follows the moving fields (Vaillant et al. 2014)
};

[[nodiscard]] std::string_view to_string(Method method);
/// Throws Error(bad_argument) that lists the methods.
[[nodiscard]] Method method_from_string(std::string_view name);
[[nodiscard]] std::vector<std::string> method_names();
/// Whether it works on the fields of the parts: bind() with BindOptions::implicit_skin.
[[nodiscard]] bool needs_skin(Method method);

/// How a vertex finds that it touches another part.
enum class ContactModel {
  own_side,  ///< it keeps to its own side of the surface where its part's field equals the other's
  composed,  ///< as in the papers: in the field of the rig's operators, where the gradient turns
};

/// Method::implicit.
struct ImplicitOptions {
  Method initial = Method::dqs;  ///< where the projection starts: lbs or dqs
  ContactModel contact = ContactModel::own_side;
  bool blend = false;                  ///< own_side: parts of a joint swell into each other on the inner side of a bend
  std::string controllers = "finger";  ///< blend: the preset whose opening curve is used, see controller_preset_names()
  double turn =
      0.9599310885968813;   ///< composed: turn of the gradient in a step that means contact, 0 to pi; 55 degrees
  int rounds = 4;           ///< of relaxation and projection, 0 to 100
  int inner = 6;            ///< own_side: conjugate gradient steps a relaxation, 1 to 1000
  int rings = 1;            ///< around what moves that are solved for too, 0 to 100
  int smoothing = 3;        ///< passes over the skin around contact, 0 to 100
  double tolerance = 1e-4;  ///< on |f - iso|, 1e-6 to 0.1
};

/// Where a frame of Method::tracking starts from.
enum class History {
  playback,   ///< the last frame, as in the paper
  stateless,  ///< smooth skinning, in one step: the frame depends on its pose alone; for seeking
  canonical,  ///< the rest pose, along a fixed path: the frame depends on its pose alone; for export
};
[[nodiscard]] std::string_view to_string(History history);
[[nodiscard]] std::string_view to_string(ContactModel model);  ///< "own-side", "operator"
/// Throw Error(bad_argument) that lists what there is.
[[nodiscard]] History history_from_string(std::string_view name);
[[nodiscard]] ContactModel contact_model_from_string(std::string_view name);

enum class Relaxation {
  conjugate_gradients,
  jacobi,  ///< as in the paper; many more steps for the same result
};

/// Method::tracking.
struct TrackingOptions {
  History history = History::playback;
  ContactModel contact = ContactModel::own_side;
  Relaxation relaxation = Relaxation::conjugate_gradients;
  double step = 0.0873;      ///< radians a joint may turn in a sub-step, (0, 1]; 5 degrees
  int canonical_steps = 16;  ///< least number of sub-steps from rest, 1 to 1000
  int halvings = 2;          ///< of a sub-step that leaves inverted triangles or misses its surface, 0 to 5
  int projections = 12;      ///< Newton steps at the start of a sub-step, 1 to 100
  int relaxations = 6;       ///< a sub-step, each followed by projection, 0 to 10000
  int inner = 20;            ///< conjugate gradient steps a relaxation, 1 to 1000
  int rings = 6;             ///< around what moves that are solved for too, 0 to 100
  int smoothing = 2;         ///< passes over the skin around contact, 0 to 100
};

struct SolveOptions {
  Method method = Method::tracking;
  ImplicitOptions implicit = {};
  TrackingOptions tracking = {};
  /// After any of them: makes every frame free of intersections, following the clip from the rest pose (bind() with
  /// BindOptions::implicit_skin). Empty: as with_contact() says. With History::canonical every frame is followed from
  /// rest by itself; with History::stateless there is no way to follow: bones are relieved, and nothing is certified.
  /// docs/algorithms/contact.md.
  std::optional<bool> contact_pass = {};
  /// With contact, and with Method::implicit: bones that the pose drives deeper into each other than skin can give way
  /// are moved apart (implicit: bent less), by at most this part of the character's size; 0: never. In [0, 0.2].
  double relief_cap = 0.03;
  /// With contact: flesh that is pressed in where skins touch comes out around it, and sharp folds are smoothed.
  bool swell = true;
  /// Milliseconds that a frame of tracking, or of any method with contact, may take, 0 to 1e9; 0: any. It is looked at
  /// between sub-steps and inside of contact. When it runs out the frame is the last skin, carried on by the bones, the
  /// report says so, and the next frame goes on from that skin. Then bits depend on the speed of the machine.
  double frame_budget_ms = 0;
};

/// Whether the contact pass follows the method: what `contact_pass` says; where it says nothing, with tracking whose
/// contact is own-side. The same for the library, the program and everything that is built on them.
[[nodiscard]] bool with_contact(const SolveOptions& options);
/// Whether the rig must have an implicit skin for them.
[[nodiscard]] bool needs_skin(const SolveOptions& options);

/// What became of a vertex in a frame.
enum class VertexState : std::uint8_t {
  rigid,      ///< nothing moves relative to its bone: exactly carried by it (lbs and dqs: every vertex)
  converged,  ///< on its iso-surface
  contact,    ///< held by another part's skin
  flat,       ///< the field has no usable gradient there
  outside,    ///< no field reaches it: it follows dual quaternion skinning
  limit,      ///< out of iterations before it reached its iso-surface
};
inline constexpr std::size_t kVertexStates = 6;
[[nodiscard]] std::string_view to_string(VertexState state);

/// A bone that relief moved, and by how much: the pose cannot be met as it is.
struct BoneOffset {
  int joint = -1;
  Vec3d offset;  ///< scene space, metres; implicit: of the bone's end
};
/// Two parts that the pose drives into each other.
struct BoneOverlap {
  int thin = -1, thick = -1;  ///< joints
  double depth = 0;           ///< of the thin part's skin in the thick part, in the pose itself, metres
  double left = 0;            ///< after relief
};

/// Where two skins touch at the end of a frame.
struct TouchingRegion {
  int joint = -1, other = -1;  ///< the parts: vertices of `joint` near the skin of `other`; equal for a fold
  std::size_t vertices = 0;
  double depth = 0;  ///< how far the skin gave way there at most, metres
};

/// Why contact let a frame go.
enum class ContactLimit : std::uint8_t {
  none,
  pose,  ///< bones are flat, mirrored, blown up or endlessly far from each other: smooth skinning, or the method's skin
  work,  ///< it would have taken more than a frame may take: the method's skin; tried again some frames later
  time,  ///< SolveOptions::frame_budget_ms: the last skin carried on
  far,   ///< all was done, but the figure is so far from the origin that floats are too coarse to keep skins apart
};
[[nodiscard]] std::string_view to_string(ContactLimit limit);

/// Of contact at the level of the mesh.
struct ContactReport {
  bool certified = true;                    ///< no intersections but those at rest and between parts that were let go
  ContactLimit limit = ContactLimit::none;  ///< other than none: not certified
  std::size_t work = 0;                     ///< operations, counted: the same on every machine
  std::size_t substeps = 0;                 ///< done in this frame
  std::size_t halvings = 0;                 ///< sub-steps that were repeated in halves
  std::size_t candidates = 0;               ///< pairs of elements that could meet, the most of any sub-step
  std::size_t hits = 0;                     ///< of these, on their way
  std::size_t tests = 0;                    ///< of pairs of elements on their way: what the time goes with
  std::size_t truncated = 0;                ///< vertices held back short of their way
  std::size_t touching_vertices = 0;        ///< in contact with another skin at the end of the frame
  double max_lag_edges = 0;                 ///< how far a vertex was held back, local edges
  std::size_t untangled = 0;         ///< vertices of parts that contact had folded or torn, back on the method's skin
  std::size_t freed = 0;             ///< vertices that were caught on the wrong side and taken to their free place
  double broad_ms = 0, safe_ms = 0;  ///< searching for pairs; safe steps in all, with that
  double relief_ms = 0;              ///< turns of joints
  double give_ms = 0;                ///< how the skin gives way, swells and unfolds
  double normals_ms = 0;             ///< of skin that gave way, and contact data
  double milliseconds = 0;           ///< in all, the method's own time at sub-steps included
  std::vector<TouchingRegion> regions;
  /// Pairs of parts (joints) that passed through each other and are let go until they are apart again.
  std::vector<std::array<int, 2>> released;
  std::vector<BoneOffset> relief;     ///< bones that were moved
  std::vector<BoneOverlap> overlaps;  ///< parts deeper in each other than skin can give way
};

/// Where the time of a frame went, over all its sub-steps; those of the contact pass included. Tracking and implicit.
struct TrackingProfile {
  // Milliseconds.
  double pose = 0;       ///< fields and gates of the pose
  double transport = 0;  ///< who is active, and carrying all
  double control = 0;    ///< target rotations, near parts, contact, levels
  double project = 0;
  double relax = 0;
  double check = 0;   ///< of what a sub-step left
  double finish = 0;  ///< smoothing, normals, states, all input vertices
  // Counts.
  std::size_t vertex_steps = 0;       ///< active vertices, summed over sub-steps
  std::size_t vertex_iterations = 0;  ///< vertices that relaxed, summed over relaxations
  std::size_t gradient_steps = 0;     ///< the same, times conjugate gradient steps
  std::size_t evaluations = 0;        ///< of fields, by projection
  std::size_t operations = 0;         ///< tracking: pairs of parts' values that an operator put together, by projection
};

struct FrameReport {
  double milliseconds = 0;
  std::size_t nonfinite = 0;  ///< vertices kept at their last good position because a number was not finite
  bool out_of_time = false;   ///< SolveOptions::frame_budget_ms ran out: the last skin, carried on
  // Methods that work on fields. Counts and residuals are over welded vertices.
  std::array<std::size_t, kVertexStates> states{};               ///< vertices, by VertexState
  double residual_mean = 0, residual_p95 = 0, residual_max = 0;  ///< |f - iso| over vertices that follow a field
  std::size_t active = 0;      ///< vertices that were solved for, the most of any sub-step
  std::size_t substeps = 0;    ///< done in this frame
  std::size_t halvings = 0;    ///< sub-steps that were repeated in halves
  std::size_t iterations = 0;  ///< relaxations with projection (tracking), projection steps (implicit)
  ContactReport contact;
  TrackingProfile profile;
};

/// All vertices of all meshes in the input's order; scene space.
struct Frame {
  std::vector<Vec3f> positions;
  std::vector<Vec3f> normals;
  std::vector<SkinContact> contact;  ///< with the contact pass; empty otherwise
  // Methods that work on fields; empty otherwise.
  std::vector<VertexState> states;
  std::vector<float> residuals;  ///< f - iso, signed; NaN: no field reaches the vertex, or contact holds it off
  FrameReport report;
};

/// What a solver remembers from one frame to the next; a value, cheap to copy.
class SolverState {
 private:
  friend class Solver;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// Makes now what solvers with a skin derive from the rest pose. Otherwise the first of them makes it; all others of the
/// same rig share it. save_rig() stores what there is of it that takes long.
void prepare(const Rig& rig, const Context& context);

/// One that was moved from throws Error(bad_argument) whatever it is asked for.
class Solver {
 public:
  /// Keeps a copy of the context. Throws Error(bad_argument) without a rig, on options out of their ranges, and when
  /// needs_skin(options) and the rig has none.
  Solver(std::shared_ptr<const Rig> rig, const SolveOptions& options, const Context& context);
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  /// Deforms the character to `pose`; joints that it does not have rest. The reference is valid until the next call.
  /// Never returns a non-finite number, and throws only Error(cancelled), within 100 ms after the context's
  /// is_cancelled turns true: the solver is then as new, at rest, and what it was to foresee has to be told again.
  const Frame& solve(const Pose& pose);
  /// Forgets all earlier frames: the next one starts from the rest pose.
  void reset();
  /// Goes to `pose` from rest along a fixed path, whatever was before, as History::canonical does: the result depends
  /// on the pose alone, and solve() goes on from there.
  const Frame& seek(const Pose& pose);

  /// The poses that solve() will be asked for, in the order of their times, dense enough to be interpolated (30 a
  /// second, say). With contact, relief then looks ahead: bones give way before they must, and limbs that the motion
  /// takes through each other go around each other. Other poses may still be asked for. Empty: nothing is known. Where
  /// frames depend on their pose alone (History::canonical, stateless) it changes nothing. play() (cutis/play.h) does
  /// it.
  void foresee(std::span<const Pose> poses);

  /// To continue from here later, with the same bits.
  [[nodiscard]] SolverState save_state() const;
  /// Of this solver, or of another one with the same rig, method and contact pass. Throws Error(bad_argument) when it
  /// is of no such solver.
  void restore_state(const SolverState& state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
