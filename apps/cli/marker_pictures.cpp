#include "marker_pictures.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "overlay.h"

namespace cutis::cli {
namespace {

constexpr double kBall = 0.009;  // radius, in heights of the character

}  // namespace

MarkerPictures::MarkerPictures(const Character& character, int count, std::size_t frames) : character_(character) {
  for (int k = 0; k < count && frames > 0; ++k) {
    const auto f = static_cast<std::size_t>(
        count == 1 ? 0 : std::llround(static_cast<double>(k) * static_cast<double>(frames - 1) / (count - 1)));
    if (wanted_.empty() || wanted_.back() != f) wanted_.push_back(f);
  }
}

void MarkerPictures::take(std::size_t frame, double time, const std::vector<Vec3f>& positions,
                          std::span<const Vec3d> markers, std::span<const double> confidence, const Mesh& control) {
  if (!std::binary_search(wanted_.begin(), wanted_.end(), frame)) return;
  shots_.push_back(
      {time, positions, {markers.begin(), markers.end()}, {confidence.begin(), confidence.end()}, control});
}

Image MarkerPictures::draw(const Character& character, std::span<const Vec3f> positions, const Color& color,
                           const Shot& shot, const Camera& camera, const RenderOptions& render,
                           const Context& context) const {
  const Box rest = character_.bounds();
  const double height = rest.hi.y - rest.lo.y;
  Overlay balls;
  for (std::size_t m = 0; m < shot.markers.size(); ++m)
    if (shot.confidence[m] > 0)
      add_ball(balls.mesh, shot.markers[m], kBall * height * (0.5 + 0.5 * shot.confidence[m]));
  balls.colors.assign(balls.mesh.positions.size(), color_from_srgb(0xd4281c));
  const std::vector<Color> colors(positions.size(), color);
  const Drawable skin{&character, positions, {}, colors};
  // Markers on joints lie inside: through the skin.
  return draw_through(render_still(skin, camera, render, context), skin, balls, camera, render, context);
}

Image MarkerPictures::still(double yaw_degrees, const Context& context) const {
  return draw_all(yaw_degrees, false, {.width = 560, .height = 720}, context).at(0).image;
}

Image MarkerPictures::sheet(const std::string& title, double yaw_degrees, bool follow, const Context& context) const {
  const std::vector<SheetCell> cells = draw_all(yaw_degrees, follow, {.width = 360, .height = 460}, context);
  SheetOptions sheet;
  sheet.title = title;
  sheet.columns = static_cast<int>(std::min<std::size_t>(4, cells.size()));
  return contact_sheet(cells, sheet);
}

std::vector<SheetCell> MarkerPictures::draw_all(double yaw_degrees, bool follow, RenderOptions render,
                                                const Context& context) const {
  Box all;
  Vec3d reach;  // of the body around its middle, the largest of all shots: one zoom for all
  for (const Shot& shot : shots_) {
    Box box;
    for (const Vec3f& p : shot.positions) box.add(static_cast<Vec3d>(p));
    all.add(box.lo);
    all.add(box.hi);
    for (int k = 0; k < 3; ++k) reach[k] = std::max(reach[k], 0.52 * (box.hi[k] - box.lo[k]));
  }
  const double aspect = static_cast<double>(render.width) / render.height;
  ViewOptions view;
  view.yaw = yaw_degrees * std::numbers::pi / 180 + front_yaw(character_.skeleton);
  view.pitch = 0.15;
  std::vector<SheetCell> cells;
  for (const Shot& shot : shots_) {
    Box box;
    for (const Vec3f& p : shot.positions) box.add(static_cast<Vec3d>(p));
    if (follow) {
      const Vec3d middle = (box.lo + box.hi) * 0.5;
      box = {};
      box.add(middle - reach);
      box.add(middle + reach);
    }
    render.ground_height = all.lo.y;
    const Camera camera = frame_bounds(follow ? box : all, view, aspect);
    if (!shot.control.positions.empty()) {
      Character control;
      control.meshes.push_back(shot.control);
      RenderOptions edges = render;
      edges.wireframe = true;
      cells.push_back({draw(control, shot.control.positions, color_from_srgb(0x9fb7d6), shot, camera, edges, context),
                       "control mesh"});
    }
    cells.push_back({draw(character_, shot.positions, color_from_srgb(0xd8b49a), shot, camera, render, context),
                     fmt::format("{:.2f} s", shot.time)});
    context.progress("rendering", static_cast<double>(cells.size()) / static_cast<double>(shots_.size()));
  }
  return cells;
}

Image picture_of_places(const Character& character, const MarkerMap& map, const Context& context) {
  std::vector<Vec3f> positions;
  for (const Mesh& mesh : character.meshes)
    positions.insert(positions.end(), mesh.positions.begin(), mesh.positions.end());
  std::vector<Vec3d> places;
  for (const MarkerPlace& place : map.places) {
    const int joint = place.bone.empty() ? -1 : character.skeleton.find(place.bone);
    const Vec3d from = joint >= 0
                           ? character.skeleton.joints[static_cast<std::size_t>(joint)].world_from_rest.translation
                       : place.vertex >= 0 && static_cast<std::size_t>(place.vertex) < positions.size()
                           ? static_cast<Vec3d>(positions[static_cast<std::size_t>(place.vertex)])
                           : Vec3d{};
    places.push_back(from + place.offset);
  }
  const std::vector<double> sure(places.size(), 1.0);
  std::vector<SheetCell> cells;
  for (const auto& [yaw, caption] : {std::pair{0.0, "front"}, {180.0, "back"}}) {
    MarkerPictures shot(character, 1, 1);
    shot.take(0, 0, positions, places, sure);
    cells.push_back({shot.still(yaw, context), caption});
  }
  SheetOptions sheet;
  sheet.title = fmt::format("{} markers", places.size());
  sheet.columns = 2;
  return contact_sheet(cells, sheet);
}

Image plot_reports(const std::vector<double>& times, const std::vector<MarkerFrameReport>& reports) {
  const auto series = [&](const char* label, double (*value)(const MarkerFrameReport&)) {
    PlotSeries s;
    s.label = label;
    for (std::size_t f = 0; f < reports.size(); ++f) {
      s.x.push_back(times[f]);
      s.y.push_back(value(reports[f]));
    }
    return s;
  };
  using Report = const MarkerFrameReport&;
  const std::vector<PlotSeries> markers{series("mean", [](Report r) { return 1000 * r.marker_rms; }),
                                        series("worst", [](Report r) { return 1000 * r.marker_worst; })};
  const std::vector<PlotSeries> work{series("iterations", [](Report r) { return static_cast<double>(r.iterations); }),
                                     series("update ms", [](Report r) { return r.solve_ms; })};
  const std::vector<PlotSeries> rigid{series("volume", [](Report r) { return 100 * r.volume_error; }),
                                      series("bone length, mean", [](Report r) { return 100 * r.bone_length_error; }),
                                      series("bone length, worst", [](Report r) { return 100 * r.bone_length_worst; })};
  const std::vector<PlotSeries> energy{series("RRMS of cells", [](Report r) { return r.rrms; })};
  const std::vector<PlotSeries> counts{series("markers", [](Report r) { return static_cast<double>(r.markers); }),
                                       series("joints held", [](Report r) { return static_cast<double>(r.limited); })};
  // Ten frames in the middle, iteration after iteration: how far the farthest vertex still went, as a power of ten.
  PlotSeries steps;
  steps.label = "farthest vertex";
  const std::size_t first = reports.size() > 10 ? (reports.size() - 10) / 2 : 0;
  for (std::size_t f = first; f < std::min(first + 10, reports.size()); ++f)
    for (const double moved : reports[f].moved) {
      steps.x.push_back(static_cast<double>(steps.x.size()));
      steps.y.push_back(std::log10(std::max(1000 * moved, 1e-6)));
    }
  const auto plot = [](const std::vector<PlotSeries>& list, const char* title, const char* unit,
                       const char* x_label = "seconds") {
    PlotOptions options;
    options.title = title;
    options.x_label = x_label;
    options.y_label = unit;
    options.width = 620;
    options.height = 320;
    return plot_lines(list, options);
  };
  const std::vector<Image> left{plot(markers, "Markers from their vertices", "mm"), plot(rigid, "Errors", "%"),
                                plot({steps}, "Convergence over ten frames", "log10 mm", "iterations")};
  const std::vector<Image> right{plot(work, "Work", ""), plot(energy, "Rigidity", ""),
                                 plot(counts, "Markers seen, joints held by limits", "")};
  const std::vector<Image> columns{compose(left, {.vertical = true}), compose(right, {.vertical = true})};
  return compose(columns);
}

}  // namespace cutis::cli
