#include "marker_pictures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include <fmt/format.h>

namespace cutis::cli {
namespace {

constexpr double kBall = 0.009;  // radius, in heights of the character
/// Ranges of bones shorter than this are not drawn, in heights of the character: those of fingers on a person.
constexpr double kShortest = 0.035;
/// Radius of an arc, of its bone; and its inner one, of that.
constexpr double kArc = 0.38, kArcInside = 0.86;

Vec3d fan_cross(const Vec3d& a, const Vec3d& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double fan_dot(const Vec3d& a, const Vec3d& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// A vector across `axis`, turned about it.
Vec3d turned(const Vec3d& v, const Vec3d& axis, double angle) {
  return v * std::cos(angle) + fan_cross(axis, v) * std::sin(angle);
}

/// A piece of a ring around the joint, over a range.
void add_arc(Overlay& overlay, const Vec3d& at, const Vec3d& along, const Vec3d& axis, const JointRange::Angle& range,
             double radius, const Color& color) {
  const double low = std::max(range.low, -std::numbers::pi), high = std::min(range.high, std::numbers::pi);
  const int pieces = std::max(1, static_cast<int>(std::ceil((high - low) / 0.12)));
  const Vec3f normal = static_cast<Vec3f>(axis);
  std::uint32_t last = 0;
  for (int k = 0; k <= pieces; ++k) {
    const Vec3d to = turned(along, axis, low + (high - low) * k / pieces) * radius;
    const auto next = static_cast<std::uint32_t>(overlay.mesh.positions.size());
    for (const double share : {1.0, kArcInside}) {
      overlay.mesh.positions.push_back(static_cast<Vec3f>(at + to * share));
      overlay.mesh.normals.push_back(normal);
      overlay.colors.push_back(color);
    }
    if (k > 0)  // seen from both sides
      for (const Triangle& t : {Triangle{last, last + 1, next}, {next, last + 1, next + 1}}) {
        overlay.mesh.triangles.push_back(t);
        overlay.mesh.triangles.push_back({t[0], t[2], t[1]});
      }
    last = next;
  }
}

void add_ranges(Overlay& overlay, const std::vector<JointRange>& ranges, double shortest) {
  const Color open = color_from_srgb(0x4fa06a), across = color_from_srgb(0x6f8fc4), stopped = color_from_srgb(0xd4281c),
              bone = color_from_srgb(0x33343a);
  for (const JointRange& r : ranges) {
    if (r.length < shortest) continue;
    const Vec3d sideways = fan_cross(r.along, r.hinge);
    add_arc(overlay, r.at, r.along, r.hinge, r.flexion, kArc * r.length, r.flexion.held ? stopped : open);
    add_arc(overlay, r.at, r.along, sideways, r.sideways, 0.85 * kArc * r.length, r.sideways.held ? stopped : across);
    // Where the bone is: turned by the swing, whose two shares are about these axes.
    const Vec3d swing = r.hinge * r.flexion.now + sideways * r.sideways.now;
    const double angle = std::sqrt(fan_dot(swing, swing));
    const Vec3d now = angle > 0 ? turned(r.along, swing / angle, angle) : r.along;
    add_bone(overlay, r.at, r.at + now * (1.15 * kArc * r.length), r.twist.held ? stopped : bone);
  }
}

/// The cells behind a plane through the middle that faces the camera, as a closed surface.
Mesh cut_open(const MarkerExtras& extras, const Vec3d& towards_camera) {
  Mesh mesh;
  mesh.positions = extras.control;
  Vec3d middle;
  for (const Vec3f& p : extras.control) middle += static_cast<Vec3d>(p) / static_cast<double>(extras.control.size());
  std::map<std::array<std::uint32_t, 3>, std::pair<Triangle, int>> faces;
  for (const auto& t : extras.cells) {
    Vec3d center;
    for (const std::uint32_t v : t) center += static_cast<Vec3d>(extras.control[v]) * 0.25;
    if (fan_dot(center - middle, towards_camera) > 0) continue;
    for (const Triangle& f : {Triangle{t[1], t[2], t[3]}, {t[0], t[3], t[2]}, {t[0], t[1], t[3]}, {t[0], t[2], t[1]}}) {
      std::array<std::uint32_t, 3> key{f[0], f[1], f[2]};
      std::sort(key.begin(), key.end());
      auto& entry = faces[key];
      entry.first = f;
      ++entry.second;
    }
  }
  for (const auto& [key, face] : faces)
    if (face.second == 1) mesh.triangles.push_back(face.first);
  return mesh;
}

}  // namespace

MarkerPictures::MarkerPictures(const Character& character, int count, std::size_t frames) : character_(character) {
  for (int k = 0; k < count && frames > 0; ++k) {
    const auto f = static_cast<std::size_t>(
        count == 1 ? 0 : std::llround(static_cast<double>(k) * static_cast<double>(frames - 1) / (count - 1)));
    if (wanted_.empty() || wanted_.back() != f) wanted_.push_back(f);
  }
}

bool MarkerPictures::wants(std::size_t frame) const {
  return std::binary_search(wanted_.begin(), wanted_.end(), frame);
}

void MarkerPictures::take(std::size_t frame, double time, const std::vector<Vec3f>& positions,
                          std::span<const Vec3d> markers, std::span<const double> confidence, MarkerExtras extras) {
  if (!wants(frame)) return;
  shots_.push_back(
      {time, positions, {markers.begin(), markers.end()}, {confidence.begin(), confidence.end()}, std::move(extras)});
}

Image MarkerPictures::draw(const Character& character, std::span<const Vec3f> positions, const Color& color,
                           const Shot& shot, const Camera& camera, const RenderOptions& render,
                           const Context& context) const {
  const Box rest = character_.bounds();
  const double height = rest.hi.y - rest.lo.y;
  Overlay balls;
  const Color seen = color_from_srgb(0xd4281c), held = color_from_srgb(0x2b59c3);
  for (std::size_t m = 0; m < shot.markers.size(); ++m)
    if (shot.confidence[m] > 0) {
      const bool pinned = m < shot.extras.pinned.size() && shot.extras.pinned[m] != 0;
      add_ball(balls.mesh, shot.markers[m], kBall * height * (pinned ? 1.6 : 0.5 + 0.5 * shot.confidence[m]));
      balls.colors.resize(balls.mesh.positions.size(), pinned ? held : seen);
    }
  if (&character == &character_) add_ranges(balls, shot.extras.ranges, kShortest * height);
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
  const bool with_control =
      std::any_of(shots_.begin(), shots_.end(), [](const Shot& s) { return !s.extras.control.empty(); });
  sheet.columns = static_cast<int>(std::min<std::size_t>(with_control ? 3 : 4, cells.size()));
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
    if (!shot.extras.control.empty()) {
      RenderOptions edges = render;
      edges.wireframe = true;
      const auto picture_of = [&](Mesh mesh, const char* label) {
        Character control;
        control.meshes.push_back(std::move(mesh));
        const std::vector<Vec3f> at = control.meshes[0].positions;
        cells.push_back({draw(control, at, color_from_srgb(0x9fb7d6), shot, camera, edges, context), label});
      };
      Mesh cage;
      cage.positions = shot.extras.control;
      cage.triangles = shot.extras.cage;
      picture_of(std::move(cage), "cage");
      picture_of(cut_open(shot.extras, camera.eye - camera.target), "control mesh, cut open");
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
