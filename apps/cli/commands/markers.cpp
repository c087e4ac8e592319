#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "marker_pictures.h"
#include "option_flags.h"
#include "pipeline.h"
#include "report.h"

namespace cutis::cli {
namespace {

struct MarkersArguments {
  CommonOptions common;
  std::string file, take, still, map, write_map, write_limits, output, skin = "volume", sheet, plots;
  std::string skeleton, subject, places, poses, edits;
  bool no_names = false;
  double skeleton_scale = 1, fps = 30;
  int frames = 0, sheet_frames = 8;
  double yaw = 35;
  bool no_fit = false, follow = false, control = false, ranges = false;
  MarkerOptions solver;
  TargetOptions targets;
  TakeOptions reading;
  ContactChoice contact;
};

bool has_extension(const std::string& file, const char* extension) {
  return std::filesystem::path(file).extension() == extension;
}

/// Takes of more frames (three minutes at 120 a second) are not held: so many frames of them, evenly, decide what there
/// is to decide, and targets are prepared piece by piece.
constexpr std::size_t kHeldFrames = 21'600, kSampledFrames = 2'400;
/// With contact, frames farther apart than this many a second are solved with others in between, where the take has
/// them: skin follows the way that the body went.
constexpr double kContactRate = 30;

/// What a sample of a take decided for all of it.
struct ChosenPoints {
  std::vector<std::size_t> points;
  Mat3d axes{{Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}};

  [[nodiscard]] MarkerTake of(const MarkerTake& take) const {
    MarkerTake chosen = take_of_points(take, points);
    for (Vec3d& p : chosen.positions) {
      Vec3d turned;
      for (int k = 0; k < 3; ++k) turned[k] = axes.col[0][k] * p.x + axes.col[1][k] * p.y + axes.col[2][k] * p.z;
      p = turned;
    }
    return chosen;
  }
};

/// Where the points of a part of a take are in the whole.
std::vector<std::size_t> points_of(const MarkerTake& part, const MarkerTake& whole) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < whole.names.size() && points.size() < part.names.size(); ++i)
    if (whole.names[i] == part.names[points.size()]) points.push_back(i);
  return points;
}

std::vector<std::size_t> points_of(const MarkerMap& map, const MarkerTake& take) {
  std::set<std::string_view> names;
  for (const MarkerPlace& place : map.places) names.insert(place.marker);
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < take.names.size(); ++i)
    if (names.contains(take.names[i])) points.push_back(i);
  return points;
}

struct Summary {
  double iterations = 0, solve_ms = 0, embed_ms = 0, skin_ms = 0;
  double rrms = 0, volume = 0, volume_worst = 0, mesh_volume = 0, mesh_volume_worst = 0, length = 0, length_worst = 0,
         marker = 0, marker_worst = 0;
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
    s.mesh_volume += std::abs(f.mesh_volume_error) / n;
    s.mesh_volume_worst = std::max(s.mesh_volume_worst, std::abs(f.mesh_volume_error));
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

Json to_json(const UnreachedTarget& u, const MarkerMap& map) {
  Json entry = {{"marker", map.places[u.marker].marker}, {"distance", rounded(u.distance)}};
  if (!u.joint.empty()) entry.update({{"joint", u.joint}, {"limit", u.limit}, {"degrees", rounded(u.degrees)}});
  return entry;
}

/// Per marker that a limit kept away in some frame: the farthest, and when.
std::vector<std::pair<double, UnreachedTarget>> farthest_unreached(const std::vector<MarkerFrameReport>& frames,
                                                                   const std::vector<double>& times) {
  std::vector<std::pair<double, UnreachedTarget>> list;
  for (std::size_t f = 0; f < frames.size(); ++f)
    for (const UnreachedTarget& u : frames[f].unreached) {
      if (u.joint.empty()) continue;
      const auto known =
          std::find_if(list.begin(), list.end(), [&](const auto& e) { return e.second.marker == u.marker; });
      if (known == list.end()) {
        list.emplace_back(times[f], u);
      } else if (u.distance > known->second.distance) {
        *known = {times[f], u};
      }
    }
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.second.distance > b.second.distance; });
  return list;
}

