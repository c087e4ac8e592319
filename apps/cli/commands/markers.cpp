#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "marker_pictures.h"
#include "pipeline.h"
#include "report.h"

namespace cutis::cli {
namespace {

struct MarkersArguments {
  CommonOptions common;
  std::string file, take, still, map, write_map, write_limits, output, skin = "volume", sheet, plots;
  std::string skeleton;
  double skeleton_scale = 1, fps = 30;
  int frames = 0, sheet_frames = 8;
  double yaw = 35;
  bool no_fit = false, follow = false, control = false;
  MarkerOptions solver;
  TargetOptions targets;
  TakeOptions reading;
  ContactChoice contact;
};

bool has_extension(const std::string& file, const char* extension) {
  return std::filesystem::path(file).extension() == extension;
}

struct Summary {
  double iterations = 0, solve_ms = 0, embed_ms = 0, skin_ms = 0;
  double rrms = 0, volume = 0, volume_worst = 0, length = 0, length_worst = 0, marker = 0, marker_worst = 0;
  std::size_t flipped = 0, repaired = 0, unconverged = 0;
};

Summary summarise(const std::vector<MarkerFrameReport>& frames) {
  Summary s;
  const double n = static_cast<double>(std::max<std::size_t>(frames.size(), 1));
  for (const MarkerFrameReport& f : frames) {
    s.iterations += f.iterations / n;
    s.solve_ms += f.solve_ms / n;
    s.embed_ms += f.embed_ms / n;
    s.rrms += f.rrms / n;
    s.volume += std::abs(f.volume_error) / n;
    s.volume_worst = std::max(s.volume_worst, std::abs(f.volume_error));
    s.length += f.bone_length_error / n;
    s.length_worst = std::max(s.length_worst, f.bone_length_worst);
    s.marker += f.marker_rms / n;
    s.marker_worst = std::max(s.marker_worst, f.marker_worst);
    s.flipped += f.flipped;
    s.repaired += f.repaired;
    s.unconverged += f.converged ? 0U : 1U;
  }
  return s;
}

Json to_json(const std::vector<MarkerFrameReport>& frames) {
  Json list = Json::array();
  for (const MarkerFrameReport& f : frames)
    list.push_back({{"iterations", f.iterations},
                    {"converged", f.converged},
                    {"solve_ms", rounded(f.solve_ms)},
                    {"embed_ms", rounded(f.embed_ms)},
                    {"rrms", rounded(f.rrms)},
                    {"volume_error", rounded(f.volume_error)},
                    {"bone_length_error", rounded(f.bone_length_error)},
                    {"bone_length_worst", rounded(f.bone_length_worst)},
                    {"marker_rms", rounded(f.marker_rms)},
                    {"marker_worst", rounded(f.marker_worst)},
                    {"markers", f.markers},
                    {"limited_joints", f.limited},
                    {"repaired_tetrahedra", f.repaired},
                    {"flipped_tetrahedra", f.flipped}});
  return list;
}

void run_markers(const MarkersArguments& options) {
  Session session(options.common);
  const Context& context = session.context();
  const auto start = std::chrono::steady_clock::now();
  const auto fail = [](const char* place, const std::string& sentence) {
    throw Error(ErrorCode::bad_argument, place, sentence);
  };
  if (options.output.empty() && options.write_map.empty() && options.write_limits.empty() && options.sheet.empty() &&
      options.plots.empty())
    fail("markers", "needs something to do: -o, --sheet, --plots, --write-map or --write-limits");
  const bool is_volume = options.skin == "volume";
  const Method method = is_volume ? Method::dqs : method_from_string(options.skin);
  if (is_volume && options.contact.solve.contact_pass.value_or(false))
    fail("--contact-pass", "works on a skin of the recovered pose; choose one with --skin");
  if (!options.output.empty()) Session::check_output(options.file, options.output);

  Character character = load_character(options.file, context);
  if (!options.skeleton.empty())
    take_skeleton(character, load_skeleton(options.skeleton, context), options.skeleton_scale);
  if (!options.write_limits.empty()) {
    write_text(options.write_limits, default_limits_json(character));
    session.say(fmt::format("{}: the usual joint limits, degrees from rest", options.write_limits));
  }
  const MarkerTake take = load_take(options.take, context, options.reading);

  // Where the markers are: as the map says, or in the usual places, fitted to the static trial or to the take itself.
  MarkerMap map =
      options.map.empty() ? default_marker_map(character, take, context) : load_marker_map(options.map, character);
  MarkerFitReport fit;
  const bool edits = has_extension(options.take, ".json");
  const bool fits = !options.no_fit && (!options.still.empty() || (options.map.empty() && !edits));
  if (fits) {
    const MarkerTake still = options.still.empty() ? MarkerTake{} : load_take(options.still, context, options.reading);
    map = fit_marker_map(character, map, options.still.empty() ? take : still, context, &fit);
    session.say(fmt::format("fitted to frame {} of {}: {} markers, scale {:.4f}, {:.1f} mm from their usual places",
                            fit.frame, options.still.empty() ? options.take : options.still, fit.markers, fit.scale,
                            1000 * fit.rms_before));
  }
  if (!options.write_map.empty()) {
    write_text(options.write_map, to_json(map));
    session.say(fmt::format("{}: {} markers", options.write_map, map.places.size()));
  }
  Json document = {
      {"file", options.file}, {"take", options.take}, {"markers", map.places.size()}, {"scale", rounded(map.scale)}};
  if (fits) document["fit"] = {{"frame", fit.frame}, {"markers", fit.markers}, {"rms", rounded(fit.rms_before)}};
  if (options.output.empty() && options.sheet.empty() && options.plots.empty()) {
    document["warnings"] = session.warnings();
    session.print(document);
    return;
  }

  MarkerTargets targets = prepare_targets(take, map, context, options.targets);
  double rate = options.fps;
  if (options.frames > 0) {
    const double seconds = static_cast<double>(targets.frames - 1) / targets.rate;
    rate = seconds > 0 && options.frames > 1 ? (options.frames - 1) / seconds : targets.rate;
  }
  targets = resample(targets, rate);
  if (options.frames > 0) targets.frames = std::min(targets.frames, static_cast<std::size_t>(options.frames));

  MarkerSolver solver(character, map, options.solver, context);
  std::optional<Solver> skinner;
  if (!is_volume)
    skinner.emplace(bind(character, context, bind_options({method}, options.contact)),
                    solve_options(method, options.contact), context);

  std::vector<double> times;
  for (std::size_t f = 0; f < targets.frames; ++f) times.push_back(static_cast<double>(f) / targets.rate);
  const std::string clip = std::filesystem::path(options.take).stem().string();
  std::unique_ptr<AnimationWriter> writer;
  if (!options.output.empty()) writer = make_animation_writer(options.output, {&character, clip, times}, context);
  std::vector<MarkerFrameReport> reports;
  MarkerPictures pictures(character, options.sheet.empty() ? 0 : options.sheet_frames, targets.frames);
  double skin_ms = 0;
  for (std::size_t f = 0; f < targets.frames; ++f) {
    const MarkerFrame& frame = solver.solve(targets.frame(f), targets.frame_confidence(f));
    reports.push_back(frame.report);
    const std::vector<Vec3f>* positions = &frame.positions;
    const std::vector<Vec3f>* normals = &frame.normals;
    if (skinner) {
      const Frame& skinned = skinner->solve(frame.pose);
      skin_ms += skinned.report.milliseconds;
      positions = &skinned.positions;
      normals = &skinned.normals;
    }
    if (writer) writer->add_frame(*positions, *normals);
    Mesh control;
    if (options.control) solver.boundary(control.positions, control.triangles);
    pictures.take(f, times[f], *positions, targets.frame(f), targets.frame_confidence(f), control);
    context.progress("markers", static_cast<double>(f + 1) / static_cast<double>(targets.frames));
  }
  if (writer) writer->finish();
  if (!options.sheet.empty())
    write_png(options.sheet,
              pictures.sheet(fmt::format("{}, {}", clip, options.skin), options.yaw, options.follow, context));
  if (!options.plots.empty()) write_png(options.plots, plot_reports(times, reports));

  const Summary s = summarise(reports);
  const ControlMeshInfo& info = solver.info();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const std::string& out : {options.output, options.sheet, options.plots})
    if (!out.empty()) session.say(out);
  session.say(
      fmt::format("  take         {} frames at {:.4g} a second, {} markers; {} samples filled, {} released, {} jumps",
                  targets.frames, targets.rate, targets.markers, targets.filled, targets.released, targets.jumps));
  session.say(fmt::format("  control mesh {} vertices, {} tetrahedra, {} skeleton samples; built in {:.3g} s",
                          info.vertices, info.tetrahedra, info.skeleton_samples, info.build_ms / 1000));
  session.say("               factor s  update ms  embed ms  RRMS_E   RE_V    ED_E    iterations");
  session.say(fmt::format("  table I      {:<9.3f} {:<10.2f} {:<9.2f} {:<8.4f} {:<7.4f} {:<7.4f} {:.1f}",
                          info.factor_ms / 1000, s.solve_ms, s.embed_ms, s.rrms, s.volume, s.length, s.iterations));
  session.say(
      fmt::format("  markers      {:.1f} mm off on average, {:.1f} at worst", 1000 * s.marker, 1000 * s.marker_worst));
  if (s.flipped > 0 || s.unconverged > 0)
    session.say(
        fmt::format("  note         {} tetrahedra turned over, {} frames not converged", s.flipped, s.unconverged));
  document.update({{"output", options.output},
                   {"skin", options.skin},
                   {"frames", targets.frames},
                   {"fps", rounded(targets.rate)},
                   {"targets",
                    {{"filled", targets.filled},
                     {"released", targets.released},
                     {"jumps", targets.jumps},
                     {"empty_frames", targets.empty_frames}}},
                   {"control_mesh",
                    {{"vertices", info.vertices},
                     {"tetrahedra", info.tetrahedra},
                     {"boundary_triangles", info.boundary_triangles},
                     {"skeleton_samples", info.skeleton_samples},
                     {"slivers", info.slivers},
                     {"uncovered_vertices", info.uncovered_vertices},
                     {"boundary_intersections", info.boundary_intersections},
                     {"raised_weights", info.raised_weights},
                     {"least_quality", rounded(info.least_quality)},
                     {"mean_edge", rounded(info.mean_edge)},
                     {"build_ms", rounded(info.build_ms)},
                     {"factor_ms", rounded(info.factor_ms)},
                     {"embed_ms", rounded(info.embed_ms)}}},
                   {"summary",
                    {{"iterations", rounded(s.iterations)},
                     {"solve_ms", rounded(s.solve_ms)},
                     {"embed_ms", rounded(s.embed_ms)},
                     {"skin_ms", rounded(skin_ms / static_cast<double>(std::max<std::size_t>(targets.frames, 1)))},
                     {"rrms", rounded(s.rrms)},
                     {"volume_error", rounded(s.volume)},
                     {"volume_error_worst", rounded(s.volume_worst)},
                     {"bone_length_error", rounded(s.length)},
                     {"bone_length_worst", rounded(s.length_worst)},
                     {"marker_rms", rounded(s.marker)},
                     {"marker_worst", rounded(s.marker_worst)},
                     {"flipped_tetrahedra", s.flipped},
                     {"repaired_tetrahedra", s.repaired},
                     {"unconverged_frames", s.unconverged}}},
                   {"per_frame", to_json(reports)},
                   {"seconds", rounded(seconds)},
                   {"warnings", session.warnings()}});
  session.print(document);
}

}  // namespace

