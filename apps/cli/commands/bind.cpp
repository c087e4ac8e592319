// Fields and operators of a character, saved for reuse.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common.h"
#include "cutis/cutis.h"
#include "pipeline.h"

namespace cutis::cli {
namespace {

struct BindArguments {
  CommonOptions common;
  std::string file, output, preset, write_preset;
  ShapeChoice shape;
  bool all = false, biceps = false;
};

Json to_json(const BindArguments& options, const BindReport& report, const std::vector<std::string>& warnings) {
  Json parts = Json::array();
  for (const PartReport& p : report.parts)
    parts.push_back(
        {{"joint", p.joint},
         {"shape", p.shape},
         {"operator", p.op},
         {"controller", p.controller},
         {"vertices", p.vertices},
         {"samples", p.samples},
         {"caps", p.caps},
         {"attempts", p.attempts},
         {"residual", {{"median", rounded(p.median)}, {"p95", rounded(p.p95)}, {"worst", rounded(p.worst)}}},
         {"radius", rounded(p.radius)},
         {"coarse", rounded(p.coarse)},
         {"bulge", rounded(p.bulge)},
         {"stray_pieces", p.stray_pieces},
         {"voids", p.voids},
         {"grid",
          {{"nodes", p.grid_nodes},
           {"cell", rounded(p.grid_cell)},
           {"error", rounded(p.grid_error)},
           {"bound", rounded(p.grid_bound)}}},
         {"remarks", p.remarks}});
  return {{"file", options.file},
          {"output", options.output},
          {"seconds", rounded(report.seconds)},
          {"vertices", report.vertices},
          {"welded_vertices", report.welded_vertices},
          {"bytes", report.bytes},
          {"unreached_vertices", report.unreached},
          {"stray_islands", report.islands},
          {"parts", std::move(parts)},
          {"warnings", warnings}};
}

void say(const Session& session, const BindArguments& options, const BindReport& report) {
  const auto parts = std::ranges::count_if(report.parts, [](const PartReport& p) { return p.shape != "none"; });
  session.say(fmt::format("{}: {} parts, {} vertices ({} welded), {:.3g} MB, {:.3g} s", options.output, parts,
                          report.vertices, report.welded_vertices, static_cast<double>(report.bytes) / 1e6,
                          report.seconds));
  if (report.unreached > 0) session.say(fmt::format("  {} vertices are reached by no field", report.unreached));
  session.say(fmt::format("  {:<24} {:<8} {:>8} {:>8} {:>9} {:>9} {:>9} {:>8}  {}", "part", "shape", "vertices",
                          "samples", "median", "p95", "radius", "grid", "operator"));
  const auto mm = [](double metres) { return fmt::format("{:.2f} mm", 1000 * metres); };
  for (const PartReport& p : report.parts) {
    if (p.shape == "none" && !options.all) continue;
    session.say(fmt::format("  {:<24} {:<8} {:>8} {:>8} {:>9} {:>9} {:>9} {:>8}  {} ({})", p.joint, p.shape, p.vertices,
                            p.samples, mm(p.median), mm(p.p95), mm(p.radius), p.grid_nodes, p.op, p.controller));
    for (const std::string& remark : p.remarks) session.say(fmt::format("      {}", remark));
  }
}

void run_bind(const BindArguments& options) {
  Session session(options.common);
  BindOptions bind_options;
  if (!options.preset.empty()) bind_options.preset = load_preset(options.preset);
  options.shape.apply(bind_options.preset);
  for (const std::string& output : {options.output, options.write_preset})
    for (const std::string& input : {options.file, options.preset}) Session::check_output(input, output);
  const Character character = load_character(options.file, session.context());
  if (options.biceps)
    for (Muscle& muscle : make_biceps(character)) bind_options.preset.muscles.push_back(std::move(muscle));
  BindReport report;
  const auto rig = bind(character, session.context(), bind_options, report);
  if (!options.write_preset.empty()) save_preset(report.preset, options.write_preset);
  if (!options.output.empty()) {
    prepare(*rig, session.context());
    save_rig(*rig, options.output);
  }
  say(session, options, report);
  session.print(to_json(options, report, session.warnings()));
}

}  // namespace

void add_bind(CLI::App& app) {
  auto options = std::make_shared<BindArguments>();
  CLI::App* verb =
      app.add_subcommand("bind", "Fits the fields of a character's parts and composes them; saves the rig");
  verb->add_option("FILE", options->file, "Character: .glb .gltf .vrm .fbx .dae .obj .ply .off, or builtin:NAME")
      ->required();
  verb->add_option("-p,--preset", options->preset, "Settings: JSON, see docs/formats.md");
  add_shape_options(*verb, options->shape);
  auto* preset = verb->add_option("--write-preset", options->write_preset,
                                  "Write a preset with all values in force, joint by joint");
  auto* output = verb->add_option("-o,--output", options->output, "Rig to write: .rig")
                     ->check(CLI::Validator(
                         [](const std::string& name) { return name.ends_with(".rig") ? "" : "must end in .rig"; }, ""));
  verb->add_flag("--biceps", options->biceps,
                 "Put a biceps on each arm, driven by its elbow, as a muscle of the preset");
  verb->add_flag("--all", options->all, "List bones without a part as well");
  add_common_options(*verb, options->common);
  verb->footer(
      "Examples:\n"
      "  cutis bind character.glb -o character.rig\n"
      "  cutis bind character.glb --write-preset character.json -o character.rig\n"
      "  cutis bind character.glb -p character.json -o character.rig --json\n"
      "  cutis bind character.glb --biceps --write-preset strong.json; cutis animate character.glb -p strong.json -o "
      "a.glb");
  verb->callback([options, preset, output] {
    if (preset->count() == 0 && output->count() == 0) throw CLI::RequiredError("-o OUT.rig or --write-preset OUT.json");
    run_bind(*options);
  });
}

}  // namespace cutis::cli
