// The main job as the verbs share it: load ► choose motion and times ► bind ► solve frame by frame.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common.h"
#include "cutis/cutis.h"
#include "option_flags.h"

namespace cutis::cli {

/// Which motion, and at which times.
struct MotionChoice {
  std::string clip{};
  std::string bvh{};
  MotionOptions retarget{};  ///< of the BVH
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
[[nodiscard]] Motion choose_motion(const Character& character, const MotionChoice& choice, const Context& context,
                                   MotionReport* report = nullptr);
/// "  thigh_l < LeftUpLeg 0.95", several in a line.
[[nodiscard]] std::vector<std::string> joints_lines(const MotionReport& report);
[[nodiscard]] Json joints_json(const MotionReport& report);

struct MethodTiming {
  double bind_ms = 0;
  double median_frame_ms = 0;
  std::size_t nonfinite = 0;
  double iterations = 0;  ///< a frame, mean; 0: the method has none
};

/// What the fields of parts are made of.
struct ShapeChoice {
  JointPreset joint = {};    ///< of all parts
  std::string spheres = {};  ///< file of a sphere model
  void apply(Preset& preset) const;
};
/// Adds --sphere-model, and --fields unless a table adds it.
void add_shape_options(CLI::App& verb, ShapeChoice& choice, bool fields = true);

/// How methods work, how skins that touch are treated, and what the rig is made of.
struct ContactChoice {
  SolveOptions solve = {};                          ///< its method is the one of verbs that take one
  [[nodiscard]] bool touches(Method method) const;  ///< with_contact() of its options
  bool relief = true;                               ///< false: poses are taken as they are
  std::string op = "union";
  BindOptions bind = {};
  ShapeChoice shape = {};
  std::vector<History> histories{};  ///< of the verb `measure`; of others empty
  std::string preset{};              ///< file
};

/// Adds the flags of the tables of SolveOptions, ImplicitOptions, TrackingOptions, BindOptions and JointPreset, and
/// --options, --set, --relief, --operator, -p. `several_histories`: --history may be a list. `one_method`: with
/// --method.
void add_contact_options(CLI::App& verb, ContactChoice& choice, bool several_histories = false,
                         bool one_method = false);
/// Splits "playback,canonical"; throws Error on an unknown name.
[[nodiscard]] std::vector<History> parse_histories(const std::string& list);

[[nodiscard]] SolveOptions solve_options(Method method, const ContactChoice& contact);
/// "dqs", "dqs+contact", "tracking"; says so when contact is not as it is by default.
[[nodiscard]] std::string label(Method method, const ContactChoice& contact);
/// What the solver will need of the rig.
[[nodiscard]] BindOptions bind_options(const std::vector<Method>& methods, const ContactChoice& contact);

/// Binds and plays (cutis/play.h).
MethodTiming play(const Character& character, const Motion& motion, Method method, const Context& context,
                  const std::function<void(std::size_t index, const Frame&)>& take, const ContactChoice& contact = {},
                  const FrameRange& range = {});

/// Splits "lbs,dqs"; throws Error on an unknown name.
[[nodiscard]] std::vector<Method> parse_methods(const std::string& list);

}  // namespace cutis::cli
