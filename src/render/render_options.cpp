// The tables of pictures.
#include "base/option_table.h"
#include "cutis/render.h"

namespace cutis {
namespace {

constexpr OptionRange kTextSize{.least = 4, .most = 400};
constexpr double kMostPixels = 16384;
constexpr OptionRange kAngle{.least = -1e6, .most = 1e6};

constexpr OptionRow<ViewOptions> kViewRows[] = {
    number_row<&ViewOptions::yaw>("yaw", "rad", kAngle, "around +Y from the front"),
    number_row<&ViewOptions::pitch>("pitch", "rad", kAngle, "above the horizon"),
    number_row<&ViewOptions::margin>("margin", "", {.least = 0, .most = 1e6, .above_least = true},
                                     "room around the bounds"),
    number_row<&ViewOptions::fov_y>("fov_y", "rad", {.least = 0.001, .most = 3.1}, "field of view, vertical"),
};

constexpr OptionRow<RenderOptions> kRenderRows[] = {
    count_row<&RenderOptions::width>("width", 1, kMostPixels, "pixels"),
    count_row<&RenderOptions::height>("height", 1, kMostPixels, "pixels"),
    count_row<&RenderOptions::samples>("samples", 1, 8, "a pixel side"),
    on("!--no-occlusion",
       flag_row<&RenderOptions::ambient_occlusion>("ambient_occlusion", "shade of what is near; without it is faster")),
    flag_row<&RenderOptions::ground_shadow>("ground_shadow", "soft contact shadow under the character"),
    flag_row<&RenderOptions::draft>("draft", "far fewer rays for occlusion and shadow: for small frames of films"),
    on("--wireframe", flag_row<&RenderOptions::wireframe>("wireframe", "draw the edges")),
    number_row<&RenderOptions::ground_height>("ground_height", "m", {.least = -1e15, .most = 1e15},
                                              "of the floor; empty: the lowest vertex"),
};

constexpr OptionRow<SheetOptions> kSheetRows[] = {
    text_row<&SheetOptions::title>("title", "over the cells"),
    count_row<&SheetOptions::columns>("columns", 1, 1e6, "of cells"),
    other_row<SheetOptions>("row_labels", "on the left, one a row"),
    other_row<SheetOptions>("legend", "under the cells"),
    number_row<&SheetOptions::text_size>("text_size", "pixels", kTextSize, "the title is larger"),
};

constexpr OptionRow<ComposeOptions> kComposeRows[] = {
    flag_row<&ComposeOptions::vertical>("vertical", "below each other instead of side by side"),
    count_row<&ComposeOptions::gap>("gap", 0, kMostPixels, "pixels between and around the pictures"),
};

constexpr OptionRow<PlotOptions> kPlotRows[] = {
    text_row<&PlotOptions::title>("title", "over the plot"),
    text_row<&PlotOptions::x_label>("x_label", "of the axis"),
    text_row<&PlotOptions::y_label>("y_label", "of the axis"),
    count_row<&PlotOptions::width>("width", 1, kMostPixels, "pixels"),
    count_row<&PlotOptions::height>("height", 1, kMostPixels, "pixels"),
    number_row<&PlotOptions::y_min>("y_min", "", kAnyNumber, "empty: from the values"),
    number_row<&PlotOptions::y_max>("y_max", "", kAnyNumber, "empty: from the values"),
    flag_row<&PlotOptions::log_y>("log_y", "values that are not positive break the line"),
    number_row<&PlotOptions::text_size>("text_size", "pixels", kTextSize, "of labels"),
};

constexpr OptionRow<IsoLinesOptions> kIsoLinesRows[] = {
    text_row<&IsoLinesOptions::title>("title", "over the plot"),
    text_row<&IsoLinesOptions::x_label>("x_label", "of the axis"),
    text_row<&IsoLinesOptions::y_label>("y_label", "of the axis"),
    number_row<&IsoLinesOptions::x_min>("x_min", "", kAnyNumber, "left edge"),
    number_row<&IsoLinesOptions::x_max>("x_max", "", kAnyNumber, "right edge"),
    number_row<&IsoLinesOptions::y_min>("y_min", "", kAnyNumber, "lower edge"),
    number_row<&IsoLinesOptions::y_max>("y_max", "", kAnyNumber, "upper edge"),
    count_row<&IsoLinesOptions::width>("width", 1, kMostPixels, "pixels"),
    count_row<&IsoLinesOptions::height>("height", 1, kMostPixels, "pixels"),
    number_row<&IsoLinesOptions::text_size>("text_size", "pixels", kTextSize, "of labels"),
    flag_row<&IsoLinesOptions::ticks>("ticks", "numbers at the axes"),
    number_row<&IsoLinesOptions::skin>("skin", "", kAnyNumber, "tints values below and above it"),
    other_row<IsoLinesOptions>("levels", "that are drawn, with their colours"),
    other_row<IsoLinesOptions>("curves", "over the iso-lines"),
};

}  // namespace

template <>
std::span<const OptionRow<ViewOptions>> option_rows() {
  return kViewRows;
}
template <>
std::span<const OptionRow<RenderOptions>> option_rows() {
  return kRenderRows;
}
template <>
std::span<const OptionRow<SheetOptions>> option_rows() {
  return kSheetRows;
}
template <>
std::span<const OptionRow<ComposeOptions>> option_rows() {
  return kComposeRows;
}
template <>
std::span<const OptionRow<PlotOptions>> option_rows() {
  return kPlotRows;
}
template <>
std::span<const OptionRow<IsoLinesOptions>> option_rows() {
  return kIsoLinesRows;
}

}  // namespace cutis
