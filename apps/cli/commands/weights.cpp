#include <cstdlib>

#include <fmt/format.h>

#include "common.h"
#include "cutis/cutis.h"
#include "option_flags.h"

namespace cutis::cli {
namespace {

struct WeightsArguments {
  CommonOptions common;
  std::string file, output, skeleton, preset;
  double skeleton_scale = 1;
  bool overlap_given = false;
  WeightOptions weights;
};

Json to_json(const WeightsArguments& options, const WeightReport& report, const Parts& parts,
             const std::vector<std::string>& warnings) {
  Json fallbacks = Json::array();
  for (const WeightFallback& f : report.fallbacks)
    fallbacks.push_back({{"what", f.what}, {"count", f.count}, {"where", f.where}});
  Json cuts = Json::array();
  for (const CutReport& c : report.cuts)
    cuts.push_back({{"joint", c.joint},
                    {"place", c.place},
                    {"perimeter", rounded(c.perimeter)},
                    {"overlap", rounded(c.width)},
                    {"tilt", rounded(c.tilt)}});
  Json json = {{"file", options.file},
               {"output", options.output},
               {"method", to_string(options.weights.method)},
               {"seconds", rounded(report.seconds)},
               {"vertices", report.vertices},
               {"welded_vertices", report.welded_vertices},
               {"triangles", report.triangles},
               {"bones", report.bones},
               {"weighted_bones", report.weighted_bones},
               {"fallbacks", std::move(fallbacks)},
               {"cuts", std::move(cuts)},
               {"mirror", nullptr},
               {"influences", report.influences},
               {"pruned", {{"mean", rounded(report.pruned_mean)}, {"max", rounded(report.pruned_max)}}},
               {"smoothness",
                {{"edge_step_mean", rounded(report.edge_step_mean)},
                 {"edge_step_p99", rounded(report.edge_step_p99)},
                 {"edge_step_max", rounded(report.edge_step_max)}}},
               {"parts", {{"stray_islands", parts.islands}, {"reassigned_vertices", parts.moved_vertices}}},
               {"warnings", warnings}};
  if (report.mirror)
    json["mirror"] = {
        {"plane", {{"point", vec(report.mirror->plane_point)}, {"normal", vec(report.mirror->plane_normal)}}},
        {"paired_vertices", report.mirror->paired_vertices},
        {"unpaired_vertices", report.mirror->unpaired_vertices},
        {"paired_bones", report.mirror->paired_joints},
        {"error_before", rounded(report.mirror->error_before)},
        {"error_after", rounded(report.mirror->error_after)}};
  return json;
}

void say(const Session& session, const WeightsArguments& options, const WeightReport& report) {
  session.say(fmt::format("{}: {} weights, {} vertices ({} welded), {} of {} bones used, {:.3g} s", options.output,
                          to_string(options.weights.method), report.vertices, report.welded_vertices,
                          report.weighted_bones, report.bones, report.seconds));
  std::string histogram;
  for (std::size_t k = 1; k < report.influences.size(); ++k)
    histogram += fmt::format("{}{} with {}", k == 1 ? "" : ", ", report.influences[k], k);
  session.say(fmt::format("  influences  {}", histogram));
  session.say(fmt::format("  edge steps  {:.3g} mean, {:.3g} 99th percentile, {:.3g} largest", report.edge_step_mean,
                          report.edge_step_p99, report.edge_step_max));
  if (report.mirror)
    session.say(fmt::format("  mirror      {} vertices paired, {} not; error {:.2g} before, {:.2g} after",
                            report.mirror->paired_vertices, report.mirror->unpaired_vertices,
                            report.mirror->error_before, report.mirror->error_after));
  for (const WeightFallback& f : report.fallbacks)
    session.say(fmt::format("  note        {} ({}{}{})", f.what, f.count, f.where.empty() ? "" : ": ", f.where));
}

void parse_overlaps(const std::vector<std::string>& given, WeightsArguments& options) {
  for (const std::string& text : given) {
    const std::size_t at = text.rfind('=');
    char* end = nullptr;
    const double width = at == std::string::npos ? 0.0 : std::strtod(text.c_str() + at + 1, &end);
    if (at == std::string::npos || at == 0 || end != text.c_str() + text.size() || at + 1 == text.size())
      throw Error(ErrorCode::bad_argument, "--joint-overlap", fmt::format("'{}' is not NAME=WIDTH", text));
    options.weights.joint_overlap[text.substr(0, at)] = width;
  }
}

void run_weights(const WeightsArguments& options) {
  Session session(options.common);
  WeightOptions weights = options.weights;
  Session::check_output(options.file, options.output);
  Character character = load_character(options.file, session.context(), {.attached = true});
  if (!options.skeleton.empty())
    take_skeleton(character, load_skeleton(options.skeleton, session.context()), options.skeleton_scale);
  if (!options.preset.empty()) {  // what the command line says goes before
    const Preset preset = load_preset(options.preset);
    check_preset(preset, character.skeleton);
    if (!options.overlap_given) weights.overlap = preset.all.atlas_overlap;
    for (const auto& [joint, settings] : preset.joints) weights.joint_overlap.emplace(joint, settings.atlas_overlap);
  }
  const WeightReport report = make_weights(character, weights, session.context());
  write_character(options.output, character, session.context());
  say(session, options, report);
  session.print(to_json(options, report, make_parts(character), session.warnings()));
}

}  // namespace

void add_weights(CLI::App& app) {
  auto options = std::make_shared<WeightsArguments>();
  CLI::App* verb =
      app.add_subcommand("weights", "New skin weights for a mesh and a skeleton, written as a skinned glTF");
  verb->add_option("FILE", options->file, "Character: .glb .gltf .vrm .fbx .dae .obj .ply .off, or builtin:NAME")
      ->required();
  verb->add_option("-o,--output", options->output, "Skinned character: .glb, .gltf, or .vrm where FILE is one")
      ->required();
  add_option_flags(*verb, option_fields(options->weights));
  verb->add_option("-p,--preset", options->preset, "Atlas: overlaps from a preset (JSON, see docs/formats.md)");
  auto* overlap = flag_of(*verb, "--overlap");
  verb->add_option_function<std::vector<std::string>>(
      "--joint-overlap", [options](const std::vector<std::string>& given) { parse_overlaps(given, *options); },
      "Atlas: the same for single joints, as NAME=WIDTH");
  auto* skeleton = verb->add_option("--skeleton", options->skeleton,
                                    "Skeleton and clips from another character, or from a .bvh, in the mesh's place");
  verb->add_option("--skeleton-scale", options->skeleton_scale, "The skeleton times this")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->needs(skeleton);
  add_common_options(*verb, options->common);
  verb->footer(
      "Examples:\n"
      "  cutis weights character.glb -o weighted.glb\n"
      "  cutis weights character.glb --method atlas --joint-overlap hand_l=1 -o weighted.glb\n"
      "  cutis weights avatar.vrm -o weighted.vrm\n"
      "  cutis weights body.obj --skeleton rig.glb --symmetric -o body.glb\n"
      "  cutis weights body.obj --skeleton walk.bvh --skeleton-scale 0.056 -o body.glb --json");
  verb->callback([options, overlap] {
    options->overlap_given = overlap->count() > 0;
    run_weights(*options);
  });
}

}  // namespace cutis::cli