Json to_json(const std::vector<MarkerFrameReport>& frames, const MarkerMap& map) {
  Json list = Json::array();
  for (const MarkerFrameReport& f : frames) {
    Json unreached = Json::array();
    for (const UnreachedTarget& u : f.unreached) unreached.push_back(to_json(u, map));
    list.push_back({{"iterations", f.iterations},
                    {"converged", f.converged},
                    {"solve_ms", rounded(f.solve_ms)},
                    {"embed_ms", rounded(f.embed_ms)},
                    {"rrms", rounded(f.rrms)},
                    {"volume_error", rounded(f.volume_error)},
                    {"mesh_volume_error", rounded(f.mesh_volume_error)},
                    {"bone_length_error", rounded(f.bone_length_error)},
                    {"bone_length_worst", rounded(f.bone_length_worst)},
                    {"marker_rms", rounded(f.marker_rms)},
                    {"marker_worst", rounded(f.marker_worst)},
                    {"markers", f.markers},
                    {"limited_joints", f.limited},
                    {"repaired_tetrahedra", f.repaired},
                    {"flipped_tetrahedra", f.flipped},
                    {"unreached", std::move(unreached)}});
  }
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
      options.plots.empty() && options.places.empty() && options.poses.empty())
    fail("markers", "needs something to do: -o, --poses, --sheet, --plots, --places, --write-map or --write-limits");
  const bool is_surface = options.skin == "surface";
  const bool is_volume = options.skin == "volume" || is_surface;
  const Method method = is_volume ? Method::dqs : method_from_string(options.skin);
  const bool touches = is_volume && !is_surface && options.contact.solve.contact_pass.value_or(true);
  if (!options.poses.empty() && !has_extension(options.poses, ".bvh") && !has_extension(options.poses, ".glb") &&
      !has_extension(options.poses, ".gltf"))
    fail("--poses", "writes .bvh, .glb or .gltf");
  for (const std::string& out : {options.output, options.poses})
    if (!out.empty()) Session::check_output(options.file, out);

  Character character = load_character(options.file, context);
  if (!options.skeleton.empty())
    take_skeleton(character, load_skeleton(options.skeleton, context), options.skeleton_scale);
  if (!options.write_limits.empty()) {
    write_text(options.write_limits, default_limits_json(character));
    session.say(fmt::format("{}: the usual joint limits, degrees from rest", options.write_limits));
  }
  MarkerMap given;
  if (!options.map.empty()) given = load_marker_map(options.map, character);
  const auto choose = [&](const MarkerTake& loaded, ChosenPoints& chosen) {
    // A map says whose markers are meant.
    const std::vector<std::size_t> mapped =
        options.subject.empty() ? points_of(given, loaded) : std::vector<std::size_t>();
    MarkerTake one =
        mapped.empty() ? take_of_subject(loaded, options.subject, context) : take_of_points(loaded, mapped);
    chosen.points = points_of(one, loaded);
    if (!options.no_names) chosen.axes = mend_axes(one, context);
    return one;
  };
  TakeStream source(options.take, context, options.reading);
  const bool is_long = source.frames() > kHeldFrames && options.edits.empty();
  ChosenPoints chosen;
  const MarkerTake take = choose(is_long ? source.sample(kSampledFrames) : source.read(0, source.frames()), chosen);

  // Where the markers are: as the map says, or in the usual places, fitted to the static trial or to the take itself.
  MarkerMapReport found;
  MarkerMap map =
      options.map.empty() ? default_marker_map(character, take, context, &found, !options.no_names) : std::move(given);
  if (options.map.empty() && found.by_names)
    session.say(fmt::format(
        "marker set {}: {} markers, score {:.2f}{}", found.set, map.places.size(), found.score,
        found.left_out.empty() ? std::string() : fmt::format(", {} others are left out", found.left_out.size())));
  else if (options.map.empty())
    session.say(fmt::format("{} without names: {} markers{}, {:.1f} mm from their sites; {} left out",
                            found.doubtful ? "perhaps found, perhaps not," : "found", map.places.size(),
                            found.set.empty() ? std::string() : fmt::format(" as in {}", found.set), 1000 * found.rms,
                            found.left_out.size()));
  MarkerFitReport fit;
  const bool few = has_extension(options.take, ".json");
  const bool fits = !options.no_fit && (!options.still.empty() || (options.map.empty() && !few));
  if (fits) {
    ChosenPoints unused;
    const MarkerTake still =
        options.still.empty() ? MarkerTake{}
                              : choose(TakeStream(options.still, context, options.reading).sample(kHeldFrames), unused);
    map = fit_marker_map(character, map, options.still.empty() ? take : still, context, &fit);
    if (is_long && options.still.empty())  // of the file, not of the sample
      fit.frame = static_cast<std::size_t>(std::lround(static_cast<double>(fit.frame) * source.rate() / take.rate));
    session.say(fmt::format("fitted to frame {} of {}: {} markers, scale {:.4f}, {:.1f} mm from their usual places",
                            fit.frame, options.still.empty() ? options.take : options.still, fit.markers, fit.scale,
                            1000 * fit.rms_before));
  }
  if (!options.write_map.empty()) {
    write_text(options.write_map, to_json(map));
    session.say(fmt::format("{}: {} markers", options.write_map, map.places.size()));
  }
  if (!options.places.empty()) {
    write_png(options.places, picture_of_places(character, map, context));
    session.say(fmt::format("{}: the places on the body at rest", options.places));
  }
  Json document = {
      {"file", options.file}, {"take", options.take}, {"markers", map.places.size()}, {"scale", rounded(map.scale)}};
  if (options.map.empty()) {
    Json sites = Json::object();
    for (std::size_t m = 0; m < found.sites.size() && m < map.places.size(); ++m)
      sites[map.places[m].marker] = found.sites[m];
    document["map"] = {{"set", found.set},          {"by_names", found.by_names}, {"score", rounded(found.score)},
                       {"rms", rounded(found.rms)}, {"doubtful", found.doubtful}, {"sites", std::move(sites)},
                       {"left_out", found.left_out}};
  }
  if (fits) document["fit"] = {{"frame", fit.frame}, {"markers", fit.markers}, {"rms", rounded(fit.rms_before)}};
  if (options.output.empty() && options.sheet.empty() && options.plots.empty() && options.poses.empty()) {
    document["warnings"] = session.warnings();
    session.print(document);
    return;
  }

  double rate = options.fps;
  if (options.frames > 0) {
    const double seconds = static_cast<double>(source.frames() - 1) / source.rate();
    rate = seconds > 0 && options.frames > 1 ? (options.frames - 1) / seconds : source.rate();
  }
  const auto finer = [&](double than) { return static_cast<std::size_t>(std::ceil(than / rate - 1e-6)); };
  const std::size_t every = touches ? std::max<std::size_t>(1, std::min(finer(kContactRate), finer(source.rate()))) : 1;
  const double solved_rate = rate * static_cast<double>(every);
  std::optional<TargetStream> pieces;
  MarkerTargets whole;
  EditLayer edits;
  if (is_long) {
    Context quiet = context;  // what is wrong with the file was said
    quiet.on_warning = {};
    source = TakeStream(options.take, quiet, options.reading);
    pieces.emplace(
        take, source.frames(), source.rate(),
        [&](std::size_t first, std::size_t count) { return chosen.of(source.read(first, count)); }, map, solved_rate,
        context, options.targets);
  } else {
    whole = prepare_targets(take, map, context, options.targets);
    if (!options.edits.empty()) whole = with_edits(whole, edits = load_edits(options.edits, map));
    whole = resample(whole, solved_rate);
  }
  const auto targets = [&]() -> const MarkerTargets& { return pieces ? pieces->counts() : whole; };
  std::size_t frames = (targets().frames - 1) / every + 1;
  if (options.frames > 0) frames = std::min(frames, static_cast<std::size_t>(options.frames));

  if (is_surface && (!options.poses.empty() || options.control || options.ranges))
    fail("--skin", "surface has no skeleton and no control mesh; leave out --poses, --control and --ranges");
  std::optional<SurfaceMarkers> surface;
  std::optional<MarkerSolver> volume;
  if (is_surface)
    surface.emplace(character, map, context);
  else
    volume.emplace(character, map, options.solver, context);
  std::optional<Solver> skinner;
  if (!is_volume)
    skinner.emplace(bind(character, context, bind_options({method}, options.contact)),
                    solve_options(method, options.contact), context);
  std::optional<ShapeContact> contact;
  if (touches)
    contact.emplace(bind(character, context, bind_options({Method::tracking}, options.contact)),
                    solve_options(Method::dqs, options.contact), context);

  std::vector<double> times;
  for (std::size_t f = 0; f < frames; ++f) times.push_back(static_cast<double>(f) / rate);
  const std::string clip = std::filesystem::path(options.take).stem().string();
  std::unique_ptr<AnimationWriter> writer;
  if (!options.output.empty()) writer = make_animation_writer(options.output, {&character, clip, times}, context);
  std::optional<BvhWriter> bvh;
  if (has_extension(options.poses, ".bvh")) bvh.emplace(options.poses, character.skeleton, frames, rate);
  std::vector<Pose> poses;  // for a clip
  std::size_t uncertified = 0;
  std::vector<MarkerFrameReport> reports;
  MarkerPictures pictures(character, options.sheet.empty() ? 0 : options.sheet_frames, frames);
  double skin_ms = 0;
  for (std::size_t solved = 0; solved <= (frames - 1) * every; ++solved) {
    if (pieces) pieces->seek(solved);
    const std::span<const Vec3d> wanted = pieces ? pieces->positions() : whole.frame(solved);
    const std::span<const double> sure = pieces ? pieces->confidence() : whole.frame_confidence(solved);
    const MarkerFrame& frame = surface ? surface->solve(wanted, sure) : volume->solve(wanted, sure);
    if (solved % every != 0) {  // on the way
      if (contact) skin_ms += contact->solve(frame.pose, frame.positions, frame.normals).report.milliseconds;
      continue;
    }
    const std::size_t f = solved / every;
    reports.push_back(frame.report);
    if (options.plots.empty()) reports.back().moved = {};
    const std::vector<Vec3f>* positions = &frame.positions;
    const std::vector<Vec3f>* normals = &frame.normals;
    if (skinner) {
      const Frame& skinned = skinner->solve(frame.pose);
      skin_ms += skinned.report.milliseconds;
      positions = &skinned.positions;
      normals = &skinned.normals;
    }
    if (contact) {
      const Frame& touched = contact->solve(frame.pose, frame.positions, frame.normals);
      skin_ms += touched.report.milliseconds;
      uncertified += touched.report.contact.certified ? 0U : 1U;
      positions = &touched.positions;
      normals = &touched.normals;
    }
    if (bvh)
      bvh->add(frame.pose);
    else if (!options.poses.empty())
      poses.push_back(frame.pose);
    if (writer) writer->add_frame(*positions, *normals);
    if (pictures.wants(f)) {
      MarkerExtras extras;
      if (options.control) {
        volume->control_mesh(extras.control, extras.cells);
        volume->boundary(extras.control, extras.cage);
      }
      if (options.ranges) extras.ranges = volume->joint_ranges();
      for (std::size_t m = 0; m < map.places.size() && !edits.keys.empty(); ++m) {
        double weight = 0;
        (void)edits.offset(m, times[f], weight);
        extras.pinned.push_back(weight > 0.5);
      }
      pictures.take(f, times[f], *positions, wanted, sure, std::move(extras));
    }
    context.progress("markers", static_cast<double>(f + 1) / static_cast<double>(frames));
  }
  if (writer) writer->finish();
  if (bvh) bvh->finish();
  if (!bvh && !options.poses.empty()) {
    Character posed = character;
    posed.clips = {clip_of_poses(character, poses, rate, clip)};
    write_character(options.poses, posed, context);
  }
  if (!options.sheet.empty())
    write_png(options.sheet,
              pictures.sheet(fmt::format("{}, {}", clip, options.skin), options.yaw, options.follow, context));
  if (!options.plots.empty()) write_png(options.plots, plot_reports(times, reports));

  const Summary s = summarise(reports);
  const ControlMeshInfo info = volume ? volume->info() : ControlMeshInfo{};
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const std::string& out : {options.output, options.poses, options.sheet, options.plots})
    if (!out.empty()) session.say(out);
  session.say(fmt::format(
      "  take         {} frames at {:.4g} a second, {} markers; {} samples filled, {} released, {} jumps, {} swapped "
      "back",
      frames, rate, targets().markers, targets().filled, targets().released, targets().jumps, targets().swapped));
  if (volume)
    session.say(fmt::format("  control mesh {} vertices, {} tetrahedra, {} skeleton samples; built in {:.3g} s",
                            info.vertices, info.tetrahedra, info.skeleton_samples, info.build_ms / 1000));
  session.say("               factor s  update ms  embed ms  RRMS_E   RE_V    ED_E    iterations");
  session.say(fmt::format("  table I      {:<9.3f} {:<10.2f} {:<9.2f} {:<8.4f} {:<7.4f} {:<7.4f} {:.1f}",
                          info.factor_ms / 1000, s.solve_ms, s.embed_ms, s.rrms, s.mesh_volume, s.length,
                          s.iterations));
  session.say(
      fmt::format("  markers      {:.1f} mm off on average, {:.1f} at worst", 1000 * s.marker, 1000 * s.marker_worst));
  for (const auto& [time, u] : farthest_unreached(reports, times))
    session.say(fmt::format("  unreached    {}: {:.1f} cm away at {:.4g} s; {} ends its {} at {:.4g} degrees",
                            printable(map.places[u.marker].marker), 100 * u.distance, time, printable(u.joint), u.limit,
                            u.degrees));
  if (contact && uncertified > 0)
    session.say(
        fmt::format("  contact      {} of {} frames may have skins that pass through each other", uncertified, frames));
  if (s.flipped > 0 || s.unconverged > 0)
    session.say(
        fmt::format("  note         {} tetrahedra turned over, {} frames not converged", s.flipped, s.unconverged));
  document.update(
      {{"output", options.output},
       {"skin", options.skin},
       {"contact_pass", contact.has_value() || (skinner && with_contact(solve_options(method, options.contact)))},
       {"uncertified_frames", uncertified},
       {"frames", frames},
       {"fps", rounded(rate)},
       {"targets",
        {{"filled", targets().filled},
         {"released", targets().released},
         {"jumps", targets().jumps},
         {"swapped", targets().swapped},
         {"empty_frames", targets().empty_frames}}},
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
         {"skin_ms", rounded(skin_ms / static_cast<double>(frames))},
         {"rrms", rounded(s.rrms)},
         {"volume_error", rounded(s.volume)},
         {"volume_error_worst", rounded(s.volume_worst)},
         {"mesh_volume_error", rounded(s.mesh_volume)},
         {"mesh_volume_error_worst", rounded(s.mesh_volume_worst)},
         {"bone_length_error", rounded(s.length)},
         {"bone_length_worst", rounded(s.length_worst)},
         {"marker_rms", rounded(s.marker)},
         {"marker_worst", rounded(s.marker_worst)},
         {"flipped_tetrahedra", s.flipped},
         {"repaired_tetrahedra", s.repaired},
         {"unconverged_frames", s.unconverged}}},
       {"per_frame", to_json(reports, map)},
       {"seconds", rounded(seconds)},
       {"warnings", session.warnings()}});
  if (surface) {  // has none of these
    document["control_mesh"] = nullptr;
    for (const char* key : {"volume_error", "volume_error_worst", "bone_length_error", "bone_length_worst"})
      document["summary"][key] = nullptr;
  }
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
  verb->add_option("--poses", options->poses,
                   "The skeleton's poses: .bvh, or the character with them as its clip, .glb .gltf");
  verb->add_option("--static", options->still, "Static trial: scale, pose and places of the markers are fitted to it");
  verb->add_option("--map", options->map, "JSON map from marker names to places on the character");
  verb->add_option("--write-map", options->write_map, "Write the map in force, fitted to the static trial or the take");
  verb->add_flag("--no-names", options->no_names, "Find the places from the take itself, whatever its names say");
  verb->add_option("--subject", options->subject,
                   "Who of several in the take: the prefix of names (Anna of Anna:LFHD), else 1, 2, ... by size");
  verb->add_option("--edits", options->edits,
                   "Layer of edits over the take: JSON keys of markers moved at times (docs/formats)");
  verb->add_option("--places", options->places, "Picture of the places on the body, from the front and behind (.png)");
  verb->add_flag("--no-fit", options->no_fit, "Markers in their usual places, at scale 1");
  verb->add_option(
          "--skin", options->skin,
          fmt::format("Who moves the skin: volume (the control mesh, then contact), surface (as-rigid-as-possible, "
                      "without inside and skeleton, for comparison), or the recovered pose through {}",
                      fmt::join(method_names(), ", ")))
      ->capture_default_str();
  add_option_flags(*verb, option_fields(options->solver));
  flag_of(*verb, "--no-limits")->excludes(flag_of(*verb, "--limits"));
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
  verb->add_option("--sheet", options->sheet,
                   "Contact sheet of the result with the markers as red balls, edited ones blue (.png)");
  verb->add_flag("--control", options->control, "On it, the cage and the control mesh cut open, beside the skin");
  verb->add_flag("--ranges", options->ranges, "On it, how far joints may turn: arcs, red where a limit holds");
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
      "  cutis markers body.glb --take raw.c3d --no-names --places places.png --write-map map.json\n"
      "  cutis markers body.glb --take walk.c3d --map body-map.json --skin dqs --sheet walk.png -o walk.pc2\n"
      "  cutis markers body.glb --take walk.c3d --poses walk.bvh\n"
      "  cutis markers body.glb --take dance.bvh --sheet dance.png --plots dance-errors.png");
  verb->callback([options] { run_markers(*options); });
}

}  // namespace cutis::cli
