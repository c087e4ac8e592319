#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common.h"
#include "cutis/cutis.h"
#include "terminal.h"

namespace cutis::cli {
namespace {

struct InfoArguments {
  CommonOptions common;
  std::string file;
};

// Sums and products of numbers that are each finite need not be.
std::string figure(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : "(beyond what a number can hold)";
}

// What a person should know before skinning this file.
std::vector<std::string> remarks(const CharacterInfo& info) {
  std::vector<std::string> list;
  const auto add = [&](bool when, std::string text) {
    if (when) list.push_back(std::move(text));
  };
  add(info.boundary_loops > 0, fmt::format("the surface is open: {} boundary loop{} ({} edges)", info.boundary_loops,
                                           info.boundary_loops == 1 ? "" : "s", info.boundary_edges));
  add(info.nonmanifold_edges > 0,
      fmt::format("{} non-manifold edges (more than two triangles)", info.nonmanifold_edges));
  add(info.nonmanifold_vertices > 0, fmt::format("{} non-manifold vertices", info.nonmanifold_vertices));
  add(info.inconsistent_edges > 0,
      fmt::format("{} edges between triangles that face opposite ways", info.inconsistent_edges));
  add(info.degenerate_triangles > 0, fmt::format("{} triangles without area", info.degenerate_triangles));
  add(info.closed && info.volume < 0, "the surface is inside out");
  add(info.bones.empty(), "no skeleton");
  add(!info.bones.empty() && info.max_influences == 0, "no skin weights");
  add(info.clips.empty(), "no clips");
  return list;
}

Json pieces_json(const Roles& roles, const Skeleton& skeleton) {
  Json pieces = Json::array();
  for (const Piece& p : roles.pieces)
    pieces.push_back(
        {{"role", to_string(p.role)},
         {"mesh", p.mesh},
         {"vertices", p.vertices},
         {"triangles", p.triangles},
         {"area", rounded(p.area)},
         {"open", p.open},
         {"bone", p.joint < 0 ? Json(nullptr) : Json(skeleton.joints[static_cast<std::size_t>(p.joint)].name)},
         {"over", rounded(p.over)},
         {"inside", rounded(p.inside)}});
  return pieces;
}

// One line a piece, as long as they can be read; then how many there are of each role.
void print_pieces(const Roles& roles, const Skeleton& skeleton) {
  constexpr std::size_t kMostLines = 24;
  tell("  pieces      {}\n", roles.pieces.size());
  for (std::size_t i = 0; i < std::min(kMostLines, roles.pieces.size()); ++i) {
    const Piece& p = roles.pieces[i];
    tell("    {:>3} {:<8} {:<24} {:>7} vertices {:>7} triangles{}{}\n", i, to_string(p.role), printable(p.mesh, 60),
         p.vertices, p.triangles, p.open ? ", open" : ", closed",
         p.joint < 0 ? std::string()
                     : fmt::format(", {}'s", printable(skeleton.joints[static_cast<std::size_t>(p.joint)].name, 60)));
  }
  if (roles.pieces.size() > kMostLines) tell("    ... {} more, in --json\n", roles.pieces.size() - kMostLines);
}

Json to_json(const std::string& file, const CharacterInfo& info, const std::vector<std::string>& warnings) {
  Json meshes = Json::array(), clips = Json::array();
  for (const auto& m : info.meshes)
    meshes.push_back({{"name", m.name},
                      {"vertices", m.vertices},
                      {"triangles", m.triangles},
                      {"max_influences", m.max_influences},
                      {"normals", m.had_normals},
                      {"uvs", m.has_uvs}});
  for (const auto& c : info.clips)
    clips.push_back({{"name", c.name}, {"seconds", rounded(c.seconds)}, {"channels", c.channels}, {"keys", c.keys}});
  return {{"file", file},
          {"meshes", meshes},
          {"vertices", info.vertices},
          {"welded_vertices", info.welded_vertices},
          {"triangles", info.triangles},
          {"components", info.components},
          {"boundary_edges", info.boundary_edges},
          {"boundary_loops", info.boundary_loops},
          {"nonmanifold_edges", info.nonmanifold_edges},
          {"nonmanifold_vertices", info.nonmanifold_vertices},
          {"inconsistent_edges", info.inconsistent_edges},
          {"degenerate_triangles", info.degenerate_triangles},
          {"closed", info.closed},
          {"volume", info.closed ? Json(rounded(info.volume)) : Json(nullptr)},
          {"bounds", {{"min", vec(info.bounds.lo)}, {"max", vec(info.bounds.hi)}}},
          {"bones", info.bones.size()},
          {"bone_names", info.bones},
          {"clips", clips},
          {"weights", {{"max_influences", info.max_influences}}},
          {"warnings", warnings}};
}

void print_text(const std::string& file, const CharacterInfo& info, const std::vector<std::string>& warnings) {
  const Vec3d size = info.bounds.hi - info.bounds.lo;
  tell("{}\n", file);
  tell("  meshes      {}\n", info.meshes.size());
  for (const auto& m : info.meshes)
    tell("    {:<24} {:>7} vertices {:>7} triangles{}{}{}\n", printable(m.name, 60), m.vertices, m.triangles,
         m.max_influences > 0 ? fmt::format(", {} influences", m.max_influences) : ", no weights",
         m.had_normals ? "" : ", no normals", m.has_uvs ? ", UVs" : "");
  tell("  vertices    {} ({} welded)\n", info.vertices, info.welded_vertices);
  tell("  triangles   {}\n", info.triangles);
  tell("  surface     {}, {} component{}, {} boundary loop{}, {} non-manifold edge{}\n",
       info.closed ? "closed" : "not closed", info.components, info.components == 1 ? "" : "s", info.boundary_loops,
       info.boundary_loops == 1 ? "" : "s", info.nonmanifold_edges, info.nonmanifold_edges == 1 ? "" : "s");
  tell("  size        {} x {} x {} m", figure(size.x), figure(size.y), figure(size.z));
  if (info.closed) tell(", {} litres", figure(info.volume * 1000));
  tell("\n  bones       {}\n", info.bones.size());
  if (!info.bones.empty()) tell("    {}\n", fmt::join(shown(info.bones), " "));
  tell("  weights     {}\n",
       info.max_influences > 0 ? fmt::format("up to {} influences a vertex", info.max_influences) : "none");
  tell("  clips       {}\n", info.clips.size());
  for (const auto& c : info.clips)
    tell("    {:<24} {:>8.3f} s {:>6} keys {:>4} channels\n", printable(c.name, 60), c.seconds, c.keys, c.channels);
  for (const std::string& w : warnings) tell("  note        {}\n", w);
}

bool is_motion(const std::string& file) {
  std::string extension = std::filesystem::path(file).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension == ".bvh" || extension == ".vrma";
}

void run_motion(const InfoArguments& options, const Session& session) {
  const MotionInfo info = inspect_motion(options.file, session.context());
  const double seconds = info.frames > 1 ? static_cast<double>(info.frames - 1) * info.frame_seconds : 0;
  if (options.common.json) {
    session.print({{"file", options.file},
                   {"joints", info.joints.size()},
                   {"joint_names", info.joints},
                   {"frames", info.frames},
                   {"fps", info.frame_seconds > 0 ? rounded(1 / info.frame_seconds) : 0},
                   {"seconds", rounded(seconds)},
                   {"warnings", session.warnings()}});
    return;
  }
  tell("{}\n  joints      {}\n    {}\n", options.file, info.joints.size(), fmt::join(shown(info.joints), " "));
  tell("  frames      {} at {} a second, {:.3f} s\n", info.frames,
       figure(info.frame_seconds > 0 ? 1 / info.frame_seconds : 0), seconds);
  for (const std::string& w : session.warnings()) tell("  note        {}\n", w);
}

// Points that were never seen, or only at times, are what makes a take hard: their share stands beside each name.
void run_take(const InfoArguments& options, const Session& session) {
  const MarkerTake take = load_take(options.file, session.context());
  std::vector<std::size_t> missing(take.names.size(), 0);
  double residual = 0;
  std::size_t known = 0;
  for (std::size_t f = 0; f < take.frames; ++f)
    for (std::size_t i = 0; i < take.names.size(); ++i) {
      if (!take.seen(f, i)) ++missing[i];
      if (take.seen(f, i) && take.kinds[i] == PointKind::marker && take.residuals[f * take.names.size() + i] > 0) {
        residual += static_cast<double>(take.residuals[f * take.names.size() + i]);
        ++known;
      }
    }
  const auto names_of = [&](PointKind kind) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < take.names.size(); ++i)
      if (take.kinds[i] == kind) names.push_back(take.names[i]);
    return names;
  };
  const std::vector<std::string> markers = names_of(PointKind::marker), model = names_of(PointKind::model),
                                 unlabelled = names_of(PointKind::unlabelled);
  if (options.common.json) {
    Json gaps = Json::object();
    for (std::size_t i = 0; i < take.names.size(); ++i)
      if (take.kinds[i] == PointKind::marker && missing[i] > 0) gaps[take.names[i]] = missing[i];
    session.print({{"file", options.file},
                   {"points", take.names.size()},
                   {"marker_names", markers},
                   {"model_names", model},
                   {"unlabelled_names", unlabelled},
                   {"frames", take.frames},
                   {"fps", rounded(take.rate)},
                   {"seconds", rounded(take.seconds())},
                   {"unit", take.unit},
                   {"up", std::string(1, take.up)},
                   {"missing_frames", gaps},
                   {"residual_mean", known > 0 ? Json(rounded(residual / static_cast<double>(known))) : Json(nullptr)},
                   {"warnings", session.warnings()}});
    return;
  }
  tell("{}\n  markers     {}\n    {}\n", options.file, markers.size(), fmt::join(shown(markers), " "));
  if (!model.empty()) tell("  model       {} outputs\n    {}\n", model.size(), fmt::join(shown(model), " "));
  if (!unlabelled.empty()) tell("  unlabelled  {}\n    {}\n", unlabelled.size(), fmt::join(shown(unlabelled), " "));
  tell("  frames      {} at {:.4g} a second, {:.3f} s\n", take.frames, take.rate, take.seconds());
  tell("  space       {}, {} up\n", take.unit.empty() ? "no unit" : take.unit, take.up);
  if (known > 0) tell("  residual    {:.3g} mm on average\n", 1000 * residual / static_cast<double>(known));
  for (std::size_t i = 0; i < take.names.size(); ++i)
    if (take.kinds[i] == PointKind::marker && missing[i] > 0)
      tell("  gaps        {} is missing in {} frames ({:.1f}%)\n", printable(take.names[i], 60), missing[i],
           100.0 * static_cast<double>(missing[i]) / static_cast<double>(take.frames));
  for (const std::string& w : session.warnings()) tell("  note        {}\n", w);
}

