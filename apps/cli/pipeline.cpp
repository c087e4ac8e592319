#include "pipeline.h"

#include <algorithm>
#include <chrono>
#include <sstream>

#include <fmt/format.h>

#include "cutis/compose.h"

namespace cutis::cli {
namespace {

// A slip of the keyboard (--frames 1000000000) must not fill the disk.
constexpr std::size_t kMostFrames = 1'000'000;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void add_motion_options(CLI::App& verb, MotionChoice& choice) {
  auto* clip = verb.add_option("--clip", choice.clip, "Clip by name or number (default: the file's first)");
  auto* bvh = verb.add_option("--bvh", choice.bvh, "Motion from a BVH file instead of a clip");
  clip->excludes(bvh);
  auto* spheres =
      verb.add_option("--spheres", choice.spheres, "Motion from tracked sphere centres: JSON, see docs/formats");
  spheres->excludes(clip)->excludes(bvh);
  verb.add_flag("--fit", choice.fit_spheres, "Give the character the tracked hand's bone lengths and thickness first")
      ->needs(spheres);
  verb.add_option("--bvh-map", choice.bvh_map, "JSON file {\"character joint\": \"BVH joint\", ...}")->needs(bvh);
  auto* frames = verb.add_option("--frames", choice.frames, "This many frames, evenly from the first to the last key")
                     ->check(CLI::Range(1, static_cast<int>(kMostFrames)));
  verb.add_option("--fps", choice.fps, "Frames a second, from the first key on")
      ->capture_default_str()
      ->check(CLI::Range(1e-3, 1e5))
      ->excludes(frames);
}

Character fit_to_motion(Character character, const MotionChoice& choice, const Context& context) {
  if (!choice.fit_spheres) return character;
  const SphereRegistration fit = register_spheres(character, load_sphere_track(choice.spheres), {}, context);
  context.warn(
      fmt::format("{}: fitted to {}: {:.3g} times as large, {} bones; the centres are missed by {:.3g} m "
                  "(before: {:.3g} m)",
                  character.source, choice.spheres, fit.size, fit.bones.size(), fit.miss_after, fit.miss_before));
  return fitted_to(character, fit);
}

Motion choose_motion(const Character& character, const MotionChoice& choice, const Context& context) {
  Motion motion;
  if (!choice.bvh.empty()) {
    motion.clip = load_motion(choice.bvh, character, context, {.map_file = choice.bvh_map});
  } else if (!choice.spheres.empty()) {
    const SphereTrack track = load_sphere_track(choice.spheres);
    motion.clip = pose_from_spheres(character, track, {}, context).clip;
  } else if (character.clips.empty() && choice.clip.empty()) {
    context.warn(fmt::format("{}: has no clip; its default pose is held", character.source));
    motion.clip.name = "default pose";
  } else {
    motion.clip = character.clip(choice.clip);
  }
  if ((motion.clip.end() - motion.clip.start()) * choice.fps > static_cast<double>(kMostFrames) && choice.frames == 0)
    throw Error(ErrorCode::bad_argument, "--fps",
                "would give more than a million frames; use --frames or a lower rate");
  motion.times = sample_times(motion.clip, choice.frames, choice.fps);
  return motion;
}

void add_contact_options(CLI::App& verb, ContactChoice& choice, bool several_histories) {
  verb.add_flag("--contact-pass,!--no-contact-pass", choice.pass,
                "Skins that touch do not pass through each other: no intersections in any frame (--history stateless: "
                "fewer). On by default with tracking and --contact own-side");
  verb.add_option(
          "--relief", choice.relief,
          "on: with contact, bones that the pose drives deeper into each other than skin can give way are moved "
          "apart; off: poses are taken as they are")
      ->capture_default_str()
      ->check(CLI::IsMember({"off", "on"}));
  verb.add_option("--relief-cap", choice.relief_cap, "Largest offset of a bone, in sizes of the character")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 0.2));
  verb.add_option("--swell", choice.swell,
                  "on: with contact, flesh that is pressed in where skins touch comes out around it, so that volume is "
                  "kept; off: it is gone")
      ->capture_default_str()
      ->check(CLI::IsMember({"off", "on"}));
  verb.add_option(
          "--frame-budget", choice.frame_budget_ms,
          "tracking, and contact: milliseconds that a frame may take, 0 for any; when they run out it is the last "
          "skin carried on by the bones, and the report says so. Results then depend on the machine's speed")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e9));
  verb.add_option("--initial", choice.initial, "implicit: where the projection starts, lbs or dqs")
      ->capture_default_str()
      ->check(CLI::IsMember({"lbs", "dqs"}));
  verb.add_option("--operator", choice.op, "implicit: between the parts of a joint: union, blend, contact or bulge")
      ->capture_default_str()
      ->check(CLI::IsMember({"union", "blend", "contact", "bulge"}));
  verb.add_option(
          "--opening", choice.opening,
          "With --operator blend: how far it opens with the bend, the curve of a controller preset; finger as in "
          "EPFL's figure 10, hip fully at 90 degrees")
      ->capture_default_str()
      ->check(CLI::IsMember(controller_preset_names()));
  verb.add_option(
          "--contact", choice.contact,
          "implicit, tracking: own-side (each vertex on its part's side) or operator (the papers' composed field)")
      ->capture_default_str()
      ->check(CLI::IsMember({"own-side", "operator"}));
  auto* history =
      verb.add_option("--history", choice.history,
                      fmt::format("tracking: each frame starts from the last one (playback), from smooth skinning "
                                  "(stateless) or from rest along a fixed path (canonical){}",
                                  several_histories ? "; several, with commas: measured side by side" : ""))
          ->capture_default_str();
  if (!several_histories) history->check(CLI::IsMember({"playback", "stateless", "canonical"}));
  verb.add_option(
          "--turn", choice.turn,
          "tracking: weights that blend the bones' rotations: the character's own (skin), rigid parts, or spread "
          "over half a limb's thickness (smooth) or one and a half (smoother)")
      ->capture_default_str()
      ->check(CLI::IsMember({"skin", "rigid", "smooth", "smoother"}));
  verb.add_option("-p,--preset", choice.preset, "Preset with the settings of the parts, see 'cutis bind'");
  verb.add_option("--fields", choice.fields, "Fields of the parts: hrbf or spheres")
      ->capture_default_str()
      ->check(CLI::IsMember({"hrbf", "spheres"}));
}

