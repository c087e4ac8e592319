// Hands (or anything) as spheres: models of characters, tracks of clips, characters that follow tracks.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "animating.h"
#include "cutis/files.h"
#include "option_flags.h"

namespace cutis::cli {
namespace {

struct SpheresArguments {
  AnimateArguments animate;  // its file, motion, method and outputs
  std::string model, make_track, fitted;
  SphereNoiseOptions noise;
};

// Balls as a tracker would follow them.
std::vector<TrackedSphere> places_of(const SphereModel& model) {
  std::vector<TrackedSphere> places;
  for (const SphereModel::Ball& ball : model.balls) places.push_back({ball.joint, ball.center, ball.radius});
  return places;
}

Json write_model(const Character& character, const SpheresArguments& options, const Session& session) {
  BindOptions bind_options = cutis::cli::bind_options({Method::tracking}, options.animate.contact);
  // Without a model the spheres are fitted.
  if (bind_options.preset.spheres.empty()) bind_options.preset.all.shape = PartForm::spheres;
  BindReport report;
  (void)bind(character, session.context(), bind_options, report);
  const SphereModel& model = report.preset.spheres;
  write_file(options.model, to_json(model));
  std::vector<double> median, p95;
  for (const PartReport& part : report.parts)
    if (part.shape == "spheres") median.push_back(part.median), p95.push_back(part.p95);
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v / static_cast<double>(values.size());
    return sum;
  };
  const auto triangles = std::ranges::count_if(model.blocks, [](const auto& block) { return block.balls.size() == 3; });
  session.say(
      fmt::format("{}: {} spheres, {} blocks, {} of three; off the mesh, mean of {} parts: median {:.2f} mm, "
                  "95% {:.2f} mm",
                  options.model, model.balls.size(), model.blocks.size(), triangles, median.size(), 1000 * mean(median),
                  1000 * mean(p95)));
  return {{"file", options.model},    {"spheres", model.balls.size()}, {"blocks", model.blocks.size()},
          {"trispheres", triangles},  {"parts", median.size()},        {"median", rounded(mean(median))},
          {"p95", rounded(mean(p95))}};
}

Json write_track(const Character& character, const SpheresArguments& options, const Session& session) {
  const Motion motion = choose_motion(character, options.animate.motion, session.context());
  std::vector<TrackedSphere> places;
  if (!options.animate.contact.shape.spheres.empty())
    places = places_of(load_sphere_model(options.animate.contact.shape.spheres));
  SphereTrack track = make_sphere_track(character, motion.clip, motion.times, places);
  disturb(track, options.noise);
  write_file(options.make_track, to_json(track));
  std::size_t seen = 0;
  for (const auto& frame : track.centers)
    seen += static_cast<std::size_t>(std::ranges::count_if(frame, [](const auto& c) { return c.has_value(); }));
  const std::size_t all = track.spheres.size() * track.times.size();
  session.say(fmt::format("{}: {} spheres, {} frames of '{}', {} of {} centres seen", options.make_track,
                          track.spheres.size(), track.times.size(), motion.clip.name, seen, all));
  return {{"file", options.make_track},
          {"spheres", track.spheres.size()},
          {"frames", track.times.size()},
          {"centres", all},
          {"seen", seen},
          {"noise", rounded(options.noise.noise)}};
}

Json follow_track(Character character, const SpheresArguments& options, const Session& session) {
  const MotionChoice& motion = options.animate.motion;
  const SphereTrack track = load_sphere_track(motion.spheres);
  Json json = {{"track", motion.spheres}, {"spheres", track.spheres.size()}, {"frames", track.times.size()}};
  if (motion.fit_spheres) {
    const SphereRegistration fit = register_spheres(character, track, {}, session.context());
    Json bones = Json::array();
    for (const SphereRegistration::Bone& bone : fit.bones)
      bones.push_back({{"joint", bone.joint},
                       {"length", rounded(bone.length)},
                       {"thickness", rounded(bone.thickness)},
                       {"measured", bone.measured}});
    json["fit"] = {{"size", rounded(fit.size)},
                   {"miss_before", rounded(fit.miss_before)},
                   {"miss_after", rounded(fit.miss_after)},
                   {"bones", std::move(bones)}};
    session.say(fmt::format("fitted: {:.3g} times as large, {} bones; centres missed by {:.2f} mm (before: {:.2f} mm)",
                            fit.size, fit.bones.size(), 1000 * fit.miss_after, 1000 * fit.miss_before));
    character = fitted_to(character, fit);
  }
  const SphereMotion followed = pose_from_spheres(character, track, {}, session.context());
  double mean = 0, worst = 0;
  for (const double miss : followed.miss) {
    mean += miss / static_cast<double>(followed.miss.size());
    worst = std::max(worst, miss);
  }
  session.say(
      fmt::format("{}: {} frames, {} joints turn, {} centres not seen; missed by {:.2f} mm in the mean, {:.2f} "
                  "mm in the worst frame",
                  motion.spheres, followed.miss.size(), followed.joints, followed.missing, 1000 * mean, 1000 * worst));
  json["joints"] = followed.joints;
  json["not_seen"] = followed.missing;
  json["miss"] = {{"mean", rounded(mean)}, {"worst", rounded(worst)}};
  if (!options.fitted.empty()) {
    Character out = character;
    Clip clip = followed.clip;
    while (std::ranges::find(out.clips, clip.name, &Clip::name) != out.clips.end()) clip.name += " tracked";
    out.clips.push_back(clip);
    write_character(options.fitted, out, session.context());
    session.say(fmt::format("{}: with the clip '{}'", options.fitted, clip.name));
    json["fitted"] = options.fitted;
  }
  return json;
}

void run_spheres(const SpheresArguments& options) {
  Session session(options.animate.common);
  const AnimateArguments& animate_options = options.animate;
  for (const std::string& output : {options.model, options.make_track, options.fitted})
    for (const std::string& input :
         {animate_options.file, animate_options.motion.spheres, animate_options.contact.shape.spheres})
      Session::check_output(input, output);
  const Character character = load_character(animate_options.file, session.context());
  Json json = {{"file", animate_options.file}};
  if (!options.model.empty()) json["model"] = write_model(character, options, session);
  if (!options.make_track.empty()) json["made"] = write_track(character, options, session);
  if (!animate_options.motion.spheres.empty()) json["followed"] = follow_track(character, options, session);
  if (!animate_options.outputs.empty()) {
    const Animated done = animate(animate_options, session.context());
    session.say(fmt::format("{}: {} frames, {} vertices, {}; {:.3g} ms a frame",
                            fmt::join(animate_options.outputs, ", "), done.frames, done.vertices,
                            label(animate_options.contact.solve.method, animate_options.contact),
                            done.timing.median_frame_ms));
    json["animated"] = {{"outputs", animate_options.outputs},
                        {"frames", done.frames},
                        {"vertices", done.vertices},
                        {"nonfinite", done.timing.nonfinite}};
  }
  json["warnings"] = session.warnings();
  session.print(json);
}

}  // namespace

