#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "animating.h"

namespace cutis::cli {
namespace {

void run_animate(const AnimateArguments& options) {
  Session session(options.common);
  const auto start = std::chrono::steady_clock::now();
  const Method method = options.contact.solve.method;
  const Animated done = animate(options, session.context());

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  session.say(fmt::format("{}: clip '{}', {} frames, {} vertices, {}; {:.3g} ms a frame, {:.3g} s in all",
                          fmt::join(options.outputs, ", "), done.clip, done.frames, done.vertices,
                          label(method, options.contact), done.timing.median_frame_ms, seconds));
  const MotionReport& joints = done.joints;
  if (!joints.joints.empty())
    session.say(fmt::format("{} joints take the motion, each with how sure that is (0 to 1):", joints.joints.size()));
  for (const std::string& line : joints_lines(joints)) session.say(line);
  if (!options.common.json) return;
  Json document{
      {"file", options.file},
      {"clip", done.clip},
      {"method", label(method, options.contact)},
      {"options", Json::parse(to_json(solve_options(method, options.contact)))},
      {"output", options.outputs.front()},
      {"frames", done.frames},
      {"vertices", done.vertices},
      {"nonfinite", done.timing.nonfinite},
      {"ms", {{"bind", rounded(done.timing.bind_ms)}, {"frame_median", rounded(done.timing.median_frame_ms)}}},
      {"seconds", rounded(seconds)},
      {"warnings", session.warnings()}};
  if (done.timing.iterations > 0) document["iterations"] = rounded(done.timing.iterations);
  if (options.outputs.size() > 1) document["outputs"] = options.outputs;
  if (!options.range.empty()) document["range"] = {{"first", done.first}, {"shot_frames", done.total}};
  if (!joints.joints.empty()) document["joints"] = joints_json(joints);
  session.print(document);
}

}  // namespace

void add_animate(CLI::App& app) {
  auto options = std::make_shared<AnimateArguments>();
  CLI::App* verb = app.add_subcommand("animate", "Deform a character over a clip or a BVH and write the result");
  add_animate_options(*verb, *options);
  add_common_options(*verb, options->common);
  verb->footer(
      "Examples:\n"
      "  cutis animate character.glb --clip walk -o walk.glb\n"
      "  cutis animate character.glb --clip 0 --method lbs --frames 12 -o frames.obj\n"
      "  cutis animate character.glb --clip fist --contact-pass -o fist.glb\n"
      "  cutis animate character.glb --clip fist --contact-data -o fist.usda\n"
      "  cutis animate hand.glb --clip fist --method implicit -o fist.glb\n"
      "  cutis animate hand.glb --spheres track.json --fit --method implicit -o hand.pc2\n"
      "  cutis animate character.glb --bvh motion.bvh --fps 24 -o motion.pc2\n"
      "  cutis animate character.glb --clip walk --history canonical --range 0:60 -o walk-0.frames");
  verb->callback([options] { run_animate(*options); });
}

}  // namespace cutis::cli