void add_markers(CLI::App& app) {
  auto options = std::make_shared<MarkersArguments>();
  CLI::App* verb =
      app.add_subcommand("markers", "Animate a character from motion capture markers: no rigging, no weights");
  verb->add_option("FILE", options->file, "Character with a skeleton: .glb .gltf .vrm .fbx .dae, or builtin:NAME")
      ->required();
  verb->add_option("--take", options->take, "Marker positions: .c3d .trc, joint centres of a .bvh, targets of a .json")
      ->required();
  verb->add_option("-o,--output", options->output, "Result: .glb .gltf .pc2 .mdd .usda .obj .ply (last two: numbered)");
  verb->add_option("--static", options->still, "Static trial: scale, pose and places of the markers are fitted to it");
  verb->add_option("--map", options->map, "JSON map from marker names to places on the character");
  verb->add_option("--write-map", options->write_map, "Write the map in force, fitted to the static trial or the take");
  verb->add_flag("--no-fit", options->no_fit, "Markers in their usual places, at scale 1");
  verb->add_option("--skin", options->skin,
                   fmt::format("Who moves the skin: volume (the control mesh), or the recovered pose through {}",
                               fmt::join(method_names(), ", ")))
      ->capture_default_str();
  add_option_flags(*verb, option_fields(options->solver));
  verb->get_option("--no-limits")->excludes(verb->get_option("--limits"));
  verb->add_option("--write-limits", options->write_limits, "Write the usual joint limits as JSON");
  add_option_flags(*verb, option_fields(options->targets));
  auto* frames = verb->add_option("--frames", options->frames, "This many frames, evenly over the take")
                     ->check(CLI::Range(1, 1000000));
  verb->add_option("--fps", options->fps, "Frames a second of the result")
      ->capture_default_str()
      ->check(CLI::Range(1e-3, 1e5))
      ->excludes(frames);
  add_option_flags(*verb, option_fields(options->reading));
  auto* skeleton = verb->add_option("--skeleton", options->skeleton,
                                    "Skeleton from another character or a .bvh, in the mesh's place");
  verb->add_option("--skeleton-scale", options->skeleton_scale, "The skeleton times this")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->needs(skeleton);
  verb->add_option("--sheet", options->sheet, "Contact sheet of the result with the markers as red balls (.png)");
  verb->add_flag("--control", options->control, "On it, the control mesh beside the skin");
  verb->add_option("--sheet-frames", options->sheet_frames, "Pictures on it")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  verb->add_option("--yaw", options->yaw, "Degrees around the character, 0 from the front")->capture_default_str();
  verb->add_flag("--follow", options->follow, "The camera goes with the character");
  verb->add_option("--plots", options->plots, "Residuals, iterations and errors over time (.png)");
  add_contact_options(*verb, options->contact);
  add_common_options(*verb, options->common);
  verb->footer(
      "Examples:\n"
      "  cutis markers body.glb --take walk.c3d --static tpose.c3d -o walk.glb\n"
      "  cutis markers body.glb --take tpose.c3d --write-map body-map.json\n"
      "  cutis markers body.glb --take walk.c3d --map body-map.json --skin dqs --sheet walk.png -o walk.pc2\n"
      "  cutis markers body.glb --take dance.bvh --sheet dance.png --plots dance-errors.png");
  verb->callback([options] { run_markers(*options); });
}

}  // namespace cutis::cli