void add_spheres(CLI::App& app) {
  auto options = std::make_shared<SpheresArguments>();
  CLI::App* verb = app.add_subcommand(
      "spheres", "Sphere models of characters, sphere tracks of clips, and characters that follow such tracks");
  AnimateArguments& animate_options = options->animate;
  add_animate_options(*verb, animate_options);
  CLI::Option* output = flag_of(*verb, "--output")->required(false);
  auto* model = verb->add_option("--model", options->model,
                                 "Write the character as spheres: JSON (fitted, or --sphere-model with its blocks)");
  auto* make = verb->add_option("--make-track", options->make_track,
                                "Write what a tracker would see of the motion: JSON. One sphere a joint, or those of "
                                "--sphere-model");
  auto* track = flag_of(*verb, "--spheres");
  make->excludes(track);
  output->needs(track);
  auto* fitted = verb->add_option("--fitted", options->fitted,
                                  "Write the character, fitted with --fit, with the clip that follows the track: .glb");
  fitted->needs(track);
  add_option_flags(*verb, option_fields(options->noise));
  for (const char* flag : {"--noise", "--gaps", "--gap-length", "--seed"}) flag_of(*verb, flag)->needs(make);
  add_common_options(*verb, animate_options.common);
  verb->footer(
      "Examples:\n"
      "  cutis spheres hand.glb --model hand_spheres.json\n"
      "  cutis spheres hand.glb --clip fist --make-track track.json --noise 0.001 --gaps 0.2\n"
      "  cutis spheres other.glb --spheres track.json --fit --fitted fitted.glb\n"
      "  cutis spheres other.glb --spheres track.json --fit --fields spheres --method implicit -o hand.glb");
  verb->callback([options, model, make, track] {
    if (model->count() == 0 && make->count() == 0 && track->count() == 0)
      throw CLI::RequiredError("--model, --make-track or --spheres");
    run_spheres(*options);
  });
}

}  // namespace cutis::cli