void run_info(const InfoArguments& options) {
  CommonOptions common = options.common;
  common.quiet = true;  // warnings are part of what this verb prints
  Session session(common);
  if (is_motion(options.file)) return run_motion(options, session);
  if (is_take_file(options.file)) return run_take(options, session);
  const Character character = load_character(options.file, session.context());
  const CharacterInfo info = inspect(character);
  const Roles roles = find_roles(character);
  std::vector<std::string> warnings = session.warnings();
  for (std::string& remark : remarks(info)) warnings.push_back(std::move(remark));
  if (options.common.json) {
    Json document = to_json(options.file, info, warnings);
    document["pieces"] = pieces_json(roles, character.skeleton);
    session.print(document);
  } else {
    print_text(options.file, info, warnings);
    print_pieces(roles, character.skeleton);
  }
}

}  // namespace

void add_info(CLI::App& app) {
  auto options = std::make_shared<InfoArguments>();
  CLI::App* verb = app.add_subcommand(
      "info", "What is in a file: meshes, topology, bones, clips, weights, roles of its pieces, warnings");
  verb->add_option("FILE", options->file,
                   "Character (.glb .gltf .vrm .fbx .dae .obj .ply .off, or builtin:NAME), motion (.bvh .vrma) or "
                   "marker take (.c3d .trc)")
      ->required();
  add_common_options(*verb, options->common);
  verb->footer("Examples:\n  cutis info character.glb\n  cutis info scan.obj --json\n  cutis info take.c3d");
  verb->callback([options] { run_info(*options); });
}

}  // namespace cutis::cli
