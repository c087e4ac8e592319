#include "pipeline.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "cutis/builtin.h"
#include "cutis/compose.h"
#include "cutis/files.h"
#include "option_flags.h"

namespace cutis::cli {
namespace {

// A slip of the keyboard (--frames 1000000000) must not fill the disk.
constexpr std::size_t kMostFrames = 1'000'000;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void add_motion_options(CLI::App& verb, MotionChoice& choice) {
  auto* clip = verb.add_option("--clip", choice.clip,
                               "Clip by name or number (default: the file's first), or random:SEED[:SPEED], four "
                               "seconds of smooth random poses");
  auto* bvh = verb.add_option("--bvh,--motion", choice.bvh,
                              "Motion of any such body instead of a clip: .bvh, .vrma, or a clip of a .glb .gltf .vrm "
                              ".fbx .dae, with a mesh or without (docs/formats)");
  clip->excludes(bvh);
  auto* spheres =
      verb.add_option("--spheres", choice.spheres, "Motion from tracked sphere centres: JSON, see docs/formats");
  spheres->excludes(clip)->excludes(bvh);
  verb.add_flag("--fit", choice.fit_spheres, "Give the character the tracked hand's bone lengths and thickness first")
      ->needs(spheres);
  add_option_flags(verb, option_fields(choice.retarget));
  flag_of(verb, "--bvh-map")->needs(bvh);
  flag_of(verb, "--bvh-clip")->needs(bvh);
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

Motion choose_motion(const Character& character, const MotionChoice& choice, const Context& context,
                     MotionReport* report) {
  Motion motion;
  if (!choice.bvh.empty()) {
    motion.clip = load_motion(choice.bvh, character, context, choice.retarget, report);
  } else if (!choice.spheres.empty()) {
    const SphereTrack track = load_sphere_track(choice.spheres);
    motion.clip = pose_from_spheres(character, track, {}, context).clip;
  } else if (std::optional<Clip> random = random_motion(character.skeleton, choice.clip)) {
    motion.clip = std::move(*random);
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

std::vector<std::string> joints_lines(const MotionReport& report) {
  constexpr std::size_t kLine = 110;
  std::vector<std::string> lines;
  for (const MotionReport::JointPair& pair : report.joints) {
    const std::string item =
        fmt::format("  {} < {} {:.2f}", printable(pair.joint, 40), printable(pair.motion_joint, 40), pair.confidence);
    if (lines.empty() || lines.back().size() + item.size() > kLine) lines.emplace_back();
    lines.back() += item;
  }
  return lines;
}

Json joints_json(const MotionReport& report) {
  Json list = Json::array();
  for (const MotionReport::JointPair& pair : report.joints)
    list.push_back({{"joint", pair.joint},
                    {"motion_joint", pair.motion_joint},
                    {"role", pair.role},
                    {"confidence", rounded(pair.confidence)}});
  return list;
}

void add_contact_options(CLI::App& verb, ContactChoice& choice, bool several_histories, bool one_method) {
  std::vector<OptionField> fields;
  const auto add = [&fields](std::vector<OptionField> more) { fields.insert(fields.end(), more.begin(), more.end()); };
  add(option_fields(choice.solve));
  add(option_fields(choice.solve.implicit));
  add(option_fields(choice.solve.tracking));
  add(option_fields(choice.bind));
  add(option_fields(choice.shape.joint));
  // The file first: flags change what it says.
  verb.add_option_function<std::string>(
      "--options",
      [&choice](const std::string& file) { choice.solve = solve_options_from_json(read_file(file), file); },
      "JSON file of options, as 'options' in the reports of this program; flags go over it");
  add_set_flag(verb, {{"", option_fields(choice.solve)},
                      {"implicit", option_fields(choice.solve.implicit)},
                      {"tracking", option_fields(choice.solve.tracking)}});
  std::vector<std::string_view> except;
  if (!one_method) except.emplace_back("--method");
  if (several_histories) except.emplace_back("--history");
  add_option_flags(verb, fields, except);
  flag_of(verb, "--opening")->check(CLI::IsMember(controller_preset_names()));
  if (several_histories)
    verb.add_option_function<std::string>(
            "--history", [&choice](const std::string& list) { choice.histories = parse_histories(list); },
            "tracking: where each frame starts from, as 'animate' has it; several, with commas: measured side by side")
        ->default_str(std::string(to_string(choice.solve.tracking.history)));
  verb.add_option_function<std::string>(
          "--relief", [&choice](const std::string& text) { choice.relief = text == "on"; },
          "on: with contact, bones that the pose drives deeper into each other than skin can give way are moved "
          "apart; off: poses are taken as they are")
      ->default_str("on")
      ->check(CLI::IsMember({"off", "on"}));
  verb.add_option("--operator", choice.op,
                  "Between the parts of a joint: union, blend, contact or bulge; implicit has contact and bulge in the "
                  "composed "
                  "field (--contact operator)")
      ->capture_default_str()
      ->check(CLI::IsMember({"union", "blend", "contact", "bulge"}));
  verb.add_option("-p,--preset", choice.preset, "Preset with the settings of the parts, see 'cutis bind'");
  add_shape_options(verb, choice.shape, false);
}

void add_shape_options(CLI::App& verb, ShapeChoice& choice, bool fields) {
  if (fields) add_option_flags(verb, option_fields(choice.joint));
  verb.add_option("--sphere-model", choice.spheres,
                  "Fields of the parts that it names from this sphere model: JSON, see docs/formats");
}

void ShapeChoice::apply(Preset& preset) const {
  if (joint.shape == PartForm::spheres) {
    preset.all.shape = PartForm::spheres;
    for (auto& [name, settings] : preset.joints) settings.shape = PartForm::spheres;
  }
  if (!spheres.empty()) preset.spheres = load_sphere_model(spheres);
}

namespace {

// Implicit's operators with tables live in the composed field.
bool composed(const ContactChoice& choice) {
  return choice.solve.implicit.contact == ContactModel::composed || choice.op == "contact" || choice.op == "bulge";
}

}  // namespace

SolveOptions solve_options(Method method, const ContactChoice& contact) {
  SolveOptions options = contact.solve;
  options.method = method;
  if (!contact.relief) options.relief_cap = 0;
  if (composed(contact)) options.implicit.contact = ContactModel::composed;
  if (contact.op == "blend") options.implicit.blend = true;
  if (contact.histories.size() == 1) options.tracking.history = contact.histories.front();
  return options;
}

bool ContactChoice::touches(Method method) const { return with_contact(solve_options(method, *this)); }

std::string label(Method method, const ContactChoice& contact) {
  return fmt::format("{}{}", to_string(method),
                     contact.solve.contact_pass.value_or(false) && method != Method::tracking ? "+contact" : "");
}

BindOptions bind_options(const std::vector<Method>& methods, const ContactChoice& contact) {
  BindOptions options = contact.bind;
  options.implicit_skin = contact.solve.contact_pass.value_or(false) ||
                          std::ranges::any_of(methods, [](Method m) { return needs_skin(m); });
  if (!contact.preset.empty()) options.preset = load_preset(contact.preset);
  // The union has no contact surface: fields are composed with the preset's operators unless another one is asked for.
  if (contact.op != "union") options.preset.all.op = contact.op;
  contact.shape.apply(options.preset);
  return options;
}

MethodTiming play(const Character& character, const Motion& motion, Method method, const Context& context,
                  const std::function<void(std::size_t, const Frame&)>& take, const ContactChoice& contact,
                  const FrameRange& range) {
  const auto start = std::chrono::steady_clock::now();
  const auto rig = bind(character, context, bind_options({method}, contact));
  const double bind_ms = milliseconds_since(start);
  std::size_t iterations = 0, frames = 0;
  const auto taken = [&](std::size_t index, const Frame& frame) {
    iterations += frame.report.iterations;
    ++frames;
    take(index, frame);
  };
  const PlayReport report = cutis::play(character, rig, motion, solve_options(method, contact), context, taken, range);
  return {bind_ms, report.median_ms, report.nonfinite,
          frames > 0 ? static_cast<double>(iterations) / static_cast<double>(frames) : 0};
}

std::vector<History> parse_histories(const std::string& list) {
  std::vector<History> histories;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) {
    const History history = history_from_string(name);
    if (std::find(histories.begin(), histories.end(), history) == histories.end()) histories.push_back(history);
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
