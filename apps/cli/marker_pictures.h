// Pictures of a marker-driven animation: sheets with the markers, plots of the reports.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cutis/cutis.h"

namespace cutis::cli {

/// Collects `count` of `frames` evenly and draws them with their markers as balls.
class MarkerPictures {
 public:
  MarkerPictures(const Character& character, int count, std::size_t frames);
  /// `control`: of the control mesh, whose picture then comes before that of the skin; empty: none.
  void take(std::size_t frame, double time, const std::vector<Vec3f>& positions, std::span<const Vec3d> markers,
            std::span<const double> confidence, const Mesh& control = {});
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
    Mesh control;
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
