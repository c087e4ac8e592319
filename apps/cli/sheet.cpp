#include "sheet.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cutis/metrics.h"
#include "worst_region.h"

namespace cutis::cli {
namespace {

// Stretch is shown from half to twice the rest length.
constexpr float kStretchRange = 1.0F;  // log2
// Changes of angles between triangles are shown up to this.
constexpr float kRoughnessRange = 30.0F;  // degrees
// Residuals are shown up to ten times what counts as converged.
constexpr float kResidualRange = 1e-3F;

struct Shot {
  std::vector<Vec3f> positions, normals;
  Box box;  // of the positions
  std::vector<Affine3d> joints;
  std::optional<FrameMetrics> metrics;  // when colours or the zoom need them
  std::vector<VertexState> states;      // of methods that work on fields
  std::vector<float> residuals;
};

bool needs_metrics(const SheetChoice& choice) {
  return choice.zoom == "worst" || choice.color == "stretch" || choice.color == "roughness" ||
         choice.color == "overlap" || choice.color == "intersections" || choice.color == "poke_through" ||
         choice.color == "tears";
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

// Skin in its own tone; what rides on it, and what is inside, far from it and from each other.
std::vector<Color> role_colors(const Character& character, const SheetChoice& choice) {
  constexpr std::uint32_t kColors[kRoles] = {0xd8d2c8, 0x3f7fbf, 0xb5722e, 0xc23a5e, 0x5c9a3c};
  const Roles roles = find_roles(character, bind_options(choice.methods, choice.contact).preset.roles);
  std::vector<Color> colors;
  for (const std::uint32_t p : roles.piece)
    colors.push_back(color_from_srgb(
        kColors[p < roles.pieces.size() ? static_cast<std::size_t>(roles.pieces[p].role) : std::size_t{0}]));
  return colors;
}

std::vector<Color> shot_colors(const Character& character, const Shot& shot, const SheetChoice& choice) {
  if (choice.color == "part") return colors_by_part(character);
  if (choice.color == "role") return role_colors(character, choice);
  if (choice.color == "weights")
    return colors_by_weight(character, choice.bone.empty() ? -1 : find_bone(character, choice.bone, "--bone"));
  if (choice.color == "overlap") return flag_colors(shot.metrics->vertex_overlaps);
  if (choice.color == "intersections") return flag_colors(shot.metrics->vertex_intersects);
  if (choice.color == "tears") return flag_colors(shot.metrics->vertex_tears);
  if (choice.color == "poke_through") {
    // Red on the garments' own colour; the rest of the character as it is in --color role.
    std::vector<Color> colors = role_colors(character, choice);
    const std::vector<std::uint8_t>& pokes = shot.metrics->vertex_pokes;
    for (std::size_t v = 0; v < pokes.size(); ++v)
      if (pokes[v] != 0) colors[v] = color_from_srgb(0xd4281c);
    return colors;
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
  return {"shade",   "part",          "role",         "weights", "stretch",  "roughness",
          "overlap", "intersections", "poke_through", "tears",   "residual", "contact"};
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
      needs_metrics(choice)
          ? std::optional<Metrics>(std::in_place, character, context, MetricsOptions{.per_vertex = true},
                                   bind_options(choice.methods, choice.contact).preset.roles)
          : std::nullopt;
  std::vector<std::vector<Vec3f>> smooth;  // for tears
  if (choice.color == "tears")
    play(character, motion, Method::dqs, context, [&](std::size_t, const Frame& f) { smooth.push_back(f.positions); });
  std::vector<Shot> shots;
  Box bounds;
  for (const Method method : choice.methods) {
    play(
        character, motion, method, context,
        [&](std::size_t i, const Frame& frame) {
          Box box;
          for (const Vec3f& p : frame.positions) box.add(static_cast<Vec3d>(p));
          if (!box.empty()) bounds.add(box.lo), bounds.add(box.hi);
          shots.push_back(
              {frame.positions,
               frame.normals,
               box,
               world_from_joint(character.skeleton, sample(character.skeleton, motion.clip, motion.times[i])),
               {},
               frame.states,
               frame.residuals});
          if (metrics) shots.back().metrics = metrics->measure(frame.positions);
          if (choice.color == "tears") metrics->compare_with_smooth(frame.positions, smooth[i], *shots.back().metrics);
        },
        choice.contact);
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
    if (shots[i].metrics && choice.color == "poke_through" && shots[i].metrics->poke_through)
      label += fmt::format("   {:.2f}% poke through", 100 * *shots[i].metrics->poke_through);
    if (shots[i].metrics && choice.color == "tears")
      label += fmt::format("   {} tears", shots[i].metrics->tears.value_or(0));
    if (shots[i].metrics && choice.color == "roughness" && shots[i].metrics->roughness)
      label += fmt::format("   {:.2f} degrees", *shots[i].metrics->roughness);
    if (shots[i].metrics && (choice.color == "intersections" || choice.zoom == "worst"))
      label += fmt::format("   {} pairs", shots[i].metrics->intersecting_pairs.value_or(0));
    const Drawable drawable{&character, shots[i].positions, shots[i].normals, colors};
    cells.push_back({render_still(drawable, camera, render, context), std::move(label)});
    context.progress("rendering", static_cast<double>(i + 1) / static_cast<double>(shots.size()));
  }
  if (cells.size() == 1 && choice.color != "stretch" && choice.color != "roughness")
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
  return contact_sheet(cells, sheet);
}

}  // namespace cutis::cli
