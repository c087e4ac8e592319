#include "sheet.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cutis/metrics.h"
#include "cutis/second_runs.h"
#include "worst_region.h"

namespace cutis::cli {
namespace {

// Stretch is shown from half to twice the rest length.
constexpr float kStretchRange = 1.0F;  // log2
// Changes of angles between triangles are shown up to this.
constexpr float kRoughnessRange = 30.0F;  // degrees
// Distances between two runs are shown up to this: what the eye finds in a picture of the whole.
constexpr float kDifferenceRange = 0.5F;  // % of height
// Residuals are shown up to ten times what counts as converged.
constexpr float kResidualRange = 1e-3F;

struct Shot {
  std::vector<Vec3f> positions, normals;
  Box box;  // of the positions
  std::vector<Affine3d> joints;
  std::optional<FrameMetrics> metrics;  // when colours or the zoom need them
  std::vector<VertexState> states;      // of methods that work on fields
  std::vector<float> residuals;
  std::optional<ShapeDifference> difference;  // of two runs, when colours need it
  std::optional<double> dqs_roughness;
};

bool is_second_run(const std::string& color) { return color == "untouched" || color == "memory" || color == "settled"; }

bool needs_metrics(const SheetChoice& choice) {
  return choice.zoom == "worst" || choice.color == "stretch" || choice.color == "roughness" ||
         choice.color == "scars" || choice.color == "overlap" || choice.color == "intersections";
}

int find_bone(const Character& character, const std::string& name, const char* option) {
  const int joint = character.skeleton.find(name);
  if (joint < 0)
    throw Error(ErrorCode::bad_argument, option,
                fmt::format("{} has no bone '{}'; it has: {}", character.source, name,
                            fmt::join(inspect(character).bones, ", ")));
  return joint;
}

std::vector<Color> flag_colors(const std::vector<std::uint8_t>& flags) {
  const Color sound = color_from_srgb(0xd8d2c8), fault = color_from_srgb(0xd4281c);
  std::vector<Color> colors;
  colors.reserve(flags.size());
  for (const std::uint8_t flag : flags) colors.push_back(flag ? fault : sound);
  return colors;
}

std::vector<Color> shot_colors(const Character& character, const Shot& shot, const SheetChoice& choice) {
  if (choice.color == "part") return colors_by_part(character);
  if (choice.color == "weights")
    return colors_by_weight(character, choice.bone.empty() ? -1 : find_bone(character, choice.bone, "--bone"));
  if (choice.color == "overlap") return flag_colors(shot.metrics->vertex_overlaps);
  if (choice.color == "intersections") return flag_colors(shot.metrics->vertex_intersects);
  if (choice.color == "scars") return flag_colors(shot.metrics->vertex_scars);
  if (is_second_run(choice.color)) {
    if (!shot.difference) return {};
    return colors_by_scalar(shot.difference->vertex, 0, kDifferenceRange);
  }
  if (choice.color == "contact") {
    std::vector<std::uint8_t> touching;
    for (const VertexState state : shot.states) touching.push_back(state == VertexState::contact ? 1 : 0);
    return flag_colors(touching);
  }
  if (choice.color == "residual") return colors_by_scalar(shot.residuals, -kResidualRange, kResidualRange);
  if (choice.color == "roughness") return colors_by_scalar(shot.metrics->vertex_roughness, 0, kRoughnessRange);
  if (choice.color == "stretch") {
    std::vector<float> values;
    for (const float s : shot.metrics->vertex_stretch) values.push_back(std::log2(std::max(s, 1e-6F)));
    return colors_by_scalar(values, -kStretchRange, kStretchRange);
  }
  return {};
}

// All frames of one method, in the order of their times.
std::vector<Shot> take_shots(const Character& character, const Motion& motion, Method method, const SheetChoice& choice,
                             const std::optional<Metrics>& metrics, const Context& context) {
  std::vector<Shot> shots;
  const auto rig = bind(character, context, bind_options({method}, choice.contact));
  const SolveOptions options = solve_options(method, choice.contact);
  Solver dqs(rig, {.method = Method::dqs}, context);
  const auto take = [&](const Pose& pose, const Frame& frame) {
    Shot shot{frame.positions,
              frame.normals,
              {},
              world_from_joint(character.skeleton, pose),
              {},
              frame.states,
              frame.residuals,
              {},
              {}};
    for (const Vec3f& p : frame.positions) shot.box.add(static_cast<Vec3d>(p));
    if (needs_metrics(choice)) {
      const std::vector<Vec3f>& smooth = dqs.solve(pose).positions;
      shot.metrics = metrics->measure(frame.positions, {}, {}, smooth);
      if (choice.color == "roughness" && method != Method::dqs) shot.dqs_roughness = metrics->measure(smooth).roughness;
    }
    shots.push_back(std::move(shot));
  };
  if (!is_second_run(choice.color)) {
    (void)cutis::play(character, rig, motion, options, context, [&](std::size_t i, const Frame& frame) {
      take(sample(character.skeleton, motion.clip, motion.times[i]), frame);
    });
    return shots;
  }
  Solver solver(rig, options, context);
  if (with_contact(options)) solver.foresee(foreseen_poses(character, motion));
  SecondRuns second(rig, options, parse_also(choice.color), context);
  for (std::size_t i = 0; i < motion.times.size(); ++i) {
    for (const Pose& before : poses_before(character, motion, i, options)) {
      (void)solver.solve(before);
      second.pass(before);
    }
    const Pose pose = sample(character.skeleton, motion.clip, motion.times[i]);
    const Frame& frame = solver.solve(pose);
    if (choice.color != "settled") {
      take(pose, frame);
      second.solve(pose, frame, *metrics);
      shots.back().difference = choice.color == "memory" ? second.memory() : second.untouched();
      continue;
    }
    // What is drawn is the skin back at rest.
    const SolverState state = solver.save_state();
    const std::vector<Pose> way = poses_back_to_rest(character.skeleton, pose);
    std::vector<ShapeDifference> left = settle(solver, rig, options, character.skeleton, pose, *metrics, context);
    take(way.back(), solver.solve(way.back()));
    shots.back().difference = std::move(left.back());
    solver.restore_state(state);
  }
  return shots;
}

// In the shot that is worst of all.
WorstRegion worst_of(const std::vector<Shot>& shots, double size) {
  const auto pairs = [](const Shot& s) { return s.metrics->intersecting_pairs.value_or(0); };
  const Shot& worst = *std::max_element(shots.begin(), shots.end(), [&](const Shot& a, const Shot& b) {
    return std::pair{pairs(a), a.metrics->stretch_max.value_or(0)} <
           std::pair{pairs(b), b.metrics->stretch_max.value_or(0)};
  });
  return worst_region(worst.positions, *worst.metrics, size);
}

// Where each shot's close-up looks, and how far it sees; no centres: the whole motion.
struct Zoom {
  std::vector<Vec3d> centers;
  double radius = 0;
};

Zoom choose_zoom(const Character& character, const std::vector<Shot>& shots, const SheetChoice& choice, double size) {
  Zoom zoom{{}, kLeastZoom * size};
  if (choice.zoom == "worst") {
    const WorstRegion region = worst_of(shots, size);
    for (const Shot& shot : shots) zoom.centers.push_back(mean_of(shot.positions, region.vertices));
    zoom.radius = std::clamp(region.extent, kLeastZoom * size, kMostZoom * size);
  } else if (!choice.zoom.empty()) {
    const auto joint = static_cast<std::size_t>(find_bone(character, choice.zoom, "--zoom"));
    for (const Shot& shot : shots) zoom.centers.push_back(shot.joints[joint].translation);
  }
  return zoom;
}

// A box of that extent with the same middle as `box`, standing on the same height.
Box around(const Box& box, const Vec3d& extent) {
  Box result;
  const Vec3d middle = (box.lo + box.hi) * 0.5;
  result.add({middle.x - extent.x / 2, box.lo.y, middle.z - extent.z / 2});
  result.add({middle.x + extent.x / 2, box.lo.y + extent.y, middle.z + extent.z / 2});
  return result;
}

}  // namespace

std::vector<std::string> color_names() {
  return {"shade",  "part",    "weights", "stretch",       "roughness", "scars",  "untouched",
          "memory", "settled", "overlap", "intersections", "residual",  "contact"};
}

Image draw_sheet(const Character& character, const Motion& motion, const SheetChoice& choice, const Context& context) {
  if (choice.color == "residual" || choice.color == "contact")
    for (const Method method : choice.methods)
      if (!needs_skin(method))
        throw Error(
            ErrorCode::bad_argument, "--color",
            fmt::format("'{}' is known to methods that follow a field; {} has none", choice.color, to_string(method)));
  // All frames of all methods first: the camera frames the whole motion and is the same in every cell.
  const std::optional<Metrics> metrics =
      needs_metrics(choice) || is_second_run(choice.color)
          ? std::optional<Metrics>(std::in_place, character, context, MetricsOptions{.per_vertex = true})
          : std::nullopt;
  std::vector<Shot> shots;
  Box bounds;
  for (const Method method : choice.methods)
    for (Shot& shot : take_shots(character, motion, method, choice, metrics, context)) {
      if (!shot.box.empty()) bounds.add(shot.box.lo), bounds.add(shot.box.hi);
      shots.push_back(std::move(shot));
    }
  const Vec3d extent = bounds.hi - bounds.lo, middle = (bounds.hi + bounds.lo) * 0.5;
  const Box rest = character.bounds();
  const double size =
      std::sqrt((rest.hi.x - rest.lo.x) * (rest.hi.x - rest.lo.x) + (rest.hi.y - rest.lo.y) * (rest.hi.y - rest.lo.y) +
                (rest.hi.z - rest.lo.z) * (rest.hi.z - rest.lo.z));
  const Zoom zoom = choose_zoom(character, shots, choice, size);
  const double aspect = static_cast<double>(choice.render.width) / choice.render.height;
  RenderOptions render = choice.render;
  if (extent.y >= 0) render.ground_height = bounds.lo.y;

  Vec3d largest;  // extent of any one frame, so that all cells have one scale when the camera follows
  for (const Shot& shot : shots)
    for (int k = 0; k < 3; ++k) largest[k] = std::max(largest[k], shot.box.hi[k] - shot.box.lo[k]);

  std::vector<SheetCell> cells;
  for (std::size_t i = 0; i < shots.size(); ++i) {
    ViewOptions view = choice.view;
    Camera camera = frame_bounds(choice.follow ? around(shots[i].box, largest) : bounds, view, aspect);
    if (!zoom.centers.empty()) {
      // From outside the body, unless a direction was asked for.
      if (!choice.view_given) view.yaw = std::atan2(zoom.centers[i].x - middle.x, zoom.centers[i].z - middle.z);
      camera = frame_region(zoom.centers[i], zoom.radius, view, aspect);
    }
    const std::vector<Color> colors = shot_colors(character, shots[i], choice);
    std::string label = fmt::format("{:.2f} s", motion.times[i % motion.times.size()]);
    if (shots[i].metrics && choice.color == "overlap")
      label += fmt::format("   {:.2f}% overlap", 100 * shots[i].metrics->overlap.value_or(0));
    if (shots[i].metrics && choice.color == "roughness" && shots[i].metrics->roughness)
      label += fmt::format("   {:.2f} degrees", *shots[i].metrics->roughness);
    if (shots[i].dqs_roughness) label += fmt::format(" (dqs {:.2f})", *shots[i].dqs_roughness);
    if (shots[i].metrics && choice.color == "scars")
      label += fmt::format("   {} scars", shots[i].metrics->scars.value_or(0));
    if (is_second_run(choice.color))
      label += shots[i].difference ? fmt::format("   {}{:.3g}%", choice.color == "settled" ? "and back: " : "",
                                                 shots[i].difference->worst)
                                   : std::string("   contact");
    if (shots[i].metrics && (choice.color == "intersections" || choice.zoom == "worst"))
      label += fmt::format("   {} pairs", shots[i].metrics->intersecting_pairs.value_or(0));
    const Drawable drawable{&character, shots[i].positions, shots[i].normals, colors};
    cells.push_back({render_still(drawable, camera, render, context), std::move(label)});
    context.progress("rendering", static_cast<double>(i + 1) / static_cast<double>(shots.size()));
  }
  if (cells.size() == 1 && choice.color != "stretch" && choice.color != "roughness" && !is_second_run(choice.color))
    return std::move(cells.front().image);

  SheetOptions sheet;
  sheet.title = choice.title;
  // One row a method; a single method wraps after six frames.
  sheet.columns =
      static_cast<int>(choice.methods.size() > 1 ? motion.times.size() : std::min<std::size_t>(motion.times.size(), 6));
  if (choice.methods.size() > 1)
    for (const Method method : choice.methods) sheet.row_labels.push_back(label(method, choice.contact));
  if (choice.color == "stretch") sheet.legend = Legend{"edge stretch (log2)", -kStretchRange, kStretchRange, ""};
  if (choice.color == "roughness")
    sheet.legend = Legend{"change of the angle between triangles", 0, kRoughnessRange, "°"};
  if (is_second_run(choice.color))
    sheet.legend = Legend{choice.color == "untouched" ? "moved far from contact (% of height)"
                          : choice.color == "memory"  ? "playback against canonical (% of height)"
                                                      : "left over at rest (% of height)",
                          0, kDifferenceRange, "%"};
  return contact_sheet(cells, sheet);
}

}  // namespace cutis::cli
