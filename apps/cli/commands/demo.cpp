// The built-in characters where methods differ most: solve and measure every method ► pictures ► GLB ► page.
#include <fmt/format.h>

#include "cutis/files.h"
#include "demo_page.h"
#include "demo_pictures.h"
#include "report.h"
#include "viewer_page.h"

namespace cutis::cli {
namespace {

struct DemoArguments {
  CommonOptions common;
  std::string folder = "cutis-demo";
};

constexpr DemoScene kScenes[] = {
    {.character = "hand",
     .clip = "fist",
     .title = "A fist",
     .text = "With dual quaternions the fingers run into each other, into the palm and into the thumb. Tracking closes "
             "the hand: skin meets skin and stays outside.",
     .yaw = -30,
     .pitch = 12,
     .focus = {0, 0.15, 0.02},
     .radius = 0.085,
     .close_yaw = -30,
     .close_pitch = 12,
     .frames = 8},
    {.character = "human",
     .clip = "squat",
     .title = "A squat",
     .text =
         "Calves meet thighs, thighs meet the belly. Dual quaternions push them through each other; tracking presses "
         "them together and folds the skin between them.",
     .yaw = 100,
     .pitch = 5,
     .focus = {0, 0.52, 0},
     .radius = 0.52,
     .close_yaw = 150,
     .close_pitch = -10,
     .frames = 8},
    {.character = "human",
     .clip = "arms_crossed",
     .title = "Crossed arms",
     .text = "The motion drives the arms through each other and into the chest. Tracking turns joints as little as it "
             "takes to lay one arm on the other.",
     .yaw = -15,
     .pitch = 8,
     .focus = {0, 1.22, 0.05},
     .radius = 0.42,
     .close_yaw = -35,
     .close_pitch = 8,
     .frames = 8},
};
constexpr std::size_t kAnimatedScene = 1;  // whose tracked skin becomes the GLB

// Pixels of a side. Small ones are half a still.
constexpr int kStill = 560, kCloseUp = 440, kFilmFrame = 280;
constexpr int kFilmColumns = 5;
constexpr int kFilmQuality = 82;

void write_pictures(const DemoResult& result, const DemoFiles& files, const std::string& base, const Context& context,
                    std::vector<SheetCell>& overview) {
  const DemoPictures pictures(result, context);
  std::vector<SheetCell> methods;
  for (const DemoTake& take : result.takes) {
    const Method method = take.method;
    const std::size_t pairs = take.pairs(result.moment);
    const bool shown = method == Method::dqs || method == Method::tracking;
    const Image still = pictures.still(method, shown ? kStill : kStill / 2);
    methods.push_back({shown ? half_size(still) : still, fmt::format("{}: {} pairs", to_string(method), pairs)});
    if (!shown) continue;
    write_png(base + files.still(method), still);
    write_png(base + files.close_up(method), pictures.close_up(method, kCloseUp));
    write_jpeg(base + files.film(method), pictures.film(method, files.columns, kFilmFrame), kFilmQuality);
    overview.push_back({still, fmt::format("{}: {}", to_string(method), pairs_text(pairs))});
  }
  write_png(base + files.methods(), contact_sheet(methods, {.columns = static_cast<int>(methods.size())}));
}

// dqs above tracking, a column a scene.
Image draw_overview(const std::vector<SheetCell>& by_scene) {
  std::vector<SheetCell> cells;
  for (const std::size_t row : {0U, 1U})
    for (std::size_t i = row; i < by_scene.size(); i += 2) cells.push_back(by_scene[i]);
  return contact_sheet(cells, {.columns = static_cast<int>(by_scene.size() / 2), .text_size = 34});
}

void write_animation(const DemoResult& result, const std::string& file, const Context& context) {
  const auto writer =
      make_animation_writer(file, {result.character.get(), result.motion.clip.name, result.motion.times}, context);
  const DemoTake& take = result.take(Method::tracking);
  for (std::size_t i = 0; i < take.positions.size(); ++i) writer->add_frame(take.positions[i], take.normals[i]);
  writer->finish();
}

void run_demo(const DemoArguments& options) {
  Session session(options.common);
  const Context& context = session.context();
  make_folder(options.folder);
  const std::string base = options.folder + "/";

  DemoStage stage(context);
  std::vector<DemoResult> results;
  std::vector<DemoFiles> files;
  std::vector<SheetCell> overview;
  Json pictures = Json::array(), timings = Json::array(), scenes = Json::array();
  for (const DemoScene& scene : kScenes) {
    const DemoResult& result = results.emplace_back(stage.play(scene));
    const DemoFiles& names = files.emplace_back(DemoFiles{scene.name(), kFilmColumns});
    write_pictures(result, names, base, context, overview);
    for (const Method method : {Method::dqs, Method::tracking})
      for (const std::string& file : {names.still(method), names.film(method), names.close_up(method)})
        pictures.push_back(file);
    pictures.push_back(names.methods());
    scenes.push_back(demo_numbers(result));
    for (const DemoTake& take : result.takes)
      timings.push_back({{"character", scene.character},
                         {"clip", scene.clip},
                         {"method", to_string(take.method)},
                         {"vertices", result.character->vertex_count()},
                         {"frames", result.motion.times.size()},
                         {"nonfinite", take.nonfinite},
                         {"ms", rounded(take.median_ms)}});
    session.say(fmt::format("{}: intersecting pairs, worst frame: dqs {}, tracking {}", scene.title,
                            result.take(Method::dqs).worst("intersecting_pairs"),
                            result.take(Method::tracking).worst("intersecting_pairs")));
  }
  write_png(base + "overview.png", draw_overview(overview));
  pictures.push_back("overview.png");
  const std::string animation = kScenes[kAnimatedScene].name() + ".glb";
  write_animation(results[kAnimatedScene], base + animation, context);
  session.say(base + animation);
  const std::string page = find_viewer_page(), viewer = page.empty() ? "" : "viewer.html";
  if (!page.empty()) {
    const std::string text = read_file(page);
    check_viewer_page(text, page);
    write_text(base + viewer, viewer_page_of(text, {.name = "builtin:hand", .clip = "fist"}));
  }
  write_text(base + "report.html", demo_page(results, files, animation, viewer, context.threads()));
  Json document{{"folder", options.folder}, {"pictures", pictures},         {"animation", animation},
                {"report", "report.html"},  {"threads", context.threads()}, {"timings", timings},
                {"scenes", scenes}};
  if (!viewer.empty()) document["viewer"] = viewer;
  write_text(base + "report.json", document.dump(2) + "\n");
  session.say(base + "report.html");
  session.print(document);
}

}  // namespace

void add_demo(CLI::App& app) {
  auto options = std::make_shared<DemoArguments>();
  CLI::App* verb =
      app.add_subcommand("demo", "Built-in characters, all methods side by side: pictures, a GLB, a report");
  verb->add_option("-o,--output", options->folder, "Folder for the results")->capture_default_str();
  add_common_options(*verb, options->common);
  verb->footer("Example:\n  cutis demo -o demo   (then open demo/report.html)");
  verb->callback([options] { run_demo(*options); });
}

}  // namespace cutis::cli
