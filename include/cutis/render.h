// Stills and contact sheets from a software rasteriser: no display, no driver, the same bits everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"

namespace cutis {

/// 8-bit sRGB, row by row from the top.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

using Color = Vec3f;  ///< linear RGB in [0,1]

struct Camera {
  Vec3d eye, target, up{0, 1, 0};
  double fov_y = 0.52;  ///< radians
};

struct ViewOptions {
  double yaw = 0.6;      ///< radians around +Y from the front (+Z); positive looks from the character's left
  double pitch = 0.22;   ///< radians above the horizon
  double margin = 1.08;  ///< room around the bounds
};

/// A camera that keeps `bounds` (usually of the whole motion) in a picture of that aspect (width / height).
[[nodiscard]] Camera frame_bounds(const Box& bounds, const ViewOptions& options, double aspect);

struct RenderOptions {
  int width = 480, height = 480;
  int samples = 3;  ///< anti-aliasing: samples x samples per pixel
  bool ambient_occlusion = true;
  bool ground_shadow = true;  ///< soft contact shadow under the character
  bool wireframe = false;
};

/// What to draw: all vertices of all meshes in the input's order.
struct Drawable {
  const Character* character = nullptr;
  std::span<const Vec3f> positions;
  std::span<const Vec3f> normals;
  std::span<const Color> colors;  ///< per vertex; empty: the default skin tone / the materials' base colours
};

[[nodiscard]] Image render_still(const Drawable& drawable, const Camera& camera, const RenderOptions& options,
                                 const Context& context);

/// One colour per vertex by the bone with the largest weight; neighbouring bones differ clearly.
[[nodiscard]] std::vector<Color> colors_by_part(const Character& character);
/// The weights of one bone, or of all bones blended in their part colours when `joint` < 0.
[[nodiscard]] std::vector<Color> colors_by_weight(const Character& character, int joint = -1);
/// A scalar per vertex through a perceptual colour map, from `lo` to `hi`.
[[nodiscard]] std::vector<Color> colors_by_scalar(std::span<const float> values, float lo, float hi);

/// Cells of equal size, row by row, with a title line, row labels on the left and a label under each cell.
struct SheetOptions {
  std::string title;
  int columns = 4;
  std::vector<std::string> row_labels;
};
struct SheetCell {
  Image image;
  std::string label;
};
[[nodiscard]] Image contact_sheet(std::span<const SheetCell> cells, const SheetOptions& options);

/// Written to a temporary name and renamed. Throws Error(io).
void write_png(const std::string& file, const Image& image);

}  // namespace cutis
