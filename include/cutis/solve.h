// One character over time: poses in, deformed meshes out.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/frame.h"
#include "cutis/method.h"
#include "cutis/option_rows.h"
#include "cutis/rig_file.h"

namespace cutis {

[[nodiscard]] std::string_view to_string(Method method);
/// Throws Error(bad_argument) that lists the methods.
[[nodiscard]] Method method_from_string(std::string_view name);
[[nodiscard]] std::vector<std::string> method_names();
/// Whether it works on the surface or the fields of the parts: bind() with BindOptions::implicit_skin.
[[nodiscard]] bool needs_skin(Method method);
/// Whether it follows the fields, so that its frames have states and residuals of vertices.
[[nodiscard]] bool follows_field(Method method);

[[nodiscard]] std::string_view to_string(History history);
[[nodiscard]] std::string_view to_string(ContactModel model);  ///< "own-side", "operator"
/// Throw Error(bad_argument) that lists what there is.
[[nodiscard]] History history_from_string(std::string_view name);
[[nodiscard]] ContactModel contact_model_from_string(std::string_view name);

/// Whether the contact pass follows the method: what `contact_pass` says; where it says nothing, with tracking whose
/// contact is own-side. The same for the library, the program and everything that is built on them.
[[nodiscard]] bool with_contact(const SolveOptions& options);
/// Whether the rig must have an implicit skin for them.
[[nodiscard]] bool needs_skin(const SolveOptions& options);

[[nodiscard]] std::string_view to_string(VertexState state);

[[nodiscard]] std::string_view to_string(ContactLimit limit);

/// What a solver remembers from one frame to the next; a value, cheap to copy.
class SolverState {
 private:
  friend class Solver;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// Makes now what solvers with a skin derive from the rest pose. Otherwise the first of them makes it; all others of
/// the same rig share it. save_rig() stores what there is of it that takes long.
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

template <>
[[nodiscard]] std::span<const OptionRow<SolveOptions>> option_rows();
template <>
[[nodiscard]] std::span<const OptionRow<ImplicitOptions>> option_rows();
template <>
[[nodiscard]] std::span<const OptionRow<TrackingOptions>> option_rows();

/// {"method": ..., "implicit": {...}, "tracking": {...}, ...}.
[[nodiscard]] std::string to_json(const SolveOptions& options);
/// What the text does not name keeps its default.
[[nodiscard]] SolveOptions solve_options_from_json(std::string_view text, const std::string& place);

}  // namespace cutis
