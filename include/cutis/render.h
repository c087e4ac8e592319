// Stills, contact sheets and plots from a software rasteriser: no display, no driver.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/look.h"
#include "cutis/option_rows.h"

namespace cutis {

/// 8-bit sRGB, row by row from the top.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;

  friend bool operator==(const Image&, const Image&) = default;
};

using Color = Vec3f;  ///< linear RGB in [0,1]

/// From the 8-bit sRGB code of a web page (0xRRGGBB).
[[nodiscard]] Color color_from_srgb(std::uint32_t code);

/// A picture filled with one colour. Throws Error(bad_argument) unless both sides are in [1, 32768].
[[nodiscard]] Image make_image(int width, int height, const Color& color);

// ---- cameras ----

struct Camera {
  Vec3d eye, target, up{0, 1, 0};
  double fov_y = 0.52;  ///< radians
};

struct ViewOptions {
  double yaw = 0.6;      ///< radians around +Y from the front (+Z); positive looks from the character's left
  double pitch = 0.22;   ///< radians above the horizon
  double margin = 1.08;  ///< room around the bounds
  double fov_y = 0.52;   ///< radians
};

/// The camera nearest to `bounds` (usually of the whole motion) that keeps its corners in a picture of that aspect
/// (width / height). Empty bounds count as a box of side 1 around the origin.
[[nodiscard]] Camera frame_bounds(const Box& bounds, const ViewOptions& options, double aspect);

/// The yaw from which the file's default pose is seen from its front, radians: pi where feet point to -Z (VRM 0.x),
/// else 0. To be added to ViewOptions::yaw.
[[nodiscard]] double front_yaw(const Skeleton& skeleton);
/// The same of another pose, such as the first of a motion that was made for a body that faces another way: the bones
/// have turned from the default pose as a whole.
[[nodiscard]] double front_yaw(const Skeleton& skeleton, const Pose& pose);

/// A close-up of the ball around `center`.
[[nodiscard]] Camera frame_region(const Vec3d& center, double radius, const ViewOptions& options, double aspect);

// ---- stills ----

struct RenderOptions {
  int width = 480, height = 480;
  int samples = 3;  ///< anti-aliasing: samples x samples per pixel, 1 to 8
  bool ambient_occlusion = true;
  bool ground_shadow = true;  ///< soft contact shadow under the character
  bool draft = false;         ///< far fewer rays for occlusion and shadow: for small frames of films
  bool wireframe = false;
  /// Height of the floor; none: the lowest vertex. Give the motion's lowest point to keep the floor still.
  std::optional<double> ground_height = {};
};

/// What the meshes of a character are painted with: textures, vertex colours, base colours, cut-outs. Made once, for
/// any number of pictures; copies share it.
class Paints {
 public:
  Paints();  ///< none
  /// `looks`: one per mesh, as mesh_looks() gives them. Decodes their pictures; what cannot be decoded is said in
  /// `context` and drawn in one colour. Throws Error(bad_argument) when the numbers differ.
  Paints(const Character& character, std::span<const MeshLook> looks, const Context& context);
  /// Whether there is nothing to see of them: neither textures nor vertex colours, and one colour for all.
  [[nodiscard]] bool empty() const;