namespace {

// Operators with tables live in the composed field.
bool composed(const ContactChoice& choice) {
  return choice.contact == "operator" || choice.op == "contact" || choice.op == "bulge";
}

}  // namespace

SolveOptions solve_options(Method method, const ContactChoice& contact) {
  SolveOptions options;
  options.method = method;
  if (contact.pass != 0) options.contact_pass = contact.pass > 0;
  options.relief_cap = contact.relief == "on" ? contact.relief_cap : 0;
  options.swell = contact.swell == "on";
  options.frame_budget_ms = contact.frame_budget_ms;
  options.implicit.initial = method_from_string(contact.initial);
  options.implicit.contact = composed(contact) ? ContactModel::composed : ContactModel::own_side;
  options.implicit.blend = contact.op == "blend";
  options.implicit.controllers = contact.opening;
  options.tracking.contact = options.implicit.contact;
  options.tracking.history = history_from_string(contact.history);
  return options;
}

bool ContactChoice::touches(Method method) const { return with_contact(solve_options(method, *this)); }

std::string label(Method method, const ContactChoice& contact) {
  return fmt::format("{}{}", to_string(method), contact.pass > 0 && method != Method::tracking ? "+contact" : "");
}

BindOptions bind_options(const std::vector<Method>& methods, const ContactChoice& contact) {
  BindOptions options;
  options.implicit_skin = contact.pass > 0 || std::ranges::any_of(methods, [](Method m) { return needs_skin(m); });
  if (!contact.preset.empty()) options.preset = load_preset(contact.preset);
  // The union has no contact surface: the papers' field is made with the preset's operators unless one is asked for.
  if (composed(contact) && contact.op != "union") options.preset.all.op = contact.op;
  if (contact.fields == "spheres") options.preset.all.shape = PartForm::spheres;
  if (contact.turn == "rigid") options.turn = TurnWeights::rigid;
  if (contact.turn == "smooth") options.turn = TurnWeights::smooth;
  if (contact.turn == "smoother") options.turn = TurnWeights::smoother;
  return options;
}

MethodTiming play(const Character& character, const Motion& motion, Method method, const Context& context,
                  const std::function<void(std::size_t, const Frame&)>& take, const ContactChoice& contact) {
  const auto start = std::chrono::steady_clock::now();
  const auto rig = bind(character, context, bind_options({method}, contact));
  const double bind_ms = milliseconds_since(start);
  const PlayReport report = cutis::play(character, rig, motion, solve_options(method, contact), context, take);
  return {bind_ms, report.median_ms, report.nonfinite};
}

std::vector<std::string> parse_histories(const std::string& list) {
  std::vector<std::string> histories;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) {
    (void)history_from_string(name);
    if (std::find(histories.begin(), histories.end(), name) == histories.end()) histories.push_back(name);
  }
  if (histories.empty()) (void)history_from_string(list);
  return histories;
}

std::vector<Method> parse_methods(const std::string& list) {
  std::vector<Method> methods;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) {
    const Method method = method_from_string(name);
    if (std::find(methods.begin(), methods.end(), method) == methods.end()) methods.push_back(method);
  }
  if (methods.empty()) (void)method_from_string(list);
  return methods;
}

}  // namespace cutis::cli
