#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sheet.h"

namespace cutis::cli {
namespace {

constexpr int kDefaultFrames = 6;

struct RenderArguments {
  CommonOptions common;
  std::string file, output, methods = "dqs", color, bone, zoom, size = "360x360";
  std::vector<double> at;
  MotionChoice motion;
  ContactChoice contact;
  double yaw = 35, pitch = 12, zoom_size = 0;
  RenderOptions render;
  bool follow = false, view_given = false, numbers = false, skeleton = false, samples = false, balls = false;
  int pick = 0;
};

void parse_size(const std::string& text, RenderOptions& render) {
  int used = 0;
  if (std::sscanf(text.c_str(), "%5dx%5d%n", &render.width, &render.height, &used) != 2 ||
      used != static_cast<int>(text.size()) || render.width < 16 || render.height < 16 || render.width > 8192 ||
      render.height > 8192)
    throw Error(ErrorCode::bad_argument, "--size", fmt::format("'{}' is not WIDTHxHEIGHT between 16 and 8192", text));
}

// The rest pose unless a motion is asked for: a still of the file as it is.
Motion choose(const Character& character, const RenderArguments& options, const Context& context) {
  const bool wants_motion = !options.motion.clip.empty() || !options.motion.bvh.empty() ||
                            !options.motion.spheres.empty() || options.motion.frames > 0 || !options.at.empty();
  if (!wants_motion) return {{"default pose", {}}, {0.0}};
  MotionChoice choice = options.motion;
  if (choice.frames == 0) choice.frames = kDefaultFrames;
  Motion motion = choose_motion(character, choice, context);
  if (!options.at.empty()) motion.times = options.at;
  return motion;
}

void run_render(const RenderArguments& options) {
  Session session(options.common);
  const Context& context = session.context();
  SheetChoice choice;
  choice.methods = parse_methods(options.methods);
  choice.color = options.color;
  choice.bone = options.bone;
  choice.zoom = options.zoom;
  choice.zoom_size = options.zoom_size;
  choice.contact = options.contact;
  choice.view_given = options.view_given;
  choice.follow = options.follow;
  choice.numbers = options.numbers;
  choice.skeleton = options.skeleton;
  choice.samples = options.samples;
  choice.balls = options.balls;
  choice.pick = options.pick;
  choice.view = {.yaw = options.yaw * kDegree, .pitch = options.pitch * kDegree};
  choice.render = options.render;
  parse_size(options.size, choice.render);
  Session::check_output(options.file, options.output);

  const Character character =
      fit_to_motion(load_character(options.file, context, {.attached = true}), options.motion, context);
  const Motion motion = choose(character, options, context);
  const bool brought_over = !options.motion.bvh.empty();  // a motion faces where it does, whoever takes it
  choice.view.yaw += brought_over
                         ? front_yaw(character.skeleton, sample(character.skeleton, motion.clip, motion.clip.start()))
                         : front_yaw(character.skeleton);
  choice.title =
      fmt::format("{}   {}", character.source.substr(character.source.find_last_of('/') + 1), motion.clip.name);
  const Image image = draw_sheet(character, motion, choice, context);
  write_png(options.output, image);
  session.say(fmt::format("{}: {} x {} pixels, {} frame{} of '{}'", options.output, image.width, image.height,
                          motion.times.size(), motion.times.size() == 1 ? "" : "s", motion.clip.name));
  session.print({{"file", options.file},
                 {"clip", motion.clip.name},
                 {"output", options.output},
                 {"width", image.width},
                 {"height", image.height},
                 {"times", motion.times},
                 {"warnings", session.warnings()}});
}

}  // namespace

void add_render(CLI::App& app) {
  auto options = std::make_shared<RenderArguments>();
  CLI::App* verb = app.add_subcommand("render", "Stills and contact sheets: rows are methods, columns are frames");
  verb->add_option("FILE", options->file, "Character: .glb .gltf .vrm .fbx .dae .obj .ply .off, or builtin:NAME")
      ->required();
  verb->add_option("-o,--output", options->output, "Picture to write: .png")
      ->required()
      ->check(
          CLI::Validator([](const std::string& name) { return name.ends_with(".png") ? "" : "must end in .png"; }, ""));
  add_motion_options(*verb, options->motion);
  verb->add_option("--at", options->at,
                   "Times in seconds instead of --frames, e.g. 0.2,0.9; methods with a history play up to them")
      ->delimiter(',');
  verb->add_option("--methods", options->methods, "One row each, e.g. lbs,dqs")->capture_default_str();
  add_contact_options(*verb, options->contact);
  verb->add_option(
          "--color", options->color,
          "texture (with vertex colours, base colours and cut-outs), shade, part, role, weights, influences (how many "
          "bones "
          "move a vertex), stretch, roughness, "
          "scars, overlap, intersections, poke_through, tears; residual, contact, blend (weights of the blend "
          "operator; "
          "methods that follow a field); "
          "untouched, memory, settled, which play the motion twice (see 'measure --also'); default: texture where the "
          "file has textures or colours, else shade")
      ->check(CLI::IsMember(color_names()));
  verb->add_option("--bone", options->bone, "With --color weights: this bone's weights alone");
  verb->add_option(
      "--zoom", options->zoom,
      "Close-up: 'worst' (where skin meets skin or stretches most), 'differ' (where the methods differ most) "
      "or a bone");
  verb->add_option("--zoom-size", options->zoom_size,
                   "What a close-up shows, in sizes of the character (default: the region, at least a tenth)")
      ->check(CLI::Range(0.01, 2.0));
  verb->add_option("--pick", options->pick, "Of the frames, only so many: those in which the methods differ most")
      ->check(CLI::Range(1, 1000));
  verb->add_flag("--numbers", options->numbers,
                 "Under each picture: pairs, folds, roughness (degrees), scars, longest stretch, volume");
  verb->add_flag("--skeleton", options->skeleton, "Bones, in the colours of their parts, through the skin");
  verb->add_flag("--samples", options->samples,
                 "What the fields of the parts were fitted through, with normals, through the skin: samples (yellow), "
                 "caps (red), tucks (blue)");
  verb->add_flag("--balls", options->balls,
                 "Instead of the skin the spheres that parts are made of (--fields spheres, --sphere-model), in their "
                 "colours");
  verb->add_option("--size", options->size, "Pixels of one cell")->capture_default_str();
  CLI::Option* yaw =
      verb->add_option("--yaw", options->yaw, "Degrees around the character; 0 is its front, 90 its left")
          ->capture_default_str();
  verb->add_option("--pitch", options->pitch, "Degrees above the horizon")->capture_default_str();
  verb->add_flag("--follow", options->follow, "The camera goes with the character (clips that travel)");
  add_option_flags(*verb, option_fields(options->render));
  add_common_options(*verb, options->common);
  verb->footer(
      "Examples:\n"
      "  cutis render character.glb -o still.png\n"
      "  cutis render character.glb --clip walk --frames 8 --methods lbs,dqs -o walk.png\n"
      "  cutis render builtin:hand --clip fist --methods lbs,dqs,implicit,tracking --frames 9 --pick 1 --zoom differ "
      "--numbers -o fist.png\n"
      "  cutis render builtin:human --color part --yaw 0 -o parts.png");
  verb->callback([options, yaw] {
    options->view_given = yaw->count() > 0;
    run_render(*options);
  });
}

}  // namespace cutis::cli