  struct Impl;
  [[nodiscard]] const Impl* impl() const { return impl_.get(); }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// What to draw: all vertices of all meshes in the input's order. Triangles with a non-finite vertex are left out.
struct Drawable {
  const Character* character = nullptr;
  std::span<const Vec3f> positions;  ///< empty: the rest pose
  std::span<const Vec3f> normals;    ///< empty: computed from the positions
  std::span<const Color> colors;     ///< per vertex; empty: the paints, or the default skin tone
  const Paints* paints = nullptr;    ///< of this character
};

/// Warm key, cool fill, rim, sky; the insides of the skin (back faces) are tinted violet. The same bits for any
/// number of threads. Throws Error(bad_argument) when sizes do not fit.
[[nodiscard]] Image render_still(const Drawable& drawable, const Camera& camera, const RenderOptions& options,
                                 const Context& context);

// ---- colours ----

/// One colour per joint; a bone differs clearly from its parent, and left and right share a hue.
[[nodiscard]] std::vector<Color> joint_colors(const Skeleton& skeleton);
/// One colour per vertex by the bone with the largest weight.
[[nodiscard]] std::vector<Color> colors_by_part(const Character& character);
/// The weights of one bone, or of all bones blended in their part colours when `joint` < 0.
[[nodiscard]] std::vector<Color> colors_by_weight(const Character& character, int joint = -1);
/// The perceptual colour map of scalars: t in [0,1], clamped; NaN gives a pink that is not in the map.
[[nodiscard]] Color map_color(float t);
/// A scalar per vertex through map_color(), from `lo` to `hi`.
[[nodiscard]] std::vector<Color> colors_by_scalar(std::span<const float> values, float lo, float hi);

// ---- text and legends ----

/// Draws UTF-8 text (glyphs: ASCII and a few signs such as the degree; others are boxes). (x, y) is the left end of
/// the base line in pixels from the top left; `size` is the height of a line: capitals are 0.7 of it. Parts outside
/// the picture are cut off.
void draw_text(Image& image, double x, double y, double size, std::string_view text, const Color& color,
               bool bold = false);
[[nodiscard]] double text_width(double size, std::string_view text);

/// What map_color() stands for in a picture.
struct Legend {
  std::string title = {};
  double lo = 0, hi = 1;
  std::string unit = {};  ///< written after the numbers
};
/// A colour bar with a title and ticks from lo to hi.
[[nodiscard]] Image draw_legend(const Legend& legend, int width = 260, double text_size = 15);

// ---- sheets ----

struct SheetOptions {
  std::string title = {};
  int columns = 4;
  std::vector<std::string> row_labels = {};
  std::optional<Legend> legend = {};  ///< under the cells
  double text_size = 16;              ///< pixels; the title is larger
};
struct SheetCell {
  Image image;
  std::string label = {};
};
/// Cells of equal size, row by row, with a title line, row labels on the left and a label under each cell. Smaller
/// pictures are centred in their cell.
[[nodiscard]] Image contact_sheet(std::span<const SheetCell> cells, const SheetOptions& options);

struct ComposeOptions {
  bool vertical = false;  ///< below each other instead of side by side
  int gap = 12;           ///< pixels between and around the pictures
};
/// Pictures of any sizes in one, centred across the direction in which they are put together.
[[nodiscard]] Image compose(std::span<const Image> images, const ComposeOptions& options = {});

// ---- plots ----

struct PlotSeries {
  std::string label = {};
  std::vector<double> x = {}, y = {};  ///< same length; a non-finite point breaks the line
  std::optional<Color> color = {};
};
struct PlotOptions {
  std::string title = {}, x_label = {}, y_label = {};
  int width = 720, height = 420;
  std::optional<double> y_min = {}, y_max = {};  ///< none: from the values
  bool log_y = false;                            ///< values that are not positive break the line
  double text_size = 15;
};
[[nodiscard]] Image plot_lines(std::span<const PlotSeries> series, const PlotOptions& options);

// ---- iso-lines ----

struct IsoLevel {
  double value = 0;
  Color color = {};
  double width = 1.3;  ///< pixels
};
/// A line over the iso-lines, in the plot's units.
struct IsoCurve {
  std::vector<double> x = {}, y = {};  ///< same length
  Color color = {};
  double width = 3;
};
struct IsoLinesOptions {
  std::string title = {}, x_label = {}, y_label = {};
  double x_min = 0, x_max = 1, y_min = 0, y_max = 1;
  int width = 320, height = 320;
  double text_size = 14;
  bool ticks = true;
  std::optional<double> skin = {};  ///< tints values below it with outer_color(), above with inner_color()
  std::vector<IsoLevel> levels = {};
  std::vector<IsoCurve> curves = {};
};
/// Iso-lines of values at columns x rows points spread over the plot's area, row by row from y_min up. Values that are
/// not finite leave a gap. Throws Error(bad_argument) when sizes do not fit.
[[nodiscard]] Image draw_iso_lines(std::span<const float> values, int columns, int rows,
                                   const IsoLinesOptions& options);

/// The papers' colours of fields: outside blue, skin grey, inside red, contact green.
[[nodiscard]] Color outer_color();
[[nodiscard]] Color skin_color();
[[nodiscard]] Color inner_color();
[[nodiscard]] Color contact_color();
/// Levels every `step` on both sides of `skin`, in these colours.
[[nodiscard]] std::vector<IsoLevel> field_levels(double skin, double step, double lo, double hi);

// ---- files ----

/// Written to a temporary name and renamed. Throws Error(io).
void write_png(const std::string& file, const Image& image);
/// The same, smaller and not exact. `quality` 1 to 100.
void write_jpeg(const std::string& file, const Image& image, int quality = 85);

template <>
[[nodiscard]] std::span<const OptionRow<ViewOptions>> option_rows();
template <>
[[nodiscard]] std::span<const OptionRow<RenderOptions>> option_rows();
template <>
[[nodiscard]] std::span<const OptionRow<SheetOptions>> option_rows();
template <>
[[nodiscard]] std::span<const OptionRow<ComposeOptions>> option_rows();
template <>
[[nodiscard]] std::span<const OptionRow<PlotOptions>> option_rows();
template <>
[[nodiscard]] std::span<const OptionRow<IsoLinesOptions>> option_rows();

}  // namespace cutis
