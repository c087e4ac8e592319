#include "sheet.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cutis/metrics.h"
#include "cutis/second_runs.h"
#include "overlay.h"
#include "regions.h"
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
  std::vector<SkinContact> contact;           // with the contact pass
  std::optional<ShapeDifference> difference;  // of two runs, when colours need it
  std::optional<double> dqs_roughness;
  std::vector<float> blending;  // weights of the blend operator, when colours need them
};

bool is_second_run(const std::string& color) { return color == "untouched" || color == "memory" || color == "settled"; }

bool needs_metrics(const SheetChoice& choice) {
  return choice.numbers || choice.zoom == "worst" || choice.color == "stretch" || choice.color == "roughness" ||
         choice.color == "scars" || choice.color == "overlap" || choice.color == "intersections" ||
         choice.color == "poke_through" || choice.color == "tears";
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

// One bone grey, two green, three blue, four violet, more red.
std::vector<Color> influence_colors(const Character& character) {
  constexpr std::uint32_t kColors[] = {0xb9b3aa, 0xd8d2c8, 0x4fa35a, 0x3a6fc4, 0x9b4fc0, 0xd4281c};
  std::vector<Color> colors;
  for (const Mesh& mesh : character.meshes)
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      std::size_t bones = 0;
      if (v + 1 < mesh.weights.row_begin.size())
        for (std::uint32_t i = mesh.weights.row_begin[v]; i < mesh.weights.row_begin[v + 1]; ++i)
          bones += mesh.weights.weight[i] > 0 ? 1 : 0;
      colors.push_back(color_from_srgb(kColors[std::min(bones, std::size(kColors) - 1)]));
    }
  return colors;
}

