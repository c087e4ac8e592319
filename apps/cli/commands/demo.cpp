#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report.h"
#include "sheet.h"

namespace cutis::cli {
namespace {

struct DemoArguments {
  CommonOptions common;
  std::string folder = "cutis-demo";
};

struct Scene {
  const char *character, *clip, *file, *caption;
  double yaw, pitch;  // degrees
  int frames;
};

// What to look for is said under each picture.
constexpr Scene kScenes[] = {
    {"human", "walk", "human_walk.png", "The mannequin walks: the methods agree where joints bend little.", 40, 8, 6},
    {"human", "squat", "human_squat.png", "A squat: look at the knees and the groin.", 50, 8, 5},
    {"human", "arms_crossed", "human_arms_crossed.png",
     "Arms crossed: lbs and dqs pass skin through skin, implicit mends joints, tracking stops at contact.", 15, 10, 5},
    {"cylinder", "bend", "cylinder_bend.png",
     "A bend to 150 degrees: linear blending (lbs) pinches the outside and folds the inside through itself; dual "
     "quaternions (dqs) bulge; tracking folds it onto itself.",
     0, 10, 5},
    {"cylinder", "twist", "cylinder_twist.png",
     "A twist to 180 degrees: lbs collapses to a candy wrapper, dqs keeps the section.", 0, 10, 5},
    {"arm", "elbow", "arm_elbow.png", "An elbow flexed to 150 degrees.", 20, 10, 5},
    {"hand", "fist", "hand_fist.png",
     "A fist: with lbs and dqs the fingers run into each other and into the palm; tracking closes it.", 30, 15, 5},
};

void run_demo(const DemoArguments& options) {
  Session session(options.common);
  const Context& context = session.context();
  make_folder(options.folder);
  const std::string base = options.folder + "/";
  const std::vector<Method> methods = parse_methods(fmt::format("{}", fmt::join(method_names(), ",")));

  HtmlReport report("Cutis demo",
                    "Built-in characters, every method side by side: rows are methods, columns are frames.");
  Json pictures = Json::array(), timings = Json::array();
  std::vector<std::vector<std::string>> rows{{"character", "clip", "method", "vertices", "bones", "ms a frame"}};

  for (const Scene& scene : kScenes) {
    const Character character = load_character(std::string("builtin:") + scene.character, context);
    const Motion motion = choose_motion(character, {.clip = scene.clip, .frames = scene.frames}, context);
    SheetChoice choice;
    choice.methods = methods;
    choice.title = fmt::format("{}: {}", scene.character, scene.clip);
    choice.view = {.yaw = scene.yaw * kDegree, .pitch = scene.pitch * kDegree};
    choice.render.width = 300;
    choice.render.height = 340;
    write_png(base + scene.file, draw_sheet(character, motion, choice, context));
    report.section(choice.title, scene.caption);
    report.picture(
        scene.file,
        fmt::format("cutis render builtin:{} --clip {} --methods {} --frames {} --yaw {} --pitch {}", scene.character,
                    scene.clip, fmt::join(method_names(), ","), scene.frames, scene.yaw, scene.pitch));
    pictures.push_back(scene.file);
    session.say(base + scene.file);

    const Motion whole = choose_motion(character, {.clip = scene.clip}, context);
    for (const Method method : methods) {
      const MethodTiming timing = play(character, whole, method, context, [](std::size_t, const Frame&) {});
      rows.push_back({scene.character, scene.clip, std::string(to_string(method)),
                      fmt::format("{}", character.vertex_count()), fmt::format("{}", inspect(character).bones.size()),
                      fmt::format("{:.3f}", timing.median_frame_ms)});
      timings.push_back({{"character", scene.character},
                         {"clip", scene.clip},
                         {"method", to_string(method)},
                         {"vertices", character.vertex_count()},
                         {"frames", whole.times.size()},
                         {"nonfinite", timing.nonfinite},
                         {"ms", rounded(timing.median_frame_ms)}});
    }
  }

  // The main job itself: an animation that Blender and engines open.
  const Character human = load_character("builtin:human", context);
  const Motion walk = choose_motion(human, {.clip = "walk"}, context);
  const auto writer = make_animation_writer(base + "human_walk.glb", {&human, walk.clip.name, walk.times}, context);
  play(human, walk, Method::tracking, context,
       [&](std::size_t, const Frame& frame) { writer->add_frame(frame.positions, frame.normals); });
  writer->finish();
  session.say(base + "human_walk.glb");

  SheetChoice parts;
  parts.color = "part";
  parts.view = {.yaw = 25 * kDegree, .pitch = 6 * kDegree};
  parts.render.width = 420;
  parts.render.height = 620;
  write_png(base + "human_parts.png", draw_sheet(human, {{"default pose", {}}, {0.0}}, parts, context));
  pictures.push_back("human_parts.png");
  report.section("Parts", "Each vertex in the colour of the bone that moves it most.");
  report.picture("human_parts.png", "cutis render builtin:human --color part");
  report.section("Times", "Median over the clip at 30 frames a second, positions and normals.");
  report.table(rows);
  report.link("human_walk.glb", "human_walk.glb: the walk as morph targets, for any glTF viewer");
  write_text(base + "report.html", report.str());

  const Json document{{"folder", options.folder}, {"pictures", pictures},         {"animation", "human_walk.glb"},
                      {"report", "report.html"},  {"threads", context.threads()}, {"timings", timings}};
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
