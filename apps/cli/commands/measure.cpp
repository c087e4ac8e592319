#include <fmt/format.h>

#include <algorithm>

#include "explaining.h"
#include "measuring.h"
#include "report.h"
#include "terminal.h"

namespace cutis::cli {
namespace {

struct MeasureArguments {
  CommonOptions common;
  std::string file, methods = "lbs,dqs,tracking", csv, plot, output, also;
  ReadOptions reading;
  MotionChoice motion;
  std::vector<std::string> external;
  bool reverse = false, explain = false;
  ContactChoice contact;
};

std::string cell(double value) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return "-";
  return value >= 1000 || value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

// One row a metric, one column pair a method; the worst frame is named.
void print_table(const Measurement& measurement) {
  const auto& methods = measurement.methods;
  tell("{}  clip '{}'  {} frames  {} vertices ({} welded)\n", measurement.file, measurement.clip,
       measurement.times.size(), measurement.vertices, measurement.welded_vertices);
  std::vector<std::size_t> width;  // of a method's first column
  for (const MethodMeasurement& m : methods) width.push_back(std::max<std::size_t>(14, m.name.size() + 6));
  tell("{:<22}", "");
  for (std::size_t i = 0; i < methods.size(); ++i) tell("{:>{}} {:>12}", methods[i].name + " mean", width[i], "worst");
  tell("  (worst frame)\n");
  for (const std::string& metric : measurement.metric_names()) {
    if (metric.find('.') != std::string::npos) continue;  // joint regions: in --json and --csv
    tell("{:<22}", metric);
    std::string frames;
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const MetricSummary* s = methods[i].find(metric);
      if (s == nullptr) {
        tell("{:>{}} {:>12}", "-", width[i], "-");
        frames += " -";
      } else {
        tell("{:>{}} {:>12}", cell(s->mean), width[i], cell(s->worst));
        frames += fmt::format(" {}", s->worst_frame);
      }
    }
    tell("  {}\n", frames);
  }
  const auto line = [&](const char* name, auto&& value) {
    tell("{:<22}", name);
    for (std::size_t i = 0; i < methods.size(); ++i) tell("{:>{}} {:>12}", value(methods[i]), width[i], "");
    tell("\n");
  };
  line("pop (x lbs)", [](const MethodMeasurement& m) { return m.pop ? cell(*m.pop) : std::string("-"); });
  if (!methods.front().settling.empty())
    line("settled, % of height", [](const MethodMeasurement& m) {
      return m.settling.empty() ? std::string("-") : cell(rounded(m.settling.back()));
    });
  line("ms a frame",
       [](const MethodMeasurement& m) { return m.median_ms ? cell(rounded(*m.median_ms)) : std::string("-"); });
  if (methods.front().path) {
    line("path, max m", [](const MethodMeasurement& m) { return m.path ? cell(m.path->max) : std::string("-"); });
    line("return to rest, max m",
         [](const MethodMeasurement& m) { return m.return_to_rest ? cell(m.return_to_rest->max) : std::string("-"); });
  }
  tell("rest pose: overlap {}, intersecting pairs {}{}\n",
       measurement.rest.overlap ? cell(*measurement.rest.overlap) : "-",
       measurement.rest.intersecting_pairs ? fmt::format("{}", *measurement.rest.intersecting_pairs) : "-",
       measurement.rest.volume_skipped.empty() ? "" : "; no volume: " + measurement.rest.volume_skipped);
}

// One row a frame, one column pair for every two histories.
void print_histories(const Measurement& measurement) {
  const auto& pairs = measurement.histories;
  if (pairs.empty()) return;
  tell("\ndifferences between histories, % of height\n{:<8}", "frame");
  for (const HistoryDifference& h : pairs) tell("{:>28} {:>10}", fmt::format("{}-{} mean", h.a, h.b), "max");
  tell("\n");
  for (std::size_t i = 0; i < measurement.times.size(); ++i) {
    tell("{:<8}", i);
    for (const HistoryDifference& h : pairs)
      tell("{:>28} {:>10}", cell(rounded(h.frames[i].mean)), cell(rounded(h.frames[i].max)));
    tell("\n");
  }
  tell("{:<8}", "all");
  for (const HistoryDifference& h : pairs) tell("{:>28} {:>10}", cell(rounded(h.mean)), cell(rounded(h.max)));
  tell("   (worst frame");
  for (const HistoryDifference& h : pairs) tell(" {}", h.worst_frame);
  tell(")\n");
}

void run_measure(const MeasureArguments& options) {
  Session session(options.common);
  const Context& context = session.context();
  const std::vector<Method> methods = parse_methods(options.methods);
  const AlsoMeasure also = parse_also(options.also);
  const std::vector<ExternalFrames> external = load_external(options.external, methods);
  if (options.contact.histories.size() > 1 && std::ranges::find(methods, Method::tracking) == methods.end())
    throw Error(ErrorCode::bad_argument, "--history", "several histories need --methods with tracking");
  for (const std::string* name : {&options.csv, &options.plot, &options.output})
    if (!name->empty()) Session::check_output(options.file, *name);
  const Character character =
      fit_to_motion(load_character(options.file, context, options.reading), options.motion, context);
  const Motion motion = choose_motion(character, options.motion, context);
  const Measurement measurement = measure_methods(character, motion, methods, options.reverse, context, options.contact,
                                                  options.explain, also, external);

  Json document = to_json(measurement, session.warnings());
  document["options"] = Json::parse(to_json(solve_options(methods.front(), options.contact)));
  if (!options.output.empty()) write_text(options.output, json_text(document, 1));
  if (!options.csv.empty()) write_text(options.csv, to_csv(measurement));
  if (!options.plot.empty()) write_png(options.plot, plot_measurement(measurement));
  if (options.common.json) {
    session.print(document);
  } else if (!options.common.quiet) {
    print_table(measurement);
    print_histories(measurement);
    if (options.explain)
      for (const MethodMeasurement& m : measurement.methods)
        if (!m.explained.empty()) print_explanation(m.name, explained_rows(measurement.skeleton, m.explained));
  }
}

}  // namespace

