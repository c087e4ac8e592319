// Pictures of a marker-driven animation: sheets with the markers, plots of the reports.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cutis/cutis.h"
#include "overlay.h"

namespace cutis::cli {

/// What else a picture shows of a solver.
struct MarkerExtras {
  /// Of the control mesh; empty: none. Its boundary, the cage, and its cells cut open are pictures before that of the
  /// skin.
  std::vector<Vec3f> control;
  std::vector<Triangle> cage;
  std::vector<std::array<std::uint32_t, 4>> cells;
  /// How far joints may turn: an arc about each bending axis, one across it, and the bone; red where one is held.
  std::vector<JointRange> ranges;
  /// Markers that are pinned or edited, one a marker: blue.
  std::vector<char> pinned;
};

/// Collects `count` of `frames` evenly and draws them with their markers as balls.
class MarkerPictures {
 public:
  MarkerPictures(const Character& character, int count, std::size_t frames);
  [[nodiscard]] bool wants(std::size_t frame) const;
  void take(std::size_t frame, double time, const std::vector<Vec3f>& positions, std::span<const Vec3d> markers,
            std::span<const double> confidence, MarkerExtras extras = {});
  [[nodiscard]] Image sheet(const std::string& title, double yaw_degrees, bool follow, const Context& context) const;
  [[nodiscard]] Image still(double yaw_degrees, const Context& context) const;  ///< of the first frame

 private:
  [[nodiscard]] std::vector<SheetCell> draw_all(double yaw_degrees, bool follow, RenderOptions render,
                                                const Context& context) const;
  struct Shot {
    double time = 0;
    std::vector<Vec3f> positions;
    std::vector<Vec3d> markers;
    std::vector<double> confidence;
    MarkerExtras extras;
  };
  [[nodiscard]] Image draw(const Character& character, std::span<const Vec3f> positions, const Color& color,
                           const Shot& shot, const Camera& camera, const RenderOptions& render,
                           const Context& context) const;
  const Character& character_;
  std::vector<std::size_t> wanted_;
  std::vector<Shot> shots_;
};

/// The character at rest with a ball at every place of the map, from the front and from behind.
[[nodiscard]] Image picture_of_places(const Character& character, const MarkerMap& map, const Context& context);

/// Panels over time: marker residuals, iterations and milliseconds, volume and bone lengths, energy.
[[nodiscard]] Image plot_reports(const std::vector<double>& times, const std::vector<MarkerFrameReport>& reports);

}  // namespace cutis::cli
