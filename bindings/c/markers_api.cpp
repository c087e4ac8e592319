// Marker-driven animation: not in builds of the core alone.
#include <cmath>
#include <filesystem>
#include <limits>

#include "cutis/io.h"
#include "cutis/marker_solver.h"
#include "support.h"

using namespace cutis;
using namespace cutis::c;

namespace {

struct MarkersObject : Object {
  static constexpr const char* kName = "markers";
  MarkersObject(const Character& character, const MarkerMap& map, const MarkerOptions& options,
                const ContextObject& context, MarkerTargets wanted)
      : calls(context.calls),
        solver(character, map, options, context.context),
        targets(std::move(wanted)),
        vertices(character.vertex_count()),
        joints(character.skeleton.joints.size()) {}
  std::shared_ptr<Calls> calls;
  MarkerSolver solver;
  MarkerTargets targets;
  std::size_t vertices, joints, next = 0;
};

struct MarkersOptions {
  MarkerOptions solver;
  TargetOptions targets;
  TakeOptions take;
  double rate = 0;
  bool fit = true;
};

MarkersOptions options_of(const char* json) {
  MarkersOptions options;
  const Json object = options_object(json, "options");
  for (const auto& [key, value] : object.items()) {
    const std::string inner = value.dump();
    if (key == "solver")
      read_options(inner.c_str(), option_fields(options.solver), "options › solver");
    else if (key == "targets")
      read_options(inner.c_str(), option_fields(options.targets), "options › targets");
    else if (key == "take")
      read_options(inner.c_str(), option_fields(options.take), "options › take");
    else if (key == "rate" && value.is_number() && value.get<double>() >= 0 && value.get<double>() <= 1e5)
      options.rate = value.get<double>();
    else if (key == "fit" && value.is_boolean())
      options.fit = value.get<bool>();
    else
      refuse(
          fmt::format("options: \"{}\" is not known, or not what it can be; there are solver, targets, take, rate "
                      "(0 to 1e5) and fit (true or false)",
                      key));
  }
  return options;
}

MarkerTake take_of(const cutis_take_arrays& from) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  MarkerTake take;
  take.source = from.name == nullptr ? "take" : from.name;
  if (!(from.rate > 0 && from.rate <= 1e6)) refuse("take: its rate must be above 0 and at most a million");
  if (from.frames == 0 || from.markers == 0 || from.frames > kMost / from.markers / 3)
    refuse(fmt::format("take: {} frames of {} markers are none, or too many", from.frames, from.markers));
  need(from.marker_names, "marker_names");
  need(from.positions, "positions");
  take.rate = from.rate;
  take.frames = from.frames;
  take.unit = "m";
  for (std::size_t m = 0; m < from.markers; ++m)
    take.names.push_back(needed_text(from.marker_names[m], "marker_names"));
  take.kinds.assign(from.markers, PointKind::marker);
  take.positions.resize(from.frames * from.markers);
  read_strided(std::span<Vec3d>(take.positions), from.positions, 0, "positions");
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (Vec3d& p : take.positions)
    if (!std::isfinite(p.x + p.y + p.z)) p = {kNaN, kNaN, kNaN};
  take.residuals.assign(take.positions.size(), 0.0F);
  return take;
}

}  // namespace

cutis_status cutis_markers_create(cutis_context context, cutis_character character, const char* file,
                                  const cutis_take_arrays* take, const char* map_file, const char* options,
                                  cutis_markers* markers, size_t* frames) {
  return guarded([&] {
    need(markers, "markers");
    const auto object = c::take<ContextObject>(context);
    const Call call(object->calls);
    const auto body = c::take<CharacterObject>(character)->get();
    const MarkersOptions given = options_of(options);
    if ((file == nullptr) == (take == nullptr)) refuse("a take is given by a file or by arrays: one of them is NULL");
    const MarkerTake seen =
        file != nullptr ? load_take(file, object->context, given.take) : take_of(structure(take, "take"));
    MarkerMap map =
        map_file == nullptr ? default_marker_map(*body, seen, object->context) : load_marker_map(map_file, *body);
    // As `cutis markers`: points of a JSON file edit a pose, they are no actor to be fitted to.
    const bool edits = file != nullptr && std::filesystem::path(file).extension() == ".json";
    if (given.fit && map_file == nullptr && !edits) map = fit_marker_map(*body, map, seen, object->context);
    MarkerTargets targets = prepare_targets(seen, map, object->context, given.targets);
    if (given.rate > 0) targets = resample(targets, given.rate);
    auto made = std::make_shared<MarkersObject>(*body, map, given.solver, *object, std::move(targets));
    if (frames != nullptr) *frames = made->targets.frames;
    give(markers, std::move(made));
  });
}

cutis_status cutis_markers_next(cutis_markers markers, cutis_frame* frame, double* pose, size_t joints) {
  return guarded([&] {
    const Use<MarkersObject> m(markers);
    const Call call(m->calls);
    const cutis_frame checked = checked_frame(frame, m->vertices);
    if (pose != nullptr) need_count(joints, m->joints, "pose", "joints");
    if (m->next == m->targets.frames) return CUTIS_END;
    const MarkerFrame& solved = m->solver.solve(m->targets.frame(m->next), m->targets.frame_confidence(m->next));
    Frame shown;
    shown.positions = solved.positions;
    shown.normals = solved.normals;
    shown.report.milliseconds = solved.report.solve_ms + solved.report.embed_ms;
    write_frame(shown, static_cast<double>(m->next) / m->targets.rate, checked, frame);
    if (pose != nullptr) write_trs(solved.pose.local, pose);
    ++m->next;
    return CUTIS_OK;
  });
}

cutis_status cutis_markers_destroy(cutis_markers markers) { return destroy<MarkersObject>(markers); }