void add_measure(CLI::App& app) {
  auto options = std::make_shared<MeasureArguments>();
  CLI::App* verb = app.add_subcommand(
      "measure", "Quality and time of each method: intersections, overlap, volume, folds, stretch, popping");
  verb->add_option("FILE", options->file, "Character: .glb .gltf .vrm .fbx .dae, or builtin:NAME")->required();
  add_option_flags(*verb, option_fields(options->reading));
  add_motion_options(*verb, options->motion);
  verb->add_option("--methods", options->methods, "Methods to compare")->capture_default_str();
  add_contact_options(*verb, options->contact, true);
  verb->add_option("--external", options->external,
                   "Also measure frames of another program: NAME=FILE.pc2, the character's vertices in its order, as "
                   "many frames as the motion has here; may be given again (docs/benchmark.md)")
      ->allow_extra_args(false);
  verb->add_flag("--explain", options->explain,
                 "Intersections by cause: which parts, and whether the pose drives bones in");
  verb->add_flag("--reverse", options->reverse, "Play the clip forward and back; report how far the two passes differ");
  verb->add_option("--also", options->also,
                   "What takes more runs, with commas: untouched (a run without the contact pass), memory (every frame "
                   "once more from rest: ten times the time and more), settled (a short way back to rest)");
  verb->add_option("--csv", options->csv, "Also write every number of every frame: .csv");
  verb->add_option("--plot", options->plot, "Also draw every metric over the frames: .png")
      ->check(CLI::Validator([](const std::string& n) { return n.ends_with(".png") ? "" : "must end in .png"; }, ""));
  verb->add_option("-o,--output", options->output, "Also write the JSON report to a file, for 'cutis compare'");
  add_common_options(*verb, options->common);
  verb->footer(
      "Examples:\n"
      "  cutis measure character.glb --clip elbow --frames 6\n"
      "  cutis measure builtin:hand --clip fist --frames 12 --plot fist.png --csv fist.csv -o fist.json\n"
      "  cutis measure builtin:hand --clip fist --methods dqs --contact-pass\n"
      "  cutis measure builtin:hand --clip fist --methods dqs --explain\n"
      "  cutis measure builtin:arm --methods tracking --history playback,stateless,canonical --frames 16\n"
      "  cutis measure builtin:cylinder --clip bend --methods tracking --also untouched,memory,settled\n"
      "  cutis measure character.glb --clip walk --fps 30 --methods dqs,ddm,tracking --external mine=walk.pc2\n"
      "What each metric means: docs/algorithms/metrics.md.");
  verb->callback([options] { run_measure(*options); });
}

}  // namespace cutis::cli
