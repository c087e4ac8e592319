#include <chrono>

#include <fmt/format.h>

#include "pipeline.h"

namespace cutis::cli {
namespace {

struct AnimateArguments {
  CommonOptions common;
  std::string file, output;
  MotionChoice motion;
  ContactChoice contact;
  bool contact_data = false;
};

void run_animate(const AnimateArguments& options) {
  Session session(options.common);
  const Context& context = session.context();
  const auto start = std::chrono::steady_clock::now();
  const Method method = options.contact.solve.method;
  Session::check_output(options.file, options.output);
  const Character character = fit_to_motion(load_character(options.file, context), options.motion, context);
  MotionReport joints;
  const Motion motion = choose_motion(character, options.motion, context, &joints);
  if (options.contact_data && !options.contact.touches(method))
    throw Error(ErrorCode::bad_argument, "--contact-data", "needs contact; add --contact-pass");
  if (options.contact_data && method == Method::tracking &&
      options.contact.solve.tracking.history == History::stateless)
    throw Error(ErrorCode::bad_argument, "--contact-data",
                "has nothing to tell of --history stateless; use playback or canonical");
  const auto writer = make_animation_writer(
      options.output, {&character, motion.clip.name, motion.times, options.contact_data}, context);
  const MethodTiming timing = play(
      character, motion, method, context,
      [&](std::size_t, const Frame& frame) { writer->add_frame(frame.positions, frame.normals, frame.contact); },
      options.contact);
  writer->finish();

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  session.say(fmt::format("{}: clip '{}', {} frames, {} vertices, {}; {:.3g} ms a frame, {:.3g} s in all",
                          options.output, motion.clip.name, motion.times.size(), character.vertex_count(),
                          label(method, options.contact), timing.median_frame_ms, seconds));
  if (!joints.joints.empty())
    session.say(fmt::format("{} joints take the motion, each with how sure that is (0 to 1):", joints.joints.size()));
  for (const std::string& line : joints_lines(joints)) session.say(line);
  Json document{{"file", options.file},
                {"clip", motion.clip.name},
                {"method", label(method, options.contact)},
                {"options", Json::parse(to_json(solve_options(method, options.contact)))},
                {"output", options.output},
                {"frames", motion.times.size()},
                {"vertices", character.vertex_count()},
                {"nonfinite", timing.nonfinite},
                {"ms", {{"bind", rounded(timing.bind_ms)}, {"frame_median", rounded(timing.median_frame_ms)}}},
                {"seconds", rounded(seconds)},
                {"warnings", session.warnings()}};
  if (!joints.joints.empty()) document["joints"] = joints_json(joints);
  session.print(document);
}

}  // namespace

void add_animate(CLI::App& app) {
  auto options = std::make_shared<AnimateArguments>();
  CLI::App* verb = app.add_subcommand("animate", "Deform a character over a clip or a BVH and write the result");
  verb->add_option("FILE", options->file, "Character: .glb .gltf .vrm .fbx .dae, or builtin:NAME")->required();
  verb->add_option("-o,--output", options->output, "Result: .glb .gltf .pc2 .mdd .usda .obj .ply (last two: numbered)")
      ->required();
  add_motion_options(*verb, options->motion);
  add_contact_options(*verb, options->contact, false, true);
  verb->add_flag(
      "--contact-data", options->contact_data,
      "Write where skin touches and how deep it is pressed in, per vertex and frame: attribute _CONTACT (glTF), "
      "primvars contact and contactDepth (USD), properties (PLY)");
  add_common_options(*verb, options->common);
  verb->footer(
      "Examples:\n"
      "  cutis animate character.glb --clip walk -o walk.glb\n"
      "  cutis animate character.glb --clip 0 --method lbs --frames 12 -o frames.obj\n"
      "  cutis animate character.glb --clip fist --contact-pass -o fist.glb\n"
      "  cutis animate character.glb --clip fist --contact-data -o fist.usda\n"
      "  cutis animate hand.glb --clip fist --method implicit -o fist.glb\n"
      "  cutis animate hand.glb --spheres track.json --fit --method implicit -o hand.pc2\n"
      "  cutis animate character.glb --bvh motion.bvh --fps 24 -o motion.pc2");
  verb->callback([options] { run_animate(*options); });
}

}  // namespace cutis::cli
