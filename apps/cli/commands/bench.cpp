// Timings, one row each, with a hash and the quality of the result.
#include "bench/bench.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common.h"
#include "cutis/error.h"
#include "cutis/render.h"
#include "cutis/version.h"

namespace cutis::cli {
namespace {

struct BenchArguments {
  CommonOptions common;
  std::vector<std::string> scenes;
  std::string data, plot, also;
  bool profile = false, list = false;
};

// What --data names, else CUTIS_SHARED_DATA, else ../shared/data where it exists.
std::string data_folder(const std::string& given) {
  namespace fs = std::filesystem;
  if (!given.empty()) {
    if (!fs::is_directory(given)) throw Error(ErrorCode::bad_argument, "--data", "'" + given + "' is not a folder");
    return given;
  }
  if (const char* variable = std::getenv("CUTIS_SHARED_DATA"); variable != nullptr) return variable;
  const fs::path beside = fs::path("..") / "shared" / "data";
  return fs::is_directory(beside) ? beside.string() : std::string();
}

Json to_json(const std::vector<bench::Number>& numbers) {
  Json json = Json::object();
  for (const bench::Number& n : numbers) json[n.name] = rounded(n.value);
  return json;
}

Json to_json(const bench::Row& row) {
  Json json{{"name", row.name},
            {"unit", row.unit},
            {"median", rounded(row.median)},
            {"spread", rounded(row.spread)},
            {"best", rounded(row.best)},
            {"worst", rounded(row.worst)},
            {"runs", row.runs},
            {"cpu", row.cpu == 0 ? Json() : Json(rounded(row.cpu))},
            {"budget", row.budget == 0 ? Json() : Json(rounded(row.budget))},
            {"met", row.met()},
            {"hash", fmt::format("{:016x}", row.hash)},
            {"quality", to_json(row.quality)}};
  if (!row.profile.empty()) json["profile"] = to_json(row.profile);
  return json;
}

std::string line(const bench::Row& row) {
  std::string text = fmt::format("{:<44} {:>9.4g} {:<10} ±{:<8.2g}", row.name, row.median, row.unit, row.spread / 2);
  if (row.budget != 0) text += fmt::format(" budget {:.4g}{}", row.budget, row.met() ? "" : " MISSED");
  for (const bench::Number& q : row.quality)
    if (q.name == "intersecting_pairs" || q.name == "folds" || q.name == "scars" || q.value != 0)
      text += fmt::format("  {} {:.3g}", q.name, q.value);
  return text;
}

// Stages with their share of the frame, then counts.
std::vector<std::string> table(const bench::Row& row) {
  double total = 0;
  for (const bench::Number& n : row.profile)
    if (n.name == "total_ms") total = n.value;
  std::vector<std::string> lines;
  for (const bench::Number& n : row.profile) {
    if (n.name.ends_with("_ms")) {
      if (n.value != 0)
        lines.push_back(fmt::format("    {:<20} {:>10.3f} ms {:>5.1f}%", n.name.substr(0, n.name.size() - 3), n.value,
                                    total > 0 ? 100 * n.value / total : 0.0));
    } else if (n.value != 0) {
      lines.push_back(fmt::format("    {:<20} {:>10.0f}", n.name, n.value));
    }
  }
  return lines;
}

// Time over size, of the rows growth/WHAT/NUMBER.
Image plot_growth(const std::vector<bench::Row>& rows) {
  struct Curve {
    const char *what, *title, *x, *y;
  };
  std::vector<Image> plots;
  for (const Curve& curve : {Curve{"vertices", "Vertices, all joints moving", "thousand vertices", "us a vertex"},
                             Curve{"bones", "Bones, 12,000 vertices, all moving", "bones", "ms a frame"},
                             Curve{"joints", "Joints that move, one body", "joints moving", "ms a frame"}}) {
    PlotSeries median{.label = "median"}, cpu{.label = "processor time"};
    const std::string prefix = fmt::format("growth/{}/", curve.what);
    for (const bench::Row& row : rows) {
      if (!row.name.starts_with(prefix)) continue;
      const double size =
          std::stod(row.name.substr(prefix.size())) / (std::string_view("vertices") == curve.what ? 1e3 : 1);
      median.x.push_back(size);
      median.y.push_back(row.median);
      cpu.x.push_back(size);
      cpu.y.push_back(row.cpu);
    }
    if (median.x.size() > 1)
      plots.push_back(plot_lines(std::vector{median, cpu}, {.title = curve.title,
                                                            .x_label = curve.x,
                                                            .y_label = curve.y,
                                                            .width = 440,
                                                            .height = 330,
                                                            .y_min = 0,
                                                            .text_size = 13}));
  }
  if (plots.empty())
    throw Error(ErrorCode::bad_argument, "--plot", "draws the scene 'growth', which was not run; name it");
  return compose(plots);
}

void run_bench(const BenchArguments& options) {
  Session session(options.common);
  if (options.list) {
    Json scenes = Json::array();
    for (const bench::Scene& scene : bench::scenes()) {
      session.say(fmt::format("{:<10} {}", scene.name, scene.help));
      scenes.push_back({{"name", scene.name}, {"help", scene.help}});
    }
    session.print({{"scenes", scenes}});
    return;
  }
  const AlsoMeasure also = parse_also(options.also);
  Json rows = Json::array();
  std::vector<bench::Row> all;
  std::size_t missed = 0;
  bench::run({options.scenes, data_folder(options.data), options.profile, also}, session.context(),
             [&](const bench::Row& row) {
               rows.push_back(to_json(row));
               all.push_back(row);
               missed += row.met() ? 0 : 1;
               session.say(line(row));
               for (const std::string& text : table(row)) session.say(text);
             });
  if (rows.empty())
    throw Error(ErrorCode::bad_argument, "bench",
                fmt::format("there is no row '{}'; 'cutis bench SCENE' shows the names of a scene's rows",
                            fmt::join(options.scenes, " ")));
  if (!options.plot.empty()) write_png(options.plot, plot_growth(all));
  session.say(fmt::format("{} rows, {} over their budget", rows.size(), missed));
  session.print({{"version", version()},
                 {"backend", to_string(session.context().backend())},
                 {"threads", session.context().threads()},
                 {"rows", rows},
                 {"warnings", session.warnings()}});
}

}  // namespace

void add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchArguments>();
  CLI::App* verb = app.add_subcommand(
      "bench", "Timings, one row each, with a hash and the quality of the result; exits 0 whatever the times");
  verb->add_option("SCENE", options->scenes,
                   "Scenes, or rows by the beginning of their name (body/human/walk); all when none is named");
  verb->add_flag("--profile", options->profile, "Split frames by stage, with counts and bytes");
  verb->add_option("--also", options->also,
                   "Quality that takes more runs, untimed, with commas: untouched, memory, settled; see 'measure'");
  verb->add_flag("--list", options->list, "Name the scenes and stop");
  verb->add_option("--plot", options->plot, "Draw the rows of the scene 'growth': .png")
      ->check(
          CLI::Validator([](const std::string& name) { return name.ends_with(".png") ? "" : "must end in .png"; }, ""));
  verb->add_option("--data", options->data,
                   "Folder with makehuman_male/ and hand_webxr/ (default: $CUTIS_SHARED_DATA, else ../shared/data)");
  add_common_options(*verb, options->common);
  verb->footer(
      "Examples:\n"
      "  cutis bench skinning body/human --profile\n"
      "  cutis bench growth --plot growth.png\n"
      "  cutis bench --json > before.json\n"
      "  cutis compare before.json after.json");
  verb->callback([options] { run_bench(*options); });
}

}  // namespace cutis::cli
