// The camera as the rasteriser sees it.
#pragma once

#include "cutis/render.h"

namespace cutis {

/// An orthonormal frame at the eye: camera space has x to the right, y up, and looks along -z. A pixel's ray runs
/// along (x, y, -1); pixel (0,0) is the top left, and its middle is at (0.5, 0.5).
struct View {
  Vec3d eye, right, up, back;
  double tan_x = 1, tan_y = 1;  ///< slopes of the picture's borders
  double near_distance = 0;
  int width = 0, height = 0;

  [[nodiscard]] Vec3d to_camera(const Vec3d& p) const;
  [[nodiscard]] double ray_x(double pixel_x) const { return (2 * pixel_x / width - 1) * tan_x; }
  [[nodiscard]] double ray_y(double pixel_y) const { return (1 - 2 * pixel_y / height) * tan_y; }
  /// Not of unit length: its component along the view direction is 1.
  [[nodiscard]] Vec3d ray_direction(double pixel_x, double pixel_y) const {
    return right * ray_x(pixel_x) + up * ray_y(pixel_y) - back;
  }
  [[nodiscard]] double pixel_x(double ray_x) const { return (ray_x / tan_x + 1) * 0.5 * width; }
  [[nodiscard]] double pixel_y(double ray_y) const { return (1 - ray_y / tan_y) * 0.5 * height; }
};

/// Throws Error(bad_argument) on a camera that is not finite or whose eye is its target.
[[nodiscard]] View make_view(const Camera& camera, int width, int height);

}  // namespace cutis
