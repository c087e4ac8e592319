// Operators and controllers as plots, in the colours of the papers: Tracking figures 4 to 6, Implicit figures 8 to 10.
#include <fmt/format.h>

#include <cmath>

#include "common.h"
#include "cutis/compose.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "cutis/render.h"
#include "option_flags.h"

namespace cutis::cli {
namespace {

constexpr int kSamples = 257;

struct OperatorsArguments {
  CommonOptions common;
  std::string kind = "all", output, profile, preset;
  std::vector<double> at;
  int size = 300;
  OperatorOptions making;
  bool no_cache = false;
};

const Color kYellow = color_from_srgb(0xd9a400), kPurple = color_from_srgb(0x8e44ad);

Image draw_operator(const CompositionOperator& op, double parameter, const std::string& title, int size) {
  std::vector<float> values;
  for (int j = 0; j < kSamples; ++j)
    for (int i = 0; i < kSamples; ++i)
      values.push_back(op(static_cast<float>(i) / (kSamples - 1), static_cast<float>(j) / (kSamples - 1),
                          static_cast<float>(parameter))
                           .value);
  IsoLinesOptions options{.title = title,
                          .x_label = "f1",
                          .y_label = "f2",
                          .width = size,
                          .height = size,
                          .skin = 0.5,
                          .levels = field_levels(0.5, 0.05, 0, 1)};
  // Yellow: the 0.5 line of f1; purple: of f2; green: the contact line.
  IsoCurve yellow{.color = kYellow}, purple{.color = kPurple};
  for (const ProfilePoint& p : op.profile(parameter)) {
    yellow.x.push_back(p.f1);
    yellow.y.push_back(p.f2);
    purple.x.push_back(p.f2);
    purple.y.push_back(p.f1);
  }
  const double crossing = yellow.x.back(), end = op.contact_end(parameter);
  options.curves = {yellow, purple};
  if (end > crossing) options.curves.push_back({{crossing, end}, {crossing, end}, contact_color()});
  return draw_iso_lines(values, kSamples, kSamples, options);
}

// What a picture shows, as numbers: where the 0.5 line of f1 meets that of f2, where contact ends, and the values at
// quarters of the fields, f1 along a row.
Json operator_json(const CompositionOperator& op, double parameter, double shown) {
  constexpr int kQuarters = 4;
  Json values = Json::array();
  for (int j = 0; j <= kQuarters; ++j) {
    Json row = Json::array();
    for (int i = 0; i <= kQuarters; ++i)
      row.push_back(rounded(static_cast<double>(
          op(static_cast<float>(i) / kQuarters, static_cast<float>(j) / kQuarters, static_cast<float>(parameter))
              .value)));
    values.push_back(std::move(row));
  }
  return {{"parameter", rounded(shown)},
          {"crossing", rounded(op.profile(parameter).back().f1)},
          {"contact_end", rounded(op.contact_end(parameter))},
          {"values", values}};
}

Json controllers_json(const std::vector<ControllerPreset>& presets) {
  Json list = Json::array();
  for (const ControllerPreset& preset : presets) {
    Json curves = Json::array();
    for (int degrees = 0; degrees <= 180; degrees += 15)
      curves.push_back({{"angle", degrees},
                        {"contact", rounded(preset.contact(degrees * kDegree))},
                        {"bulge", rounded(preset.bulge(degrees * kDegree))},
                        {"opening", rounded(preset.opening(degrees * kDegree) / kDegree)}});
    list.push_back({{"name", preset.name}, {"curves", curves}});
  }
  return list;
}

struct Row {
  OperatorKind kind;
  std::vector<double> parameters;  // d, or the opening angle in degrees
};

Row row_of(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::unite:
    case OperatorKind::clean_union:
      return {kind, {0}};
    case OperatorKind::blend:
      return {kind, {45, 30, 18, 0}};
    default:
      return {kind, {0, 0.25, 0.5, 1}};
  }
}

Image draw_controllers(const std::vector<ControllerPreset>& presets, int size) {
  std::vector<Image> plots;
  const struct {
    const char *title, *label;
    Controller ControllerPreset::* curve;
    double unit, top;
  } kPlots[] = {{"Contact d_c", "d_c", &ControllerPreset::contact, 1, 1},
                {"Bulge in contact d_b", "d_b", &ControllerPreset::bulge, 1, 1},
                {"Opening of the blend", "theta (degrees)", &ControllerPreset::opening, kDegree, 50}};
  for (const auto& plot : kPlots) {
    std::vector<PlotSeries> series;
    for (const ControllerPreset& preset : presets) {
      PlotSeries line{.label = preset.name};
      for (int i = 0; i <= 360; ++i) {
        line.x.push_back(0.5 * i);
        line.y.push_back((preset.*plot.curve)(0.5 * i * kDegree) / plot.unit);
      }
      series.push_back(std::move(line));
    }
    plots.push_back(plot_lines(series, {.title = plot.title,
                                        .x_label = "angle between the gradients (degrees)",
                                        .y_label = plot.label,
                                        .width = size * 3 / 2,
                                        .height = size * 11 / 10,
                                        .y_min = 0,
                                        .y_max = plot.top * 1.05,
                                        .text_size = 13}));
  }
  return compose(plots);
}

void run_operators(const OperatorsArguments& options) {
  Session session(options.common);
  const Context& context = session.context();
  OperatorOptions making = options.making;
  if (options.no_cache) making.cache_folder = "";
  if (!options.profile.empty()) making.profile = profile_from_json(read_file(options.profile), options.profile);
  if (options.kind == "profile" && options.profile.empty())
    throw Error(ErrorCode::bad_argument, "--kind profile", "needs a curve; give --profile FILE.json");

  std::vector<OperatorKind> kinds;
  if (options.kind == "all") {
    kinds = {OperatorKind::unite, OperatorKind::clean_union, OperatorKind::blend, OperatorKind::contact,
             OperatorKind::bulge};
    if (!options.profile.empty()) kinds.push_back(OperatorKind::profile);
  } else if (options.kind != "controllers") {
    kinds = {operator_kind(options.kind).value()};  // the parser let no other name through
  }

  Json report = Json::array();
  std::vector<Image> rows;
  std::vector<Image> single;
  const auto flush = [&] {
    if (!single.empty()) rows.push_back(compose(single));
    single.clear();
  };
  for (const OperatorKind kind : kinds) {
    const auto op = make_operator(kind, context, making);
    Row row = row_of(kind);
    if (!options.at.empty() && row.parameters.size() > 1) row.parameters = options.at;
    const double most = kind == OperatorKind::blend ? 45 : 1;
    for (const double p : row.parameters)
      if (!(p >= 0 && p <= most))
        throw Error(ErrorCode::bad_argument, "--at",
                    fmt::format("{:g} is not a parameter of {}; it goes from 0 to {:g}", p, name_of(kind), most));
    if (row.parameters.size() > 1) flush();
    Json drawn = Json::array();
    for (const double p : row.parameters) {
      const bool angle = kind == OperatorKind::blend,
                 lone = kind == OperatorKind::unite || kind == OperatorKind::clean_union;
      const std::string name = kind == OperatorKind::profile ? making.profile.name : std::string(name_of(kind));
      const std::string title = lone    ? name
                                : angle ? fmt::format("{}  {:g}°", name, p)
                                        : fmt::format("{}  d = {:.2f}", name, p);
      const double parameter = angle ? std::tan(p * kDegree) : p;
      single.push_back(draw_operator(*op, parameter, title, options.size));
      drawn.push_back(operator_json(*op, parameter, p));
    }
    if (row.parameters.size() > 1) flush();
    report.push_back({{"operator", name_of(kind)},
                      {"bytes", op->report().bytes},
                      {"milliseconds", rounded(op->report().milliseconds)},
                      {"from_cache", op->report().cache == CacheUse::found},
                      {"drawn", drawn}});
  }
  flush();
  Json controllers = Json::array();
  if (options.kind == "all" || options.kind == "controllers") {
    std::vector<ControllerPreset> presets;
    if (options.preset.empty())
      for (const std::string& name : controller_preset_names()) presets.push_back(controller_preset(name));
    else if (options.preset.ends_with(".json"))
      presets.push_back(controller_preset_from_json(read_file(options.preset), options.preset));
    else
      presets.push_back(controller_preset(options.preset));
    rows.push_back(draw_controllers(presets, options.size));
    controllers = controllers_json(presets);
  }
  const Image image = rows.size() == 1 ? rows.front() : compose(rows, {.vertical = true, .gap = 4});
  write_png(options.output, image);
  session.say(fmt::format("{}: {} x {} pixels", options.output, image.width, image.height));
  session.print({{"output", options.output},
                 {"width", image.width},
                 {"height", image.height},
                 {"operators", report},
                 {"controllers", controllers},
                 {"warnings", session.warnings()}});
}

}  // namespace

