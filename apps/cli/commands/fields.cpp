// The implicit skin as iso-lines in a plane, as in Tracking figures 3, 5 and 6, or as a surface.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "pipeline.h"

namespace cutis::cli {
namespace {

constexpr double kBentEnough = 3 * kDegree;  // to tell the plane in which a joint bends
constexpr int kSearch = 32;                  // times of a clip at which that is looked for

struct FieldsArguments {
  CommonOptions common;
  std::string file, output, slice, part, iso, preset;
  std::vector<double> at;
  MotionChoice motion;
  ShapeChoice shape;
  double width = 0, step = 0.1, level = 0.5, cell = 0, offset = 0;
  int size = 360, columns = 5;
};

struct AxisPlane {
  int axis = 0;
  std::optional<double> position;
};

/// "x", "y=1.2": a plane across an axis; nothing for any other text.
std::optional<AxisPlane> axis_plane(const std::string& text) {
  if (text.empty() || text[0] < 'x' || text[0] > 'z') return {};
  if (text.size() == 1) return AxisPlane{text[0] - 'x', {}};
  if (text[1] != '=') return {};
  char* end = nullptr;
  const double position = std::strtod(text.c_str() + 2, &end);
  if (text.size() == 2 || end != text.c_str() + text.size() || !std::isfinite(position))
    throw Error(ErrorCode::bad_argument, "--slice", fmt::format("'{}' is not {}=METRES", text, text[0]));
  return AxisPlane{text[0] - 'x', position};
}

// Without a clip: the rest pose, which the fields were made in.
struct Poses {
  std::optional<Clip> clip;
  std::vector<double> times = {0.0};
};

Poses choose_poses(const Character& character, const FieldsArguments& options, const Context& context) {
  Poses poses;
  if (options.motion.clip.empty() && options.motion.bvh.empty()) {
    if (!options.at.empty() || options.motion.frames > 0)
      throw Error(ErrorCode::bad_argument, options.at.empty() ? "--frames" : "--at", "needs --clip or --bvh");
    return poses;
  }
  MotionChoice choice = options.motion;
  if (choice.frames == 0) choice.frames = 1;
  Motion motion = choose_motion(character, choice, context);
  poses.times = options.at.empty() ? motion.times : options.at;
  poses.clip = std::move(motion.clip);
  return poses;
}

void set_pose(SkinField& field, const Character& character, const Poses& poses, double time) {
  if (poses.clip) {
    field.set_pose(sample(character.skeleton, *poses.clip, time));
  } else {
    field.set_rest();
  }
}

// The axis about which the joint bends most, at the times to draw or else anywhere in the clip.
std::optional<Vec3d> bend_axis(SkinField& field, const Character& character, const Poses& poses, int joint) {
  JointBend most;
  const auto look = [&](double time) {
    set_pose(field, character, poses, time);
    if (const JointBend bend = field.bend(joint); bend.angle > most.angle) most = bend;
  };
  for (const double time : poses.times) look(time);
  if (most.angle < kBentEnough && poses.clip)
    for (const double time : sample_times(*poses.clip, kSearch, 30)) look(time);
  return most.angle < kBentEnough ? std::nullopt : std::optional(most.axis);
}

Image draw(const FieldSlice& slice, const SlicePlane& plane, const std::string& title, const FieldsArguments& options) {
  IsoLinesOptions lines;
  lines.title = title;
  lines.width = options.size;
  lines.height = static_cast<int>(std::lround(options.size * plane.height / plane.width));
  lines.ticks = false;
  lines.text_size = std::min(14.0, options.size / 20.0);  // of the frame around the lines
  lines.skin = 0.5;
  lines.levels = field_levels(0.5, options.step, 0, 1);
  lines.x_min = -plane.width / 2;
  lines.x_max = plane.width / 2;
  lines.y_min = -plane.height / 2;
  lines.y_max = plane.height / 2;
  for (const FieldSlice::Line& line : slice.contacts)
    lines.curves.push_back({{line.x0, line.x1}, {line.y0, line.y1}, contact_color(), 3});
  // Outside all supports there is nothing to tint.
  std::vector<float> values = slice.values;
  std::ranges::replace(values, 0.0F, std::numeric_limits<float>::quiet_NaN());
  return draw_iso_lines(values, slice.columns, slice.rows, lines);
}

double contact_length(const FieldSlice& slice) {
  double sum = 0;
  for (const FieldSlice::Line& line : slice.contacts) sum += std::hypot(line.x1 - line.x0, line.y1 - line.y0);
  return sum;
}

Json draw_slices(SkinField& field, const Character& character, const Poses& poses, const FieldsArguments& options,
                 const Context& context) {
  const std::optional<AxisPlane> across = axis_plane(options.slice);
  const int joint = across ? -1 : field.joint(options.slice);
  const std::optional<Vec3d> axis = across ? std::nullopt : bend_axis(field, character, poses, joint);
  Box box;  // one frame for all slices
  for (const double time : poses.times) {
    set_pose(field, character, poses, time);
    box.add(field.bounds().lo);
    box.add(field.bounds().hi);
  }
  std::vector<SheetCell> cells;
  Json frames = Json::array();
  for (const double time : poses.times) {
    set_pose(field, character, poses, time);
    SlicePlane plane;
    if (across) {
      plane = plane_across(box, across->axis,
                           across->position.value_or(0.5 * (box.lo[across->axis] + box.hi[across->axis])));
    } else {
      plane = field.plane_through(joint, axis);
    }
    const Vec3d normal{plane.right.y * plane.up.z - plane.right.z * plane.up.y,
                       plane.right.z * plane.up.x - plane.right.x * plane.up.z,
                       plane.right.x * plane.up.y - plane.right.y * plane.up.x};
    plane.center += normal * options.offset;
    // A long thin slice would be a strip.
    plane.height = std::max(plane.height, 0.4 * plane.width);
    plane.width = std::max(plane.width, 0.4 * plane.height);
    if (options.width > 0) {
      plane.height *= options.width / plane.width;
      plane.width = options.width;
    }
    // Two samples a pixel, so that contact lines end where they should.
    const FieldSlice slice = field.slice(plane, std::clamp(2 * options.size, 64, 2048), context);
    const double degrees = across ? 0 : field.bend(joint).angle / kDegree;
    std::string label = poses.clip ? fmt::format("{:.2f} s", time) : "rest";
    if (!across) label = fmt::format("{:.0f}\u00b0   {}", degrees, label);
    cells.push_back({draw(slice, plane, "", options), label});
    frames.push_back({{"time", rounded(time)},
                      {"bend_degrees", across ? Json(nullptr) : Json(rounded(degrees))},
                      {"width", rounded(plane.width)},
                      {"contact_length", rounded(contact_length(slice))}});
    context.progress("slices", static_cast<double>(cells.size()) / static_cast<double>(poses.times.size()));
  }
  SheetOptions sheet;
  sheet.columns = std::min(static_cast<int>(cells.size()), options.columns);
  const std::string name = character.source.substr(character.source.find_last_of('/') + 1);
  sheet.title = fmt::format("{}   {}{}", name, options.part.empty() ? options.slice : options.part + " alone",
                            poses.clip ? "   " + poses.clip->name : "");
  write_png(options.output, contact_sheet(cells, sheet));
  return frames;
}

Json write_surface(SkinField& field, const Character& character, const Poses& poses, const FieldsArguments& options,
                   const Context& context) {
  if (poses.times.size() != 1)
    throw Error(ErrorCode::bad_argument, "--iso", "writes one surface; give one time with --at");
  set_pose(field, character, poses, poses.times[0]);
  const Box box = character.bounds();
  const double height = std::max({box.hi.x - box.lo.x, box.hi.y - box.lo.y, box.hi.z - box.lo.z});
  const double cell = options.cell > 0 ? options.cell : height / 200;
  const SkinSurface surface = field.surface(cell, options.level, context);
  write_ply(options.iso, surface.positions, surface.normals, surface.triangles);
  return {{"file", options.iso},
          {"vertices", surface.positions.size()},
          {"triangles", surface.triangles.size()},
          {"cell", rounded(cell)},
          {"level", rounded(options.level)}};
}

void run_fields(const FieldsArguments& options) {
  Session session(options.common);
  const Context& context = session.context();
  for (const std::string& output : {options.output, options.iso}) Session::check_output(options.file, output);
  const Character character = load_character(options.file, context);
  BindOptions bind_options;
  if (!options.preset.empty()) bind_options.preset = load_preset(options.preset);
  options.shape.apply(bind_options.preset);
  const Poses poses = choose_poses(character, options, context);
  SkinField field(bind(character, context, bind_options));
  if (!options.part.empty()) field.isolate(field.joint(options.part));
  Json json = {{"file", options.file}, {"clip", poses.clip ? Json(poses.clip->name) : Json(nullptr)}};
  if (!options.output.empty()) {
    json["output"] = options.output;
    json["slice"] = options.slice;
    json["frames"] = draw_slices(field, character, poses, options, context);
    session.say(fmt::format("{}: {} slice{} through {}", options.output, poses.times.size(),
                            poses.times.size() == 1 ? "" : "s", options.slice));
  }
  if (!options.iso.empty()) {
    json["iso"] = write_surface(field, character, poses, options, context);
    session.say(fmt::format("{}: {} vertices, {} triangles", options.iso, json["iso"]["vertices"].get<std::size_t>(),
                            json["iso"]["triangles"].get<std::size_t>()));
  }
  json["warnings"] = session.warnings();
  session.print(json);
}

CLI::Validator ends_in(const std::string& extension) {
  return {[extension](const std::string& name) {
            return name.ends_with(extension) ? std::string() : "must end in " + extension;
          },
          ""};
}

}  // namespace

void add_fields(CLI::App& app) {
  auto options = std::make_shared<FieldsArguments>();
  CLI::App* verb = app.add_subcommand("fields", "The implicit skin: iso-lines in a plane, or its surface");
  verb->add_option("FILE", options->file, "Character: .glb .gltf .vrm .fbx .dae .obj .ply .off, or builtin:NAME")
      ->required();
  auto* slice = verb->add_option("--slice", options->slice,
                                 "Plane: a joint's name (along its bones, in the plane in which it bends), or x, y, z, "
                                 "e.g. z=0.05 (across that axis, metres)");
  auto* output =
      verb->add_option("-o,--output", options->output, "Picture of the slices: .png")->check(ends_in(".png"));
  slice->needs(output);
  output->needs(slice);
  verb->add_option("--part", options->part, "The field of this joint's part alone, before anything is composed");
  auto* iso = verb->add_option("--iso", options->iso, "The surface as triangles: .ply")->check(ends_in(".ply"));
  add_motion_options(*verb, options->motion);
  verb->add_option("--at", options->at, "Times in seconds instead of --frames, e.g. 0.2,0.9")->delimiter(',');
  verb->add_option("-p,--preset", options->preset, "Settings: JSON, see docs/formats.md");
  add_shape_options(*verb, options->shape);
  verb->add_option("--width", options->width, "Of the slice, metres (default: the bones that meet there)")
      ->check(CLI::PositiveNumber);
  verb->add_option("--offset", options->offset, "Moves the plane along its normal, metres")->capture_default_str();
  verb->add_option("--step", options->step, "From one iso-line to the next")
      ->capture_default_str()
      ->check(CLI::Range(0.005, 0.5));
  verb->add_option("--size", options->size, "Pixels of one slice")->capture_default_str()->check(CLI::Range(100, 4096));
  verb->add_option("--columns", options->columns, "Slices a row")->capture_default_str()->check(CLI::Range(1, 100));
  verb->add_option("--level", options->level, "Of the surface: 0.5 is the skin")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 0.99));
  verb->add_option("--cell", options->cell, "Of the surface, metres (default: 1/200 of the character's size)")
      ->check(CLI::PositiveNumber);
  add_common_options(*verb, options->common);
  verb->footer(
      "Colours: outside blue, skin grey, inside red, contact green.\n"
      "Examples:\n"
      "  cutis fields builtin:arm --slice forearm --clip elbow --at 0,0.5,1 -o elbow.png\n"
      "  cutis fields character.glb --slice y=1.1 -o belly.png\n"
      "  cutis fields character.glb --iso skin.ply");
  verb->callback([options, output, iso] {
    if (output->count() == 0 && iso->count() == 0)
      throw CLI::RequiredError("--slice PLANE -o OUT.png or --iso OUT.ply");
    run_fields(*options);
  });
}

}  // namespace cutis::cli
