// The main job as the verbs share it: load ► choose motion and times ► bind ► solve frame by frame.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common.h"
#include "cutis/cutis.h"

namespace cutis::cli {

/// Which motion, and at which times.
struct MotionChoice {
  std::string clip{};
  std::string bvh{};
  std::string bvh_map{};
  std::string spheres{};     ///< track of tracked spheres
  bool fit_spheres = false;  ///< fit the character to the track first
  int frames = 0;            ///< > 0: that many, evenly
  double fps = 30;
};

/// Adds --clip, --bvh, --bvh-map, --spheres, --fit, --frames, --fps.
void add_motion_options(CLI::App& verb, MotionChoice& choice);

/// With --fit the character with the bone lengths and thickness of the tracked hand, else as it is.
[[nodiscard]] Character fit_to_motion(Character character, const MotionChoice& choice, const Context& context);

/// The chosen clip of the character, or the BVH or the spheres made to fit it. A character without clips (and no choice
/// made) holds its default pose; a warning says so.
[[nodiscard]] Motion choose_motion(const Character& character, const MotionChoice& choice, const Context& context);

struct MethodTiming {
  double bind_ms = 0;
  double median_frame_ms = 0;
  std::size_t nonfinite = 0;
};

/// How skins that touch are treated, and how method `implicit` works.
struct ContactChoice {
  int pass = 0;                                     ///< > 0: with contact; < 0: without; 0: as the library does
  [[nodiscard]] bool touches(Method method) const;  ///< with_contact() of its options
  std::string relief = "on", swell = "on";
  double relief_cap = SolveOptions{}.relief_cap;
  double frame_budget_ms = SolveOptions{}.frame_budget_ms;
  std::string initial = "dqs", op = "union", contact = "own-side", fields = "hrbf";
  std::string opening = "finger";    ///< controller preset
  std::string history = "playback";  ///< one; of the verb `measure` a list, which never reaches a solver
  std::string preset{};              ///< file
  std::string turn = "skin";         ///< TurnWeights
};

/// Adds --contact-pass, --no-contact-pass, --relief, --relief-cap, --swell, --frame-budget, --initial, --operator,
/// --contact, --fields,
/// --history, -p. `several_histories`: --history may be a list.
void add_contact_options(CLI::App& verb, ContactChoice& choice, bool several_histories = false);
/// Splits "playback,canonical"; throws Error on an unknown name.
[[nodiscard]] std::vector<std::string> parse_histories(const std::string& list);

[[nodiscard]] SolveOptions solve_options(Method method, const ContactChoice& contact);
/// "dqs", "dqs+contact", "tracking"; says so when contact is not as it is by default.
[[nodiscard]] std::string label(Method method, const ContactChoice& contact);
/// What the solver will need of the rig.
[[nodiscard]] BindOptions bind_options(const std::vector<Method>& methods, const ContactChoice& contact);

/// Binds and plays (cutis/play.h).
MethodTiming play(const Character& character, const Motion& motion, Method method, const Context& context,
                  const std::function<void(std::size_t index, const Frame&)>& take, const ContactChoice& contact = {});

/// Splits "lbs,dqs"; throws Error on an unknown name.
[[nodiscard]] std::vector<Method> parse_methods(const std::string& list);

}  // namespace cutis::cli