void add_operators(CLI::App& app) {
  auto options = std::make_shared<OperatorsArguments>();
  CLI::App* verb = app.add_subcommand("operators", "Composition operators and their controllers as plots");
  verb->add_option("--kind", options->kind,
                   "union, clean-union, blend, contact, bulge, profile, controllers, or all of them")
      ->capture_default_str()
      ->check(CLI::IsMember({"union", "clean-union", "blend", "contact", "bulge", "profile", "controllers", "all"}));
  verb->add_option("-o,--output", options->output, "Picture to write: .png")
      ->required()
      ->check(
          CLI::Validator([](const std::string& name) { return name.ends_with(".png") ? "" : "must end in .png"; }, ""));
  verb->add_option("--at", options->at, "Parameters to draw: d in [0,1], for blend the opening in degrees")
      ->delimiter(',');
  verb->add_option("--profile", options->profile, "Free-form operator: a profile curve, .json");
  verb->add_option("--preset", options->preset, "Controllers: one preset's name, or a .json file");
  verb->add_option("--size", options->size, "Pixels of one plot")->capture_default_str()->check(CLI::Range(160, 2000));
  add_option_flags(*verb, option_fields(options->making));
  verb->add_flag("--no-cache", options->no_cache, "Build tables anew and keep nothing");
  add_common_options(*verb, options->common);
  verb->footer(
      "Examples:\n"
      "  cutis operators -o operators.png\n"
      "  cutis operators --kind contact --at 0,0.5,1 -o contact.png\n"
      "  cutis operators --kind controllers --preset finger -o finger.png");
  verb->callback([options] { run_operators(*options); });
}

}  // namespace cutis::cli
