#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common.h"
#include "cutis/cutis.h"
#include "option_flags.h"
#include "overlay.h"

namespace cutis::cli {
namespace {

struct RegisterArguments {
  CommonOptions common;
  std::string file, scan, output, points, picture, report;
  RegisterOptions fit;
};

double millimetres(double metres) { return rounded(1000 * metres); }

Json to_json(const ScanDistance& d) {
  return {{"mean_mm", millimetres(d.mean)},
          {"p95_mm", millimetres(d.p95)},
          {"largest_mm", millimetres(d.largest)},
          {"count", d.count}};
}

Json to_json(const RegisterArguments& options, const ScanFit& fit, const std::vector<std::string>& warnings) {
  Json bones = Json::array();
  for (std::size_t b = 0; b < fit.bones.size(); ++b)
    bones.push_back(
        {{"joint", fit.bones[b]}, {"length", rounded(fit.lengths[b])}, {"thickness", rounded(fit.thickness[b])}});
  return {{"file", options.file},
          {"scan", options.scan},
          {"output", options.output},
          {"good", fit.good},
          {"unit", fit.unit},
          {"up", std::string(1, fit.up)},
          {"scan_points", fit.scan_points},
          {"points", fit.points.size()},
          {"planes", fit.planes},
          {"plane_points", fit.plane_points},
          {"stray_points", fit.stray_points},
          {"hidden_points", fit.hidden_points},
          {"beside_points", fit.beside_points},
          {"size", rounded(fit.size)},
          {"oddness", rounded(fit.oddness)},
          {"scan_to_skin", to_json(fit.to_skin)},
          {"skin_to_scan", to_json(fit.to_scan)},
          {"without_layer", to_json(fit.before_layer)},
          {"explained", rounded(fit.explained)},
          {"covered", rounded(fit.covered)},
          {"bones", std::move(bones)},
          {"warnings", warnings}};
}

/// A small three-sided piece at each point, across its normal.
Character as_pieces(const ScanFit& fit, std::size_t most, std::vector<float>& distance) {
  Character cloud;
  Mesh mesh;
  const std::size_t step = std::max<std::size_t>(1, fit.points.size() / most);
  Box box;
  for (const Vec3f& p : fit.points) box.add(static_cast<Vec3d>(p));
  const Vec3d wide = box.hi - box.lo;
  const double side = 0.6 * std::sqrt(static_cast<double>(step)) * std::max({wide.x, wide.y, wide.z}) /
                      std::sqrt(static_cast<double>(fit.points.size()));
  for (std::size_t i = 0; i < fit.points.size(); i += step) {
    const auto p = static_cast<Vec3d>(fit.points[i]), n = static_cast<Vec3d>(fit.normals[i]);
    const Vec3d other = std::abs(n.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    Vec3d u{n.y * other.z - n.z * other.y, n.z * other.x - n.x * other.z, n.x * other.y - n.y * other.x};
    u *= 1 / std::sqrt(u.x * u.x + u.y * u.y + u.z * u.z);
    const Vec3d v{n.y * u.z - n.z * u.y, n.z * u.x - n.x * u.z, n.x * u.y - n.y * u.x};
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (int k = 0; k < 3; ++k) {
      const double a = 120 * kDegree * k;
      mesh.positions.push_back(static_cast<Vec3f>(p + u * (side * std::cos(a)) + v * (side * std::sin(a))));
      mesh.normals.push_back(fit.normals[i]);
      distance.push_back(fit.distance[i]);
    }
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  cloud.meshes.push_back(std::move(mesh));
  return cloud;
}

/// The scan and the fitted skin side by side from two sides, both coloured by their distance.
Image picture_of(const ScanFit& fit, const std::string& title, const Context& context) {
  constexpr std::size_t kDrawn = 30000;
  RenderOptions render;
  render.width = 380;
  render.height = 560;
  Box box;
  for (const Vec3f& p : fit.points) box.add(static_cast<Vec3d>(p));
  for (const Vec3f& p : fit.skin) box.add(static_cast<Vec3d>(p));
  render.ground_shadow = false;
  const double most = std::max(3 * fit.to_skin.mean, fit.to_skin.p95);
  const auto most_mm = static_cast<float>(1000 * most);
  std::vector<float> of_skin, of_pieces;
  for (const float d : fit.skin_distance) of_skin.push_back(1000 * d);
  std::vector<float> pieces_metres;
  const Character pieces = as_pieces(fit, kDrawn, pieces_metres);
  for (const float d : pieces_metres) of_pieces.push_back(1000 * d);
  const std::vector<Color> skin_colors = colors_by_scalar(of_skin, 0, most_mm),
                           piece_colors = colors_by_scalar(of_pieces, 0, most_mm);
  std::vector<SheetCell> cells;
  for (const double yaw : {0.0, 90.0, 180.0}) {
    const Camera camera = frame_bounds(box, {.yaw = (yaw + 20) * kDegree, .pitch = 8 * kDegree},
                                       static_cast<double>(render.width) / render.height);
    Drawable scan{&pieces, {}, {}, piece_colors, nullptr};
    cells.push_back({render_still(scan, camera, render, context), fmt::format("scan, from {:.0f} degrees", yaw)});
    Drawable skin{&fit.character, fit.skin, {}, skin_colors, nullptr};
    cells.push_back({render_still(skin, camera, render, context), "fitted (pink: not in the scan)"});
  }
  SheetOptions sheet;
  sheet.title = title;
  sheet.columns = 6;
  sheet.legend = Legend{"distance", 0, 1000 * most, " mm"};
  return contact_sheet(cells, sheet);
}

void say(const Session& session, const RegisterArguments& options, const ScanFit& fit) {
  session.say(fmt::format(
      "{}: {} {} {} points looked at, {:g} m a unit, {} up{}", options.scan, fit.points.size(),
      fit.points.size() > fit.scan_points ? "places on a surface of" : "of", fit.scan_points, fit.unit, fit.up,
      fit.planes > 0 ? fmt::format(", {} plane{} left out", fit.planes, fit.planes == 1 ? "" : "s") : std::string()));
  if (fit.beside_points > 0)
    session.say(fmt::format("  {} points stand beside the body and are left out", fit.beside_points));
  session.say(fmt::format("  scan to skin  {:.2f} mm mean, {:.2f} mm 95th percentile ({:.2f} and {:.2f} without layer)",
                          1000 * fit.to_skin.mean, 1000 * fit.to_skin.p95, 1000 * fit.before_layer.mean,
                          1000 * fit.before_layer.p95));
  session.say(fmt::format("  skin to scan  {:.2f} mm mean, {:.2f} mm 95th percentile", 1000 * fit.to_scan.mean,
                          1000 * fit.to_scan.p95));
  session.say(fmt::format("  coverage      {:.1f}% of the scan is skin, {:.1f}% of the skin is in the scan",
                          100 * fit.explained, 100 * fit.covered));
  session.say(fmt::format("  size          {:.3f} times the character's", fit.size));
  session.say(fmt::format("{}: the fitted character, with the clip 'scan'", options.output));
}

void run_register(const RegisterArguments& options) {
  Session session(options.common);
  const Context& context = session.context();
  for (const std::string& output : {options.output, options.picture, options.report})
    for (const std::string& input : {options.file, options.scan, options.points})
      if (!output.empty() && !input.empty()) Session::check_output(input, output);
  const Character character = load_character(options.file, context);
  const Scan scan = load_scan(options.scan, context);
  const std::vector<ScanLandmark> landmarks =
      options.points.empty() ? std::vector<ScanLandmark>{} : load_landmarks(options.points);
  const ScanFit fit = register_scan(character, scan, landmarks, options.fit, context);
  if (!options.picture.empty())
    write_png(options.picture,
              picture_of(fit,
                         fmt::format("{} on {}", std::filesystem::path(options.file).filename().string(),
                                     std::filesystem::path(options.scan).filename().string()),
                         context));
  write_character(options.output, fit.character, context);
  const Json document = to_json(options, fit, session.warnings());
  if (!options.report.empty()) write_file(options.report, json_text(document, 2) + "\n");
  say(session, options, fit);
  session.print(document);
}

}  // namespace

void add_register(CLI::App& app) {
  auto options = std::make_shared<RegisterArguments>();
  CLI::App* verb = app.add_subcommand(
      "register", "A character fitted to a scan of a body or a hand: pose, bone lengths, thickness, then its skin");
  verb->add_option("CHARACTER", options->file, "With bones and weights: .glb .gltf .vrm .fbx .dae, or builtin:NAME")
      ->required();
  verb->add_option("SCAN", options->scan, "Cloud of points or mesh: .ply .obj; complete or from one side")->required();
  verb->add_option("-o,--output", options->output, "The fitted character: .glb or .gltf; clip 'scan' has its pose")
      ->required();
  verb->add_option(
      "--points", options->points,
      "JSON file {\"NAME\": [x, y, z], ...}: where some joints are in the scan, about (see docs/formats.md)");
  verb->add_option("--picture", options->picture, "Scan and skin, coloured by their distance: .png");
  verb->add_option("--report", options->report, "What --json prints, into a file: .json");
  add_option_flags(*verb, option_fields(options->fit));
  add_common_options(*verb, options->common);
  verb->footer(
      "Examples:\n"
      "  cutis register character.glb scan.ply -o fitted.glb --picture fitted.png\n"
      "  cutis register character.glb scan.obj --unit 0.001 --up z -o fitted.glb --json\n"
      "  cutis register builtin:hand hand.ply --points points.json -o fitted.glb");
  verb->callback([options] { run_register(*options); });
}

}  // namespace cutis::cli