std::vector<Color> shot_colors(const Character& character, const Shot& shot, const SheetChoice& choice) {
  if (choice.color == "part") return colors_by_part(character);
  if (choice.color == "role") return role_colors(character, choice);
  if (choice.color == "weights")
    return colors_by_weight(character, choice.bone.empty() ? -1 : find_bone(character, choice.bone, "--bone"));
  if (choice.color == "influences") return influence_colors(character);
  if (choice.color == "overlap") return flag_colors(shot.metrics->vertex_overlaps);
  if (choice.color == "intersections") return flag_colors(shot.metrics->vertex_intersects);
  if (choice.color == "scars") return flag_colors(shot.metrics->vertex_scars);
  if (choice.color == "tears") return flag_colors(shot.metrics->vertex_tears);
  if (choice.color == "poke_through") {
    // Red on the garments' own colour; the rest of the character as it is in --color role.
    std::vector<Color> colors = role_colors(character, choice);
    const std::vector<std::uint8_t>& pokes = shot.metrics->vertex_pokes;
    for (std::size_t v = 0; v < pokes.size(); ++v)
      if (pokes[v] != 0) colors[v] = color_from_srgb(0xd4281c);
    return colors;
  }
  if (is_second_run(choice.color)) {
    if (!shot.difference) return {};
    return colors_by_scalar(shot.difference->vertex, 0, kDifferenceRange);
  }
  if (choice.color == "contact") {
    // What is held apart; without the contact pass, what the field holds.
    std::vector<std::uint8_t> touching;
    for (const SkinContact& contact : shot.contact) touching.push_back(contact.touch >= 1 ? 1 : 0);
    if (!touching.empty()) return flag_colors(touching);
    for (const VertexState state : shot.states) touching.push_back(state == VertexState::contact ? 1 : 0);
    return flag_colors(touching);
  }
  if (choice.color == "blend") {
    const Color none = color_from_srgb(0xd8d2c8), whole = color_from_srgb(0xf07c12);
    std::vector<Color> colors;
    for (const float weight : shot.blending) colors.push_back(none * (1 - weight) + whole * weight);
    return colors;
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
  std::optional<SkinField> field = choice.color == "blend" ? std::optional<SkinField>(rig) : std::nullopt;
  const auto take = [&](const Pose& pose, const Frame& frame) {
    Shot shot{frame.positions,
              frame.normals,
              {},
              world_from_joint(character.skeleton, pose),
              {},
              frame.states,
              frame.residuals,
              frame.contact,
              {},
              {},
              {}};
    if (field) {
      field->set_pose(pose);
      shot.blending = field->blending_weights(context);
    }
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

// Per input vertex: how far any two of the shots, one a method, are apart.
std::vector<float> method_differences(const std::vector<const Shot*>& shots) {
  std::vector<float> most(shots.front()->positions.size(), 0.0F);
  for (std::size_t a = 0; a < shots.size(); ++a)
    for (std::size_t b = a + 1; b < shots.size(); ++b)
      for (std::size_t v = 0; v < most.size(); ++v) {
        const Vec3f d = shots[a]->positions[v] - shots[b]->positions[v];
        most[v] = std::max(most[v], std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z));
      }
  return most;
}

// All methods at time i of `times`; shots are by method, then by time.
std::vector<const Shot*> shots_at(const std::vector<Shot>& shots, std::size_t times, std::size_t i) {
  std::vector<const Shot*> at;
  for (std::size_t k = i; k < shots.size(); k += times) at.push_back(&shots[k]);
  return at;
}

// Keeps the times at which the methods differ most, in their order.
void pick_times(std::vector<Shot>& shots, std::vector<double>& times, std::size_t count) {
  if (count >= times.size()) return;
  std::vector<std::pair<float, std::size_t>> by_difference;
  for (std::size_t i = 0; i < times.size(); ++i)
    by_difference.emplace_back(-std::ranges::max(method_differences(shots_at(shots, times.size(), i))), i);
  std::ranges::sort(by_difference);
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < count; ++k) kept.push_back(by_difference[k].second);
  std::ranges::sort(kept);
  std::vector<Shot> kept_shots;
  for (std::size_t m = 0; m < shots.size(); m += times.size())
    for (const std::size_t i : kept) kept_shots.push_back(std::move(shots[m + i]));
  std::vector<double> kept_times;
  for (const std::size_t i : kept) kept_times.push_back(times[i]);
  shots = std::move(kept_shots);
  times = std::move(kept_times);
}

// The vertices that differ by more than half of the most, at the time at which methods differ most; around the one that
// does.
WorstRegion differing_region(const std::vector<Shot>& shots, std::size_t times, double size) {
  std::vector<float> most;
  std::size_t at = 0;
  for (std::size_t i = 0; i < times; ++i) {
    std::vector<float> differences = method_differences(shots_at(shots, times, i));
    if (i > 0 && !(std::ranges::max(differences) > std::ranges::max(most))) continue;
    most = std::move(differences);
    at = i;
  }
  const std::vector<Vec3f>& positions = shots[shots.size() - times + at].positions;
  const auto top = static_cast<std::uint32_t>(std::ranges::max_element(most) - most.begin());
  WorstRegion region;
  for (std::uint32_t v = 0; v < most.size(); ++v) {
    const Vec3d d = static_cast<Vec3d>(positions[v]) - static_cast<Vec3d>(positions[top]);
    const double far = std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    if (!(most[v] >= 0.5F * most[top]) || far > kMostZoom * size / 2) continue;
    region.vertices.push_back(v);
    region.extent = std::max(region.extent, 2 * far);
  }
  return region;
}

std::string numbers_of(const FrameMetrics& m) {
  std::string text = fmt::format("{} pairs  {} folds", m.intersecting_pairs.value_or(0), m.folds);
  if (m.roughness) text += fmt::format("  rough {:.2f}", *m.roughness);
  if (m.scars) text += fmt::format("  {} scars", *m.scars);
  if (m.stretch_max) text += fmt::format("  stretch {:.2f}", *m.stretch_max);
  if (m.volume_change) text += fmt::format("  vol {:+.1f}%", 100 * *m.volume_change);
  return text;
}

// Where each shot's close-up looks, and how far it sees; no centres: the whole motion.
struct Zoom {
  std::vector<Vec3d> centers;
  double radius = 0;
};

Zoom choose_zoom(const Character& character, const std::vector<Shot>& shots, std::size_t times,
                 const SheetChoice& choice, double size) {
  Zoom zoom{{}, kLeastZoom * size};
  if (choice.zoom == "worst" || choice.zoom == "differ") {
    const WorstRegion region = choice.zoom == "worst" ? worst_of(shots, size) : differing_region(shots, times, size);
    for (const Shot& shot : shots) zoom.centers.push_back(mean_of(shot.positions, region.vertices));
    zoom.radius = std::clamp(region.extent, kLeastZoom * size, kMostZoom * size);
    if (choice.zoom == "differ") {  // all methods from one place, and near
      zoom.radius = std::min(zoom.radius, 0.4 * kMostZoom * size);
      for (std::size_t i = 0; i < times; ++i) {
        Vec3d middle;
        const double share = static_cast<double>(times) / static_cast<double>(shots.size());
        for (std::size_t k = i; k < shots.size(); k += times) middle += zoom.centers[k] * share;
        for (std::size_t k = i; k < shots.size(); k += times) zoom.centers[k] = middle;
      }
    }
  } else if (!choice.zoom.empty()) {
    const auto joint = static_cast<std::size_t>(find_bone(character, choice.zoom, "--zoom"));
    for (const Shot& shot : shots) zoom.centers.push_back(shot.joints[joint].translation);
  }
  if (choice.zoom_size > 0) zoom.radius = choice.zoom_size * size / 2;
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
  return {"texture",      "shade", "part",      "role",    "weights", "influences", "stretch",
          "roughness",    "scars", "untouched", "memory",  "settled", "overlap",    "intersections",
          "poke_through", "tears", "residual",  "contact", "blend"};
}

Image draw_sheet(const Character& character, const Motion& motion, const SheetChoice& choice, const Context& context) {
  const Paints paints =
      choice.color.empty() || choice.color == "texture" ? Paints(character, mesh_looks(character), context) : Paints();
  const bool painted = choice.color == "texture" || !paints.empty();
  if (choice.color == "residual" || choice.color == "contact" || choice.color == "blend")
    for (const Method method : choice.methods)
      if (!follows_field(method))
        throw Error(
            ErrorCode::bad_argument, "--color",
            fmt::format("'{}' is known to methods that follow a field; {} has none", choice.color, to_string(method)));
  // All frames of all methods first: the camera frames the whole motion and is the same in every cell.
  const std::optional<Metrics> metrics =
      needs_metrics(choice) || is_second_run(choice.color)
          ? std::optional<Metrics>(std::in_place, character, context, MetricsOptions{.per_vertex = true},
                                   bind_options(choice.methods, choice.contact).preset.roles)
          : std::nullopt;
  std::vector<Shot> shots;
  Box bounds;
  for (const Method method : choice.methods)
    for (Shot& shot : take_shots(character, motion, method, choice, metrics, context)) {
      if (!shot.box.empty()) bounds.add(shot.box.lo), bounds.add(shot.box.hi);
      shots.push_back(std::move(shot));
    }
  std::vector<double> times = motion.times;
  if (choice.pick > 0) pick_times(shots, times, static_cast<std::size_t>(choice.pick));
  const Vec3d extent = bounds.hi - bounds.lo, middle = (bounds.hi + bounds.lo) * 0.5;
  const Box rest = character.bounds();
  const double size =
      std::sqrt((rest.hi.x - rest.lo.x) * (rest.hi.x - rest.lo.x) + (rest.hi.y - rest.lo.y) * (rest.hi.y - rest.lo.y) +
                (rest.hi.z - rest.lo.z) * (rest.hi.z - rest.lo.z));
  const Zoom zoom = choose_zoom(character, shots, times.size(), choice, size);
  const double aspect = static_cast<double>(choice.render.width) / choice.render.height;
  RenderOptions render = choice.render;
  if (extent.y >= 0) render.ground_height = bounds.lo.y;

  Vec3d largest;  // extent of any one frame, so that all cells have one scale when the camera follows
  for (const Shot& shot : shots)
    for (int k = 0; k < 3; ++k) largest[k] = std::max(largest[k], shot.box.hi[k] - shot.box.lo[k]);

  // Methods at one time stand side by side.
  const bool in_a_row = choice.methods.size() > 1 && times.size() == 1;
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
    std::string label = fmt::format("{:.2f} s", times[i % times.size()]);
    if (choice.numbers)
      label = fmt::format("{}: {}", in_a_row ? cutis::cli::label(choice.methods[i], choice.contact) : label,
                          numbers_of(*shots[i].metrics));
    if (shots[i].metrics && choice.color == "overlap")
      label += fmt::format("   {:.2f}% overlap", 100 * shots[i].metrics->overlap.value_or(0));
    if (shots[i].metrics && choice.color == "poke_through" && shots[i].metrics->poke_through)
      label += fmt::format("   {:.2f}% poke through", 100 * *shots[i].metrics->poke_through);
    if (shots[i].metrics && choice.color == "tears")
      label += fmt::format("   {} tears", shots[i].metrics->tears.value_or(0));
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
    const Drawable drawable{&character, shots[i].positions, shots[i].normals, colors, painted ? &paints : nullptr};
    const std::optional<RegionMesh> regions =
        choice.color == "part" ? std::optional(cut_regions(character, shots[i].positions, shots[i].normals))
                               : std::nullopt;
    Overlay balls;  // instead of the skin
    Character ball_character;
    if (choice.balls) {
      add_hulls(balls, character, sphere_model_of(character, bind_options({Method::tracking}, choice.contact), context),
                shots[i].joints);
      ball_character.meshes.push_back(balls.mesh);
    }
    const Drawable below = choice.balls
                               ? Drawable{&ball_character, balls.mesh.positions, balls.mesh.normals, balls.colors}
                           : regions ? regions->drawable()
                                     : drawable;
    RenderOptions look = render;
    if (choice.balls) look.ambient_occlusion = false;  // it is of vertices, and many of a hull lie inside other hulls
    Image image = render_still(below, camera, look, context);
    if (choice.skeleton || choice.samples) {
      Overlay overlay;
      if (choice.skeleton) add_bones(overlay, character, shots[i].joints);
      if (choice.samples)
        add_samples(overlay, character, bind_options({Method::tracking}, choice.contact), shots[i].joints, context);
      image = draw_through(image, below, overlay, camera, render, context);
    }
    cells.push_back({std::move(image), std::move(label)});
    context.progress("rendering", static_cast<double>(i + 1) / static_cast<double>(shots.size()));
  }
  if (cells.size() == 1 && choice.color != "stretch" && choice.color != "roughness" && !is_second_run(choice.color))
    return std::move(cells.front().image);

  SheetOptions sheet;
  sheet.title = in_a_row ? fmt::format("{}   {:.2f} s", choice.title, times.front()) : choice.title;
  if (choice.numbers) sheet.text_size *= 0.82;  // a line of them is as wide as a picture
  // One row a method; a single method wraps after six frames.
  sheet.columns = static_cast<int>(in_a_row                    ? choice.methods.size()
                                   : choice.methods.size() > 1 ? times.size()
                                                               : std::min<std::size_t>(times.size(), 6));
  if (choice.methods.size() > 1 && !in_a_row)
    for (const Method method : choice.methods) sheet.row_labels.push_back(label(method, choice.contact));
  if (in_a_row && !choice.numbers)
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i].label = fmt::format("{}   {}", label(choice.methods[i], choice.contact), cells[i].label);
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
